"""Routes for those who run the service: is it alive, can it answer, how is it doing, what does it offer."""

import hashlib
import json
from functools import lru_cache

from fastapi import APIRouter, FastAPI, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from tightbudget.access.roles import Permission
from tightbudget.interfaces import wire
from tightbudget.interfaces.api import metrics, shapes
from tightbudget.interfaces.api.guard import PUBLIC, GuardedRoute, allows
from tightbudget.interfaces.api.problems import of_status
from tightbudget.interfaces.api.service import Service
from tightbudget.version import __version__

router = APIRouter(route_class=GuardedRoute, tags=["operations"])


@router.get("/health", responses=shapes.problems(401, 429))
@allows(PUBLIC)
async def health() -> Response:
    """Whether the process is alive."""
    return _operations_json({"status": "alive", "version": __version__})


@router.get("/ready", responses=shapes.problems(401, 429, 503))
@allows(PUBLIC)
async def ready(request: Request) -> Response:
    """Whether requests can be answered: the database is there and the processes that compute are warm."""
    service: Service = request.app.state.service
    if not service.ready:
        raise of_status(503, "The processes that compute are being started.", {"Retry-After": "1"})
    try:
        await run_in_threadpool(_ask_database, service)
    except SQLAlchemyError:
        raise of_status(503, "The database cannot be reached.", {"Retry-After": "1"}) from None
    return _operations_json({"status": "ready", "waiting": service.pool.waiting, "version": __version__})


@router.get("/metrics", response_class=Response, responses=shapes.problems(401, 403, 429))
@allows(Permission.METRICS)
async def all_metrics() -> Response:
    """How the service is doing, for Prometheus."""
    return Response(await run_in_threadpool(metrics.latest), media_type=CONTENT_TYPE_LATEST)


@router.get("/openapi.json", include_in_schema=False)
@allows(PUBLIC)
async def openapi(request: Request) -> Response:
    """What the service offers."""
    return with_etag(request, _openapi_document(request.app), "application/json")


@lru_cache(maxsize=4)
def _openapi_document(app: FastAPI) -> bytes:
    return json.dumps(app.openapi()).encode()


def with_etag(request: Request, body: bytes, media_type: str) -> Response:
    """Return the body, or nothing if the client says that it has it."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    known = {tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")}
    if etag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)


def _ask_database(service: Service) -> None:
    with service.engine.connect() as connection:
        connection.execute(text("SELECT 1"))


def _operations_json(shape: wire.Wire) -> Response:
    return Response(wire.json_text(shape), media_type="application/json")
