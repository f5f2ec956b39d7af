"""Numbers of a training loop as floats on the safe side: less noise, a higher rate, less of a budget.

What is a float already stays as it is. A fraction such as 256/60000 lies between two floats, and the one is taken for
which the upper end also holds for the fraction itself: more noise or a smaller rate can only reveal less (M3).
"""

import numbers
from collections.abc import Callable

import numpy as np

from tightbudget.mechanisms.checks import delta_asked, epsilon_asked, limit_above, limit_below, positive, probability


def noise_below(name: str, value: object) -> float:
    """Return a noise multiplier as the largest float or whole number up to it."""
    number = positive(
        name, value, "It is the standard deviation of the noise over the clipping norm.", zero=True, infinite=True
    )
    return _on_the_side(value, number, limit_below)


def rate_above(
    name: str, value: object, hint: str = "For a batch of 256 out of 60000 give batch=256 and examples=60000."
) -> float:
    """Return a sampling rate as the smallest float or whole number from it on."""
    number = probability(name, value, hint)
    return _on_the_side(value, number, limit_above)


def budget_below(epsilon: object, delta: object) -> tuple[float, float]:
    """Return a budget that is no larger, in floats."""
    return _on_the_side(epsilon, epsilon_asked(epsilon), limit_below), delta_below(delta)


def target_below(name: str, epsilon: object) -> float:
    """Return an epsilon to aim at, above 0, as the largest float or whole number up to it."""
    return _on_the_side(epsilon, positive(name, epsilon), limit_below)


def delta_below(delta: object) -> float:
    """Return a delta as the largest float or whole number up to it: what holds at a smaller delta holds at a larger."""
    return _on_the_side(delta, delta_asked(delta), limit_below)


def plain_number(value: object) -> object:
    """Return the number in an array of one; an array can be changed behind our back."""
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def _on_the_side(value: object, number: float, side: Callable[[object, float], float]) -> float:
    """Return a whole number or float as it is, another number as the float on that side of it."""
    value = plain_number(value)
    return int(value) if isinstance(value, numbers.Integral) else side(value, number)
