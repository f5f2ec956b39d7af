"""Sweeps: two workers against one, what a sweep adds to each point, and a batch order against single calls.

python bench/sweeps.py [--points N]      # 10,000 points of private training: some two minutes
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tightbudget as tb
from one_thread import in_one_thread
from tightbudget.sweeps.answers import answer_batch
from tightbudget.sweeps.batches import batches
from tightbudget.sweeps.plan import SweepPlan, read_sweep_plan
from tightbudget.sweeps.run import sweep

POINTS = 10_000
QUESTION = [{"ask": "epsilon", "delta": 1e-6}]


@dataclass(frozen=True)
class Row:
    """One comparison: what is compared, the two times, what is made of them, and what was wanted."""

    name: str
    before: float
    after: float
    found: float
    unit: str
    target: str
    met: bool


def training(points: int) -> SweepPlan:
    """Return a plan of private training: noises at sampling rates at numbers of steps."""
    noises, rates = max(2, points // 400), 20
    grid = {
        "sigma": {"from": 0.6, "to": 4.0, "points": noises},
        "q": {"from": 1e-3, "to": 5e-2, "points": rates, "scale": "log"},
        "steps": {"from": 100, "to": 20_000, "points": max(2, points // noises // rates), "scale": "log", "whole": True},
    }
    return read_sweep_plan(
        {"composition": "poisson(gaussian(sigma={sigma}), q={q}) * {steps}", "grid": grid, "questions": QUESTION}
    )


def cheap(points: int) -> SweepPlan:
    """Return a plan whose answers have a closed form, so that what the sweep adds is not small beside them."""
    grid = {"sigma": {"from": 1, "to": 9, "points": points}}
    return read_sweep_plan({"composition": "gaussian(sigma={sigma})", "grid": grid, "questions": QUESTION})


def wall(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def own(work: Callable[[], Any]) -> float:
    """Return the CPU time of this process."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def everyone(work: Callable[[], Any]) -> float:
    """Return the CPU time of this process and of all that it starts."""
    begun = time.process_time() + _children()
    work()
    return time.process_time() + _children() - begun


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def speed_up(plan: SweepPlan) -> list[Row]:
    one, two = (lambda: sweep(plan, workers=1)), (lambda: sweep(plan, workers=2))
    # taken in turns, so that a busy moment hits none alone
    times = [(wall(one), wall(two)) for _ in range(2)]
    alone, together = (min(found) for found in zip(*times, strict=True))
    work = everyone(one), everyone(two)
    ratio = alone / together
    return [
        Row("two workers against one, by the clock", alone, together, ratio, "x", "at least 1.8x", ratio >= 1.8),
        Row("the same in CPU time of all processes", *work, work[0] / work[1], "x", "", True),
    ]


def overhead(plan: SweepPlan) -> list[Row]:
    """Return what a sweep takes beside the answers themselves, for each point."""
    bare = min(own(lambda: [answer_batch(batch) for batch in batches(plan, iter(range(plan.batches)))]) for _ in range(3))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, settings in (
            ("in this process", {"workers": 1}),
            ("in this process, to files", {"workers": 1, "out": Path(folder) / "r.parquet"}),
            ("two workers, here alone", {"workers": 2}),
        ):
            took = own(lambda settings=settings: sweep(plan, **settings))
            base = 0.0 if settings["workers"] == 2 else bare
            each = max(0.0, took - base) / plan.space.size
            rows.append(Row(f"overhead a point, {name}", base, took, 1e3 * each, " ms", "below 1 ms", each < 1e-3))
    return rows


def sharing(plan: SweepPlan) -> Row:
    """Return single calls against one sweep in one process; both in CPU time."""
    points = [plan.space.at(place)[1] for place in range(plan.space.size)]

    def single() -> None:
        for sigma, q, steps in points:
            (tb.Poisson(tb.Gaussian(sigma), q) * steps).epsilon(1e-6)

    alone, together = own(single), own(lambda: sweep(plan, workers=1))
    ratio = together / alone
    name = f"a sweep of {len(points)} points against single calls"
    return Row(name, alone, together, ratio, "x", "at most 0.5x, aim 0.33x", ratio <= 0.5)


def measure(points: int = POINTS) -> list[Row]:
    """Return all comparisons."""
    sweep(cheap(64), workers=1)  # whatever is made at first use
    plan = training(points)
    return [*speed_up(plan), *overhead(cheap(points)), sharing(plan)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=POINTS)
    for row in measure(parser.parse_args().points):
        verdict = "" if not row.target else f"{row.target}: {'met' if row.met else 'missed'}"
        print(f"{row.name:50} {row.before:8.3f} s {row.after:8.3f} s {row.found:8.3f}{row.unit:3} {verdict}", flush=True)


if __name__ == "__main__":
    in_one_thread()
    main()
