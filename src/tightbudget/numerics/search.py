"""Where a decreasing function crosses a level, with the crossing on the promised side."""

import math
from collections.abc import Callable


def first_at_most(function: Callable[[float], float], level: float, guess: float, scale: float, tolerance: float) -> float:
    """Return some x >= 0 with function(x) <= level, no farther than about `tolerance` above the smallest such x.

    The function decreases; it is only trusted where it was evaluated, so a poor guess costs time and never the promise.
    Returns inf if no such x was found below about 1e300.
    """
    low, high = _enclose(function, level, guess, scale)
    return high if math.isinf(high) else _narrow(function, level, low, high, tolerance)[1]


def last_at_least(function: Callable[[float], float], level: float, guess: float, scale: float, tolerance: float) -> float:
    """Return some x >= 0 with function(x) >= level, close to the largest such x; 0 if there is none."""

    def above(x: float) -> float:
        # the crossing of "function < level": the last point seen at or above the level is the answer
        value = function(x)
        return math.inf if value == level else value

    low, high = _enclose(above, level, guess, scale)
    if math.isinf(high):
        return max(low, 0.0)
    return max(0.0, _narrow(above, level, low, high, tolerance)[0])


def _enclose(function: Callable[[float], float], level: float, guess: float, scale: float) -> tuple[float, float]:
    """Return low < high with function(low) > level >= function(high); low may be -1 (below the domain) or high inf."""
    step = max(scale, 1e-300)
    x = max(guess, 0.0)
    if function(x) > level:
        low = x
        while True:
            x = low + step
            if x > 1e300:
                return low, math.inf
            if function(x) <= level:
                return low, x
            low, step = x, step * 2.0
    high = x
    while high > 0.0:
        x = max(0.0, high - step)
        if function(x) > level:
            return x, high
        high, step = x, step * 2.0
    return -1.0, 0.0


def _narrow(function: Callable[[float], float], level: float, low: float, high: float, tolerance: float) -> tuple[float, float]:
    if low < 0.0:  # already at the end of the domain
        return -1.0, 0.0
    log_level = _log(level)
    f_low, f_high = _log(function(low)) - log_level, _log(function(high)) - log_level
    for turn in range(200):
        if high - low <= tolerance or not low < 0.5 * (low + high) < high:
            break
        # regula falsi on the logarithm, leaning to the far side so that both ends move; bisection every fourth turn
        if turn % 4 == 3 or not (math.isfinite(f_low) and math.isfinite(f_high)):
            x = 0.5 * (low + high)
        else:
            x = low + (high - low) * f_low / (f_low - f_high)
            lean = 0.45 * tolerance
            x += lean if turn % 2 == 0 else -lean
            x = min(max(x, low + 0.01 * (high - low)), high - 0.01 * (high - low))
        value = _log(function(x)) - log_level
        if value > 0.0:
            low, f_low = x, value
        else:
            high, f_high = x, value
    return low, high


def _log(value: float) -> float:
    if value <= 0.0:
        return -math.inf
    return math.log(value) if value < math.inf else math.inf
