"""One pair on a grid: the leaves from which bucket lists grow (M5, M6)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.buckets.spread import share_up
from tightbudget.buckets.tilted import Tilted, normalised
from tightbudget.numerics.convolve import LONGEST, TooWide
from tightbudget.numerics.logs import group_log_sum, log_sum
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Cells, Pair

Array = NDArray[np.float64]

_ON_GRID = 1e-9  # a point this close to the grid (in steps) is put on it; the displacement is part of the slack
_ROUNDINGS = 16.0 * U  # of the number of steps from the anchor, relative


@dataclass(frozen=True, slots=True)
class Leaf:
    """Both readings of one pair; every true loss is at most `slack` above the loss that the spread one gives it."""

    spread: Tilted
    merged: Tilted
    slack: float


@dataclass(frozen=True, slots=True)
class Window:
    """Range of losses to resolve; exp(log_below) of A lies below it and exp(log_beyond) of tilted A above it."""

    low: float
    high: float
    log_below: float
    log_beyond: float


def capped(pair: Pair, log_cap: float) -> Cells:
    """Return the pair's survey without its largest losses, as far as they hold at most exp(log_cap) of A.

    The mass left out is charged to the upper bound as if its loss were infinite (M5). Without the cap, a tilt would follow
    events so rare that they play no part in the answer.
    """
    cells = pair.survey()
    beyond = np.logaddexp.accumulate(cells.log_a[::-1])[::-1]
    size = max(1, int(np.count_nonzero(beyond > log_cap)))
    return cells if size == cells.size else cells.where(np.arange(cells.size) < size)


def window(cells: Cells, theta: float, tail: float) -> Window:
    """Return the range of losses outside which the tilted mass of the cells is at most `tail` of the whole."""
    with np.errstate(invalid="ignore"):
        loss = np.clip(cells.log_a - cells.log_b, cells.low, cells.high)
    limit = log_sum(cells.log_a + theta * loss) + math.log(tail)
    # above: masses at the upper end of their cell; below: everything moved up to the window's lower end
    right = np.logaddexp.accumulate((cells.log_a + theta * cells.high)[::-1])[::-1]
    left = np.logaddexp.accumulate(cells.log_a)
    last = max(0, int(np.count_nonzero(right > limit)) - 1)
    first = min(last, int(np.count_nonzero(left[:-1] + theta * cells.low[1:] <= limit)))
    return Window(
        low=float(cells.low[first]),
        high=float(cells.high[first : last + 1].max()),
        log_below=float(left[first - 1]) if first > 0 else -math.inf,
        log_beyond=float(right[last + 1]) if last + 1 < cells.size else -math.inf,
    )


def leaf(pair: Pair, step: float, theta: float, anchor: float, tail: float, log_cap: float) -> Leaf:
    """Return the pair's buckets on the points anchor + k step, tilted; losses beyond the cap are left to the caller."""
    span = window(capped(pair, log_cap), theta, tail)
    # One point beyond either end where rounding leaves a doubt: nothing between span.low and span.high may be missed.
    low, high = (span.low - anchor) / step, (span.high - anchor) / step
    slack = pair.slack(max(abs(span.low), abs(span.high)) + step)
    doubt = _ROUNDINGS * (1.0 + max(abs(low), abs(high))) + slack / step
    if high - low > LONGEST or max(abs(low), abs(high)) > 2.0**50:
        raise TooWide
    start, stop = math.floor(low - doubt), math.ceil(high + doubt)
    x = anchor + step * np.arange(start, max(stop, start + 1) + 1, dtype=np.float64)
    upper, lower = np.full(x.size, -np.inf), np.full((2, x.size), -np.inf)
    error = np.zeros(x.size)

    cells = pair.cells(x)
    if cells.size:
        _add_cells(upper, lower, error, cells, x, step, slack)
    points = pair.points()
    displacement = 0.0
    if points.size:
        points = points.where((points.low >= span.low) & (points.low <= span.high))  # others: log_below, log_beyond, cap
        displacement = _add_points(upper, lower, error, points, x, start, anchor, step, doubt)
    if span.log_below > -math.inf:
        bottom = int(np.searchsorted(x, span.low))
        upper[bottom] = np.logaddexp(upper[bottom], span.log_below + 1e-9)

    # Counted from the peak of the tilted mass, indices and exponents stay small where the mass is.
    peak = int(np.argmax(upper + theta * x))
    first, origin = -peak, float(x[peak])
    spread = _tilted(upper[None, :], np.array([theta]), step, error, first, origin, span.log_beyond)
    # A bucket of the lower reading stands for the mean loss of its events, so that both readings stay together.
    middle = origin - _mean_offset(lower, x, theta)
    merged = _tilted(lower, np.array([theta, theta + 1.0]), step, error, first, middle, -math.inf)
    widest = max(abs(float(x[0])), abs(float(x[-1])))
    return Leaf(spread, merged, slack + 32.0 * U * (widest + abs(anchor)) + displacement)


def _mean_offset(lower: Array, x: Array, theta: float) -> float:
    """Return how far the loss of a bucket's events lies below the bucket's upper edge, on average; any value is sound."""
    some = np.isfinite(lower).all(axis=0)
    weight = lower[0, some] + theta * x[some]
    weight = np.exp(weight - weight.max(initial=-np.inf))
    offset = x[some] - (lower[0, some] - lower[1, some])
    return float(np.einsum("i,i", weight, offset) / weight.sum()) if weight.size else 0.0


def _tilted(logs: Array, tilts: Array, step: float, errors: Array, first: int, anchor: float, log_beyond: float) -> Tilted:
    """Return the rows exp(logs) tilted from the anchor on; exp(log_beyond) is tilted mass, from loss 0 on, that is missing."""
    slopes = tilts[:, None] * (step * np.arange(first, first + logs.shape[1]))
    exponent = logs + slopes
    shift = exponent.max(axis=1)
    shift = np.where(np.isfinite(shift), shift, 0.0)
    rows = np.exp(exponent - shift[:, None])
    # The logs are good to `errors`; the exponent is rounded at the size of each of its terms (M7).
    size = 2.0 * np.abs(np.where(rows > 0.0, logs, 0.0)) + 4.0 * np.abs(slopes) + np.abs(shift)[:, None]
    error = np.einsum("ij,ij->i", rows, np.expm1(np.minimum(errors + U * (8.0 + size), 700.0)))
    if log_beyond > -math.inf:
        missing = log_beyond - tilts * anchor - shift
        error = error + np.exp(np.minimum(700.0, missing)) * (1.0 + 1e-9 + 16.0 * U * np.abs(tilts * anchor))
    nothing = np.zeros(error.size)
    return normalised(rows, first, anchor, shift, error, nothing, nothing)


def _add_cells(upper: Array, lower: Array, error: Array, cells: Cells, x: Array, step: float, slack: float) -> None:
    some = cells.log_a > -np.inf
    with np.errstate(invalid="ignore"):
        ratio = np.where(some, cells.log_a - cells.log_b, x[:-1])
    # doubt about the mean loss in the cell moves mass up
    doubt = slack + 2.0 * cells.error + 4.0 * U * (1.0 + np.abs(ratio))
    share = share_up(ratio - x[:-1] + doubt, step)
    with np.errstate(divide="ignore"):
        upper[1:] = cells.log_a + np.log(share)
        upper[:-1] = np.logaddexp(upper[:-1], cells.log_a + np.log1p(-share))
    lower[0, 1:], lower[1, 1:] = cells.log_a, cells.log_b
    error[1:] = cells.error + 4.0 * U
    error[:-1] = np.maximum(error[:-1], error[1:])


def _add_points(
    upper: Array,
    lower: Array,
    error: Array,
    points: Cells,
    x: Array,
    start: int,
    anchor: float,
    step: float,
    doubt: float,
) -> float:
    """Add the point masses; return how far the farthest of them was moved down to the grid."""
    if points.size == 0:
        return 0.0
    where = (points.low - anchor) / step - start  # in steps from x[0], good to `doubt`
    nearest = np.round(where)
    on_grid = np.abs(where - nearest) <= _ON_GRID + doubt
    above = np.where(on_grid, nearest, np.ceil(where)).astype(np.intp)
    below = np.where(on_grid, above, above - 1)
    if below.min() < 0 or above.max() >= x.size:
        raise AssertionError("a point mass lies outside the grid made for it")
    share = np.where(on_grid, 1.0, share_up(points.low - x[below] + 4.0 * U * np.abs(points.low), step))
    with np.errstate(divide="ignore"):
        _log_add_at(upper, above, points.log_a + np.log(share))
        _log_add_at(upper, below, points.log_a + np.log1p(-share))
    _log_add_at(lower[0], above, points.log_a)
    _log_add_at(lower[1], above, points.log_b)
    crowd = int(np.bincount(above).max())  # terms of the longest sum
    worst = points.error + (16.0 + crowd) * U
    np.maximum.at(error, above, worst)
    np.maximum.at(error, below, worst)
    drop = np.where(on_grid, points.low - x[above], 0.0)
    return max(0.0, float(drop.max()))


def _log_add_at(logs: Array, index: NDArray[np.intp], values: Array) -> None:
    """Add exp(values) to exp(logs) at the given places, which repeat but never decrease."""
    starts = np.flatnonzero(np.diff(index, prepend=-1))
    places = index[starts]
    if starts.size < index.size:
        values = group_log_sum(values, starts)
    logs[places] = np.logaddexp(logs[places], values)
