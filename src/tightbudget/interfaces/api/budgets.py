"""Budgets for routes and pages: short work in a thread, long work in a process; strangers' notation reads no files."""

import json
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool

from tightbudget.interfaces.api import ledger_work
from tightbudget.interfaces.api.answers import Answer
from tightbudget.interfaces.api.pool import ComputePool, LimitReached
from tightbudget.interfaces.api.problems import Problem, too_much
from tightbudget.ledger import Budget, Ledger
from tightbudget.mechanisms.file_access import without_files

Result = TypeVar("Result")

PRICE_SECONDS = 2.0  # to weigh a step; most take well below a millisecond
VERIFY_SECONDS = 600.0  # to replay a log: a million entries take some ten seconds
_REMEMBERED = 4096


class Budgets:
    """What a worker does with the ledger."""

    def __init__(self, ledger: Ledger, pool: ComputePool, time_limit: float) -> None:
        self.ledger = ledger
        self._pool, self._time_limit = pool, time_limit
        self._weighed: OrderedDict[tuple[str, str], None] = OrderedDict()

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return what short work on the ledger returns."""

        def without() -> Result:
            with without_files():
                return work()

        return await run_in_threadpool(without)

    async def named(self, name: str) -> Budget:
        return await self.run(lambda: self.ledger.budget(name))

    async def weighable(self, name: str, increment: str, who: str) -> Budget:
        """Return the budget, once it is known that its filter can weigh the step in a short time.

        A step that was not seen before is weighed in a process that can be stopped. In a thread it could not.
        """
        budget = await self.named(name)
        if (name, increment) not in self._weighed:
            state = json.dumps(budget.terms.filter)
            arguments = (state, budget.terms.relation, increment)
            answer = await self._called(ledger_work.priced, arguments, PRICE_SECONDS, who)
            if answer.status != 200:
                raise _problem_in(answer)
            self._weighed[name, increment] = None
            if len(self._weighed) > _REMEMBERED:
                self._weighed.popitem(last=False)
        return budget

    async def status(self, name: str, with_plan: bool, who: str) -> Answer:
        """Return the status, without what takes long if that takes too long."""
        await self.named(name)
        for plan in (True, False) if with_plan else (False,):
            try:
                return await self._pool.call(ledger_work.shown, (self.ledger.url, name, plan), self._time_limit, who)
            except LimitReached:
                continue
        raise too_much()

    async def verified(self, name: str | None) -> Answer:
        """Replay a log; all who ask share one process for it."""
        if name is not None:
            await self.named(name)
        return await self._called(ledger_work.verified, (self.ledger.url, name), VERIFY_SECONDS, "verification")

    async def statement(self, name: str, who: str) -> Answer:
        await self.named(name)
        return await self._called(ledger_work.stated, (self.ledger.url, name), self._time_limit, who)

    async def _called(self, work: Callable[..., Answer], arguments: tuple[Any, ...], seconds: float, who: str) -> Answer:
        try:
            return await self._pool.call(work, arguments, seconds, who)
        except LimitReached:
            raise too_much() from None


def _problem_in(answer: Answer) -> Problem:
    """Return the problem that a process told."""
    shape = json.loads(answer.body)
    return Problem(answer.status, shape["code"], shape["message"], shape["fields"])
