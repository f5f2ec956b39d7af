"""Budgets for routes and pages: short work in a thread, long work in a process; strangers' notation reads no files."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool

from tightbudget.errors import TightBudgetError
from tightbudget.interfaces.api import ledger_work
from tightbudget.interfaces.api.answers import Answer
from tightbudget.interfaces.api.pool import ComputePool, LimitReached
from tightbudget.interfaces.api.problems import Problem, too_much
from tightbudget.ledger import Budget, Ledger, Receipt
from tightbudget.ledger.gathered import AskedCharge, charge_each
from tightbudget.mechanisms.file_access import without_files

Result = TypeVar("Result")

PRICE_SECONDS = 2.0  # to weigh a step; most take well below a millisecond
VERIFY_SECONDS = 600.0  # to replay a log: a million entries take some ten seconds
_REMEMBERED = 4096
_TOGETHER = 32  # charges in one transaction, at most


class Budgets:
    """What a worker does with the ledger."""

    def __init__(self, ledger: Ledger, pool: ComputePool, time_limit: float) -> None:
        self.ledger = ledger
        self._pool, self._time_limit = pool, time_limit
        self._weighed: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._known: dict[str, Budget] = {}
        self._waiting: dict[str, list[tuple[AskedCharge, asyncio.Future[Receipt]]]] = {}
        """Charges that came while others on the same budget were being written, by its name."""
        self._writing: set[asyncio.Task[None]] = set()

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return what short work on the ledger returns."""

        def without() -> Result:
            with without_files():
                return work()

        return await run_in_threadpool(without)

    async def named(self, name: str) -> Budget:
        """Return the budget; what it is never changes, so whoever was found once need not be looked for."""
        found = self._known.get(name)
        if found is None:
            found = await self.run(lambda: self.ledger.budget(name))
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[name] = found
        return found

    async def charged(self, budget: Budget, asked: AskedCharge) -> Receipt:
        """Charge, together with all that came for the same budget meanwhile: one waits for the disk, not each."""
        answer: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.get(budget.name)
        if waiting is not None:
            waiting.append((asked, answer))
        else:
            self._waiting[budget.name] = [(asked, answer)]
            task = asyncio.create_task(self._write(budget))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)
        return await answer

    async def _write(self, budget: Budget) -> None:
        """Charge what waits, until nothing does."""
        waiting = self._waiting[budget.name]
        try:
            while waiting:
                together = waiting[:_TOGETHER]
                del waiting[:_TOGETHER]
                for (_, answer), found in zip(together, await self._results(budget, together), strict=True):
                    if answer.cancelled():
                        continue  # its client has left, and finds the charge by its key
                    if isinstance(found, Exception):
                        answer.set_exception(found)
                    else:
                        answer.set_result(found)
        finally:
            del self._waiting[budget.name]

    async def _results(
        self, budget: Budget, together: list[tuple[AskedCharge, "asyncio.Future[Receipt]"]]
    ) -> Sequence[Receipt | Exception]:
        asked = [one for one, _ in together]
        try:
            return await self.run(lambda: _charged(budget, asked))
        except Exception as problem:  # of the database, for all of them
            return [problem] * len(asked)

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

    async def remaining(self, name: str, increment: str, who: str) -> Answer:
        await self.named(name)
        return await self._called(ledger_work.counted, (self.ledger.url, name, increment), self._time_limit, who)

    async def _called(self, work: Callable[..., Answer], arguments: tuple[Any, ...], seconds: float, who: str) -> Answer:
        try:
            return await self._pool.call(work, arguments, seconds, who)
        except LimitReached:
            raise too_much() from None


def _charged(budget: Budget, asked: Sequence[AskedCharge]) -> Sequence[Receipt | TightBudgetError]:
    if len(asked) > 1:
        return charge_each(budget, asked)
    (one,) = asked
    return [budget.charge(one.increment, key=one.key, actor=one.actor, purpose=one.purpose, metadata=one.metadata)]


def _problem_in(answer: Answer) -> Problem:
    """Return the problem that a process told."""
    shape = json.loads(answer.body)
    return Problem(answer.status, shape["code"], shape["message"], shape["fields"])
