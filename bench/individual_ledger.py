"""Charge an individual budget in a ledger: seconds, processor time and bytes on disk of a charge, a retry, an opening.

python bench/individual_ledger.py [people ...]
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tightbudget.ledger import Ledger

ROUNDS = 3


def peak() -> float:
    """Return the largest size of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def report(name: str, folder: Path, work: Callable[[int], Any], rounds: int = ROUNDS) -> None:
    times, busy, before = [], [], size(folder)
    for number in range(rounds):
        start, processor = time.perf_counter(), time.process_time()
        work(number)
        times.append(time.perf_counter() - start)
        busy.append(time.process_time() - processor)
    grown = (size(folder) - before) / rounds
    print(f"  {name:42} best {min(times):8.3f} s   processor {min(busy):8.3f} s   folder grew by {grown / 1e6:9.3f} MB each")


def main(people: int) -> None:
    print(f"{people} people: balances {people * 8 / 1e6:.0f} MB, a mask {people / 8e6:.3f} MB")
    with tempfile.TemporaryDirectory(dir=".") as home, Ledger(Path(home) / "ledger.db") as ledger:
        folder = Path(home) / "people"
        with ledger.create_individual_budget("people", people=people, budget=1, path=folder) as budget:
            amounts = np.random.default_rng(1).uniform(0.0, 0.5, people)
            report("one amount for all, all take part", folder, lambda n: budget.charge("0.01", key=f"all {n}"))
            report("an amount for each", folder, lambda n: budget.charge(amounts, key=f"each {n}"))
            report("one amount for all, half take part", folder, lambda n: budget.charge("0.1", key=f"half {n}"))
            report("the same again, by its key", folder, lambda n: budget.charge("0.1", key="half 0").mask)
            report("the balances written anew", folder, lambda n: budget.compact(), 1)
            for number in range(ROUNDS):
                budget.reserve(amounts, key=f"reserved {number}")
            report("a reservation given back", folder, lambda n: budget.abort(f"reserved {n}"))
            budget.compact()
            budget.charge("0.01", key="last")
        report("opened again", folder, lambda n: ledger.individual_budget("people", path=folder).let_go(), 1)
        print(f"  folder {size(folder) / 1e6:.1f} MB, largest size of the process {peak():.0f} MB")


if __name__ == "__main__":
    for each in sys.argv[1:] or ["1e6", "1e7"]:
        main(int(float(each)))
