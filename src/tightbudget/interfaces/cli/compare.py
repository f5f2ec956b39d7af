"""`tightbudget compare`: our bracket beside the classic bounds, as a table, CSV, JSON or picture."""

import math
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from tightbudget.comparison import Comparison, Row, compare_curves
from tightbudget.comparison import compare as comparison
from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.files import STANDARD_OUTPUT, as_csv, check_targets, written
from tightbudget.interfaces.cli.options import Csv, Expression, Json, MixRelations, Rtol, check_question, number
from tightbudget.interfaces.cli.questions import NOT_NARROW_ENOUGH
from tightbudget.interfaces.cli.tables import Column, folded, table, width
from tightbudget.interfaces.cli.terminal import patiently, show, show_styled
from tightbudget.interfaces.comparison_plot import draw_comparison
from tightbudget.notation import Private, parse

POINTS = 81
WIDE = 110  # columns that leave room for the sources
NEAR = 8.0  # the picture reaches to the last bound within so many times our own
USUAL_DELTA = 1e-6
DECADES_BELOW = 4.0


def compare(
    expression: Expression,
    delta: Annotated[
        float | None,
        typer.Option(help="Compare the ε at this δ, between 0 and 1.", parser=number, metavar="D", show_default=False),
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Compare the δ at this ε, 0 or more.", parser=number, metavar="E", show_default=False)
    ] = None,
    high: Annotated[
        float | None,
        typer.Option("--max", help="Last ε of the picture.", parser=number, metavar="E", show_default="as needed"),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw δ(ε) by every bound to this .png or .svg file.", metavar="FILE")
    ] = None,
    csv_file: Csv = None,
    rtol: Rtol = 1e-3,
    mix_relations: MixRelations = False,
    as_json: Json = False,
) -> int:
    """Print our bracket beside the classic bounds; those that do not apply say why.

    EXPR is a composition, as in 'gaussian(sigma=2) * 10'.

    \b
    Example:
      tightbudget compare "gaussian(sigma=282.84) * 512" --delta 1e-5 --plot bounds.png
    """
    private = parse(expression, mix_relations)
    check_question(delta, epsilon)
    if high is not None and not 0.0 < high < math.inf:
        raise InvalidParameter("--max", high, "a finite number above 0")
    check_targets(plot, csv_file, as_json)
    answer = patiently(lambda: comparison(private, delta=delta, epsilon=epsilon, rtol=rtol), "asking every bound")
    files: dict[Path, bytes] = {}
    if plot is not None:
        target = plot
        files[target] = patiently(lambda: _picture(private, answer, high, rtol, target), "drawing every bound")
    if csv_file is not None:
        files[csv_file] = _as_csv(answer)
    done = written(files)
    if as_json:
        show(wire.dumps(wire.comparison(answer)))
    elif csv_file == STANDARD_OUTPUT:
        show(files[csv_file].decode().rstrip("\n"))
    else:
        show_styled([*_as_text(answer), *((line, "") for line in done)])
    if answer.converged:
        return 0
    print(f"Note: our bracket holds but is wider than asked: {answer.reason or 'no reason given'}.", file=sys.stderr)
    return NOT_NARROW_ENOUGH


def _picture(private: Private, table: Comparison, high: float | None, rtol: float, target: Path) -> bytes:
    level = _level(table)
    epsilons = _epsilons(private, table, level, high)
    curves = compare_curves(private, epsilons, rtol=max(rtol, 1e-3))
    return draw_comparison(curves, table, level / 10.0**DECADES_BELOW, target.suffix[1:].lower())


def _level(table: Comparison) -> float:
    """Return the δ around which the picture is drawn."""
    asked = table.delta if table.delta is not None else table.ours.value
    return min(max(asked, 1e-250), 1e-2) if asked else USUAL_DELTA


def _epsilons(private: Private, table: Comparison, level: float, high: float | None) -> NDArray[np.float64]:
    if high is None:
        at_level = table if table.delta == level else comparison(private, delta=level, rtol=0.01)
        ours = at_level.ours.value
        others = [row.value for row in at_level.rows if row.value is not None and ours and row.value <= NEAR * ours]
        finite = [value for value in [*others, table.epsilon] if value is not None and 0.0 < value < math.inf]
        high = 1.15 * max(finite, default=1.0)
    # Between points our band is as wide as they are apart, and it may fall within a small part of the picture.
    fallen = private.epsilon(delta=level / 10.0**DECADES_BELOW, rtol=0.01).upper
    return np.union1d(np.linspace(0.0, high, POINTS), np.linspace(0.0, min(high, fallen), POINTS))


def _as_csv(table: Comparison) -> bytes:
    rows = (
        [
            row.name,
            row.kind,
            None if row.lower is None else wire.lower_end(row.lower),
            None if row.value is None else wire.upper_end(row.value),
            row.reason,
            row.reference,
        ]
        for row in table.rows
    )
    return as_csv(["bound", "kind", "lower", "upper", "reason", "reference"], rows)


def _as_text(answer: Comparison) -> list[tuple[str, str]]:
    """Return the lines of the table, each with its style."""
    columns = [Column("bound"), Column(answer.question), Column("× ours", right=True)]
    with_sources = width() >= WIDE
    if with_sources:
        columns.append(Column("source, or why it does not apply", prose=True))
    heading, rows = table(columns, [_cells(answer, row)[: len(columns)] for row in answer.rows])
    lines = [(line, "") for line in folded(f"{answer.expression} ({answer.relation})").split("\n")]
    lines += [("", ""), *((line, "bold") for line in heading)]
    for row, shown in zip(answer.rows, rows, strict=True):
        style = "bold" if row is answer.ours else "dim" if row.value is None else ""
        lines += [(line, style) for line in shown]
    said = [f"{row.name} does not apply: {row.reason}." for row in answer.rows if row.value is None and not with_sources]
    for sentence in (*said, *([answer.note] if answer.note else [])):
        lines += [(line, "") for line in folded(sentence).split("\n")]
    return lines


def _cells(answer: Comparison, row: Row) -> list[str]:
    return [row.name, row.shown, answer.times_ours(row), row.reason if row.value is None else row.reference]
