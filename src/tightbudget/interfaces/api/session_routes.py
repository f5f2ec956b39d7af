"""Routes for browsers: a token exchanged for a cookie, and given back; who is logged in."""

import re
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from starlette.concurrency import run_in_threadpool

from tightbudget.interfaces import wire
from tightbudget.interfaces.api import shapes
from tightbudget.interfaces.api.guard import FROM_OWN_PAGES, PUBLIC, Client, GuardedRoute, allows
from tightbudget.interfaces.api.problems import of_status
from tightbudget.interfaces.api.service import Service

router = APIRouter(route_class=GuardedRoute, tags=["browser"])
_OWN_PATH = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")  # of this host: //elsewhere and /\elsewhere are not


@router.post("/login", status_code=303, response_class=Response, responses=shapes.problems(400, 401, 403, 413, 422, 429))
@allows(FROM_OWN_PAGES)
async def login(request: Request, token: Annotated[str, Form()], then: Annotated[str, Form()] = "/") -> Response:
    """Exchange a token for a signed cookie that scripts cannot read, and go on to a page of this service."""
    service: Service = request.app.state.service
    found = await run_in_threadpool(service.token_of, token.strip())
    if found is None:
        problem = of_status(401, "The token is not known, has expired or was revoked.", {"WWW-Authenticate": "Bearer"})
        await service.audit.denied(request, request.state.client, problem)
        raise problem
    response = _see_other(then)
    service.sessions.begin(response, found.id)
    return response


@router.post("/logout", status_code=303, response_class=Response, responses=shapes.problems(400, 401, 403, 413, 429))
@allows(PUBLIC)
async def logout(request: Request) -> Response:
    """Give the cookie back."""
    service: Service = request.app.state.service
    response = _see_other("/")
    service.sessions.end(response)
    return response


@router.get("/v1/session", response_class=Response, responses={200: {"model": shapes.Session}, **shapes.problems(401, 429)})
@allows(PUBLIC)
async def session(request: Request) -> Response:
    """Who is asking, and the word that a browser's requests have to carry in the header X-CSRF-Token."""
    client: Client = request.state.client
    shape = {
        "role": client.role,
        "name": None if client.token is None else client.token.name,
        "token": None if client.token is None else client.token.id,
        "csrf": client.csrf or None,
    }
    return Response(wire.json_text(shape), media_type="application/json")


def _see_other(path: str) -> Response:
    return Response(status_code=303, headers={"Location": path if _OWN_PATH.fullmatch(path) else "/"})
