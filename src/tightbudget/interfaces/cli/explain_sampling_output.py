"""What `tightbudget explain-sampling` prints and draws: a section for each loader, a shape for machines, a picture."""

from itertools import groupby
from pathlib import Path

from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.tables import folded
from tightbudget.interfaces.samplings_plot import draw_samplings
from tightbudget.training.samplings import Sampling, Samplings
from tightbudget.version import __version__

_LAST = (
    "A loader does one of these, and only its own lines are about it. For add_remove a record is there or not, for zero_out "
    "its gradient counts or is 0, for replace_one it has another value."
)


def lines(found: Samplings) -> list[str]:
    """Return the text for people."""
    shown = [f"ε at δ = {found.delta!r}, by what the data loader does"]
    for name, rows in groupby(found, key=lambda row: row.name):
        same = list(rows)
        shown += ["", *folded(f"{name}: {same[0].loader}").split("\n")]
        for row in same:
            shown += _row_lines(row)
    for reason in found.left_out:
        shown += ["", *folded(f"Not known of this run: {reason}").split("\n")]
    return [*shown, "", *folded(_LAST).split("\n")]


def _row_lines(row: Sampling) -> list[str]:
    return [*folded(f"  {row.relation}: ε in {row.epsilon}").split("\n"), *folded(f"    {row.composition}").split("\n")]


def shape(found: Samplings, rtol: float) -> wire.Wire:
    """Return the shape for machines."""
    rows = [
        {"sampling": row.name, "loader": row.loader, **wire.bracket(str(row.composition), {}, row.epsilon, rtol)}
        for row in found
    ]
    return {"delta": wire.number(found.delta), "samplings": rows, "left_out": list(found.left_out), "version": __version__}


def picture(found: Samplings, target: Path) -> bytes:
    """Return the picture in the format that the name of its file says."""
    return draw_samplings(found, target.suffix[1:].lower())
