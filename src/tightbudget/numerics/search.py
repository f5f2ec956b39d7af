"""Searches: where a decreasing function crosses a level, on the promised side, and the largest number that fits."""

import math
from collections.abc import Callable

_NEWTON = 8  # secant steps before the crossing is enclosed and narrowed
_FASTEST = 2.0**64  # growth of a step
FARTHEST = 1e300  # beyond this nothing is looked for
_NEAR, _MOST_BEND = 100.0, 50.0  # tolerances between two points, of which rounding may be much, and else slopes
_CLOSE = 0.01  # in the logarithm, however wrong the slope may be


def first_at_most(
    function: Callable[[float], float], level: float, guess: float, slope: float, tolerance: float, most: float = FARTHEST
) -> float:
    """Return some x >= 0 with function(x) <= level, about `tolerance` above the smallest such x.

    The function decreases, its logarithm about as fast as -slope. It is only trusted where it was evaluated, so a poor
    guess costs time and never the promise. Returns inf if no such x was found up to `most`.
    """
    x = max(guess, 0.0)
    seen: tuple[float, float] | None = None
    for _ in range(_NEWTON):
        gap = _log_ratio(function(x), level)
        if -min(slope * tolerance, _CLOSE) <= gap <= 0.0 or (x == 0.0 and gap <= 0.0):
            return x
        slope, seen = _secant_slope(slope, seen, (x, gap), tolerance), (x, gap)
        # aim half a tolerance past the crossing, so that the next point is likely to be on the right side
        x = max(0.0, x + gap / slope + 0.5 * tolerance) if math.isfinite(gap) and slope > 0.0 else math.nan
        if not math.isfinite(x):
            break
    low, high = _enclose_crossing(function, level, min(max(guess, 0.0), most), max(tolerance, 1e-300), most)
    return high if math.isinf(high) else _narrow_crossing(function, level, low, high, tolerance)[1]


def last_at_least(
    function: Callable[[float], float], level: float, guess: float, slope: float, tolerance: float, most: float = FARTHEST
) -> float:
    """Return some x >= 0 with function(x) >= level, about `tolerance` below the largest up to `most`; 0 if none."""
    x = max(guess, 0.0)
    seen: tuple[float, float] | None = None
    for _ in range(_NEWTON):
        gap = _log_ratio(function(x), level)
        if 0.0 <= gap <= min(slope * tolerance, _CLOSE):
            return x
        if x == 0.0 and gap < 0.0:
            return 0.0
        slope, seen = _secant_slope(slope, seen, (x, gap), tolerance), (x, gap)
        x = max(0.0, x + gap / slope - 0.5 * tolerance) if math.isfinite(gap) and slope > 0.0 else math.nan
        if not math.isfinite(x):
            break

    def above(x: float) -> float:
        # the crossing of "function < level": the last point seen at or above the level is the answer
        value = function(x)
        return math.inf if value == level else value

    low, high = _enclose_crossing(above, level, min(max(guess, 0.0), most), max(tolerance, 1e-300), most)
    if math.isinf(high):
        return max(low, 0.0)
    return max(0.0, _narrow_crossing(above, level, low, high, tolerance)[0])


def largest_that_fits(fits: Callable[[int], bool], most: int) -> int:
    """Return the largest whole number up to `most`, a power of two, that fits; 0 if none does. Smaller ones fit too."""
    if not fits(1):
        return 0
    low = 1
    while low < most and fits(2 * low):
        low *= 2
    if low >= most:
        return most
    high = 2 * low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _secant_slope(slope: float, before: tuple[float, float] | None, now: tuple[float, float], tolerance: float) -> float:
    """Return the slope between the last two points, unless it is far from the one we have: near points tell little."""
    if before is None or before[0] == now[0]:
        return slope
    found = (before[1] - now[1]) / (now[0] - before[0])
    most = 2.0 if abs(now[0] - before[0]) < _NEAR * tolerance else _MOST_BEND
    return found if slope / most < found < most * slope else slope


def _log_ratio(value: float, level: float) -> float:
    if value <= 0.0:
        return -math.inf
    ratio = value / level
    return math.log(ratio) if 0.0 < ratio < math.inf else math.log(value) - math.log(level)


def _enclose_crossing(
    function: Callable[[float], float], level: float, guess: float, step: float, most: float
) -> tuple[float, float]:
    """Return low < high with function(low) > level >= function(high); low may be -1 (below the domain) or high inf."""
    growth = 4.0
    if function(guess) > level:
        low = guess
        while low < most:
            x = min(max(low + step, math.nextafter(low, math.inf)), most)
            if function(x) <= level:
                return low, x
            low, step, growth = x, step * growth, min(growth * growth, _FASTEST)
        return low, math.inf
    high = guess
    while high > 0.0:
        x = max(0.0, high - step)
        if function(x) > level:
            return x, high
        high, step, growth = x, step * growth, min(growth * growth, _FASTEST)
    return -1.0, 0.0


def _narrow_crossing(
    function: Callable[[float], float], level: float, low: float, high: float, tolerance: float
) -> tuple[float, float]:
    """Halve until the two ends are `tolerance` apart, or neighbours; where they differ in size, halve the logarithm."""
    if low < 0.0:  # already at the end of the domain
        return -1.0, 0.0
    while high - low > tolerance:
        x = math.sqrt(low) * math.sqrt(high) if 0.0 < 4.0 * low < high else low + 0.5 * (high - low)
        if not low < x < high:
            break
        low, high = (x, high) if function(x) > level else (low, x)
    return low, high
