"""Discretisation of one pair: its privacy loss distribution on a grid, from above and from below (M5, M6)."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.discretisation.tilted import TiltedPMF, normalised_rows
from tightbudget.engine.discretisation.window import Window
from tightbudget.numerics.convolve import LONGEST, TooWide
from tightbudget.numerics.rounding import GENEROUS, U
from tightbudget.numerics.shares import share_up
from tightbudget.pairs.base import Cells, Pair

Array = NDArray[np.float64]

_ON_GRID = 1e-9  # a point this close to the grid (in steps) is put on it; the displacement is part of the loss_shift
_NO_NOISE = np.zeros(3)
_MOST_LOSS_ERROR = 1e3  # in steps: a grid so much finer than the losses are known brings nothing
_MOST_ERROR = 50.0  # of a logarithm: masses that are known less well are not known
_ROUNDINGS = 16.0 * U  # of the number of steps from the anchor, relative


class DiscretisedPair(NamedTuple):
    """The upper and lower reading of one pair; true losses are at most `loss_shift` above those of the spread one."""

    spread: TiltedPMF
    merged: TiltedPMF
    loss_shift: float
    begin: int = 0  # column of the first entry in the grid given


def discretise(
    pair: Pair, span: Window, step: float, theta: float, anchor: float, places: Array | None = None
) -> DiscretisedPair:
    """Return the pair on the points anchor + k step, tilted; losses that were truncated are left to the caller.

    k runs through all integers, or through those of `places` alone, which must reach beyond the window on either side.
    """
    # One point beyond either end where rounding leaves it open: nothing between span.low and span.high may be missed.
    low, high = (span.low - anchor) / step, (span.high - anchor) / step
    loss_shift = pair.loss_shift(max(abs(span.low), abs(span.high)) + 2.0 * step)
    loss_shift = pair.loss_shift(max(abs(span.low), abs(span.high)) + 2.0 * step + loss_shift)
    error_bound = _ROUNDINGS * (1.0 + max(abs(low), abs(high))) + loss_shift / step
    if (places is None and high - low > LONGEST) or max(abs(low), abs(high)) > 2.0**50 or error_bound > _MOST_LOSS_ERROR:
        raise TooWide
    start, stop = math.floor(low - error_bound), math.ceil(high + error_bound)
    stop = max(stop, start + 1)
    begin = 0
    if places is None:
        k = np.arange(start, stop + 1, dtype=np.float64)
    else:
        begin, end = int(places.searchsorted(start, "right")) - 1, int(places.searchsorted(stop))
        if begin < 0 or end >= places.size:  # rounding has moved the window beyond the grid
            raise TooWide
        k = places[begin : end + 1]
    x = anchor + step * k
    # on a grid with gaps the outer points may lie far beyond the window, and cells reach as far as they do
    loss_shift = max(loss_shift, pair.loss_shift(max(abs(float(x[0])), abs(float(x[-1])))))

    events = _discretised_cells(pair.cells(x), x, step * (k[1:] - k[:-1]), loss_shift)
    points = pair.points()
    if points.size:  # those outside are in log_below, log_beyond or truncated
        inside = (points.low >= span.low) & (points.low <= span.high)
        points = points if inside.all() else points.where(inside)
    if points.size:
        events = _joined_events(events, _discretised_points(points, x, k, step, (points.low - anchor) / step, error_bound))
    below = (span.log_below, int(x.searchsorted(span.low))) if span.log_below > -math.inf else None
    if not events.above.size and not below:
        raise TooWide
    return _tilted_readings(events, below, x, k, step, theta, loss_shift, span.log_beyond, anchor, begin)


class GridEvents(NamedTuple):
    """Masses on their way to the grid: `share` of each goes up to index `above`, the rest to the index before it.

    For the lower reading they belong to bucket `above`.
    """

    above: NDArray[np.intp]
    share: Array
    log_a: Array
    log_b: Array
    loss: Array
    error: Array
    displacement: float = 0.0


_NONE = np.empty(0)
_NO_EVENTS = GridEvents(np.empty(0, dtype=np.intp), _NONE, _NONE, _NONE, _NONE, _NONE)


def _joined_events(first: GridEvents, second: GridEvents) -> GridEvents:
    if first.above.size == 0:
        return second
    above, share, log_a, log_b, loss, error = (
        np.concatenate([getattr(first, name), getattr(second, name)])
        for name in ("above", "share", "log_a", "log_b", "loss", "error")
    )
    return GridEvents(above, share, log_a, log_b, loss, error, max(first.displacement, second.displacement))


def _discretised_cells(cells: Cells, x: Array, gaps: Array, loss_shift: float) -> GridEvents:
    """Return the cells between consecutive points of the grid."""
    if cells.size == 0:
        return _NO_EVENTS
    some = cells.log_a > -np.inf
    if some.all():
        above, low = np.arange(1, x.size), x[:-1]
    else:
        above, cells = np.flatnonzero(some) + 1, cells.where(some)
        if cells.size == 0:
            return _NO_EVENTS
        low, gaps = x[above - 1], gaps[above - 1]
    loss = cells.log_a - cells.log_b
    # doubt about the mean loss in the cell moves mass up
    error_bound = loss_shift + 2.0 * cells.error + 4.0 * U * (1.0 + np.abs(loss))
    return GridEvents(above, share_up(loss - low + error_bound, gaps), cells.log_a, cells.log_b, loss, cells.error + 4.0 * U)


def _discretised_points(points: Cells, x: Array, k: Array, step: float, where: Array, error_bound: float) -> GridEvents:
    """Return the point masses, at `where` in steps (good to `error_bound`); those beside the grid are put on it."""
    after = np.minimum(np.searchsorted(k, where), k.size - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(where - k[before] < k[after] - where, before, after)
    on_grid = np.abs(where - k[nearest]) <= _ON_GRID + error_bound
    above = np.where(on_grid, nearest, after)
    below = np.where(on_grid, nearest, before)
    if not (on_grid | ((k[below] < where) & (where <= k[above]))).all():
        raise AssertionError("a point mass lies outside the grid made for it")
    gap = np.where(on_grid, step, step * (k[above] - k[below]))
    share = np.where(on_grid, 1.0, share_up(points.low - x[below] + 4.0 * U * np.abs(points.low), gap))
    moved = np.where(on_grid, points.low - x[above], 0.0)
    crowd = int(np.bincount(above).max())  # terms of the longest sum
    error = points.error + (16.0 + crowd) * U
    return GridEvents(above, share, points.log_a, points.log_b, points.low, error, max(0.0, float(moved.max(initial=0.0))))


def _tilted_readings(
    events: GridEvents,
    below: tuple[float, int] | None,
    x: Array,
    k: Array,
    step: float,
    theta: float,
    loss_shift: float,
    log_beyond: float,
    anchor: float,
    begin: int,
) -> DiscretisedPair:
    """Return both readings of the events. Indices count from the peak, so that exponents are small where the mass is.

    `below` is what lies below the window, moved up to a point: it takes part in the upper reading alone.
    """
    above, logs = events.above, np.array([events.log_a, events.log_b])
    peak = _heaviest_event(logs[0] + theta * x[above], above, below, theta, x)
    place = step * (k - k[peak])
    origin = float(x[peak])
    tilts = np.multiply.outer((theta, theta + 1.0), place[above])
    tilt_down = np.exp(-theta * step * (k[1:] - k[:-1]))  # tilt of the point below against the one above
    exponents = logs + tilts
    lifted = theta * float(place[below[1]]) if below else 0.0
    moved = below[0] + lifted if below else -math.inf
    shift_a, shift_b = exponents.max(axis=1).tolist() if above.size else (moved, 0.0)
    shift_a = max(shift_a, moved)
    shifts = np.array([[shift_a], [shift_b]])
    masses = np.exp(exponents - shifts)
    a, b = masses
    stay = a * events.share
    rows = np.empty((3, x.size))
    upper, lower = rows[0], rows[1:]
    upper[:] = np.bincount(above, stay, x.size)
    upper[:-1] += np.bincount(above, a - stay, x.size)[1:] * tilt_down
    lower[0] = np.bincount(above, a, x.size)
    lower[1] = np.bincount(above, b, x.size)
    # logs are good to their errors, exponents rounded at the size of their terms
    error_bounds = events.error + U * (16.0 + 2.0 * np.abs(logs) + 4.0 * np.abs(tilts) + np.abs(shifts))
    if above.size and float(error_bounds.max()) > _MOST_ERROR:
        raise TooWide
    error_a, error_b = np.einsum("ij,ij->i", masses, np.expm1(error_bounds)).tolist()
    error = np.array([error_a, error_a, error_b])
    offset = float(np.einsum("i,i", a, x[above] - events.loss))
    if below:
        mass = math.exp(moved - shift_a)
        upper[below[1]] += mass
        error[0] += mass * U * (32.0 + 2.0 * abs(below[0]) + 4.0 * abs(lifted) + abs(shift_a))
    if log_beyond > -math.inf:
        missing = math.exp(log_beyond - theta * origin - shift_a)
        error[0] += missing * (1.0 + GENEROUS + 16.0 * U * theta * abs(origin))
    # A bucket of the lower reading stands for the mean loss of its events, so that both readings stay together; any
    # place would be sound.
    middle = origin - offset / max(float(lower[0].sum()), 1e-300)
    first = round(float(k[0] - k[peak]))
    both = normalised_rows(rows, first, origin, np.array([shift_a, shift_a, shift_b]), error, _NO_NOISE, _NO_NOISE)
    widest = max(abs(float(x[0])), abs(float(x[-1])))
    return DiscretisedPair(
        _one_reading(both, slice(0, 1), origin),
        _one_reading(both, slice(1, 3), middle),
        loss_shift + 32.0 * U * (widest + abs(anchor)) + events.displacement,
        begin,
    )


def _one_reading(both: TiltedPMF, rows: slice, anchor: float) -> TiltedPMF:
    return TiltedPMF(
        both.rows[rows], both.first, anchor, both.log_scale[rows], both.error[rows], both.noise[rows], both.noise_mass[rows]
    )


def _heaviest_event(tilted: Array, above: NDArray[np.intp], below: tuple[float, int] | None, theta: float, x: Array) -> int:
    """Return the index of the heaviest event."""
    top = int(tilted.argmax()) if tilted.size else -1
    if below and (top < 0 or below[0] + theta * float(x[below[1]]) > float(tilted[top])):
        return below[1]
    return int(above[top])
