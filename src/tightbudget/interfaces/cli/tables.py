"""Tables that never cut a number: columns if they fit the terminal; else records, a line for each cell.

What is not shown on a terminal is as wide as it needs to be. COLUMNS sets another width.
"""

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tightbudget.interfaces.cli.spelling import as_printed

GAP = "  "
LEAST_PROSE = 24  # columns below which words are not worth a column of their own
UNLIMITED = 1_000_000

Row = Sequence[str]
Lines = list[str]


@dataclass(frozen=True, slots=True)
class Column:
    """A heading; whether cells stand to the right, as numbers do; whether they are words that may be wrapped."""

    heading: str
    right: bool = False
    prose: bool = False


def shown_width() -> int:
    """Return how many columns there are to fill."""
    if "COLUMNS" in os.environ or sys.stdout.isatty():
        return shutil.get_terminal_size(fallback=(UNLIMITED, 24)).columns
    return UNLIMITED


def folded_text(text: str, columns: int | None = None) -> str:
    """Return the text with long lines folded between words; a number or name stays whole, and the indent is kept.

    >>> print(folded_text("ε in [0.26716551207, 0.26716551210] at δ = 1e-05", 30))
    ε in [0.26716551207,
      0.26716551210] at δ = 1e-05
    """
    most = shown_width() if columns is None else columns
    return "\n".join(line for long in text.split("\n") for line in _folded_table_line(long, most))


def _folded_table_line(line: str, most: int, hanging: str = GAP) -> Lines:
    if len(line) <= most:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    folding = _Folding(
        most,
        initial_indent=indent,
        subsequent_indent=indent + hanging,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )
    return folding.wrap(line.lstrip())


class _Folding(textwrap.TextWrapper):
    """Folds between words; a call that is wider than a line also after its opening bracket."""

    def _split(self, text: str) -> list[str]:
        room, pieces = self.width - len(self.subsequent_indent), Lines()
        for word in super()._split(text):
            while len(word) > room and "(" in word:
                outer, bracket, word = word.partition("(")
                pieces.append(outer + bracket)
            pieces.append(word)
        return [piece for piece in pieces if piece]


def fitted_table(columns: Sequence[Column], rows: Sequence[Row], most: int | None = None) -> tuple[Lines, list[Lines]]:
    """Return the lines of the heading and those of each row; only a last column of words is ever wrapped."""
    most = shown_width() if most is None else most
    columns, rows = _as_printed(columns, rows)
    widths = _table_column_widths(columns, rows)
    if columns[-1].prose:
        room = most - sum(widths[:-1]) - len(GAP) * len(widths[1:])
        longest = max((len(word) for row in rows for word in row[-1].split()), default=0)
        if room >= min(widths[-1], max(LEAST_PROSE, longest)):
            widths[-1] = min(widths[-1], room)
    if _table_width(widths) > most:
        return [], [_table_record(columns, row, most) for row in rows]
    heading = _aligned_table_row(columns, [column.heading for column in columns], widths)
    return [*heading, "─" * _table_width(widths)], [_aligned_table_row(columns, row, widths) for row in rows]


def table_blocks(columns: Sequence[Column], rows: Sequence[Row], most: int | None = None) -> Lines:
    """Return a table of many like columns; those that do not fit stand below, beside the first column again."""
    most = shown_width() if most is None else most
    columns, rows = _as_printed(columns, rows)
    widths = _table_column_widths(columns, rows)
    lines = Lines()
    start = 1
    while start < len(columns) or not lines:
        end = min(start + 1, len(columns))
        while end < len(columns) and _table_width([widths[0], *widths[start : end + 1]]) <= most:
            end += 1
        places = [0, *range(start, end)]
        for row in ([column.heading for column in columns], *rows):
            lines += _aligned_table_row([columns[i] for i in places], [row[i] for i in places], [widths[i] for i in places])
        start = end
    return lines


def _as_printed(columns: Sequence[Column], rows: Sequence[Row]) -> tuple[Sequence[Column], Sequence[Row]]:
    headed = [replace(column, heading=as_printed(column.heading)) for column in columns]
    return headed, [[as_printed(cell) for cell in row] for row in rows]


def _table_column_widths(columns: Sequence[Column], rows: Sequence[Row]) -> list[int]:
    return [max(len(column.heading), *(len(row[i]) for row in rows), 0) for i, column in enumerate(columns)]


def _table_width(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _aligned_table_row(columns: Sequence[Column], row: Row, widths: Sequence[int]) -> Lines:
    """Return the row in columns; words of the last one go on below themselves."""
    *cells, last = row
    wrapped = _folded_table_line(last, widths[-1], "") if columns[-1].prose else [last]
    before = zip(columns[:-1], cells, widths[:-1], strict=True)
    padded = [cell.rjust(width) if column.right else cell.ljust(width) for column, cell, width in before]
    first = wrapped[0].rjust(widths[-1]) if columns[-1].right else wrapped[0]
    margin = " " * (_table_width(widths) - widths[-1])
    return [GAP.join([*padded, first]).rstrip(), *(margin + line for line in wrapped[1:])]


def _table_record(columns: Sequence[Column], row: Row, most: int) -> Lines:
    """Return the row as its first cell, and below it a line for each other cell that says something."""
    named = max(len(column.heading) for column in columns[1:])
    lines = _folded_table_line(row[0], most)
    for column, cell in zip(columns[1:], row[1:], strict=True):
        if not cell:
            continue
        if not column.heading:
            lines += _folded_table_line(f"{GAP}{cell}", most)
            continue
        line = f"{GAP}{column.heading.ljust(named)}{GAP}{cell}"
        lines += (
            [line]
            if len(line) <= most
            else [*_folded_table_line(f"{GAP}{column.heading}", most), *_folded_table_line(f"{2 * GAP}{cell}", most)]
        )
    return lines
