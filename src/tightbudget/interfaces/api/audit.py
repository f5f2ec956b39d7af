"""An event for every call that is denied: who, what, why, and never a secret."""

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from tightbudget.errors import TightBudgetError
from tightbudget.interfaces.api import metrics
from tightbudget.interfaces.api.logs import logger, route_of
from tightbudget.interfaces.api.problems import Problem
from tightbudget.ledger import Ledger
from tightbudget.ledger.book import ROOT

if TYPE_CHECKING:
    from tightbudget.interfaces.api.guard import Client


class Audit:
    """Writes denials to the log, and those of token holders to the ledger, which nobody unknown may make longer."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def denied(self, request: Request, client: "Client", problem: Problem) -> None:
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
        if client.token is not None and problem.status == 403:
            told = {name: event[name] for name in ("method", "route", "role", "address")}
            denial = Denial(problem)
            await run_in_threadpool(lambda: self._ledger.denied(ROOT, denial, None, None, client.name, **told))


class Denial(TightBudgetError):
    """A denied call, as the ledger logs it."""

    def __init__(self, problem: Problem) -> None:
        self.code = problem.code
        super().__init__(problem.message)
