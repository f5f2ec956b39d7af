"""Measure tightbudget beside its peers: `python bench/run.py [--only NAME] [--quick]`. A full run writes RESULTS.md."""

import argparse
import json
import math
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import accountants
import report
import samplings
import start
import sweeps
import tables
from calibrations import CALIBRATIONS, Calibration
from cases import (
    CASES,
    DEFECTS,
    DP_ACCOUNTING,
    GROWTH_COUNTS,
    GROWTH_DELTA,
    GROWTH_STEP,
    OURS,
    PRV_ACCOUNTANT,
    Case,
    Defect,
    Question,
)
from one_thread import ONE_THREAD, in_one_thread

HERE = Path(__file__).parent
DEFAULT_RTOL = 1e-3
CALIBRATION_RTOL = 1e-6
ROUNDING = 1e-12  # the stored truths are doubles: a bound counts as below the truth only by more than this
USEFUL = 1e-2  # a bound looser than a per cent is shown, but no speed is claimed against it


@dataclass(frozen=True)
class Measurement:
    """One tool at one setting on one question. `error` is the relative excess of its upper end; negative is unsound."""

    tool: str
    setting: float
    truth: float = math.nan
    lower: float | None = None
    upper: float = math.nan
    first: float = math.nan
    time: float = math.nan
    cpu: float = math.nan
    memory: float = math.nan
    memory_total: float = math.nan
    runs: int = 0
    ffts: int = -1
    bare: float = math.nan
    failure: str = ""

    @property
    def error(self) -> float:
        return self.upper / self.truth - 1 if self.truth else math.nan

    @property
    def sound(self) -> bool:
        return not self.failure and self.error >= -ROUNDING

    @property
    def width(self) -> float:
        return (self.upper - self.lower) / self.upper if self.lower is not None and self.upper else math.nan


@dataclass(frozen=True)
class Comparison:
    """A sound peer setting beside ours at the tolerance that makes our upper end at least as accurate."""

    peer: Measurement
    ours: Measurement

    @property
    def reached(self) -> bool:
        return self.ours.sound and self.ours.error <= max(self.peer.error, ROUNDING)

    @property
    def ratio(self) -> float:
        return self.peer.time / self.ours.time if self.reached else math.nan


@dataclass(frozen=True)
class CaseResult:
    case: Case
    ours: Measurement
    transforms: Measurement
    engine: Measurement | None
    engine_transforms: Measurement | None
    peers: tuple[Measurement, ...]
    comparisons: tuple[Comparison, ...]

    @property
    def fastest(self) -> Comparison | None:
        """The comparison with the quickest sound peer setting."""
        return min(self.comparisons, key=lambda c: c.peer.time, default=None)

    @property
    def worst(self) -> Comparison | None:
        """The comparison least in our favour; one whose accuracy we did not reach is the worst of all."""
        return min(self.comparisons, key=lambda c: c.ratio if c.reached else -1.0, default=None)


class Bench:
    """Runs measurements in fresh processes, one at a time, each distinct one once."""

    def __init__(self, quick: bool) -> None:
        self.seconds = 0.2 if quick else 0.5
        self.timeout = 10.0 if quick else 90.0
        self._known: dict[str, Measurement] = {}

    def run(self, tool: str, call: str, question: Question, truth: float, setting: float, **more: object) -> Measurement:
        arguments: dict[str, object] = {{"ours": "rtol", "dp_a": "interval", "prv_": "eps_error"}[call[:4]]: setting}
        arguments |= {key: more[key] for key in ("expression", "name") if key in more}
        if call == "prv_accountant" and question.wanted == "delta":
            arguments["delta_scale"] = truth  # its documentation wants delta_error in proportion to delta
        request = {
            "call": call,
            "arguments": arguments,
            "question": asdict(question),
            "ffts": bool(more.get("ffts")),
            "seconds": self.seconds,
            "memory_limit_gb": 6,
        }
        text = json.dumps(request)
        if text not in self._known:
            self._known[text] = Measurement(tool, setting, **self._spawn(text))
        return replace(self._known[text], truth=truth)

    def _spawn(self, text: str) -> dict:
        command = [sys.executable, str(HERE / "worker.py")]
        environment = {**os.environ, **ONE_THREAD}
        try:
            done = subprocess.run(
                command, input=text, capture_output=True, text=True, timeout=self.timeout, env=environment, check=False
            )
        except subprocess.TimeoutExpired:
            return {"failure": f"no answer in {self.timeout:g} s"}
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            return {"failure": f"exit code {done.returncode}: {last[:80]}"}
        result = json.loads(done.stdout.splitlines()[-1])
        if "error" in result:
            return {"failure": result.pop("error")}
        return result

    def case(self, case: Case) -> CaseResult:
        ask = (case.question, case.truth)
        peers = [self.run(DP_ACCOUNTING, "dp_accounting", *ask, h) for h in case.intervals]
        peers += [self.run(PRV_ACCOUNTANT, "prv_accountant", *ask, e) for e in case.eps_errors]
        engine = engine_transforms = None
        if case.engine_expression:
            engine = self.run(OURS, "ours_engine", *ask, DEFAULT_RTOL, expression=case.engine_expression)
            engine_transforms = self.run(OURS, "ours_engine", *ask, DEFAULT_RTOL, expression=case.engine_expression, ffts=True)
        return CaseResult(
            case,
            ours=self.run(OURS, "ours", *ask, DEFAULT_RTOL),
            transforms=self.run(OURS, "ours", *ask, DEFAULT_RTOL, ffts=True),
            engine=engine,
            engine_transforms=engine_transforms,
            peers=tuple(peers),
            comparisons=tuple(
                Comparison(peer, self.as_accurate_as(peer, case)) for peer in peers if peer.sound and peer.error <= USEFUL
            ),
        )

    def as_accurate_as(self, peer: Measurement, case: Case) -> Measurement:
        """Ours at the widest of some tolerances, 1e-3 or less, that puts our upper end no further out than theirs."""
        # A width of rtol * upper puts the upper end at most truth / (1 - rtol); most of the time it is much nearer.
        least = max(peer.error / (1 + peer.error), ROUNDING)
        tolerances = dict.fromkeys(min(DEFAULT_RTOL, factor * least) for factor in (4.0, 2.0, 1.0))
        tried = (self.run(OURS, "ours", case.question, case.truth, rtol) for rtol in tolerances)
        found = None
        for found in tried:
            if found.sound and found.error <= peer.error:
                break
        assert found is not None
        return found

    def defect(self, defect: Defect) -> tuple[Defect, Measurement, Measurement]:
        peer = self.run(defect.tool, defect.call, defect.question, defect.truth, defect.setting)
        return defect, peer, self.run(OURS, "ours", defect.question, defect.truth, DEFAULT_RTOL)

    def calibration(self, case: Calibration) -> tuple[Calibration, list[tuple[Measurement, Measurement]]]:
        """Each setting of the peer beside ours at the tolerance that makes our value at least as good, 1e-3 at most.

        Last comes ours at the default tolerance, beside itself.
        """
        ask = (Question((), "epsilon", case.delta), case.truth)
        ours = self.run(OURS, "ours_calibration", *ask, CALIBRATION_RTOL, name=case.name)
        pairs = []
        for interval in case.intervals:
            peer = self.run(DP_ACCOUNTING, "dp_accounting_calibration", *ask, interval, name=case.name)
            least = 0.0 if peer.failure else case.waste(peer.upper)
            rtol = min(float(f"{0.5 * least:.1g}"), DEFAULT_RTOL) if least > 0.0 else CALIBRATION_RTOL
            pairs.append((peer, self.run(OURS, "ours_calibration", *ask, rtol, name=case.name)))
        return case, pairs if ours == pairs[-1][1] else [*pairs, (ours, ours)]

    def growth(self, counts: tuple[int, ...]) -> list[tuple[int, Measurement]]:
        expressions = [(count, f"{GROWTH_STEP} * {count}") for count in counts]
        question = Question((), "epsilon", GROWTH_DELTA)
        return [(n, self.run(OURS, "ours_engine", question, math.nan, DEFAULT_RTOL, expression=e)) for n, e in expressions]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", metavar="NAME", help="a case by name; may be repeated; writes no file")
    parser.add_argument("--quick", action="store_true", help="short timings, nothing over 10 s; writes no file")
    options = parser.parse_args()
    names = {case.name for case in (*CASES, *DEFECTS, *CALIBRATIONS)} | {
        "growth",
        "start",
        "sweeps",
        "samplings",
        "accountants",
    }
    if unknown := set(options.only or ()) - names:
        parser.error(f"unknown case {', '.join(sorted(unknown))}; known: {', '.join(sorted(names))}")

    def wanted(name: str) -> bool:
        return not options.only or name in options.only

    bench, started = Bench(options.quick), time.perf_counter()
    results, defects = [], []
    for case in CASES:
        if wanted(case.name) and not (options.quick and "slow" in case.tags):
            report.progress(case.name, started)
            results.append(bench.case(case))
    for defect in DEFECTS:
        if wanted(defect.name):
            report.progress(defect.name, started)
            defects.append(bench.defect(defect))
    calibrations = []
    for calibration in CALIBRATIONS:
        if wanted(calibration.name):
            report.progress(calibration.name, started)
            calibrations.append(bench.calibration(calibration))
    growth = bench.growth(GROWTH_COUNTS[:4] if options.quick else GROWTH_COUNTS) if wanted("growth") else []
    starts = start.measure(3 if options.quick else start.RUNS) if wanted("start") else []
    swept = sweeps.measure(400 if options.quick else sweeps.POINTS) if wanted("sweeps") else []
    sampled = samplings.measure() if wanted("samplings") else []
    searched = accountants.measure(1 if options.quick else 2) if wanted("accountants") else []
    made = tables.tables(results, defects, calibrations, growth, starts, swept, sampled, searched)
    report.show(made)
    if not options.only and not options.quick:
        path = report.write(HERE / "RESULTS.md", made, time.perf_counter() - started)
        print(f"written: {path.relative_to(HERE.parent)}")


if __name__ == "__main__":
    in_one_thread()
    main()
