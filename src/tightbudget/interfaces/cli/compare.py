"""`tightbudget compare`: our bracket beside the classic bounds, as a table, CSV, JSON or picture."""

import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from tightbudget.comparison import Comparison, compare_curves
from tightbudget.comparison import compare as comparison
from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.files import as_csv, check_targets, write_all
from tightbudget.interfaces.cli.questions import NOT_NARROW_ENOUGH, Expression, Json, MixRelations, Rtol, check_question
from tightbudget.interfaces.cli.terminal import patiently, show
from tightbudget.interfaces.comparison_plot import draw_comparison
from tightbudget.notation import Private, parse

if TYPE_CHECKING:
    from rich.table import Table

POINTS = 81
WIDE = 110  # columns that leave room for the sources
NEAR = 8.0  # the picture reaches to the last bound within so many times our own
USUAL_DELTA = 1e-6
DECADES_BELOW = 4.0


def compare(
    expression: Expression,
    delta: Annotated[float | None, typer.Option(help="Compare the ε at this δ, between 0 and 1.", show_default=False)] = None,
    epsilon: Annotated[float | None, typer.Option(help="Compare the δ at this ε, 0 or more.", show_default=False)] = None,
    high: Annotated[float | None, typer.Option("--max", help="Last ε of the picture.", show_default="as needed")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw δ(ε) by every bound to this .png or .svg file.")] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write the table to this file.")] = None,
    rtol: Rtol = 1e-3,
    mix_relations: MixRelations = False,
    as_json: Json = False,
) -> int:
    """Print our bracket beside the classic bounds; those that do not apply say why.

    \b
    Example:
      tightbudget compare "gaussian(sigma=282.84) * 512" --delta 1e-5 --plot bounds.png
    """
    private = parse(expression, mix_relations)
    _check(delta, epsilon, high, plot, csv_file)
    table = patiently(lambda: comparison(private, delta=delta, epsilon=epsilon, rtol=rtol), "asking every bound")
    files: dict[Path, bytes] = {}
    if plot is not None:
        target = plot
        files[target] = patiently(lambda: _picture(private, table, high, rtol, target), "drawing every bound")
    if csv_file is not None:
        files[csv_file] = _as_csv(table)
    write_all(files)
    show(wire.dumps(wire.comparison(table)) if as_json else _as_text(table, files))
    if table.converged:
        return 0
    print(f"Note: our bracket holds but is wider than asked: {table.reason or 'no reason given'}.", file=sys.stderr)
    return NOT_NARROW_ENOUGH


def _check(delta: float | None, epsilon: float | None, high: float | None, plot: Path | None, csv_file: Path | None) -> None:
    check_question(delta, epsilon)
    if high is not None and not 0.0 < high < math.inf:
        raise InvalidParameter("--max", high, "a finite number above 0")
    check_targets(plot, csv_file)


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
    return np.linspace(0.0, high, POINTS)


def _as_csv(table: Comparison) -> bytes:
    rows = ([row.name, row.kind, row.lower, row.value, row.reason, row.reference] for row in table.rows)
    return as_csv(["bound", "kind", "lower", "upper", "reason", "reference"], rows)


def _as_text(table: Comparison, files: Iterable[Path]) -> str:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    with console.capture() as captured:
        console.print(Text(f"{table.expression} ({table.relation})"))
        console.print(_rich_table(table, with_sources=console.width >= WIDE))
        if console.width < WIDE:
            for row in table.rows:
                if row.value is None:
                    console.print(Text(f"{row.name} does not apply: {row.reason}."))
        if table.note:
            console.print(Text(table.note))
    text = "\n".join(line.rstrip() for line in captured.get().rstrip().splitlines())
    return "\n".join([text, *(f"Wrote {path}" for path in files)])


def _rich_table(table: Comparison, with_sources: bool) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    shown.add_column("bound", no_wrap=True)
    shown.add_column(table.question, no_wrap=True)
    shown.add_column("× ours", justify="right", no_wrap=True)
    if with_sources:
        shown.add_column("source, or why it does not apply")
    for row in table.rows:
        cells = [row.name, row.shown, table.times_ours(row)]
        if with_sources:
            cells.append(row.reason if row.value is None else row.reference)
        style = "bold" if row is table.ours else "dim" if row.value is None else ""
        shown.add_row(*(Text(cell) for cell in cells), style=style)
    return shown
