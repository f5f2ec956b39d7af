"""A sweep from beginning to end: what is not there yet is answered, counted and kept."""

import contextlib
from collections.abc import Callable, Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from tightbudget.errors import InvalidParameter
from tightbudget.keywords import says_its_arguments
from tightbudget.mechanisms.checks import real
from tightbudget.sweeps.answers import lost_batch
from tightbudget.sweeps.batches import Batch, batches
from tightbudget.sweeps.columns import answer_columns
from tightbudget.sweeps.plan import PlanLike, SweepPlan, read_sweep_plan
from tightbudget.sweeps.pool import Outcomes, answered_by_workers, answered_here, usable_cores
from tightbudget.sweeps.result_folder import ResultFolder
from tightbudget.sweeps.results import SweepResult, Tally

MOST_WORKERS = 1024

Answering = Callable[[Iterator[Batch]], Outcomes]
"""Makes outcomes of batches, in any order."""

Watch = Callable[[int, int, int], None]
"""Is told how many answers there are, how many of them from an earlier run, and how many there will be."""


@says_its_arguments
def sweep(
    plan: PlanLike,
    scheduler: Any = None,
    out: str | PathLike[str] | None = None,
    workers: int | None = None,
    *,
    retry_failed: bool = False,
    watch: Watch | None = None,
) -> SweepResult:
    """Answer every question of a plan at every point, on all cores or on a Dask cluster.

    `plan` is a table or the name of a TOML file (docs/how-to/sweep.md). `out` names a folder for the results: what is
    finished there is not computed again, so an interrupted sweep goes on where it was. `workers` are processes on this
    machine, as many as it has processors unless given; 1 is this process itself. `scheduler` is the address of a Dask
    scheduler, such as "tcp://host:8786", or a client. The answers are the same however many workers there are.

    A point that cannot be answered has its `error` in place of a bracket; `retry_failed` tries those of an earlier run
    again. `watch` is told how far it is.

    >>> plan = {
    ...     "composition": "gaussian(sigma={sigma}) * {steps}",
    ...     "grid": {"sigma": [10, 20], "steps": [1, 100]},
    ...     "questions": [{"ask": "epsilon", "delta": 1e-6}],
    ... }
    >>> found = sweep(plan)
    >>> print(found["sigma"], found["steps"], found["upper"].round(3))
    [10 10 20 20] [  1 100   1 100] [0.397 4.887 0.189 2.254]
    """
    checked = read_sweep_plan(plan)
    folder = None if out is None else ResultFolder(_sweep_folder(out), checked)
    if folder is not None:
        folder.check()
    with _answering_batches(checked, scheduler, workers) as answered:
        if folder is not None:
            folder.open()
        return _run_sweep(checked, folder, answered, retry_failed, watch or (lambda done, reused, total: None))


def _sweep_folder(out: str | PathLike[str]) -> Path:
    if not isinstance(out, (str, PathLike)) or not fspath(out):
        raise InvalidParameter("out", out, "the name of a folder")
    return Path(out)


@contextlib.contextmanager
def _answering_batches(plan: SweepPlan, scheduler: Any, workers: int | None) -> Iterator[Answering]:
    """Give what answers batches: this process, workers of our own, or a cluster, to which it is connected."""
    if scheduler is not None:
        if workers is not None:
            raise InvalidParameter("workers", workers, "absent beside `scheduler`, whose workers are already there")
        from tightbudget.sweeps.cluster import connected_cluster

        with connected_cluster(scheduler) as answered:
            yield answered
        return
    count = min(usable_cores() if workers is None else _workers_asked(workers), plan.batches)
    yield answered_here if count == 1 else lambda wanted: answered_by_workers(wanted, count)


def _run_sweep(
    plan: SweepPlan,
    folder: ResultFolder | None,
    answered: Answering,
    retry_failed: bool,
    watch: Watch,
) -> SweepResult:
    tally, total = Tally(), plan.space.size * len(plan.questions)
    finished = set()
    for number, found in folder.finished() if folder is not None else ():
        if not (retry_failed and (found["error"] != "").any()):
            finished.add(number)
            tally.add(found, reused=True)
    result = SweepResult(plan, tally, None if folder is None else folder.folder)
    watch(tally.answers, tally.reused, total)
    wanted = (number for number in range(plan.batches) if number not in finished)
    with contextlib.closing(answered(batches(plan, wanted))) as outcomes:
        for batch, answers in outcomes:
            is_lost = isinstance(answers, str)
            kept = lost_batch(batch, answers) if isinstance(answers, str) else answers
            found = answer_columns(plan.space, kept)
            if folder is None:
                result.parts.append(found)
            elif not is_lost:
                folder.write(batch.number, kept)
            tally.add(found, lost=is_lost)
            watch(tally.answers, tally.reused, total)
    return result


def _workers_asked(workers: Any) -> int:
    allowed = f"a whole number from 1 to {MOST_WORKERS}"
    number = real("workers", workers, allowed)
    if not (1 <= number <= MOST_WORKERS and number == int(number)):
        raise InvalidParameter("workers", workers, allowed)
    return int(number)
