"""Processes that compute: each question has a limit of time and of memory, and one client cannot have all of them."""

import asyncio
import multiprocessing
import os
import resource
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any, cast

from pebble import ProcessExpired, ProcessPool

from tightbudget.interfaces.api.answers import Answer, answer
from tightbudget.interfaces.api.logs import set_up_logs
from tightbudget.interfaces.api.problems import busy

ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}  # processes are the parallelism
PRELOADED = "tightbudget.interfaces.api.ledger_work"


class LimitReached(Exception):
    """A question took more time or memory than is allowed; the process that worked on it is gone."""


class ComputePool:
    """A bounded pool. A process that exceeds a limit is killed and replaced; the others go on."""

    def __init__(self, processes: int, memory_bytes: int, queue: int, log_format: str = "json") -> None:
        self._processes, self._queue = processes, queue
        for name, value in ONE_THREAD.items():
            os.environ.setdefault(name, value)
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([PRELOADED])
        self._begun_with = memory_bytes, log_format
        self._pool = self._new_pool()
        self._waiting: Counter[str] = Counter()
        self._turns: dict[str, asyncio.Semaphore] = {}

    def _new_pool(self) -> ProcessPool:
        return ProcessPool(max_workers=self._processes, initializer=_begin, initargs=self._begun_with, context=self._context)

    async def warm(self) -> None:
        """Start the processes and have each compute once, so that no client waits for imports."""
        question = {
            "expression": "poisson(gaussian(sigma=4), q=0.01) * 1000", "delta": 1e-6, "rtol": 1e-3, "effort": None,
            "relation": None, "direction": None, "mix_relations": False,
        }  # fmt: skip
        await asyncio.gather(*(self._scheduled(answer, ("epsilon", question), 60.0) for _ in range(self._processes)))

    def stop(self) -> None:
        """End the processes, whatever they do."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()

    @property
    def waiting(self) -> int:
        """How many questions wait or are worked on."""
        return self._waiting.total()

    async def call(self, work: Callable[..., Answer], arguments: tuple[Any, ...], seconds: float, who: str) -> Answer:
        """Return what the work makes in one of the processes; raise LimitReached, or the problem that too many wait.

        Of any one client at most all but one of the processes work, and half of the queue wait: others get their turn.
        """
        if self.waiting >= self._queue or self._waiting[who] >= max(1, self._queue // 2):
            raise busy()
        self._waiting[who] += 1
        turn = self._turns.setdefault(who, asyncio.Semaphore(max(1, self._processes - 1)))
        try:
            async with turn:
                return await self._scheduled(work, arguments, seconds)
        finally:
            self._waiting[who] -= 1
            if not self._waiting[who]:
                del self._waiting[who], self._turns[who]

    async def _scheduled(self, work: Callable[..., Answer], arguments: tuple[Any, ...], seconds: float) -> Answer:
        pool = self._pool
        try:
            future = pool.schedule(work, args=arguments, timeout=seconds)
            return await asyncio.wrap_future(cast("Future[Answer]", future))
        except (TimeoutError, MemoryError, ProcessExpired):
            raise LimitReached from None
        except (BrokenProcessPool, RuntimeError):
            if pool.active:
                raise
            if pool is self._pool:  # a process that had nothing to do was killed: pebble then gives up all of them
                self._pool = self._new_pool()
            raise LimitReached from None


def _begin(memory_bytes: int, log_format: str) -> None:
    """Runs in each process as it starts."""
    set_up_logs(log_format)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
