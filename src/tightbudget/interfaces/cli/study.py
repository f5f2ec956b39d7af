"""`tightbudget study`: the case studies on the command line."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.exit_codes import NOT_NARROW_ENOUGH
from tightbudget.interfaces.cli.options import Json, check_question, number_typed, whole_typed
from tightbudget.interfaces.cli.plain import Command, plain_group
from tightbudget.interfaces.cli.questions import say_bracket
from tightbudget.interfaces.cli.terminal import patiently, say_note, show, show_words

if TYPE_CHECKING:
    from tightbudget.numerics.bracket import Bracket

app = plain_group(help="Case studies: dummy messages (vuvuzela) and measured delays (timing).")

Rounds = Annotated[int, typer.Option(help="Number of observations.", parser=whole_typed, metavar="R")]


@app.command("vuvuzela", cls=Command, short_help="The least noise for a target.")
def vuvuzela(
    protocol: Annotated[str, typer.Argument(metavar="PROTOCOL", hidden=True)],
    rounds: Rounds,
    noise: Annotated[str, typer.Option(help="gaussian or laplace.", metavar="NOISE")] = "gaussian",
    epsilon: Annotated[
        float, typer.Option(help="The ε to meet.", parser=number_typed, metavar="E", show_default="ln 2")
    ] = math.log(2.0),
    delta: Annotated[float, typer.Option(help="The δ to meet.", parser=number_typed, metavar="D")] = 1e-4,
    ratio: Annotated[
        float | None,
        typer.Option(help="Mean / scale of the noise.", parser=number_typed, metavar="Q", show_default="the cheapest"),
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
        lambda: library.vuvuzela.smallest(protocol, noise, rounds, epsilon, delta, ratio),  # type: ignore[arg-type]
        "searching the least noise",
    )
    if as_json:
        show(wire.json_text(library.study_output.vuvuzela_shape(answer)))
    else:
        show_words(library.study_output.vuvuzela_text(answer))
    return 0


@app.command("timing", cls=Command, short_help="What two samples of delays give away.")
def timing(
    first: Annotated[Path, typer.Argument(metavar="A.csv", hidden=True)],
    second: Annotated[Path, typer.Argument(metavar="B.csv", hidden=True)],
    rounds: Rounds,
    epsilon: Annotated[
        float | None, typer.Option(help="Ask for δ at this ε.", parser=number_typed, metavar="E", show_default=False)
    ] = None,
    delta: Annotated[
        float | None, typer.Option(help="Ask for ε at this δ.", parser=number_typed, metavar="D", show_default=False)
    ] = None,
    counts: Annotated[bool, typer.Option("--counts", help="The files hold counts, one cell a line, not delays.")] = False,
    column: Annotated[str, typer.Option(help="Column to read: its number from 0, or its heading.", metavar="C")] = "0",
    cells: Annotated[
        int | None,
        typer.Option(
            help="Cells, chosen with a tenth of the samples that is then set aside.",
            parser=whole_typed,
            metavar="N",
            show_default="16",
        ),
    ] = None,
    low: Annotated[
        float | None,
        typer.Option(help="Fixed cells instead: first edge.", parser=number_typed, metavar="L", show_default=False),
    ] = None,
    high: Annotated[float | None, typer.Option(help="Last edge.", parser=number_typed, metavar="H", show_default=False)] = None,
    width: Annotated[
        float | None, typer.Option(help="Width of a cell.", parser=number_typed, metavar="W", show_default=False)
    ] = None,
    confidence: Annotated[
        float, typer.Option(help="Confidence of the second bracket.", parser=number_typed, metavar="C")
    ] = 0.99,
    seed: Annotated[int, typer.Option(help="Which samples are set aside.", parser=whole_typed, metavar="N")] = 0,
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
    samples, output = library.study_samples, library.study_output
    edges = samples.fixed_edges(low, high, width)
    measured = samples.measured_samples(first, second, column, counts=counts, cells=cells, edges=edges, seed=seed)
    note = samples.outside_cells(measured) if edges is not None else ""
    confident = measured.confidence_bounds(rounds, confidence)
    model, truth = patiently(lambda: _study_answers((measured.plug_in(rounds), confident), epsilon, delta), "bracketing")
    asked: dict[str, Any] = {"epsilon": epsilon} if epsilon is not None else {"delta": delta}
    if as_json:
        show(wire.json_text(output.timing_shape(measured, confident, asked, model, truth, note)))
    else:
        show_words(output.timing_text(measured, confident, asked, model, truth))
    say_bracket(note)
    if model.converged and truth.converged:
        return 0
    say_note(f"the brackets hold but are wider than asked: {model.reason or truth.reason}.")
    return NOT_NARROW_ENOUGH


def _study_answers(views: tuple[Any, Any], epsilon: float | None, delta: float | None) -> "tuple[Bracket, Bracket]":
    """Return what was asked, of the histograms as a model and of what was sampled."""
    model, truth = views
    if epsilon is not None:
        return model.delta(epsilon), truth.delta(epsilon)
    return model.epsilon(delta), truth.epsilon(delta)
