"""Looks into the database that several requests share: one answers all who asked the same before it began."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from starlette.concurrency import run_in_threadpool

Found = TypeVar("Found")


class SharedLookups(Generic[Found]):
    """Asks one question at a time of each kind. An answer is never older than the request that it is given to."""

    def __init__(self, look: Callable[[str], Found]) -> None:
        self._look = look
        self._next: dict[str, asyncio.Future[Found]] = {}
        """What those wait for who came after the look that is under way had begun."""
        self._under_way: dict[str, asyncio.Task[None]] = {}

    async def find(self, what: str) -> Found:
        answer = self._next.get(what)
        if answer is None:
            answer = self._next[what] = asyncio.get_running_loop().create_future()
            if what not in self._under_way:
                self._under_way[what] = asyncio.create_task(self._ask(what))
        return await asyncio.shield(answer)  # one who leaves takes the answer from nobody

    async def _ask(self, what: str) -> None:
        try:
            while (answer := self._next.pop(what, None)) is not None:
                try:
                    answer.set_result(await run_in_threadpool(self._look, what))
                except Exception as problem:
                    answer.set_exception(problem)
                    answer.exception()  # whoever still waits is told; if nobody does, it is no news either
        finally:
            del self._under_way[what]
