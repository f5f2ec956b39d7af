"""Draw DP-SGD runs anew and see which of them are slow or not converged: `python bench/random_runs.py [--runs N]
[--seed S]`.

A fixed list of cases shows only what it was made to show. One thread (`make random-runs` sees to that); each run is
asked once, in the same process, from the text of its expression. Processor time is what counts: unlike the wall clock
it does not grow when the machine is shared.
"""

import argparse
import math
import random
import secrets
import sys
import time
from dataclasses import dataclass

import tightbudget as tb

SLOW = 0.5  # seconds
SIGMA, Q, STEPS, DELTA = (0.3, 10.0), (1e-5, 1.0), (1.0, 1e6), (1e-15, 1e-5)  # all log-uniform


@dataclass(frozen=True)
class Run:
    """One run and what came of it."""

    expression: str
    delta: float
    cpu: float
    wall: float
    width: float  # relative
    converged: bool

    def __str__(self) -> str:
        state = "" if self.converged else ", not converged"
        return (
            f"{self.cpu:7.3f} s cpu {self.wall:7.3f} s wall  width {self.width:.1e}{state}  {self.expression} at {self.delta!r}"
        )


def drawn(generator: random.Random) -> tuple[str, float]:
    """Return the expression and the delta of a random run."""
    sigma, q, steps, delta = (math.exp(generator.uniform(*map(math.log, ends))) for ends in (SIGMA, Q, STEPS, DELTA))
    return f"poisson(gaussian({sigma:.6g}), {min(q, 1.0):.6g}) * {max(1, round(steps))}", float(f"{delta:.4g}")


def measured(expression: str, delta: float, rtol: float) -> Run:
    cpu, wall = time.process_time(), time.perf_counter()
    bracket = tb.parse(expression).epsilon(delta, rtol=rtol)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    width = bracket.width / bracket.upper if bracket.upper > 0.0 else 0.0
    return Run(expression, delta, cpu, wall, width, bracket.converged)


def summary(runs: list[Run], show: int) -> str:
    """Return what is worth knowing of all runs."""
    times = sorted(run.cpu for run in runs)
    shares = ", ".join(f"{part:g} % {times[min(len(times) - 1, int(part / 100 * len(times)))]:.4f}" for part in (50, 90, 99))
    slow, open_ones = [run for run in runs if run.cpu > SLOW], [run for run in runs if not run.converged]
    lines = [
        f"{len(runs)} runs: {len(open_ones)} not converged, {len(slow)} over {SLOW:g} s of processor time",
        f"processor time in seconds: {shares}, slowest {times[-1]:.3f}, sum {sum(times):.1f}",
        "slowest:",
        *(f"  {run}" for run in sorted(runs, key=lambda run: -run.cpu)[:show]),
    ]
    if open_ones:
        lines += ["not converged:", *(f"  {run}" for run in open_ones)]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=600)
    parser.add_argument("--seed", type=int, default=None, help="drawn from the operating system and printed unless given")
    parser.add_argument("--rtol", type=float, default=1e-3)
    parser.add_argument("--show", type=int, default=8, help="how many of the slowest to list")
    options = parser.parse_args()
    seed = secrets.randbits(32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    generator = random.Random(seed)
    runs = [measured(*drawn(generator), options.rtol) for _ in range(options.runs)]
    print(summary(runs, options.show))
    sys.exit(any(run.cpu > SLOW or not run.converged for run in runs))


if __name__ == "__main__":
    main()
