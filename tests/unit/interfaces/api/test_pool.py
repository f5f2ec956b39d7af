"""Processes that compute: what exceeds a limit is ended, and nothing else is."""

import asyncio
import math
import os
import signal
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from tightbudget.interfaces.api.pool import ComputePool, LimitReached
from tightbudget.interfaces.api.problems import Problem

SPINNING: Any = (math.factorial, (10**7,))  # a long time without a word, inside C
QUICK: Any = (str, ("x",))


def with_pool(work: Any, processes: int = 2, queue: int = 8) -> Any:
    """Return what work(pool) returns; the pool ends with it."""

    async def run() -> Any:
        pool = ComputePool(processes, 2**30, queue)
        try:
            await pool.warm()
            return await work(pool)
        finally:
            pool.stop()

    return asyncio.run(run())


@pytest.mark.slow
def test_a_process_that_takes_too_long_is_ended_and_others_go_on() -> None:
    async def work(pool: ComputePool) -> list[float]:
        hog = asyncio.create_task(pool.call(*SPINNING, 1.0, "hog"))
        waits = []
        while not hog.done():
            before = time.monotonic()
            assert await pool.call(*QUICK, 5.0, "other") == "x"
            waits.append(time.monotonic() - before)
        with pytest.raises(LimitReached):
            await hog
        assert await pool.call(*QUICK, 5.0, "hog") == "x"
        return waits

    waits = with_pool(work)
    assert len(waits) > 20
    assert sorted(waits)[len(waits) // 2] < 0.5


def test_a_client_cannot_have_all_processes() -> None:
    async def work(pool: ComputePool) -> None:
        hogs = [asyncio.create_task(pool.call(time.sleep, (1.5,), 5.0, "hog")) for _ in range(3)]
        await asyncio.sleep(0.1)
        assert await asyncio.wait_for(pool.call(*QUICK, 5.0, "other"), 1.0) == "x"
        assert not any(hog.done() for hog in hogs)
        for hog in hogs:
            hog.cancel()
        await asyncio.gather(*hogs, return_exceptions=True)

    with_pool(work)


@pytest.mark.parametrize(("hog", "arguments"), [(bytearray, (2**32,)), (os._exit, (1,)), (os.abort, ())])
def test_a_process_that_runs_out_of_memory_or_dies_is_replaced(hog: Any, arguments: tuple[Any, ...]) -> None:
    async def work(pool: ComputePool) -> None:
        with pytest.raises(LimitReached):
            await pool.call(hog, arguments, 20.0, "hog")
        assert len(await pool.call(bytearray, (2**20,), 20.0, "hog")) == 2**20

    with_pool(work, processes=1)


def test_a_pool_whose_idle_process_was_killed_is_made_anew() -> None:
    """pebble then gives up the whole pool: the service must not."""

    async def work(pool: ComputePool) -> None:
        pid = await pool.call(os.getpid, (), 5.0, "one")
        os.kill(int(pid), signal.SIGKILL)
        await asyncio.sleep(0.5)
        for _ in range(20):
            try:
                assert await pool.call(*QUICK, 5.0, "one") == "x"
                return
            except LimitReached:
                await asyncio.sleep(0.1)
        pytest.fail("it stays broken")

    with_pool(work, processes=1)


@pytest.mark.slow
def test_no_more_wait_than_there_is_room_for() -> None:
    async def work(pool: ComputePool) -> None:
        waiting = [_asked(pool, f"client {i}") for i in range(4)]
        await asyncio.sleep(0.1)
        assert pool.waiting == 4
        with pytest.raises(Problem) as refused:
            await pool.call(*QUICK, 5.0, "late")
        assert (refused.value.status, refused.value.code) == (429, "busy")
        await asyncio.gather(*waiting)
        assert pool.waiting == 0
        assert await pool.call(*QUICK, 5.0, "late") == "x"

    with_pool(work, queue=4)


@pytest.mark.slow
def test_one_client_fills_at_most_half_of_the_queue() -> None:
    async def work(pool: ComputePool) -> None:
        waiting = [_asked(pool, "one") for _ in range(4)]
        await asyncio.sleep(0.1)
        with pytest.raises(Problem):
            await pool.call(*QUICK, 5.0, "one")
        assert await pool.call(*QUICK, 5.0, "other") == "x"
        await asyncio.gather(*waiting)

    with_pool(work, queue=8)


def _asked(pool: ComputePool, who: str) -> "asyncio.Task[Any]":
    asked: Coroutine[Any, Any, Any] = pool.call(time.sleep, (0.5,), 10.0, who)
    return asyncio.create_task(asked)
