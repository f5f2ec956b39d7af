"""`tightbudget study`: the case studies on the command line."""

import math
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tightbudget.comparison.table import rounded_up
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.options import Json, check_question, number, whole
from tightbudget.interfaces.cli.plain import Command, group
from tightbudget.interfaces.cli.questions import NOT_NARROW_ENOUGH, say
from tightbudget.interfaces.cli.study_samples import fixed_edges, measured_samples, outside
from tightbudget.interfaces.cli.terminal import patiently, show, show_words
from tightbudget.numerics.bracket import Bracket
from tightbudget.research.studies import timing as delays
from tightbudget.research.studies import vuvuzela as dummies
from tightbudget.version import __version__

app = group(help="Case studies: dummy messages (vuvuzela) and measured delays (timing).")

Rounds = Annotated[int, typer.Option(help="Number of observations.", parser=whole, metavar="R")]


@app.command("vuvuzela", cls=Command, short_help="The least noise for a target.")
def vuvuzela(
    protocol: Annotated[str, typer.Argument(metavar="PROTOCOL", hidden=True)],
    rounds: Rounds,
    noise: Annotated[str, typer.Option(help="gaussian or laplace.", metavar="NOISE")] = "gaussian",
    epsilon: Annotated[float, typer.Option(help="The ε to meet.", parser=number, metavar="E", show_default="ln 2")] = math.log(
        2.0
    ),
    delta: Annotated[float, typer.Option(help="The δ to meet.", parser=number, metavar="D")] = 1e-4,
    ratio: Annotated[
        float | None,
        typer.Option(help="Mean / scale of the noise.", parser=number, metavar="Q", show_default="the cheapest"),
    ] = None,
    as_json: Json = False,
) -> int:
    """Print the least noise that is certified to meet a target.

    PROTOCOL is dialing or conversation.

    \b
    Example:
      tightbudget study vuvuzela dialing --rounds 8192 --noise gaussian
    """
    answer = patiently(
        lambda: dummies.smallest(protocol, noise, rounds, epsilon, delta, ratio),  # type: ignore[arg-type]
        "searching the least noise",
    )
    if as_json:
        show(wire.dumps(_vuvuzela_json(answer)))
    else:
        show_words(_vuvuzela_text(answer))
    return 0


def _vuvuzela_json(answer: dummies.Answer) -> wire.Wire:
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


def _vuvuzela_text(answer: dummies.Answer) -> str:
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


@app.command("timing", cls=Command, short_help="What two samples of delays give away.")
def timing(
    first: Annotated[Path, typer.Argument(metavar="A.csv", hidden=True)],
    second: Annotated[Path, typer.Argument(metavar="B.csv", hidden=True)],
    rounds: Rounds,
    epsilon: Annotated[
        float | None, typer.Option(help="Ask for δ at this ε.", parser=number, metavar="E", show_default=False)
    ] = None,
    delta: Annotated[
        float | None, typer.Option(help="Ask for ε at this δ.", parser=number, metavar="D", show_default=False)
    ] = None,
    counts: Annotated[bool, typer.Option("--counts", help="The files hold counts, one cell a line, not delays.")] = False,
    column: Annotated[str, typer.Option(help="Column to read: its number from 0, or its heading.", metavar="C")] = "0",
    cells: Annotated[
        int | None,
        typer.Option(
            help="Cells, chosen with a tenth of the samples that is then set aside.",
            parser=whole,
            metavar="N",
            show_default="16",
        ),
    ] = None,
    low: Annotated[
        float | None, typer.Option(help="Fixed cells instead: first edge.", parser=number, metavar="L", show_default=False)
    ] = None,
    high: Annotated[float | None, typer.Option(help="Last edge.", parser=number, metavar="H", show_default=False)] = None,
    width: Annotated[
        float | None, typer.Option(help="Width of a cell.", parser=number, metavar="W", show_default=False)
    ] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the second bracket.", parser=number, metavar="C")] = 0.99,
    seed: Annotated[int, typer.Option(help="Which samples are set aside.", parser=whole, metavar="N")] = 0,
    as_json: Json = False,
) -> int:
    """Print what two samples of delays give away after many observations.

    A.csv and B.csv hold the delays of either kind, one a line.

    The first bracket takes the histograms for the truth. The second holds with the stated confidence for what was
    sampled.

    \b
    Example:
      tightbudget study timing active.csv passive.csv --rounds 16 --epsilon 1
    """
    check_question(delta, epsilon)
    edges = fixed_edges(low, high, width)
    measured = measured_samples(first, second, column, counts=counts, cells=cells, edges=edges, seed=seed)
    note = outside(measured) if edges is not None else ""
    confident = measured.confident(rounds, confidence)
    model, truth = patiently(lambda: _answers((measured.plug_in(rounds), confident), epsilon, delta), "bracketing")
    asked: dict[str, Any] = {"epsilon": epsilon} if epsilon is not None else {"delta": delta}
    if as_json:
        show(wire.dumps(_timing_json(measured, confident, asked, model, truth, note)))
    else:
        show_words(_timing_text(measured, confident, asked, model, truth))
    say(note)
    if model.converged and truth.converged:
        return 0
    print(f"Note: the brackets hold but are wider than asked: {model.reason or truth.reason}.", file=sys.stderr)
    return NOT_NARROW_ENOUGH


def _answers(views: tuple[Any, Any], epsilon: float | None, delta: float | None) -> tuple[Bracket, Bracket]:
    """Return what was asked, of the histograms as a model and of what was sampled."""
    model, truth = views
    if epsilon is not None:
        return model.delta(epsilon), truth.delta(epsilon)
    return model.epsilon(delta), truth.epsilon(delta)


def _timing_json(
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
        **{name: wire.number(value) for name, value in asked.items()},
        "plug_in": {**ends(model), "revealing": max(measured.revealing)},
        "confident": {**ends(truth), "confidence": confident.confidence, "revealing": wire.upper_end(confident.revealing)},
        "samples": [sum(measured.a), sum(measured.b)],
        "counts": [list(measured.a), list(measured.b)],
        "edges": list(measured.edges),
        "note": note,
        "version": __version__,
    }


def _timing_text(
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
        most = rounded_up(confident.revealing, 3)
        lines.append(
            f"Cells too rarely hit may reveal everything with probability up to {most} an observation;"
            " use fewer cells or more samples."
        )
    return "\n".join(lines)
