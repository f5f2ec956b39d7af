"""The outermost layer: security headers, body limit, log and metrics of each request, and no insides in any answer."""

import asyncio
import secrets
import time
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tightbudget.interfaces.api import metrics
from tightbudget.interfaces.api.logs import logger, route_of
from tightbudget.interfaces.api.problems import Problem, of_status

# Plotly makes an empty style element and fills it through the CSSOM; the second hash is of heat maps.
_EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
_HEAT_MAP_STYLE = "'sha256-AR/cKIZjWPcPmBUPDA6oti9XBiTbJvz0Cro2J1VzzS8='"
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        f"style-src 'self' {_EMPTY_STYLE}",
        f"style-src-attr 'unsafe-hashes' {_EMPTY_STYLE} {_HEAT_MAP_STYLE}",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

BODY_SECONDS = 30.0
"""For a body to arrive, from when it is first asked for."""


class Boundary:
    """Wraps the whole application."""

    def __init__(self, app: ASGIApp, body_limit: int, over_tls: bool) -> None:
        self._app, self._body_limit = app, body_limit
        stated = {**HEADERS, **({"Strict-Transport-Security": "max-age=31536000"} if over_tls else {})}
        self._headers = [(name.lower().encode(), value.encode()) for name, value in stated.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _HttpExchange(scope, send, self._headers)
        try:
            await self._app(scope, self._limited(scope, receive), exchange.send)
        except Problem as problem:
            await exchange.fail(problem, receive)
        except ClientDisconnect:
            exchange.left()
        except Exception:
            logger.exception("failed", extra={"event": {"request_id": exchange.request_id, "route": route_of(scope)}})
            await exchange.fail(of_status(500), receive)
        finally:
            exchange.report()

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        """Return a `receive` that gives no more of the body than is allowed, whatever was promised, and in time."""
        too_large = of_status(413, f"The request is longer than the {self._body_limit} bytes that are allowed.")
        received, is_over = 0, False
        until: float | None = None

        async def limited() -> Message:
            nonlocal received, is_over, until
            if is_over:  # what is waited for now is that the client leaves
                return await receive()
            promised = dict(scope["headers"]).get(b"content-length", b"")
            if promised.isdigit() and int(promised[:20]) > self._body_limit:
                raise too_large
            until = asyncio.get_running_loop().time() + BODY_SECONDS if until is None else until
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                raise of_status(408, headers={"Connection": "close"}) from None
            is_over = not message.get("more_body", False)
            received += len(message.get("body", b""))
            if received > self._body_limit:
                raise too_large
            return message

        return limited


class _HttpExchange:
    """One request and its answer."""

    def __init__(self, scope: Scope, send: Send, headers: list[tuple[bytes, bytes]]) -> None:
        self._scope, self._send, self._headers = scope, send, headers
        self._started_at = time.perf_counter()
        self._status = 0
        self.request_id = secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = self.request_id

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            own = {name.lower() for name, _ in message["headers"]}
            added = [*self._headers, (b"cache-control", b"no-store"), (b"x-request-id", self.request_id.encode())]
            message["headers"] = [*message["headers"], *(pair for pair in added if pair[0] not in own)]
        await self._send(message)

    async def fail(self, problem: Problem, receive: Receive) -> None:
        """Answer with the problem, unless an answer has begun."""
        if not self._status:
            await response_of(problem)(self._scope, receive, self.send)

    def left(self) -> None:
        """Note that the client left before its request had arrived: nobody reads an answer, and nothing failed here."""
        self._status = self._status or _CLIENT_LEFT

    def report(self) -> None:
        seconds, route = time.perf_counter() - self._started_at, route_of(self._scope)
        # a client may send any word as its method; only those that HTTP knows become labels
        method = self._scope["method"] if self._scope["method"] in _METHODS else "other"
        metrics.requests.labels(method, route, str(self._status)).inc()
        metrics.seconds.labels(route).observe(seconds)
        event: dict[str, Any] = {
            "request_id": self.request_id,
            "method": method,
            "route": route,
            "status": self._status,
            "milliseconds": round(1e3 * seconds, 2),
        }
        client = self._scope["state"].get("client")
        logger.info("request", extra={"event": event | ({"client": client.name} if client is not None else {})})


_CLIENT_LEFT = 499  # as other servers log it; it is never sent
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def response_of(problem: Problem) -> Response:
    """Return the problem as it is sent."""
    return Response(problem.body, problem.status, problem.headers, "application/json")
