"""The application: routes, error shape and lifespan put together."""

import asyncio
import difflib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from tightbudget.errors import TightBudgetError
from tightbudget.interfaces.api import budget_routes, compute_routes, operations, session_routes, token_routes
from tightbudget.interfaces.api.boundary import Boundary
from tightbudget.interfaces.api.guard import GuardedRoute
from tightbudget.interfaces.api.logs import logger, set_up_logs
from tightbudget.interfaces.api.problems import Problem, of_error, of_status
from tightbudget.interfaces.api.service import Service
from tightbudget.interfaces.api.settings import Settings
from tightbudget.interfaces.web import assets, budget_pages, explorer_routes, login_page, papers
from tightbudget.interfaces.web.rendering import told
from tightbudget.version import __version__

PAGES = (assets, login_page, explorer_routes, budget_pages, papers)
_SUMMARY = "Certified privacy accounting: brackets of ε and δ, and budgets that are spent in one place."


def create_app(settings: Settings) -> FastAPI:
    """Return the application; its processes start with it, and end with it."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service = Service.started(settings)
        app.state.service = service
        try:
            await service.warm()
            logger.info("ready", extra={"event": {"version": __version__, "processes": settings.processes}})
            tidying = asyncio.create_task(service.settle_expired())
            preparing = asyncio.create_task(asyncio.to_thread(assets.prepare_assets))
            yield
            tidying.cancel()
            await preparing
        finally:
            service.stop()

    app = FastAPI(
        title="tightbudget",
        version=__version__,
        summary=_SUMMARY,
        lifespan=lifespan,
        openapi_url=None,  # it is a route of our own; pages that would show it load scripts from elsewhere
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.router.route_class = GuardedRoute
    for part in (operations, session_routes, token_routes, compute_routes, budget_routes, *PAGES):
        app.router.routes.extend(part.router.routes)  # one flat list, which a test walks
    _shape_errors(app)
    app.add_middleware(Boundary, body_limit=settings.body_limit, over_tls=settings.over_tls)
    return app


def from_environment() -> FastAPI:
    """Return the application for a worker process, which has its settings from the environment."""
    settings = Settings.read(os.environ)
    set_up_logs(settings.log_format)
    return create_app(settings)


def _shape_errors(app: FastAPI) -> None:
    @app.exception_handler(Problem)
    async def _(request: Request, problem: Problem) -> Response:
        return told(request, problem)

    @app.exception_handler(TightBudgetError)
    async def _(request: Request, error: TightBudgetError) -> Response:
        problem = of_error(error)
        if problem.status >= 500:
            logger.error("ledger", extra={"event": {"code": error.code, "problem": str(error)}})
        return told(request, problem)

    @app.exception_handler(SQLAlchemyError)
    async def _(request: Request, error: SQLAlchemyError) -> Response:
        logger.error("database", extra={"event": {"problem": type(error).__name__}})
        return told(request, of_status(503, "The database cannot be reached; try again later.", {"Retry-After": "1"}))

    @app.exception_handler(HTTPException)
    async def _(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        if error.status_code == 405:  # the first route of an address knows only its own methods
            headers["Allow"] = ", ".join(sorted(_methods_at(app, request)))
        return told(request, of_status(error.status_code, headers=headers))

    @app.exception_handler(RequestValidationError)
    async def _(request: Request, error: RequestValidationError) -> Response:
        known = _known_fields(request)
        fields = {_field_in_body(one["loc"]): _validation_sentence(one, known) for one in error.errors()}
        message = "; ".join(f"{name}: {said}" for name, said in fields.items())
        return told(request, Problem(422, "invalid_request", f"The request is not of the right form. {message}.", fields))


def _methods_at(app: FastAPI, request: Request) -> set[str]:
    there = (route for route in app.routes if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE)
    return {method for route in there for method in route.methods or ()}


def _field_in_body(location: tuple[Any, ...]) -> str:
    """Return the name of a field as it is written in the body, such as phases.0.epochs."""
    return ".".join(str(part) for part in location if part not in ("body", "query", "path")) or "body"


def _known_fields(request: Request) -> list[str]:
    """Return the fields that the body of a request may have; none where it has no body of a known form."""
    body = getattr(request.scope.get("route"), "body_field", None)
    model = getattr(getattr(body, "field_info", None), "annotation", None)
    return list(getattr(model, "model_fields", ()))


def _validation_sentence(error: dict[str, Any], known: list[str]) -> str:
    if error["type"] == "extra_forbidden" and len(error["loc"]) == 2 and known:
        close = difflib.get_close_matches(str(error["loc"][1]), known, n=1)
        meant = f"did you mean {close[0]}? The" if close else "the"
        return f"there is no such field; {meant} fields are {', '.join(known)}"
    said = str(error["msg"]).removeprefix("Value error, ").rstrip(".")
    return said[:1].lower() + said[1:]
