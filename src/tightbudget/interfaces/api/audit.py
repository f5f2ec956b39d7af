"""An event for every call that is denied: who, what, why, and never a secret."""

from typing import TYPE_CHECKING

from starlette.requests import Request

from tightbudget.interfaces.api import metrics
from tightbudget.interfaces.api.logs import logger, route_of
from tightbudget.interfaces.api.problems import Problem

if TYPE_CHECKING:
    from tightbudget.interfaces.api.guard import Client


class Audit:
    """Writes denials to the log."""

    def denied(self, request: Request, client: "Client", problem: Problem) -> None:
        event = {
            "client": client.name,
            "role": client.role,
            "address": request.client.host if request.client else None,
            "method": request.method,
            "route": route_of(request.scope),
            "status": problem.status,
            "code": problem.code,
            "request_id": request.scope.get("state", {}).get("request_id"),
        }
        metrics.denied.labels(problem.code).inc()
        logger.warning("denied", extra={"event": event})
