"""This tree beside another one, a checkout, in turns: `python bench/interleaved.py TREE [--rounds N] [--only TEXT]`.

Every question of cases.py is asked of both in turns, one answer each, so that what else the machine does falls on both
alike; a round is a new process of each. A time is the least processor time of a round, the ratio the median over the
rounds, below 1 where this tree is the quicker. Nothing is written.
"""

import argparse
import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from cases import CASES, Question
from one_thread import ONE_THREAD

HERE = Path(__file__).parent
TOLERANCES = (1e-3, 1e-6)
LEAST_TURNS, MOST_TURNS, SECONDS = 5, 300, 0.8  # of one round


def requests() -> Iterator[tuple[str, str]]:
    """Yield a name and the request of every question at every tolerance."""
    for case in CASES:
        calls: list[tuple[str, str, dict[str, object]]] = [(case.name, "ours", {})]
        if case.engine_expression:
            calls.append((f"{case.name}, bucket engine", "ours_engine", {"expression": case.engine_expression}))
        for name, call, more in calls:
            for rtol in TOLERANCES:
                yield f"{name}, rtol {rtol:g}", request(call, case.question, {"rtol": rtol, **more})


def request(call: str, question: Question, arguments: dict[str, object]) -> str:
    return json.dumps({"call": call, "arguments": arguments, "question": asdict(question)})


@contextlib.contextmanager
def answering(tree: Path, text: str) -> Iterator[Callable[[], float]]:
    """A process with the code of a tree; what is yielded asks it once and returns the processor time."""
    command = [sys.executable, str(HERE / "turns.py"), str(tree)]
    environment = {**os.environ, **ONE_THREAD}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        said, heard = process.stdin, process.stdout
        assert said is not None
        assert heard is not None

        def told(line: str) -> str:
            said.write(line + "\n")
            said.flush()
            return heard.readline()

        if told(text) != "ready\n":
            raise RuntimeError(f"{tree} does not answer")
        yield lambda: float(told(""))
        said.close()


def least_times(other: Path, text: str) -> tuple[float, float]:
    """Return the least time of the other tree and of this one, in one round of turns."""
    with answering(other, text) as ask_other, answering(HERE.parent, text) as ask_this:
        turns: list[tuple[float, float]] = []
        end = time.perf_counter() + SECONDS
        while len(turns) < LEAST_TURNS or (len(turns) < MOST_TURNS and time.perf_counter() < end):
            turns.append((ask_other(), ask_this()))
        return min(one for one, _ in turns), min(two for _, two in turns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, help="the checkout to stand beside")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="questions whose name contains this")
    options = parser.parse_args()
    ratios = []
    for name, text in requests():
        if options.only in name:
            rounds = [least_times(options.tree, text) for _ in range(options.rounds)]
            theirs, ours = (statistics.median(times) for times in zip(*rounds, strict=True))
            ratios.append(statistics.median(one / other for other, one in rounds))
            print(f"{name:45} {1e3 * theirs:9.3f} ms  {1e3 * ours:9.3f} ms  {ratios[-1]:6.3f}", flush=True)
    print(f"{'geometric mean':45} {'':13} {'':13}  {math.exp(statistics.fmean(map(math.log, ratios))):6.3f}")


if __name__ == "__main__":
    main()
