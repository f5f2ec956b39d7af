"""What `tightbudget compare` prints and draws: tables for people, CSV for machines, a picture of every bound."""

from collections.abc import Sequence
from pathlib import Path

from tightbudget.comparison import Comparison, Row
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.files import rows_as_csv as csv_bytes
from tightbudget.interfaces.cli.tables import Column, fitted_table, folded_text, shown_width
from tightbudget.interfaces.comparison_plot import draw_comparison
from tightbudget.interfaces.comparison_view import view_around

WIDE = 110  # columns that leave room for the sources
_APPROXIMATE = "≈ marks an approximation, which is no bound: the truth may lie above it."


def comparison_picture(answer: Comparison, high: float | None, rtol: float, every: bool, target: Path) -> bytes:
    return draw_comparison(view_around(answer, high, rtol, every), target.suffix[1:].lower())


def comparison_as_csv(table: Comparison) -> bytes:
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


def comparison_as_text(answer: Comparison, every: bool = False) -> list[tuple[str, str]]:
    """Return the lines of the table, each with its style; without `every`, bounds that say little are only named."""
    asked = answer.rows if every else answer.telling
    columns = [Column("bound"), Column(answer.question), Column("× ours", right=True)]
    with_sources = shown_width() >= WIDE
    if with_sources:
        columns.append(Column("source, or why it does not apply", prose=True))
    heading, rows = fitted_table(columns, [_comparison_cells(answer, row)[: len(columns)] for row in asked])
    lines = [(line, "") for line in folded_text(f"{answer.expression} ({answer.relation})").split("\n")]
    lines += [("", ""), *((line, "bold") for line in heading)]
    for row, shown in zip(asked, rows, strict=True):
        style = "bold" if row is answer.ours else "dim" if row.value is None else ""
        lines += [(line, style) for line in shown]
    for sentence in _lines_below_comparison(answer, asked, every, with_sources):
        lines += [(line, "") for line in folded_text(sentence).split("\n")]
    return lines


def _lines_below_comparison(answer: Comparison, shown: Sequence[Row], every: bool, with_sources: bool) -> list[str]:
    said = [f"{answer.left_out} --all shows every bound."] if answer.left_out and not every else []
    if every and not with_sources:
        said = [f"{row.name} does not apply: {row.reason}." for row in answer.rows if row.value is None]
    said += [_APPROXIMATE] if any(row.kind == "approximation" and row.value is not None for row in shown) else []
    said += [] if with_sources else [f"Sources are shown from {WIDE} columns on, and by --csv and --json."]
    return [*said, *([answer.note] if answer.note else [])]


def _comparison_cells(answer: Comparison, row: Row) -> list[str]:
    return [row.name, row.shown, answer.times_ours(row), row.reason if row.value is None else row.reference]
