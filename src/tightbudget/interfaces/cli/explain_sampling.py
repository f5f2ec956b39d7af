"""`tightbudget explain-sampling`: which sampling a data loader does, and one run's ε under each."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tightbudget.interfaces import figures, wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.files import check_target, write_and_say
from tightbudget.interfaces.cli.options import Effort, Json, Rtol, number_typed, whole_typed
from tightbudget.interfaces.cli.terminal import patiently, show


def _sampling_option(kind: Any, text: str, metavar: str) -> Any:
    return typer.Option(help=text, parser=kind, metavar=metavar, show_default=False)


def explain_sampling(
    examples: Annotated[int, _sampling_option(whole_typed, "Number of training examples.", "N")],
    batch: Annotated[int, _sampling_option(whole_typed, "Size of a batch; the expected one where sizes vary.", "B")],
    noise_multiplier: Annotated[
        float, _sampling_option(number_typed, "Standard deviation of the noise over the clipping norm.", "S")
    ],
    delta: Annotated[float, _sampling_option(number_typed, "The δ to hold, well below 1/N.", "D")],
    epochs: Annotated[
        float | None, _sampling_option(number_typed, "Epochs; N / B steps each, rounded up in the end.", "E")
    ] = None,
    steps: Annotated[int | None, _sampling_option(whole_typed, "Number of steps, in place of --epochs.", "T")] = None,
    cap: Annotated[
        int | None, _sampling_option(whole_typed, "Largest batch of capped samples, a quarter above B unless given.", "C")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the brackets to this .png or .svg file.", metavar="FILE")] = None,
    rtol: Rtol = 1e-3,
    effort: Effort = None,
    as_json: Json = False,
) -> int:
    """Print what one run of DP-SGD costs under every way to sample batches, and what to write for each.

    Find what your data loader does; another sampling's number says nothing about it.

    \b
    Example:
      tightbudget explain-sampling --examples 60000 --batch 256 --epochs 20 --noise-multiplier 1.1 --delta 1e-5
    """
    if plot is not None:
        figures.require_matplotlib()
        check_target("--plot", plot, figures.FORMATS)
    found = patiently(
        lambda: library.samplings(
            examples=examples,
            batch=batch,
            epochs=epochs,
            steps=steps,
            noise_multiplier=noise_multiplier,
            delta=delta,
            cap=cap,
            rtol=rtol,
            effort=effort,
        ),
        "sampling in every way",
    )
    output = library.explain_sampling_output
    done = [] if plot is None else write_and_say({plot: output.samplings_picture(found, plot)})
    show(wire.json_text(output.samplings_shape(found, rtol)) if as_json else "\n".join([*output.samplings_lines(found), *done]))
    return 0
