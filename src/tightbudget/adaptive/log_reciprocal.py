"""Logarithms of exact probabilities, rounded up; good digits also just below 1, where a float has lost 1 - p."""

import math
from fractions import Fraction

from tightbudget.numerics.rounding import float_above, raised

_ROUNDINGS = 16  # of a conversion and a logarithm, each good to 2u, the conversion relative to a log of at least ln 2


def up(amount: Fraction | float) -> float:
    """Return a float whose binary value is no smaller than the amount; inf beyond the largest."""
    return amount if isinstance(amount, float) else float_above(amount)


def log_reciprocal(probability: Fraction) -> float:
    """Return ln(1/probability), rounded up, for a probability from 1e-300 to 1."""
    if probability > Fraction(1, 2):
        value = -math.log1p(-up(1 - probability))
    else:
        value = -math.log(probability.numerator / probability.denominator)
    return math.nextafter(raised(value, _ROUNDINGS), math.inf)  # the smallest floats are not raised by a factor
