"""What `tightbudget sweep` prints and writes: a table of some answers, CSV, JSON, and the picture."""

import math
from typing import Any

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.files import rows_as_csv as csv_bytes
from tightbudget.interfaces.cli.spelling import as_printed
from tightbudget.interfaces.cli.tables import Column, fitted_table, folded_text
from tightbudget.interfaces.sweep_plot import check_drawable
from tightbudget.interfaces.sweep_plot import draw_sweep as picture
from tightbudget.sweeps.plan import read_sweep_plan
from tightbudget.sweeps.results import READ_TO_SHOW, SweepResult
from tightbudget.sweeps.shown import shown_answer, shown_question, shown_value
from tightbudget.version import __version__

__all__ = ["check_drawable", "picture", "read_sweep_plan", "sweep_as_csv", "sweep_as_text", "sweep_shape"]

TABLE_ROWS = 24
HEAD, TAIL = 12, 4  # rows of longer tables


def sweep_as_text(result: SweepResult) -> list[str]:
    """Return the lines of the table and a line on how it went."""
    if result.path is not None and result.tally.answers > READ_TO_SHOW:
        return folded_text(result.summary).split("\n")
    rows = result["point"].size
    # whole, or both ends: what is taken from a grid in even strides looks as if parameters went together
    shown = list(range(rows)) if rows <= TABLE_ROWS else [*range(HEAD), *range(rows - TAIL, rows)]
    names = result.plan.space.names
    headings = [Column("question"), *(Column(name, right=True) for name in names), Column("answer", prose=True)]
    cells = [
        [shown_question(result, i), *(shown_value(result[name][i]) for name in names), shown_answer(result, i)] for i in shown
    ]
    heading, records = fitted_table(headings, cells)
    if len(shown) < rows:
        records.insert(HEAD, [as_printed(f"… {rows - len(shown)} more")])
    lines = [*heading, *(line for record in records for line in record)]
    if len(shown) < rows:
        lines += folded_text(
            f"({len(shown)} of {rows} answers; {'--out' if result.path else '--csv or --json'} has all)"
        ).split("\n")
    return [*lines, *folded_text(result.summary).split("\n")]


def sweep_as_csv(result: SweepResult) -> bytes:
    """Return every answer; an end that is not known is empty."""
    rows = ([_sweep_csv_cell(name, value) for name, value in row.items()] for row in _sweep_rows(result))
    return csv_bytes(list(result), rows)


def _sweep_csv_cell(name: str, value: Any) -> Any:
    return "" if value is None else str(value).lower() if name == "converged" else value


def sweep_shape(result: SweepResult) -> wire.Wire:
    """Return the shape of a sweep; answers that are on disk are left there."""
    tally = result.tally
    return {
        "composition": result.plan.template.text,
        "points": result.plan.space.size,
        "answers": tally.answers,
        "failed": tally.failed,
        "wide": tally.wide,
        "reused": tally.reused,
        "out": None if result.path is None else str(result.path),
        "results": list(_sweep_rows(result)) if result.path is None else None,
        "converged": result.converged,
        "version": __version__,
    }


def _sweep_rows(result: SweepResult) -> Any:
    """Yield answers by column, with ends whose digits are bounds too."""
    lists = {name: column.tolist() for name, column in result.items()}
    for i in range(result["point"].size):
        yield {name: _sweep_json_value(name, values[i]) for name, values in lists.items()}


def _sweep_json_value(name: str, value: Any) -> Any:
    if not isinstance(value, float):
        return value
    if name in ("lower", "upper", "value", "seconds") and math.isnan(value):
        return None
    return {"lower": wire.lower_end, "upper": wire.upper_end}.get(name, wire.json_number)(value)
