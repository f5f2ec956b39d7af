"""Questions answered: from the cache, or computed once for all who ask at the same time, within limits."""

import asyncio
import json

from tightbudget.interfaces.api import metrics
from tightbudget.interfaces.api.answers import AS_ASKED, CHEAP, FREE, Answer, answer
from tightbudget.interfaces.api.cache import AnswerCache
from tightbudget.interfaces.api.meaning import Question
from tightbudget.interfaces.api.pool import ComputePool, LimitReached
from tightbudget.interfaces.api.problems import too_much

CHEAP_SECONDS, FREE_SECONDS = 3.0, 2.0


class Compute:
    """What routes and pages ask; a question is the body of the request of the same kind, checked, as a dictionary."""

    def __init__(self, pool: ComputePool, cache: AnswerCache, time_limit: float) -> None:
        self._pool, self._cache, self._time_limit = pool, cache, time_limit
        self._under_way: dict[str, asyncio.Task[Answer]] = {}

    async def answer(self, kind: str, question: Question, who: str) -> Answer:
        """Return the answer for a client; `who` tells clients apart, so that each gets its share of the processes."""
        key = json.dumps([kind, question], sort_keys=True)
        kept = self._cache.get(key)
        metrics.cache.labels("no" if kept is None else "yes").inc()
        if kept is not None:
            return kept
        task = self._under_way.get(key)
        if task is None:
            task = asyncio.create_task(self._within_limits(kind, question, who))
            self._under_way[key] = task
            task.add_done_callback(lambda done: self._finish(key, done))
        return await asyncio.shield(task)  # a client that leaves must not take the answer from the others

    def _finish(self, key: str, done: "asyncio.Task[Answer]") -> None:
        del self._under_way[key]
        if not done.cancelled() and done.exception() is None and done.result().lasting:
            self._cache.put(key, done.result())

    async def _within_limits(self, kind: str, question: Question, who: str) -> Answer:
        """Return what was asked for, or if that takes too much a wider answer that holds too."""
        for how, seconds in (
            (AS_ASKED, self._time_limit),
            (CHEAP, min(CHEAP_SECONDS, self._time_limit)),
            (FREE, min(FREE_SECONDS, self._time_limit)),
        ):
            try:
                return await self._pool.call(answer, (kind, question, how), seconds, who)
            except LimitReached:
                metrics.limits.labels(kind).inc()
        raise too_much()
