"""dp_accounting's `calibrate_dp_mechanism` with its own accountant and with ours: evaluations, and CPU time in turns.

    python bench/accountants.py [--runs N]

Both are asked the same in one process, one after the other. Deltas differ a little from run to run, so that no answer
is remembered from one to the next; one thread.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from one_thread import in_one_thread

LEAST = 10.0  # times as fast as theirs


@dataclass(frozen=True)
class Search:
    """What is searched: an event of one number, its target, and where to look if not from 0 on."""

    name: str
    event: Callable[[Any], Any]
    epsilon: float
    delta: float
    interval: tuple[float, float] | None = None
    whole: bool = False


@dataclass(frozen=True)
class Found:
    """What a search took with one accountant."""

    value: float
    evaluations: int
    seconds: float


@dataclass(frozen=True)
class Row:
    """One search with both accountants."""

    name: str
    theirs: Found
    ours: Found

    @property
    def times(self) -> float:
        return self.theirs.seconds / self.ours.seconds


def searches() -> list[Search]:
    import dp_accounting as dp

    def dpsgd(noise: float, rate: float, steps: int) -> Any:
        return dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(noise)), steps)

    def mixed(noise: float) -> Any:
        laplace = dp.SelfComposedDpEvent(dp.LaplaceDpEvent(10 * noise), 10)
        return dp.ComposedDpEvent([dp.SelfComposedDpEvent(dp.GaussianDpEvent(noise), 100), laplace])

    return [
        Search("noise, 10,000 steps at q = 0.01", lambda noise: dpsgd(noise, 0.01, 10_000), 2.0, 1e-6),
        Search("noise, 1,000 steps at q = 0.01", lambda noise: dpsgd(noise, 0.01, 1000), 2.0, 1e-6),
        Search("noise, MNIST: 4,688 steps at q = 256/60000", lambda noise: dpsgd(noise, 256 / 60000, 4688), 3.0, 1e-5),
        Search("noise, 2,000 steps at q = 0.02, large epsilon", lambda noise: dpsgd(noise, 0.02, 2000), 8.0, 1e-5),
        Search("noise, 1,000 steps at q = 0.001: one epoch", lambda noise: dpsgd(noise, 0.001, 1000), 1.0, 1e-5),
        Search("rate, 1,000 steps", lambda rate: dpsgd(1.0, rate, 1000), 2.0, 1e-6, (1e-4, 0.1)),
        Search("steps at q = 0.01", lambda steps: dpsgd(1.0, 0.01, steps), 2.0, 1e-6, (1, 10_000), whole=True),
        Search("noise, 100 Gaussians", lambda s: dp.SelfComposedDpEvent(dp.GaussianDpEvent(s), 100), 1.0, 1e-6, (1, 200)),
        Search("scale, 100 Laplaces", lambda b: dp.SelfComposedDpEvent(dp.LaplaceDpEvent(b), 100), 1.0, 1e-6, (1, 2000)),
        Search("noise, 100 Gaussians and 10 Laplaces", mixed, 1.0, 1e-6, (5, 200)),
    ]


def found(search: Search, make: Callable[[], Any], run: int) -> Found:
    import dp_accounting as dp

    asked: list[float] = []

    def event(value: float) -> Any:
        asked.append(value)
        return search.event(value)

    interval = None if search.interval is None else dp.ExplicitBracketInterval(*search.interval)
    delta = search.delta * (1 + 1e-9 * run)
    begun = time.process_time()
    value = dp.calibrate_dp_mechanism(make, event, search.epsilon, delta, interval, discrete=search.whole)
    return Found(float(value), len(asked), time.process_time() - begun)


def rows(runs: int) -> Iterator[Row]:
    from dp_accounting.pld import PLDAccountant

    from tightbudget.adapters.dp_accounting import TightBudgetAccountant

    for search in searches():
        found(search, TightBudgetAccountant, runs)  # imports, and what is computed once
        pairs = [(found(search, PLDAccountant, run), found(search, TightBudgetAccountant, run)) for run in range(runs)]
        theirs, ours = (min(those, key=lambda one: one.seconds) for those in zip(*pairs, strict=True))
        yield Row(search.name, theirs, ours)


def measure(runs: int = 2) -> list[Row]:
    """Return what every search took, the least of some runs of each accountant."""
    return list(rows(runs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2)
    for row in rows(parser.parse_args().runs):
        print(
            f"{row.name:48} {row.ours.value:.7g} (theirs {row.theirs.value:.7g})  "
            f"{row.ours.evaluations} evaluations (theirs {row.theirs.evaluations})  "
            f"{row.ours.seconds:.3f} s (theirs {row.theirs.seconds:.3f} s): {row.times:.1f} times as fast",
            flush=True,
        )


if __name__ == "__main__":
    in_one_thread()
    main()
