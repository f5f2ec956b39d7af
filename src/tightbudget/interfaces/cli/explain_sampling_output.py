"""What `tightbudget explain-sampling` prints and draws: a section for each loader, a shape for machines, a picture."""

from itertools import groupby
from pathlib import Path

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.tables import folded_text
from tightbudget.interfaces.samplings_plot import draw_samplings
from tightbudget.training.samplings import Sampling, Samplings
from tightbudget.version import __version__

_LAST = (
    "A loader does one of these, and only its own lines are about it. For add_remove a record is there or not, for zero_out "
    "its gradient counts or is 0, for replace_one it has another value."
)


def samplings_lines(found: Samplings) -> list[str]:
    """Return the text for people."""
    if found.runs_nothing:
        nothing = f"There are no steps and nothing is released: ε is 0 at δ = {found.delta!r}."
        return [*folded_text(nothing).split("\n"), *_paragraphs(*found.warnings)]
    shown = folded_text(f"ε at δ = {found.delta!r}, by what the data loader does").split("\n")
    for name, rows in groupby(found, key=lambda row: row.name):
        same = list(rows)
        shown += ["", *folded_text(f"{name}: {same[0].loader}").split("\n")]
        for row in same:
            shown += _row_lines(row)
    unknown = (f"Not known of this run: {reason}" for reason in found.left_out)
    return [*shown, *_paragraphs(*unknown, *found.rounded, *found.warnings, _LAST)]


def _paragraphs(*sentences: str) -> list[str]:
    return [line for sentence in sentences for line in ("", *folded_text(sentence).split("\n"))]


def _row_lines(row: Sampling) -> list[str]:
    return [
        *folded_text(f"  {row.relation}: ε in {row.epsilon}").split("\n"),
        *folded_text(f"    {row.composition}").split("\n"),
    ]


def samplings_shape(found: Samplings, rtol: float) -> wire.Wire:
    """Return the shape for machines."""
    rows = [
        {"sampling": row.name, "loader": row.loader, **wire.bracket_shape(str(row.composition), {}, row.epsilon, rtol)}
        for row in found
    ]
    return {
        "delta": wire.json_number(found.delta),
        "samplings": rows,
        "left_out": list(found.left_out),
        "rounded": list(found.rounded),
        "warnings": list(found.warnings),
        "version": __version__,
    }


def samplings_picture(found: Samplings, target: Path) -> bytes:
    """Return the picture in the format that the name of its file says."""
    return draw_samplings(found, target.suffix[1:].lower())
