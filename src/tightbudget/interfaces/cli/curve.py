"""`tightbudget curve`: δ as a function of ε, as a table, CSV, JSON or picture."""

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
from tightbudget.interfaces.cli.options import (
    Csv,
    Effort,
    Expression,
    Json,
    MixRelations,
    OneWay,
    Relation,
    Rtol,
    number_typed,
    whole_typed,
)
from tightbudget.interfaces.cli.questions import say_bracket
from tightbudget.interfaces.cli.terminal import patiently, say_note, show

MAX_POINTS = 100_000


def curve(
    expression: Expression,
    low: Annotated[float, typer.Option("--min", help="First ε; it may be negative.", parser=number_typed, metavar="E")] = 0.0,
    high: Annotated[
        float | None,
        typer.Option("--max", help="Last ε.", parser=number_typed, metavar="E", show_default="where δ is negligible"),
    ] = None,
    points: Annotated[int, typer.Option(help="Number of ε, evenly spaced.", parser=whole_typed, metavar="N")] = 101,
    plot: Annotated[Path | None, typer.Option(help="Draw the curve to this .png or .svg file.", metavar="FILE")] = None,
    csv_file: Csv = None,
    rtol: Rtol = 1e-3,
    effort: Effort = None,
    relation: Relation = None,
    direction: OneWay = None,
    mix_relations: MixRelations = False,
    as_json: Json = False,
) -> int:
    """Print δ(ε), upper and lower bound, over a range of ε.

    EXPR is a composition, as in 'gaussian(sigma=2) * 10'.

    \b
    Example:
      tightbudget curve "gaussian(sigma=20) * 512" --max 8 --plot curve.png
    """
    private = library.parse(expression, mix_relations).asked(relation, direction)
    _check_curve_options(low, high, points)
    check_targets(plot, csv_file, as_json)
    output = library.curve_output
    asked = output.spaced_epsilons(private, low, high, points)
    result = patiently(lambda: private.curve(asked, rtol=rtol, effort=effort), "asking for δ(ε)")
    files: dict[Path, bytes] = {}
    if plot is not None:
        file_format = plot.suffix[1:].lower()
        files[plot] = patiently(lambda: output.curve_picture(private, result, rtol, effort, file_format), "drawing δ(ε)")
    if csv_file is not None:
        files[csv_file] = output.curve_as_csv(result)
    note = library.class_note(private)
    shape = (lambda: wire.curve_shape(str(private), result, note)) if as_json else None
    deliver(files, csv_file, shape, lambda done: show("\n".join([*output.curve_as_text(result), *done])))
    say_bracket(note)
    if result.converged:
        return 0
    say_note(f"the bounds hold, but some are further apart than asked: {output.widest_bracket(result)}.")
    return NOT_NARROW_ENOUGH


def _check_curve_options(low: float, high: float | None, points: int) -> None:
    if not math.isfinite(low):
        raise InvalidParameter("--min", low, "a finite number")
    if high is not None and not low < high < math.inf:
        raise InvalidParameter("--max", high, f"a finite number above --min, which is {low!r}")
    if not 2 <= points <= MAX_POINTS:
        raise InvalidParameter("--points", points, f"a whole number from 2 to {MAX_POINTS}")
