"""This tree beside another one, in turns: `python bench/interleaved.py TREE [--rounds N]`, where TREE is a checkout.

Every question of cases.py is asked of both, one process after the other, so that what else the machine does falls on
both alike; the ratio is of medians, below 1 where this tree is the quicker. Nothing is written.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from cases import CASES, Question

HERE = Path(__file__).parent
TOLERANCES = (1e-3, 1e-6)
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


def requests() -> Iterator[tuple[str, str]]:
    """Yield a name and the text for worker.py of every question at every tolerance."""
    for case in CASES:
        calls: list[tuple[str, str, dict[str, object]]] = [(case.name, "ours", {})]
        if case.engine_expression:
            calls.append((f"{case.name}, bucket engine", "ours_engine", {"expression": case.engine_expression}))
        for name, call, more in calls:
            for rtol in TOLERANCES:
                yield f"{name}, rtol {rtol:g}", request(call, case.question, {"rtol": rtol, **more})


def request(call: str, question: Question, arguments: dict[str, object]) -> str:
    return json.dumps(
        {"call": call, "arguments": arguments, "question": asdict(question), "seconds": 0.2, "memory_limit_gb": 6}
    )


def time_of(tree: Path, text: str) -> float:
    """Return the median time of an answer by the code of a tree, as its own worker.py takes it."""
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(tree / "src")}
    command = [sys.executable, str(tree / "bench" / "worker.py")]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=90, env=environment, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    if "error" in result:
        raise RuntimeError(f"{tree}: {result['error']}")
    return result["time"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, help="the checkout to stand beside")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ratios = []
    for name, text in requests():
        turns = [(time_of(options.tree, text), time_of(HERE.parent, text)) for _ in range(options.rounds)]
        theirs, ours = (statistics.median(times) for times in zip(*turns, strict=True))
        ratios.append(ours / theirs)
        print(f"{name:45} {1e3 * theirs:9.3f} ms  {1e3 * ours:9.3f} ms  {ratios[-1]:6.3f}", flush=True)
    print(f"{'geometric mean':45} {'':13} {'':13}  {math.exp(statistics.fmean(map(math.log, ratios))):6.3f}")


if __name__ == "__main__":
    main()
