"""Where brackets stay wide: each end is searched for alone, the value by upper ends and what misses by lower ends."""

import math

from tightbudget.calibration.candidates import Number, shortest_number
from tightbudget.calibration.points import Points, TriedPoint

_MOST = 60  # brackets for each end
_ASIDE = 0.4  # of the tolerance: how far from where an end seems to reach the target the next point is
_WIDE = 0.3  # of the tolerance: the width of brackets
_FINEST = 1e-13  # no bracket is asked for more narrowly
_ROUGHLY = 0.01  # how near, where it is effort that does not suffice: such brackets take long


def stays_wide(points: Points) -> bool:
    """Whether a step stands for a class of cases, so that no effort brings the ends of brackets together."""
    best = points.best
    return best is not None and any(mechanism.is_class for mechanism, _ in best.composition._parts)


def narrow_each_end(points: Points, rtol: float) -> str:
    """Find the last number certain to meet the target, and the last to miss it; return why they are apart, if so."""
    for met in (True, False):
        _narrow_end(points, met, rtol)
    best, miss = points.ends
    if points.scale.gap(best.number, miss.number) <= rtol:
        return ""
    return f"brackets cannot decide between the two values, {points.scale.apart(best.number, miss.number)}"


def last_number_met(points: Points, rtol: float, doubt: str) -> str:
    """Find the last number certain to meet the target, where none is proven to miss it; return why there is none."""
    near = rtol if stays_wide(points) else max(rtol, _ROUGHLY)
    _narrow_end(points, True, near)
    return narrow_each_end(points, near) if points.nearest_miss else f"no ? is proven to miss the target: {doubt}"


def _narrow_end(points: Points, met: bool, rtol: float) -> None:
    """Bring the end that is proven to meet the target, or to miss it, as near as asked to a number that is not."""
    width = max(_WIDE * rtol, _FINEST)
    for turn in range(_MOST):
        end, beyond = (points.best if met else points.nearest_miss), points.first_beyond(met)
        if end is None or beyond is None:
            return
        if points.scale.gap(end.number, beyond.number) > rtol:
            points.at(_next_number(points, end, beyond, met, turn, rtol), width)
        elif beyond.asked > width and not (beyond.met or beyond.missed):  # a narrower bracket may be on this side
            points.at(beyond.number, width)
        else:
            return


def _next_number(points: Points, end: TriedPoint, beyond: TriedPoint, met: bool, turn: int, rtol: float) -> Number:
    """Return a number to either side of where the end seems to be, in turn, and every third time the middle."""
    low, high = sorted((end.place, beyond.place))
    crossing = _crossing(end, beyond, met)
    if turn % 3 == 2 or crossing is None:
        place, spread = 0.5 * (low + high), 0.1 * (high - low)
    else:
        step = rtol * max(abs(end.number), abs(beyond.number)) if points.scale.linear else rtol
        aside = _ASIDE * step if (end.place < beyond.place) == bool(turn % 3) else -_ASIDE * step
        margin = 0.02 * (high - low)
        place = min(max(crossing + aside, low + margin), high - margin)
        spread = min(0.2 * step, 0.5 * margin)
    return shortest_number(*sorted(points.scale.number(place + side * spread) for side in (-1.0, 1.0)))


def _crossing(end: TriedPoint, beyond: TriedPoint, met: bool) -> float | None:
    """Return the place between two points where the upper ends, or the lower ones, seem to reach the target."""
    here, there = (end.most, beyond.most) if met else (end.least, beyond.least)
    if not (math.isfinite(here) and math.isfinite(there)) or here == there:
        return None
    return end.place + here / (here - there) * (beyond.place - end.place)
