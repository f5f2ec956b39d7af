"""What the picture of a comparison shows: which bounds, over which ε and down to which δ."""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic import murtagh_vadhan
from tightbudget.comparison import Comparison, Curves, compare, compare_curves
from tightbudget.comparison.table import FAR_EPSILON
from tightbudget.errors import InvalidParameter
from tightbudget.interfaces.refined import points_between, seen_bulges
from tightbudget.mechanisms.composition import Composable

POINTS = 81
MOST_MORE = 240
TOP = 2.0  # δ at the upper end of the axis
USUAL_DELTA = 1e-6
DECADES_BELOW = 4.0
MOST_DIFFERENT = 16  # steps of which the optimum is drawn: for dozens it takes minutes
_NOT_DRAWN = f"Not drawn: {murtagh_vadhan.name}, which takes long for {{steps}} different steps; the table has it."


class ComparisonView(NamedTuple):
    """The table that was asked for, the curves to draw, a sentence on those that are not, and the lowest δ shown."""

    table: Comparison
    curves: Curves
    left_out: str
    floor: float


def view_around(table: Comparison, high: float | None = None, rtol: float = 1e-3, every: bool = False) -> ComparisonView:
    """Return what there is to see around the table's question, up to ε = `high` or as far as bounds are near ours."""
    composition = table.composition
    if composition is None:
        raise InvalidParameter("composition", None, "known to a comparison that is drawn", "Make it with tightbudget.compare.")
    level = _comparison_delta_level(table)
    at_level = table if table.delta == level else compare(composition, delta=level, rtol=0.01)
    floor = level / 10.0**DECADES_BELOW
    epsilons = epsilons_around(composition, at_level, table.epsilon, high, floor)
    # of bounds that are not drawn none is asked: some take long where steps differ
    shown = [row.name for row in (at_level.rows if every else at_level.telling)]
    left_out = "" if every else at_level.left_out
    if murtagh_vadhan.name in shown and _different_steps(composition) > MOST_DIFFERENT:
        shown.remove(murtagh_vadhan.name)
        left_out = f"{left_out} {_NOT_DRAWN.format(steps=_different_steps(composition))}".strip()
    curves = _fine_curves(composition, epsilons, max(rtol, 1e-3), shown, floor)
    in_order = tuple(sorted(curves.lines, key=lambda line: shown.index(line.name)))
    return ComparisonView(table, replace(curves, lines=in_order), left_out, floor)


def _different_steps(composition: Composable) -> int:
    return len({mechanism for mechanism, _ in composition._parts})


def _fine_curves(composition: Composable, epsilons: NDArray[np.float64], rtol: float, names: list[str], floor: float) -> Curves:
    """Return the curves at these ε and more, where lines would be seen to bulge between them."""
    first = compare_curves(composition, epsilons, rtol, [name for name in names if name != murtagh_vadhan.name])
    seen = np.max([seen_bulges(epsilons, line, floor, TOP) for line in _view_lines(first)], axis=0)
    more = points_between(epsilons, seen, MOST_MORE)
    return compare_curves(composition, np.union1d(epsilons, more), rtol, names)


def _view_lines(curves: Curves) -> list[NDArray[np.float64]]:
    return [curves.band.upper, curves.band.lower, *(np.array(line.deltas) for line in curves.lines)]


def _comparison_delta_level(table: Comparison) -> float:
    """Return the δ around which the picture is drawn."""
    asked = table.delta if table.delta is not None else table.ours.value
    return min(max(asked, 1e-250), 1e-2) if asked else USUAL_DELTA


def epsilons_around(
    composition: Composable, at_level: Comparison, asked: float | None, high: float | None, floor: float
) -> NDArray[np.float64]:
    """Return ε from 0 to `high`, or beyond the last bound that is near ours; more of them where our band falls."""
    if high is None:
        ours = at_level.ours.value or 0.0
        near = [row.value for row in at_level.rows if row.value is not None and row.value <= FAR_EPSILON * ours]
        finite = [value for value in [*near, asked] if value is not None and 0.0 < value < math.inf]
        high = 1.15 * max(finite, default=1.0)
    # Between points our band is as wide as they are apart, and it may fall within a small part of the picture.
    fallen = composition.epsilon(delta=floor, rtol=0.01).upper
    return np.union1d(np.linspace(0.0, high, POINTS), np.linspace(0.0, min(high, fallen), POINTS))
