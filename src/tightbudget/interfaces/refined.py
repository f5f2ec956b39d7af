"""More points where a picture needs them: between two of them a band is the wider the further they are apart.

Nothing here is certified or needs to be: it decides which ε are asked about, not what is answered.
"""

import numpy as np
from numpy.typing import NDArray

from tightbudget.interfaces import band
from tightbudget.mechanisms.answers import Curve, joined_curves

Array = NDArray[np.float64]

VISIBLE = 0.002
"""Of the height of a picture: half a line's thickness."""

_MOST_POINTS = 240  # that are added to a curve
_ROUNDS = 3  # a bend that is smooth takes one; where a curve ends, points have to close in on it
_NARROWEST = 1.0 / 800.0  # of the range: no eye tells points apart that are nearer
_LOWEST = 1e-300


def refined_curve(curve: Curve, rtol: float = 1e-3, effort: float | None = None) -> Curve:
    """Return the curve with points added where its band would be seen to be wide only for want of them.

    >>> from tightbudget import Gaussian
    >>> few = Gaussian(sigma=1).curve([0.0, 2.0, 4.0])
    >>> refined_curve(few).epsilons.size > 20
    True
    """
    left = _MOST_POINTS
    for _ in range(_ROUNDS):
        points = band.increasing_places(curve.epsilons)
        epsilons, lower, upper = (np.ravel(values)[points] for values in (curve.epsilons, curve.lower, curve.upper))
        more = points_between(epsilons, _seen_width(epsilons, lower, upper), left)
        if curve.composition is None or not more.size:
            break
        left -= more.size
        curve = joined_curves(curve, curve.composition.curve(more, rtol, effort=effort))
    return curve


def points_between(epsilons: Array, seen: Array, most: int) -> Array:
    """Return places between epsilons, which increase, for what is seen of each interval; at most so many.

    A chord's distance from a smooth curve falls with the square of its length.
    """
    if epsilons.size < 2:
        return np.empty(0)
    widths = np.diff(epsilons)
    pieces = np.ceil(np.sqrt(np.maximum(seen, 0.0) / VISIBLE))
    pieces = np.minimum(pieces, np.floor(widths / (_NARROWEST * (epsilons[-1] - epsilons[0]))))
    added = np.maximum(pieces - 1.0, 0.0)
    added = np.floor(added * min(1.0, most / max(1.0, float(added.sum())))).astype(int)
    starts = zip(epsilons[:-1].tolist(), widths.tolist(), added.tolist(), strict=True)
    found = [start + width * k / (count + 1) for start, width, count in starts for k in range(1, count + 1)]
    return np.setdiff1d(np.array(found), epsilons)


def picture_heights(values: Array, floor: float, top: float) -> Array:
    """Return where values are drawn, from 0 at the floor of a log scale to 1 at its top."""
    return np.asarray(np.log(np.clip(values, floor, top) / floor) / np.log(top / floor))


def worst_between(epsilons: Array, places: Array, values: Array) -> Array:
    """Return the largest value at the places of each interval."""
    starts = np.searchsorted(places, epsilons[:-1])
    return np.asarray(np.maximum.reduceat(values, starts))


def seen_bulges(epsilons: Array, upper: Array, floor: float, top: float) -> Array:
    """Return for each interval how far the line through upper bounds rises above one that is straight on a log scale.

    That is no more than a line may be off its own bound, which says nothing between the points.
    """
    places = band.places_between(epsilons)
    falling = picture_heights(np.minimum.accumulate(upper), floor, top)
    straight = np.interp(places, epsilons, falling)
    return worst_between(epsilons, places, picture_heights(band.upper_line(places, epsilons, upper), floor, top) - straight)


def _seen_width(epsilons: Array, lower: Array, upper: Array) -> Array:
    """Return for each interval how wide the band is drawn, beyond the brackets at its ends."""
    shown = upper[upper > _LOWEST]
    if epsilons.size < 2 or not shown.size:
        return np.zeros(max(0, epsilons.size - 1))
    floor, top = max(_LOWEST, float(shown.min()) / 3.0), 3.0 * float(shown.max())
    places = band.places_between(epsilons)
    high = picture_heights(band.upper_line(places, epsilons, upper), floor, top)
    low = picture_heights(band.lower_line(places, epsilons, lower, upper), floor, top)
    known = picture_heights(upper, floor, top) - picture_heights(lower, floor, top)
    return worst_between(epsilons, places, high - low) - np.maximum(known[:-1], known[1:])
