"""Charge ten million people at once: time, and memory beyond the balances themselves.

python bench/individual.py [people]
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tightbudget as tb

ROUNDS = 5


def peak() -> float:
    """Return the largest size of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def report(name: str, charge: Callable[[], Any]) -> None:
    before, times, busy = peak(), [], []
    for _ in range(ROUNDS):
        start, work = time.perf_counter(), time.process_time()
        charge()
        times.append(time.perf_counter() - start)
        busy.append(time.process_time() - work)
    speed = f"best {min(times):.3f} s   worst {max(times):.3f} s   processor {min(busy):.3f} s"
    print(f"{name:44} {speed}   peak grew by {peak() - before:.0f} MB")


def main(people: int) -> None:
    amounts = np.random.default_rng(1).uniform(0.0, 0.01, people)
    decimals = np.full(people, 0.01)
    print(f"{people} people: balances {people * 8 / 2**20:.0f} MB, a mask {people / 2**20:.0f} MB")
    for made in (
        tb.individual.ZCDPFilter(1, people=people),
        tb.individual.RenyiFilter(order=8, budget=1, people=people),
        tb.individual.GDPFilter(1, people=people),
    ):
        report(f"{made.kind}, an amount for each", lambda made=made: made.spend(amounts))
        report(f"{made.kind}, an amount for each, all typed", lambda made=made: made.spend(decimals))
        report(f"{made.kind}, one amount for all", lambda made=made: made.spend(0.001))
    with tempfile.TemporaryDirectory(dir=".") as folder:
        path = Path(folder) / "people.f64"
        tb.individual.ZCDPFilter(1, people=people).save(path)
        for durable in (False, True):
            with tb.individual.open(path, durable=durable) as opened:
                report(f"zcdp in a file, durable={durable}", lambda opened=opened: opened.spend(amounts))


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**7)
