"""One measurement in a process of its own: a JSON request on standard input, the JSON result on the last line out."""

import json
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import ffts
import peers
from cases import Question, Step
from peers import Answer


def peak_memory_mb() -> float:
    """Peak resident memory of this process alone (VmHWM starts anew at exec; ru_maxrss may inherit the parent's)."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    scale = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale


def timed(run: Callable[[], Answer]) -> tuple[Answer, float, float]:
    """The answer, the time it took, and how much of that was the processor's."""
    start, busy = time.perf_counter(), time.process_time()
    answer = run()
    return answer, time.perf_counter() - start, time.process_time() - busy


def repeated(run: Callable[[], Answer], first: float, seconds: float) -> list[tuple[float, float]]:
    """Times of further runs: at least three, and more until `seconds` have passed; none if one takes longer."""
    times: list[tuple[float, float]] = []
    if first > seconds:
        return times
    end = time.perf_counter() + seconds
    while len(times) < 200 and (len(times) < 3 or time.perf_counter() < end):
        times.append(timed(run)[1:])
    return times


def question_of(request: dict) -> Question:
    raw = request["question"]
    return Question(tuple(Step(**step) for step in raw["steps"]), raw["wanted"], raw["at"])


def measure(request: dict) -> dict:
    """Answer, time of the first run and median of the others, memory, and on request the time of the bare FFTs."""
    recorder = ffts.Recorder() if request.get("ffts") else None
    if recorder:
        recorder.install()  # before the tool is imported, so that names it imports are the recording ones
    peers.prepare(request["call"])
    before = peak_memory_mb()
    run = partial(peers.CALLS[request["call"]], **request["arguments"], question=question_of(request))
    (lower, upper), first, busy = timed(run)
    result = {"lower": lower, "upper": upper, "first": first}
    if recorder:
        return result | {"ffts": len(recorder.calls), "bare": recorder.bare_seconds()}
    peak = peak_memory_mb()
    times = repeated(run, first, request["seconds"])
    return result | {
        "time": statistics.median(wall for wall, _ in times) if times else first,
        "cpu": statistics.median(cpu for _, cpu in times) if times else busy,
        "runs": len(times) + 1,
        "memory": peak - before,
        "memory_total": peak,
    }


def main() -> None:
    warnings.simplefilter("ignore")
    request = json.load(sys.stdin)
    limit = int(request["memory_limit_gb"] * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        result = measure(request)
    except Exception as error:  # a crash is a finding: the table shows it
        text = " ".join(str(error).split())
        result = {"error": f"{type(error).__name__}: {text}" if text else type(error).__name__}
    print("\n" + json.dumps(result))


if __name__ == "__main__":
    main()
