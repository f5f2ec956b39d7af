"""What was measured, as tables."""

import decimal
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from accountants import LEAST as LEAST_SPEED
from cases import GROWTH_DELTA, GROWTH_STEP, Defect
from formats import bracket, geometric_mean, megabytes, number, outward, seconds, setting, signed, times, verdict

if TYPE_CHECKING:
    from accountants import Row as SearchRow
    from calibrations import Calibration
    from run import CaseResult, Comparison, Measurement
    from samplings import Row as SampledRow
    from start import Start
    from sweeps import Row


@dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    note: str = ""


def tables(
    results: "list[CaseResult]",
    defects: list,
    calibrations: list,
    growth: list,
    starts: "list[Start]",
    swept: "Sequence[Row]" = (),
    sampled: "Sequence[SampledRow]" = (),
    searched: "Sequence[SearchRow]" = (),
) -> list[Table]:
    made = []
    if results:
        made += [_ours(results), _ratios(results), _targets(results), _peers(results), _comparisons(results)]
    if defects:
        made.append(_defects(defects))
    if calibrations:
        made.append(_calibrations(calibrations))
    if growth:
        made.append(_growth(growth))
    if starts:
        made.append(_start(starts))
    if swept:
        made.append(_sweeps(swept))
    if sampled:
        made.append(samplings(sampled))
    if searched:
        made.append(accountants(searched))
    return made


def _ours(results: "list[CaseResult]") -> Table:
    rows = []
    for result in results:
        rows.append(_our_row(result.case.name, result.ours, result.transforms))
        if result.engine and result.engine_transforms:
            rows.append(_our_row(f"{result.case.name}, bucket engine", result.engine, result.engine_transforms))
    columns = ("case", "lower", "upper", "width", "time", "first", "memory", "total", "bare FFT", "multiple", "verdict")
    note = "The bucket engine's rows ask nearly the same (sampling rate 1 - 1e-6), so that no closed form applies."
    return Table("tightbudget at the default tolerance (1e-3)", columns, rows, note)


def _our_row(name: str, m: "Measurement", transforms: "Measurement") -> tuple[str, ...]:
    bare, multiple = ("no FFT", "-")
    if transforms.ffts > 0:
        bare, multiple = f"{seconds(transforms.bare)} ({transforms.ffts})", times(m.time / transforms.bare)
    elif transforms.failure:
        bare = "-"
    return (
        name,
        outward(m.lower, decimal.ROUND_FLOOR),
        outward(m.upper, decimal.ROUND_CEILING),
        number(m.width, 2),
        seconds(m.time),
        seconds(m.first),
        megabytes(m.memory),
        megabytes(m.memory_total),
        bare,
        multiple,
        verdict(m),
    )


def _ratios(results: "list[CaseResult]") -> Table:
    rows = []
    for result in results:
        for label, chosen in (("quickest", result.fastest), ("least in our favour", result.worst)):
            if chosen is None:
                rows.append((result.case.name, label, "none sound within 1 %", "-", "-", "-", "-", "-"))
                continue
            peer, ours = chosen.peer, chosen.ours
            rows.append(
                (
                    result.case.name,
                    label,
                    f"{peer.tool}, {setting(peer)}",
                    signed(peer.error),
                    seconds(peer.time),
                    signed(ours.error),
                    seconds(ours.time),
                    ratio(chosen),
                )
            )
    for label, chosen in _both(results).items():
        reached = [c.ratio for c in chosen.values() if c.reached]
        mean = f"**{times(geometric_mean(reached))}** over {len(reached)} of {len(chosen)}"
        rows.append(("**geometric mean**", label, "", "", "", "", "", mean))
    columns = ("case", "which", "peer setting", "its error", "its time", "our error", "our time", "ratio")
    return Table("Speed at equal or better accuracy", columns, rows)


def _both(results: "list[CaseResult]") -> "dict[str, dict[str, Comparison]]":
    return {
        "quickest": {r.case.name: r.fastest for r in results if r.fastest is not None},
        "least in our favour": {r.case.name: r.worst for r in results if r.worst is not None},
    }


def ratio(comparison: "Comparison") -> str:
    return times(comparison.ratio) if comparison.reached else "accuracy not reached"


def _targets(results: "list[CaseResult]") -> Table:
    rows = []

    def row(target: str, value: str, met: bool) -> None:
        rows.append((target, value, "met" if met else "**missed**"))

    for label, chosen in _both(results).items():
        ratios = {name: c.ratio if c.reached else 0.0 for name, c in chosen.items()}
        if not ratios:
            continue
        reached = [value for value in ratios.values() if value]
        mean, least = geometric_mean(reached), min(ratios, key=ratios.__getitem__)
        met = mean >= 10 and len(reached) == len(ratios)
        row(f"geometric mean of the ratios at least 10 ({label})", times(mean), met)
        row(f"each ratio at least 3 ({label})", f"{ratio(chosen[least])} ({least})", ratios[least] >= 3)
        if (name := "hundred-different") in ratios:
            row(f"hundred different mechanisms at least 20 ({label})", ratio(chosen[name]), ratios[name] >= 20)
    runs = [(r.case.name, m) for r in results for m in (r.ours, r.engine) if m is not None]
    answered = [(name, m) for name, m in runs if not m.failure]
    row("every case answered, the truth inside", f"{len(answered)} of {len(runs)}", all(_holds(m) for _, m in runs))
    if answered:
        slowest, largest = max(answered, key=lambda x: x[1].first), max(answered, key=lambda x: x[1].memory_total)
        widest = max(answered, key=lambda x: x[1].width)
        row("width at most 1e-3", f"{number(widest[1].width)} ({widest[0]})", widest[1].width <= 1e-3)
        row("no case over 1 s, first run included", f"{seconds(slowest[1].first)} ({slowest[0]})", slowest[1].first <= 1)
        total = largest[1].memory_total
        row("under 300 MB in total", f"{megabytes(total)} ({largest[0]})", total < 300)
    return Table("Targets", ("target", "measured", ""), rows)


def _holds(m: "Measurement") -> bool:
    return m.sound and m.lower is not None and m.lower <= m.truth * (1 + 1e-12)


def _peers(results: "list[CaseResult]") -> Table:
    rows = []
    for result in results:
        for m in result.peers:
            rows.append(
                (
                    result.case.name,
                    m.tool,
                    setting(m),
                    number(m.upper, 9),
                    signed(m.error),
                    seconds(m.time),
                    megabytes(m.memory),
                    megabytes(m.memory_total),
                    str(m.runs or "-"),
                    verdict(m),
                )
            )
    columns = ("case", "peer", "setting", "upper", "error", "time", "memory", "total", "runs", "verdict")
    return Table("Peers", columns, rows)


def _comparisons(results: "list[CaseResult]") -> Table:
    def row(name: str, c: "Comparison") -> tuple[str, ...]:
        return (
            name,
            f"{c.peer.tool}, {setting(c.peer)}",
            signed(c.peer.error),
            seconds(c.peer.time),
            setting(c.ours),
            signed(c.ours.error),
            c.ours.failure[:50] or seconds(c.ours.time),
            ratio(c),
        )

    rows = [row(result.case.name, c) for result in results for c in result.comparisons]
    columns = ("case", "peer setting", "its error", "its time", "our rtol", "our error", "our time", "ratio")
    return Table("Every comparison", columns, rows)


def _defects(defects: "list[tuple[Defect, Measurement, Measurement]]") -> Table:
    rows = []
    for defect, peer, ours in defects:
        answer = peer.failure[:70] if peer.failure else number(peer.upper, 8)
        rows.append(
            (
                str(defect.question),
                f"{peer.tool}, {setting(peer)}",
                answer,
                number(defect.truth, 8),
                ours.failure[:50] or bracket(ours),
                "" if peer.failure else verdict(peer),
                seconds(peer.time),
                seconds(ours.first),
                defect.note,
            )
        )
    columns = (
        "question",
        "peer",
        "its upper bound",
        "truth",
        "ours",
        "verdict on the peer",
        "its time",
        "ours, first",
        "note",
    )
    return Table("Where peers are below the truth, or have no useful answer", columns, rows)


def _calibrations(calibrations: "list[tuple[Calibration, list[tuple[Measurement, Measurement]]]]") -> Table:
    rows = []
    for case, pairs in calibrations:
        shown = f"{case.name}: {case}"
        for peer, ours in pairs:
            if peer is not ours:
                rows.append(_calibration_row(shown, case, peer, _slower(case, peer, ours)))
                shown = ""
            rows.append(_calibration_row(shown, case, ours, ""))
    columns = ("question", "tool", "value", "proven to miss", "wasted", "CPU time", "slower than ours", "verdict")
    note = (
        "*Wasted* is how much more noise, or how much less of what reveals, than the best value there is (truth.py); below 0 "
        "the value misses its target. dp-accounting's `calibrate_dp_mechanism` is told an interval within four times of the "
        "answer, and to find it to 1e-6 of itself; ours is told nothing. The factor is against ours in the line below, whose "
        "tolerance makes its value at least as good; the last line of each question is ours at the default tolerance."
    )
    return Table("Calibration", columns, rows, note)


def _slower(case: "Calibration", peer: "Measurement", ours: "Measurement") -> str:
    if peer.failure or ours.failure or not -1e-12 <= case.waste(ours.upper) <= case.waste(peer.upper):
        return "-"
    return times(peer.cpu / ours.cpu)


def _calibration_row(shown: str, case: "Calibration", m: "Measurement", slower: str) -> tuple[str, ...]:
    answered = not m.failure
    waste = case.waste(m.upper) if answered else math.nan
    said = m.failure[:70] if m.failure else "meets the target" if waste >= -1e-12 else "**MISSES THE TARGET**"
    return (
        shown,
        f"{m.tool}, {setting(m)}",
        number(m.upper, 10),
        number(m.lower, 10),
        signed(waste),
        seconds(m.cpu),
        slower,
        said,
    )


def _growth(growth: "list[tuple[int, Measurement]]") -> Table:
    rows = []
    for count, m in growth:
        rows.append(
            (
                f"1e{round(math.log10(count))}",
                m.failure[:60] or bracket(m),
                number(m.width, 2),
                seconds(m.time),
                megabytes(m.memory),
            )
        )
    title = f"Growth with the number of repetitions: {GROWTH_STEP} * r at delta={GROWTH_DELTA:g}"
    return Table(title, ("r", "epsilon", "width", "time", "memory"), rows)


def _start(starts: "list[Start]") -> Table:
    bare = starts[1].seconds or math.nan
    rows = []
    for one in starts:
        taken = math.nan if one.seconds is None else one.seconds
        target = "" if one.most is None else f"at most {times(one.most)}: {'met' if taken <= one.most * bare else '**missed**'}"
        rows.append((f"`{one.name}`", "failed" if one.seconds is None else seconds(taken), times(taken / bare), target))
    note = "CPU time, user and system, of whole processes, the least of several taken in turns; compiled files are at hand."
    return Table("Start", ("what is run", "CPU time", "of the bare imports", "target"), rows, note)


def _sweeps(swept: "Sequence[Row]") -> Table:
    rows = []
    for row in swept:
        target = f"{row.target}: {'met' if row.met else '**missed**'}" if row.target else ""
        rows.append((row.name, seconds(row.before), seconds(row.after), f"{row.found:.3g}{row.unit}", target))
    note = "Private training over noises, rates and steps; for the overhead Gaussians in closed form. CPU time unless said."
    return Table("Sweeps", ("what is compared", "this", "with that", "found", "target"), rows, note)


def samplings(sampled: "Sequence[SampledRow]") -> Table:
    rows, shown = [], ""
    for row in sampled:
        ours = [text for pair in zip(map(seconds, row.times), map(times, row.ratios), strict=True) for text in pair]
        peer = (f"{row.peer} {number(row.peer_epsilon, 6)}", seconds(row.peer_time)) if row.peer else ("-", "-")
        name = row.step.replace("{s}", "1").replace("{d}", "")
        limit = "no limit" if row.excepted else "met" if row.met else "**missed**"
        rows.append((f"`{name}`" if name != shown else "", str(row.count), str(row.answer), *ours, limit, *peer))
        shown = name
    met, asked = sum(row.met for row in sampled if not row.excepted), sum(not row.excepted for row in sampled)
    note = (
        f"Epsilon at delta = 1e-6. Each time is the least of some CPU times from the text to the bracket, of numbers that were "
        f"not asked about before; beside it how often the time of `poisson(gaussian(sigma=1), q=0.01)` at the same count and "
        f"tolerance that is, at most 3 wanted: {met} of {asked} rows. Where a step stands for a class of cases, or no member "
        f"attains its pair, two compositions are answered for: one for each end. dp-accounting by its PLD accountant at its "
        f"default interval, or its RDP accountant where that has the event and the other has not; where it takes more than "
        f"2 s it is asked about one step only."
    )
    columns = (
        "step",
        "count",
        "epsilon",
        "time, rtol 1e-3",
        "ratio",
        "time, rtol 1e-6",
        "ratio",
        "limit",
        "dp-accounting",
        "its time",
    )
    return Table("Samplings and derived mechanisms", columns, rows, note)


def accountants(searched: "Sequence[SearchRow]") -> Table:
    rows = []
    for row in searched:
        fewer = "" if row.ours.evaluations <= row.theirs.evaluations else ", **more evaluations**"
        target = f"{'met' if row.times >= LEAST_SPEED else '**missed**'}{fewer}"
        found = [
            text
            for one in (row.ours, row.theirs)
            for text in (number(one.value, 8), str(one.evaluations), seconds(one.seconds))
        ]
        rows.append((row.name, *found, times(row.times), target))
    note = (
        f"dp-accounting's `calibrate_dp_mechanism` with `TightBudgetAccountant` and with its `PLDAccountant`, as they come, in "
        f"turns in one process. Wanted: at least {LEAST_SPEED:g} times as fast, and no more evaluations. Ours is asked for "
        f"brackets of 1e-5 of epsilon; theirs has a grid of 1e-4."
    )
    columns = ("searched", "ours", "evaluations", "CPU time", "theirs", "evaluations", "CPU time", "as fast", "target")
    return Table("dp-accounting's calibration with each accountant", columns, rows, note)
