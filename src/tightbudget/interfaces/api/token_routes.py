"""Routes for owners: tokens made, listed and revoked."""

import math
import time
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, StrictStr
from starlette.concurrency import run_in_threadpool

from tightbudget.access.roles import Permission, Role
from tightbudget.access.tokens import Token, new_token
from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import wire
from tightbudget.interfaces.api import shapes
from tightbudget.interfaces.api.bodies import Number
from tightbudget.interfaces.api.guard import GuardedRoute, allows
from tightbudget.interfaces.api.logs import logger
from tightbudget.interfaces.api.problems import of_status
from tightbudget.interfaces.api.service import Service

router = APIRouter(prefix="/v1/tokens", route_class=GuardedRoute, tags=["tokens"])
TOKENS = Permission.TOKENS
_ID = "^[0-9A-Za-z]*$"  # anything else is none, and PostgreSQL does not take all of it
LONGEST_LIFE = 100 * 365 * 86400.0


class TokenAsked(BaseModel):
    """A token to be made."""

    model_config = ConfigDict(extra="forbid")

    name: StrictStr = Field(description="Who or what it is for.", examples=["Ada's laptop"])
    role: Role
    expires_in: Number | None = Field(None, description="Seconds until it expires; by default never.", examples=[2592000])


@router.post(
    "",
    status_code=201,
    response_class=Response,
    responses={201: {"model": shapes.NewToken}, **shapes.problems(400, 401, 403, 413, 415, 422, 429)},
)
@allows(TOKENS)
async def make(request: Request, body: TokenAsked) -> Response:
    """Make a token. Its text is in the answer, and nowhere else."""
    service: Service = request.app.state.service
    now = time.time()
    if body.expires_in is not None and not 0.0 < body.expires_in <= LONGEST_LIFE:
        raise InvalidParameter("expires_in", body.expires_in, f"above 0 and at most {LONGEST_LIFE:.0f} seconds")
    expires = None if body.expires_in is None else math.ceil(now + body.expires_in)
    token, text = new_token(body.name, body.role, now, expires)
    await run_in_threadpool(service.tokens.add, token)
    _log_token_change("token made", request, token.id)
    return Response(wire.json_text({**_token_shape(token), "text": text}), 201, media_type="application/json")


@router.get("", response_class=Response, responses={200: {"model": shapes.Tokens}, **shapes.problems(401, 403, 422, 429)})
@allows(TOKENS)
async def listed(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=1000, description="How many at most.")] = 100,
    after: Annotated[str, Query(max_length=16, pattern=_ID, description="The `next` of the page before.")] = "",
) -> Response:
    """Tokens that were made, without their secrets."""
    service: Service = request.app.state.service
    found = await run_in_threadpool(service.tokens.listed, limit, after)
    following = found[-1].id if len(found) == limit else None
    return Response(
        wire.json_text({"tokens": [_token_shape(token) for token in found], "next": following}), media_type="application/json"
    )


@router.delete("/{token_id}", status_code=204, response_class=Response, responses=shapes.problems(401, 403, 404, 422, 429))
@allows(TOKENS)
async def revoke(request: Request, token_id: Annotated[str, Path(max_length=16, pattern=_ID)]) -> Response:
    """Revoke a token for good; log-ins that were made with it end, too."""
    service: Service = request.app.state.service
    if not await run_in_threadpool(service.tokens.revoke, token_id, int(time.time())):
        raise of_status(404, "There is no such token.")
    _log_token_change("token revoked", request, token_id)
    return Response(status_code=204)


def _token_shape(token: Token) -> dict[str, Any]:
    return {
        "id": token.id, "name": token.name, "role": token.role.value, "created": token.created, "expires": token.expires,
        "revoked": token.revoked,
    }  # fmt: skip


def _log_token_change(what: str, request: Request, token_id: str) -> None:
    logger.info(what, extra={"event": {"token": token_id, "client": request.state.client.name}})
