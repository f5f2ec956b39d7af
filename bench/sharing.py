"""How much of a sweep's time neighbours save one another: single calls against the same ones within `sharing_work`.

    python bench/sharing.py                 # 10,000 points of private training in each grid: some minutes
    python bench/sharing.py --part 0.05     # a twentieth of each grid, in whole rows that follow one another

Both kinds take turns in short runs, so that whatever else the machine does slows both alike; CPU time of this process.
"""

import argparse
import contextvars
import time
from collections.abc import Callable

import numpy as np

import tightbudget as tb
from tightbudget.engine.sharing.work import sharing_work
from tightbudget.numerics.bracket import Bracket

Point = tuple[float, float, int, float]  # noise, rate, steps, delta
RUN = 25  # points

# less and less revealing, as a sweep goes through them: what is known of one point then holds for the next
NOISE, RATE = np.linspace(0.6, 4.0, 100).tolist(), np.geomspace(5e-2, 1e-3, 100).tolist()
STEPS, DELTA = np.geomspace(100, 20_000, 100).round().astype(int).tolist(), np.geomspace(1e-12, 1e-4, 100).tolist()

# row by row, as a sweep goes through them
GRIDS: dict[str, list[list[Point]]] = {
    "100 sigma x 100 q": [[(sigma, q, 1000, 1e-6) for q in RATE] for sigma in NOISE],
    "100 q x 100 sigma": [[(sigma, q, 1000, 1e-6) for sigma in NOISE] for q in RATE],
    "100 sigma x 100 n": [[(sigma, 0.01, count, 1e-6) for count in STEPS] for sigma in NOISE],
    "25 sigma x 20 q x 20 n": [[(sigma, q, n, 1e-6) for n in STEPS[::5]] for sigma in NOISE[::4] for q in RATE[::5]],
    "100 sigma x 100 delta": [[(sigma, 0.01, 1000, delta) for delta in DELTA] for sigma in NOISE],
}


def ask(points: list[Point]) -> list[Bracket]:
    return [(tb.Poisson(tb.Gaussian(sigma), q) * count).epsilon(delta) for sigma, q, count, delta in points]


def seconds(call: Callable[[], list[Bracket]]) -> tuple[float, list[Bracket]]:
    begun = time.process_time()
    answers = call()
    return time.process_time() - begun, answers


def measure(points: list[Point], batch: int) -> tuple[float, float, list[Bracket], list[Bracket]]:
    """Return the seconds of single calls and of shared ones, and the answers of both."""
    outside = contextvars.copy_context()
    alone, together = 0.0, 0.0
    single: list[Bracket] = []
    shared: list[Bracket] = []
    for first in range(0, len(points), batch):
        with sharing_work():
            for begin in range(first, min(first + batch, len(points)), RUN):
                run = points[begin : min(begin + RUN, first + batch)]
                took, answers = seconds(lambda run=run: outside.run(ask, run))
                alone, single = alone + took, single + answers
                took, answers = seconds(lambda run=run: ask(run))
                together, shared = together + took, shared + answers
    return alone, together, single, shared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", type=float, default=1.0, help="of the rows of each grid")
    parser.add_argument("--batch", type=int, default=512, help="points that share work: a sweep's batches")
    parser.add_argument("--grid", default="", help="only grids whose name contains this")
    asked = parser.parse_args()
    ask([(1.0, 0.01, 100, 1e-6)])  # whatever is made at first use
    print(f"{'grid':24} {'points':>6} {'alone':>9} {'shared':>9} {'ratio':>6}  widths (median), apart, not narrow")
    for name, rows in GRIDS.items():
        if asked.grid in name:
            count = max(1, round(asked.part * len(rows)))
            begin = (len(rows) - count) // 2
            points = [point for row in rows[begin : begin + count] for point in row]
            alone, together, single, shared = measure(points, asked.batch)
            apart = sum(one.lower > two.upper or two.lower > one.upper for one, two in zip(single, shared, strict=True))
            widths = [np.median([answer.width / answer.upper for answer in answers]) for answers in (single, shared)]
            print(
                f"{name:24} {len(points):6} {alone / len(points) * 1e3:6.2f} ms {together / len(points) * 1e3:6.2f} ms"
                f" {together / alone:6.2f}  {widths[0]:.1e} {widths[1]:.1e}"
                f" {apart} {sum(not answer.converged for answer in shared)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
