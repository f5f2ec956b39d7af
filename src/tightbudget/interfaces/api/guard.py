"""The one place that decides who may call what. A route that does not say who may call it is called by nobody."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import Request, Response, params
from fastapi.routing import APIRoute

from tightbudget.access.roles import Permission, Role
from tightbudget.access.tokens import Token
from tightbudget.interfaces.api.problems import Problem, of_status
from tightbudget.interfaces.api.sessions import csrf_is_right, is_same_origin
from tightbudget.interfaces.api.strict_json import read_json

if TYPE_CHECKING:
    from tightbudget.interfaces.api.service import Service

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
Handler = Callable[[Request], Coroutine[Any, Any, Response]]

PUBLIC = "public"
FROM_OWN_PAGES = "from own pages"  # anyone, but not through pages of other sites: for what begins a log-in
SAFE = ("GET", "HEAD", "OPTIONS")
_STATED = "__who_may_call__"


@dataclass(frozen=True, slots=True)
class Client:
    """Who sent a request: the holder of a token, in a browser or not, or someone unknown at an address."""

    name: str  # tells clients apart: "token:..." or "address:..."
    token: Token | None = None
    csrf: str = ""  # of a browser that is logged in

    @property
    def role(self) -> Role | None:
        return None if self.token is None else self.token.role

    def may(self, permission: Permission) -> bool:
        return self.role is not None and self.role.allows(permission)


def allows(who: Permission | str) -> Callable[[Endpoint], Endpoint]:
    """State who may call a route: those whose role has the permission, or with PUBLIC or FROM_OWN_PAGES anyone."""

    def stated(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _STATED, who)
        return endpoint

    return stated


def stated_by(endpoint: Callable[..., Any]) -> Permission | str | None:
    """Return who may call the route of this function; None if it does not say."""
    return getattr(endpoint, _STATED, None)


class GuardedRoute(APIRoute):
    """A route that lets in whom it states, before the body is read; `request.state.client` is who that is."""

    def get_route_handler(self) -> Handler:
        handle, wanted = super().get_route_handler(), stated_by(self.endpoint)
        reads_json = self.body_field is not None and not isinstance(self.body_field.field_info, params.Form)

        async def guarded(request: Request) -> Response:
            service: Service = request.app.state.service
            request.state.client = await _admitted_client(request, service, wanted)
            return await handle(await _with_json(request) if reads_json else request)

        return guarded


async def _admitted_client(request: Request, service: "Service", wanted: Permission | str | None) -> Client:
    client = Client(f"address:{_client_address(request)}")
    try:
        client = await _identified_client(request, service, client)
        request.state.client = client  # also of those who are not let in: pages tell them who they are
        service.rates.count(client.name, anonymous=client.token is None)
        await _check_permission(request, service, client, wanted)
    except Problem as problem:
        await service.audit.denied(request, client, problem)
        raise
    return client


async def _identified_client(request: Request, service: "Service", unknown: Client) -> Client:
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    if scheme:
        token = await service.lookups.find(text.strip()) if scheme.lower() == "bearer" else None
        if token is None:
            service.rates.count(unknown.name, anonymous=True)
            sentence = "The token is not known, has expired or was revoked."
            raise of_status(401, sentence, {"WWW-Authenticate": "Bearer"})
        return Client(f"token:{token.id}", token)
    session = service.sessions.read(request)
    token = None if session is None else await service.session_lookups.find(session.token_id)
    if session is None or token is None:
        return unknown  # a browser whose log-in has ended is asked to log in again
    return Client(f"token:{token.id}", token, session.csrf)


async def _check_permission(request: Request, service: "Service", client: Client, wanted: Permission | str | None) -> None:
    if wanted == FROM_OWN_PAGES:
        if not is_same_origin(request):
            raise _forged_request()
        return
    if wanted != PUBLIC:
        open_to_all = wanted is Permission.COMPUTE and service.settings.anyone_computes
        if not (open_to_all or (isinstance(wanted, Permission) and client.may(wanted))):
            if client.token is None and wanted is not None:
                raise of_status(401, headers={"WWW-Authenticate": "Bearer"})
            raise of_status(403)
    if client.csrf and request.method not in SAFE:
        session = service.sessions.read(request)
        if session is None or not is_same_origin(request) or not await csrf_is_right(request, session):
            raise _forged_request()


def _forged_request() -> Problem:
    return Problem(403, "csrf", "The request does not come from a page of this service; reload the page and try again.")


async def _with_json(request: Request) -> Request:
    """Return the request with its body read as JSON, strictly."""
    body = await request.body()
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not body and not kind:
        return request
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise of_status(415)
    read = _GuardedRead(request.scope, request.receive)
    read.read = read_json(body) if body else None
    read._body = body
    return read


class _GuardedRead(Request):
    read: Any = None

    async def json(self) -> Any:
        return self.read


def _client_address(request: Request) -> str:
    return request.client.host if request.client else "unknown"
