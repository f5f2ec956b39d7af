"""Bounds on a trade-off curve between the points it was asked at, for lines that are drawn on log scales.

The curve grows and is concave. Between two points it is at least the chord through the lower ends, and at most the
upper end at the right one and the chords on either side, extended from the lower end of the farther to the upper end of
the nearer point. What holds at a place of a fine grid is drawn one place further left, for upper bounds, or right.
"""

import numpy as np
from numpy.typing import NDArray

from tightbudget.interfaces.band import ROUNDING

Array = NDArray[np.float64]

_PIECES = 16  # between two points


def roc_places_between(rates: Array) -> Array:
    """Return the rates, which increase and are above 0, and places between each two, evenly on a log scale."""
    logs = np.log(rates)
    between = logs[:-1, None] + np.diff(logs)[:, None] * np.arange(_PIECES) / _PIECES
    places = np.append(np.exp(between.ravel()), rates[-1:])
    places[::_PIECES] = rates  # rounding may have moved them past the ends
    return places


def roc_lower_line(places: Array, rates: Array, lower: Array) -> Array:
    """Return values at the places; joined in any way that does not fall, they are nowhere above the curve."""
    held = np.interp(places, rates, lower) * (1.0 - ROUNDING)
    return np.append(held[:1], held[:-1])


def roc_upper_line(places: Array, rates: Array, lower: Array, upper: Array) -> Array:
    """Return values at the places; joined in any way that does not fall, they are nowhere below the curve."""
    if rates.size == 1:
        return np.full_like(places, upper[0])
    left = np.clip(np.searchsorted(rates, places, side="right") - 1, 0, rates.size - 2)
    held = upper[left + 1].copy()
    inside = left > 0
    i, at = left[inside], places[inside]
    held[inside] = np.minimum(held[inside], _extended_roc_line(at, rates[i - 1], lower[i - 1], rates[i], upper[i]))
    inside = left + 2 < rates.size
    i, at = left[inside] + 1, places[inside]
    held[inside] = np.minimum(held[inside], _extended_roc_line(at, rates[i + 1], lower[i + 1], rates[i], upper[i]))
    held = np.minimum(np.minimum.accumulate(held[::-1])[::-1], 1.0)
    return np.append(held[1:], held[-1:])


def _extended_roc_line(at: Array, far: Array, at_far: Array, near: Array, at_near: Array) -> Array:
    """Return the line through the values at two rates, beyond the nearer one, raised by its rounding errors."""
    rise = (at_near - at_far) / (near - far) * (at - near)
    raised: Array = at_near + rise + ROUNDING * (np.abs(at_near) + 4.0 * np.abs(rise))
    return raised
