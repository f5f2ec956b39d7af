"""Lines through bounds on δ that hold between the points too, drawn straight on a log scale.

δ is a supremum of P(S) − e^ε Q(S) over events S: it falls with ε and is convex in t = e^ε. Between two points it is
therefore at most the chord, which is straight in t, and at least the chords on either side, extended, and the value at
the right point. A line that is straight on a log scale runs below such a chord; so what holds at a place of a fine grid
is drawn one place further right, for upper bounds, or left, for lower ones.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PLACES = 1600  # more than a picture has pixels across
ROUNDING = 1e-14  # far more than a few operations on floats add


def increasing_places(epsilons: Array) -> NDArray[np.intp]:
    """Return where the finite epsilons are, in increasing order and each once."""
    values, indices = np.unique(epsilons, return_index=True)
    return indices[np.isfinite(values)]


def places_between(epsilons: Array) -> Array:
    """Return the epsilons, which increase, and places between each two, about PLACES in all; the last one stands twice.

    A line that is drawn one place late then still ends at the last value.
    """
    pieces = -(-PLACES // max(1, epsilons.size - 1))
    between = epsilons[:-1, None] + np.diff(epsilons)[:, None] * np.arange(pieces) / pieces
    return np.append(np.unique(np.append(between.ravel(), epsilons[-1:])), epsilons[-1:])


def upper_line(places: Array, epsilons: Array, upper: Array) -> Array:
    """Return values at the places; straight on a log scale between them, they are nowhere below δ."""
    if epsilons.size == 1:
        return np.full_like(places, upper[0])
    upper = np.minimum.accumulate(upper)  # δ falls
    left = _band_intervals(places, epsilons)
    chord = _band_line(places, epsilons[left], upper[left], epsilons[left + 1], upper[left + 1], +1.0)
    chord = np.minimum.accumulate(np.minimum(chord, upper[left]))
    return np.append(chord[:1], chord[:-1])


def lower_line(places: Array, epsilons: Array, lower: Array, upper: Array) -> Array:
    """Return values at the places; straight on a log scale between them, they are nowhere above δ."""
    if epsilons.size == 1:
        return np.full_like(places, lower[0])
    lower, upper = np.maximum.accumulate(lower[::-1])[::-1], np.minimum.accumulate(upper)
    left = _band_intervals(places, epsilons)
    held = lower[left + 1]
    inside = left > 0
    i, t = left[inside], places[inside]
    held[inside] = np.fmax(held[inside], _band_line(t, epsilons[i - 1], upper[i - 1], epsilons[i], lower[i], -1.0))
    inside = left + 2 < epsilons.size
    i, t = left[inside] + 1, places[inside]
    held[inside] = np.fmax(held[inside], _band_line(t, epsilons[i], lower[i], epsilons[i + 1], upper[i + 1], -1.0))
    held = np.maximum.accumulate(held[::-1])[::-1]
    return np.append(held[1:], held[-1:])


def _band_intervals(places: Array, epsilons: Array) -> NDArray[np.intp]:
    """Return the index of the point left of each place; the last place belongs to the last interval."""
    return np.clip(np.searchsorted(epsilons, places, side="right") - 1, 0, epsilons.size - 2)


def _band_line(places: Array, a: Array, at_a: Array, b: Array, at_b: Array, outward: float) -> Array:
    """Return the line that is straight in e^ε through the values at a and b, moved outward by its rounding errors."""
    with np.errstate(over="ignore", invalid="ignore"):  # far away nothing is known: nan, or −inf
        of_a = at_a * np.expm1(places - b) / np.expm1(a - b)
        of_b = at_b * np.exp(places - b) * np.expm1(a - places) / np.expm1(a - b)
        return of_a + of_b + outward * ROUNDING * (np.abs(of_a) + np.abs(of_b))
