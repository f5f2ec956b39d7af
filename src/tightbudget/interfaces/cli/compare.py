"""`tightbudget compare`: our bracket beside the classic bounds, as a table, CSV, JSON or picture."""

import math
from pathlib import Path
from typing import Annotated

import typer

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.deliver import deliver
from tightbudget.interfaces.cli.exit_codes import NOT_NARROW_ENOUGH
from tightbudget.interfaces.cli.files import check_targets
from tightbudget.interfaces.cli.options import Csv, Expression, Json, MixRelations, Relation, Rtol, check_question, number_typed
from tightbudget.interfaces.cli.terminal import patiently, say_note, show_styled


def compare(
    expression: Expression,
    delta: Annotated[
        float | None,
        typer.Option(help="Compare the ε at this δ, between 0 and 1.", parser=number_typed, metavar="D", show_default=False),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(help="Compare the δ at this ε, 0 or more.", parser=number_typed, metavar="E", show_default=False),
    ] = None,
    high: Annotated[
        float | None,
        typer.Option("--max", help="Last ε of the picture.", parser=number_typed, metavar="E", show_default="as needed"),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw δ(ε) by the bounds to this .png or .svg file.", metavar="FILE")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Show and draw also bounds that are far above ours or do not apply.")
    ] = False,
    csv_file: Csv = None,
    rtol: Rtol = 1e-3,
    relation: Relation = None,
    mix_relations: MixRelations = False,
    as_json: Json = False,
) -> int:
    """Print our bracket beside the classic bounds, the least first; those that say little are only named.

    EXPR is a composition, as in 'gaussian(sigma=2) * 10'.

    \b
    Example:
      tightbudget compare "gaussian(sigma=282.84) * 512" --delta 1e-5 --plot bounds.png
    """
    private = library.parse(expression, mix_relations).asked(relation)
    check_question(delta, epsilon)
    if high is not None and not 0.0 < high < math.inf:
        raise InvalidParameter("--max", high, "a finite number above 0")
    check_targets(plot, csv_file, as_json)
    output = library.compare_output
    answer = patiently(lambda: library.compare(private, delta=delta, epsilon=epsilon, rtol=rtol), "asking every bound")
    files: dict[Path, bytes] = {}
    if plot is not None:
        target = plot
        files[target] = patiently(lambda: output.comparison_picture(answer, high, rtol, every, target), "drawing the bounds")
    if csv_file is not None:
        files[csv_file] = output.comparison_as_csv(answer)
    shape = (lambda: wire.comparison_shape(answer)) if as_json else None
    deliver(
        files,
        csv_file,
        shape,
        lambda done: show_styled([*output.comparison_as_text(answer, every), *((line, "") for line in done)]),
    )
    if answer.converged:
        return 0
    said_below = bool(answer.note) and library.of_a_class(answer.reason)  # the table ends with the same in other words
    reason = "a step stands for a class of cases" if said_below else answer.reason or "no reason given"
    say_note(f"our bracket holds but is wider than asked: {reason}.")
    return NOT_NARROW_ENOUGH
