"""The same batches on a Dask cluster.

Dask runs a task at least once: a batch whose worker died is given to another, and may be answered twice, the same each
time. What comes back here comes once.
"""

import contextlib
import itertools
import logging
import platform
import time
import uuid
import warnings
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from typing import Any

from tightbudget.errors import InvalidParameter, MissingExtra, TightBudgetError
from tightbudget.sweeps.answers import PointAnswer, answer_batch
from tightbudget.sweeps.batches import Batch
from tightbudget.sweeps.pool import Outcomes
from tightbudget.version import __version__

CONNECT_SECONDS = 10.0
ALONE_SECONDS = 60.0  # that we wait while the scheduler has no worker at all, or cannot be reached
LOOK_SECONDS = 2.0
_AGAIN = ("pending", "lost")  # a task that was done, but whose worker died with the answer: it is done again
AHEAD = 2  # batches at hand for each thread of the cluster
EXAMPLE = "Start one with `dask scheduler`, and its workers with `dask worker tcp://HOST:8786`."


class ClusterLost(TightBudgetError):
    """The scheduler, or its last worker, went away."""

    code = "cluster_lost"


@contextlib.contextmanager
def connected_cluster(scheduler: Any) -> Iterator[Callable[[Iterator[Batch]], Outcomes]]:
    """Give what answers batches on a cluster: it yields them in the order in which workers finish."""
    with _cluster_client(scheduler) as client:
        _check_workers(client, str(scheduler))
        yield lambda batches: _answered_on_cluster(client, batches)


def require_dask() -> Any:
    """Return the module `distributed`, or raise MissingExtra."""
    try:
        import distributed
    except ImportError:
        raise MissingExtra("dask", "distributed") from None
    return distributed


@contextlib.contextmanager
def _cluster_client(scheduler: Any) -> Iterator[Any]:
    """Give a client of the scheduler; one that was made elsewhere stays open."""
    distributed = require_dask()
    if isinstance(scheduler, distributed.Client):
        yield scheduler
        return
    if not isinstance(scheduler, str) or "://" not in scheduler:
        raise InvalidParameter("scheduler", scheduler, "an address such as tcp://127.0.0.1:8786", EXAMPLE)
    client = _connected_client(distributed, scheduler)
    with _quiet_dask_logger("distributed.client"):
        try:
            yield client
        finally:
            with contextlib.suppress(Exception, CancelledError):  # a scheduler that has gone needs no farewell
                client.close(timeout=CONNECT_SECONDS)


@contextlib.contextmanager
def _quiet_dask_logger(name: str) -> Iterator[None]:
    """Keep a logger from printing what is said in one sentence here."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _connected_client(distributed: Any, address: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other versions, which are refused below in one sentence
        try:
            return distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, RuntimeError) as problem:  # a time-out is an OSError
            reason = str(problem).partition("\n")[0] or type(problem).__name__
            allowed = f"the address of a running Dask scheduler; none answered in {CONNECT_SECONDS:g} s"
            raise InvalidParameter("scheduler", address, allowed, EXAMPLE) from ConnectionError(reason)


def _check_workers(client: Any, address: str) -> None:
    """Refuse a cluster without workers, or on which other versions would answer."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError:
        raise InvalidParameter("scheduler", address, "a scheduler with workers; it has none", EXAMPLE) from None
    for who, what, theirs, ours in _version_differences(client):
        allowed = f"that of a cluster with our versions; its {who} has {what} {theirs} and this process {ours}"
        raise InvalidParameter("scheduler", address, allowed, "Install the same versions on both.")


def _version_differences(client: Any) -> Iterator[tuple[str, str, str, str]]:
    """Yield who has which other version."""
    here, distributed = platform.python_version_tuple()[:2], require_dask().__version__
    found = client.get_versions(check=False)
    for who, theirs in (("scheduler", found["scheduler"]), *(("worker", theirs) for theirs in found["workers"].values())):
        python = str(theirs["host"]["python"]).split(".")[:2]
        if python != list(here):
            yield who, "Python", ".".join(python), ".".join(here)
        if theirs["packages"]["distributed"] != distributed:
            yield who, "distributed", theirs["packages"]["distributed"], distributed
    with _cluster_reached():
        versions = client.run(_worker_version, on_error="return")
    for theirs in versions.values():
        if theirs != __version__:
            yield "worker", "tightbudget", "missing" if isinstance(theirs, Exception) else theirs, __version__


def _worker_version() -> str:
    return __version__


def _answered_on_cluster(client: Any, batches: Iterator[Batch]) -> Outcomes:
    """Keep every thread of the cluster busy, and never lay out more of the plan than that takes."""
    running: dict[Any, Batch] = {}
    run = uuid.uuid4().hex[:8]  # another run of the same plan has tasks of its own
    try:
        while True:
            with _cluster_reached():
                room = AHEAD * max(1, sum(client.nthreads().values())) - len(running)
                for batch in itertools.islice(batches, max(0, room)):
                    key = f"tightbudget-{run}-{batch.number}"
                    running[client.submit(answer_batch, batch, key=key, retries=2)] = batch
                done = _WatchedTasks(client).done(list(running)) if running else []
            if not done:
                return
            for future in done:
                status = future.status
                if status not in _AGAIN:
                    yield running.pop(future), _task_outcome(future, status)
    finally:
        with contextlib.suppress(Exception, CancelledError):
            client.cancel(list(running), force=True)


@contextlib.contextmanager
def _cluster_reached() -> Iterator[None]:
    """Turn whatever Dask raises when it cannot reach its scheduler into one sentence."""
    try:
        yield
    except (TightBudgetError, KeyboardInterrupt):
        raise
    except (Exception, CancelledError) as problem:
        raise _cluster_gone(f"cannot be reached any more ({type(problem).__name__})") from problem


def _cluster_gone(how: str) -> ClusterLost:
    return ClusterLost(f"The Dask cluster {how}. Run the sweep again once it is back: with `out`, what is finished stays.")


class _WatchedTasks:
    """Waits for tasks, but not for ever where nobody is there to do them."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def done(self, futures: list[Any]) -> list[Any]:
        """Return tasks that are done, at least one."""
        since = time.monotonic()
        while True:
            with contextlib.suppress(TimeoutError), self._client.as_current():
                return list(require_dask().wait(futures, timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED").done)
            if self._attended():
                since = time.monotonic()
            elif time.monotonic() - since > ALONE_SECONDS:
                raise _cluster_gone(f"has had no scheduler or no worker for {ALONE_SECONDS:g} s")

    def _attended(self) -> bool:
        return self._client.status == "running" and bool(self._client.scheduler_info().get("workers"))


def _task_outcome(future: Any, status: str) -> list[PointAnswer] | str:
    """Return the answers, or the sentence that says why there are none."""
    if status not in ("finished", "error"):
        raise _cluster_gone("has given up its tasks")
    problem = future.exception() if status == "error" else None
    if problem is None:
        answers: list[PointAnswer] = future.result()
        return answers
    if isinstance(problem, require_dask().KilledWorker):
        return "The workers that held this batch ended before they had answered; run it again, with a smaller `batch`."
    return f"The cluster did not answer this batch: {problem}."
