"""One pair on a grid: the leaves from which bucket lists grow (M5, M6)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.buckets.spread import share_up
from tightbudget.buckets.tilted import Tilted, normalised
from tightbudget.numerics.convolve import LONGEST, TooWide
from tightbudget.numerics.logs import log_sum
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
    # the masses are good to their error, the exponents to a few roundings at the size of their terms
    steepest = theta * max(abs(float(cells.high[-1])), abs(float(cells.low[0])))
    doubt = 1e-9 + float(cells.error.max()) + 16.0 * U * (1.0 + abs(limit) + steepest)
    return Window(
        low=float(cells.low[first]),
        high=float(cells.high[first : last + 1].max()),
        log_below=float(left[first - 1]) + doubt if first > 0 else -math.inf,
        log_beyond=float(right[last + 1]) + doubt if last + 1 < cells.size else -math.inf,
    )


def leaf(pair: Pair, step: float, theta: float, anchor: float, tail: float, log_cap: float) -> Leaf:
    """Return the pair's buckets on the points anchor + k step, tilted; losses beyond the cap are left to the caller."""
    span = window(capped(pair, log_cap), theta, tail)
    # One point beyond either end where rounding leaves a doubt: nothing between span.low and span.high may be missed.
    low, high = (span.low - anchor) / step, (span.high - anchor) / step
    slack = pair.slack(max(abs(span.low), abs(span.high)) + 2.0 * step)
    slack = pair.slack(max(abs(span.low), abs(span.high)) + 2.0 * step + slack)
    doubt = _ROUNDINGS * (1.0 + max(abs(low), abs(high))) + slack / step
    if high - low > LONGEST or max(abs(low), abs(high)) > 2.0**50:
        raise TooWide
    start, stop = math.floor(low - doubt), math.ceil(high + doubt)
    x = anchor + step * np.arange(start, max(stop, start + 1) + 1, dtype=np.float64)

    events = [_cells(pair.cells(x), x, step, slack)]
    points = pair.points()
    if points.size:  # those outside are in log_below, log_beyond or the cap
        points = points.where((points.low >= span.low) & (points.low <= span.high))
        events.append(_points(points, x, step, (points.low - anchor) / step - start, doubt))
    if span.log_below > -math.inf:
        events.append(_below(span.log_below, int(np.searchsorted(x, span.low))))
    return _tilted([event for event in events if event.log_a.size], x, step, theta, slack, span.log_beyond, anchor)


@dataclass(frozen=True, slots=True)
class Events:
    """Masses on their way to the grid: `share` of each goes up to index `above`, the rest to the index before it.

    For the lower reading they belong to bucket `above`; events without log_b are for the upper reading alone.
    """

    above: NDArray[np.intp]
    share: Array
    log_a: Array
    log_b: Array
    loss: Array
    error: Array
    displacement: float = 0.0


def _cells(cells: Cells, x: Array, step: float, slack: float) -> Events:
    """Return the cells between consecutive points of the grid."""
    index = np.flatnonzero(cells.log_a > -np.inf)
    if index.size < cells.size:
        cells = cells.where(cells.log_a > -np.inf)
    low, loss = x[index], cells.log_a - cells.log_b
    # doubt about the mean loss in the cell moves mass up
    doubt = slack + 2.0 * cells.error + 4.0 * U * (1.0 + np.abs(loss))
    return Events(index + 1, share_up(loss - low + doubt, step), cells.log_a, cells.log_b, loss, cells.error + 4.0 * U)


def _points(points: Cells, x: Array, step: float, where: Array, doubt: float) -> Events:
    """Return the point masses, `where` steps from x[0] (good to `doubt`); those all but on the grid are put on it."""
    nearest = np.round(where)
    on_grid = np.abs(where - nearest) <= _ON_GRID + doubt
    above = np.where(on_grid, nearest, np.ceil(where)).astype(np.intp)
    below = np.where(on_grid, above, above - 1)
    if above.size and (below.min() < 0 or above.max() >= x.size):
        raise AssertionError("a point mass lies outside the grid made for it")
    share = np.where(on_grid, 1.0, share_up(points.low - x[below] + 4.0 * U * np.abs(points.low), step))
    moved = np.where(on_grid, points.low - x[above], 0.0)
    crowd = int(np.bincount(above).max()) if above.size else 0  # terms of the longest sum
    error = points.error + (16.0 + crowd) * U
    return Events(above, share, points.log_a, points.log_b, points.low, error, max(0.0, float(moved.max(initial=0.0))))


def _below(log_mass: float, index: int) -> Events:
    """Return what lies below the window, moved up to its lower end."""
    one = np.ones(1)
    return Events(np.array([index]), one, one * log_mass, -np.inf * one, 0.0 * one, 4.0 * U * one)


def _tilted(events: list[Events], x: Array, step: float, theta: float, slack: float, log_beyond: float, anchor: float) -> Leaf:
    """Return both readings of the events. Indices count from the peak, so that exponents are small where the mass is."""
    rough = [event.log_a + theta * x[event.above] for event in events]
    heaviest = max(range(len(events)), key=lambda i: float(rough[i].max()))
    peak = int(events[heaviest].above[int(np.argmax(rough[heaviest]))])
    place = step * np.arange(-peak, x.size - peak, dtype=np.float64)
    origin = float(x[peak])
    shifts = np.array(
        [
            max(float((event.log_a + theta * place[event.above]).max()) for event in events),
            max(float((event.log_b + (theta + 1.0) * place[event.above]).max()) for event in events),
        ]
    )
    shifts[1] = shifts[1] if shifts[1] > -math.inf else 0.0
    upper, lower = np.zeros(x.size), np.zeros((2, x.size))
    error, offset = np.zeros(3), 0.0
    lost = math.exp(-theta * step)  # tilt of the point below against the one above
    for event in events:
        tilt = theta * place[event.above]
        a = np.exp(event.log_a + tilt - shifts[0])
        down = a * (1.0 - event.share) * lost
        upper += np.bincount(event.above, a * event.share, x.size)
        upper[:-1] += np.bincount(event.above, down, x.size)[1:]
        error[0] += _rounding(a, event.log_a, tilt, event.error, float(shifts[0]))
        if event.log_b[0] == -np.inf:
            continue
        tilt_b = (theta + 1.0) * place[event.above]
        b = np.exp(event.log_b + tilt_b - shifts[1])
        lower[0] += np.bincount(event.above, a, x.size)
        lower[1] += np.bincount(event.above, b, x.size)
        error[1] += _rounding(a, event.log_a, tilt, event.error, float(shifts[0]))
        error[2] += _rounding(b, event.log_b, tilt_b, event.error, float(shifts[1]))
        offset += float(np.einsum("i,i", a, x[event.above] - event.loss))
    if log_beyond > -math.inf:
        missing = math.exp(min(700.0, log_beyond - theta * origin - float(shifts[0])))
        error[0] += missing * (1.0 + 1e-9 + 16.0 * U * theta * abs(origin))
    # A bucket of the lower reading stands for the mean loss of its events, so that both readings stay together; any
    # place would be sound.
    middle = origin - offset / max(float(lower[0].sum()), 1e-300)
    spread = normalised(upper[None, :], -peak, origin, shifts[:1], error[:1], np.zeros(1), np.zeros(1))
    merged = normalised(lower, -peak, middle, shifts, error[1:], np.zeros(2), np.zeros(2))
    widest = max(abs(float(x[0])), abs(float(x[-1])))
    displacement = max(event.displacement for event in events)
    return Leaf(spread, merged, slack + 32.0 * U * (widest + abs(anchor)) + displacement)


def _rounding(mass: Array, logs: Array, tilt: Array, errors: Array, shift: float) -> float:
    """Return a bound on the error of the masses in L1: logs are good to `errors`, exponents rounded at their terms' size."""
    size = 2.0 * np.abs(logs) + 4.0 * np.abs(tilt) + abs(shift)
    return float(np.einsum("i,i", mass, np.expm1(np.minimum(errors + U * (16.0 + size), 700.0))))
