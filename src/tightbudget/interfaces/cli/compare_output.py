"""What `tightbudget compare` prints and draws: tables for people, CSV for machines, a picture of every bound."""

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tightbudget.comparison import Comparison, Row, compare, compare_curves
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.files import as_csv as csv_bytes
from tightbudget.interfaces.cli.tables import Column, folded, table, width
from tightbudget.interfaces.comparison_plot import draw_comparison
from tightbudget.notation import Private

POINTS = 81
WIDE = 110  # columns that leave room for the sources
NEAR = 8.0  # the picture reaches to the last bound within so many times our own
USUAL_DELTA = 1e-6
DECADES_BELOW = 4.0


def comparison_picture(private: Private, table: Comparison, high: float | None, rtol: float, target: Path) -> bytes:
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
        at_level = table if table.delta == level else compare(private, delta=level, rtol=0.01)
        ours = at_level.ours.value
        others = [row.value for row in at_level.rows if row.value is not None and ours and row.value <= NEAR * ours]
        finite = [value for value in [*others, table.epsilon] if value is not None and 0.0 < value < math.inf]
        high = 1.15 * max(finite, default=1.0)
    # Between points our band is as wide as they are apart, and it may fall within a small part of the picture.
    fallen = private.epsilon(delta=level / 10.0**DECADES_BELOW, rtol=0.01).upper
    return np.union1d(np.linspace(0.0, high, POINTS), np.linspace(0.0, min(high, fallen), POINTS))


def as_csv(table: Comparison) -> bytes:
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
    return csv_bytes(["bound", "kind", "lower", "upper", "reason", "reference"], rows)


def as_text(answer: Comparison) -> list[tuple[str, str]]:
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
