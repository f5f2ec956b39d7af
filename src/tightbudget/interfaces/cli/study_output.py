"""What `tightbudget study` prints: text for people, shapes for machines."""

from typing import Any

from tightbudget.comparison.table import bound_rounded_up
from tightbudget.interfaces import wire
from tightbudget.numerics.bracket import Bracket
from tightbudget.research.studies import timing as delays
from tightbudget.research.studies import vuvuzela as dummies
from tightbudget.version import __version__


def vuvuzela_shape(answer: dummies.Answer) -> wire.Wire:
    return {
        "protocol": answer.setting.protocol,
        "noise": answer.setting.noise,
        "rounds": answer.rounds,
        "epsilon": answer.epsilon,
        "delta": answer.delta,
        "mean": answer.setting.mean,
        "scale": answer.setting.scale,
        "requests": answer.setting.requests,
        "lower": wire.lower_end(answer.achieved.lower),
        "upper": wire.upper_end(answer.achieved.upper),
        "fails": None if answer.fails is None else {"mean": answer.fails.mean, "scale": answer.fails.scale},
        "original": {
            "name": answer.original_name,
            "mean": answer.original.mean,
            "scale": answer.original.scale,
            "requests": answer.original.requests,
        },
        "saved": answer.saved,
        "version": __version__,
    }


def vuvuzela_text(answer: dummies.Answer) -> str:
    setting, original = answer.setting, answer.original
    more = "fewer" if answer.saved >= 0.0 else "more"
    fails = "none found" if answer.fails is None else f"mean {answer.fails.mean:.12g}, scale {answer.fails.scale:.12g}"
    return "\n".join(
        [
            f"{setting}",
            f"  δ in {answer.achieved} at ε = {answer.epsilon:.6g} after {answer.rounds} rounds; asked {answer.delta!r}",
            f"  provably too little   {fails}",
            f"  dummy requests        {setting.requests:.6g} a round and server",
            f"  Vuvuzela's setting    {original.requests:.6g} ({answer.original_name}: {original.noise},"
            f" mean {original.mean:g}, scale {original.scale:g}): {abs(answer.saved):.1%} {more} here",
        ]
    )


def timing_shape(
    measured: delays.Measured,
    confident: delays.Confident,
    asked: dict[str, Any],
    model: Bracket,
    truth: Bracket,
    note: str,
) -> wire.Wire:
    def ends(bracket: Bracket) -> wire.Wire:
        return {"lower": wire.lower_end(bracket.lower), "upper": wire.upper_end(bracket.upper), "converged": bracket.converged}

    return {
        "rounds": confident.rounds,
        **{name: wire.json_number(value) for name, value in asked.items()},
        "plug_in": {**ends(model), "revealing": max(measured.revealing)},
        "confident": {**ends(truth), "confidence": confident.confidence, "revealing": wire.upper_end(confident.revealing)},
        "samples": [sum(measured.a), sum(measured.b)],
        "counts": [list(measured.a), list(measured.b)],
        "edges": list(measured.edges),
        "note": note,
        "version": __version__,
    }


def timing_text(
    measured: delays.Measured, confident: delays.Confident, asked: dict[str, Any], model: Bracket, truth: Bracket
) -> str:
    ((name, value),) = asked.items()
    sought, given = ("δ", "ε") if name == "epsilon" else ("ε", "δ")
    lines = [
        f"{sought} at {given} = {value!r} after {confident.rounds} observations",
        f"  {model}  if the histograms were the truth (they are a model)",
        f"  {truth}  with {confident.confidence:.6g} confidence, for independent samples and fixed cells",
        f"{sum(measured.a)} and {sum(measured.b)} samples counted in {len(measured.a)} cells",
    ]
    if max(measured.revealing) > 0.0:
        lines.append(
            f"The model reveals everything with probability {max(measured.revealing):.3g} an observation: empty cells."
        )
    if confident.revealing > 0.0:
        most = bound_rounded_up(confident.revealing, 3)
        lines.append(
            f"Cells too rarely hit may reveal everything with probability up to {most} an observation;"
            " use fewer cells or more samples."
        )
    return "\n".join(lines)
