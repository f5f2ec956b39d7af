"""Tables for notebooks: `_repr_html_` in a few lines.

Every text is escaped, nothing is loaded from elsewhere, and there are no colours: the notebook's own, light or dark,
serve. Give texts that are rounded outward already, as `str` of a bracket is.

>>> print(html_record([("lower <end>", "0.5")], caption="answer"))
<table><caption style="text-align:left">answer</caption><tbody>
<tr><th scope="row" style="text-align:left">lower &lt;end&gt;</th><td style="text-align:left">0.5</td></tr>
</tbody></table>
"""

from collections.abc import Iterable, Sequence
from html import escape

MOST_ROWS = 40
"""Longer tables show as many rows, the first and the last ones."""

MOST_TEXT = 1000
"""Longer texts, such as histograms of thousands of cells, are cut."""

_LEFT = ' style="text-align:left"'
_GAP = "⋮"


def html_record(rows: Iterable[tuple[str, object]], caption: str = "") -> str:
    """Return a table of two columns: what, and its value."""
    return _html_table([], [(what, str(value)) for what, value in rows], caption, "")


def html_table(heading: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "", note: str = "") -> str:
    """Return a table under a heading, one row each; where there are many, the first and the last."""
    return _html_table(
        heading, _shortened_html_rows([[str(cell) for cell in row] for row in rows], len(heading)), caption, note
    )


def _shortened_html_rows(rows: list[list[str]], columns: int) -> list[list[str]]:
    if len(rows) <= MOST_ROWS:
        return rows
    left_out = f"{len(rows) - MOST_ROWS} more"
    return [*rows[: MOST_ROWS // 2], [_GAP, left_out, *[""] * (columns - 2)][:columns], *rows[len(rows) - MOST_ROWS // 2 :]]


def _html_table(heading: Sequence[str], rows: Iterable[Sequence[str]], caption: str, note: str) -> str:
    above = f"<caption{_LEFT}>{_html_text(caption)}</caption>" if caption else ""
    names = "".join(f'<th scope="col"{_LEFT}>{_html_text(name)}</th>' for name in heading)
    head = f"<thead><tr>{names}</tr></thead>" if heading else ""
    lines = [f"<table>{above}{head}<tbody>", *(_html_row(row) for row in rows), "</tbody></table>"]
    return "\n".join([*lines, *([f"<p>{_html_text(note)}</p>"] if note else [])])


def _html_row(row: Sequence[str]) -> str:
    first, *rest = row
    cells = "".join(f"<td{_LEFT}>{_html_text(cell)}</td>" for cell in rest)
    return f'<tr><th scope="row"{_LEFT}>{_html_text(first)}</th>{cells}</tr>'


def _html_text(text: str) -> str:
    """Return the text escaped; a dollar sign would begin a formula where the notebook sets formulas."""
    shown = text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]} …"
    return escape(shown).replace("$", "&#36;")
