"""The units of rounding, and floats on a chosen side of a number."""

import math
import sys
from fractions import Fraction

U = 2.0**-53
"""Largest relative error of one float64 operation (M1)."""

TINIEST = 2.0**-1074
"""The smallest float above 0: the absolute error of one operation whose result is denormal (M1)."""


def float_above(value: Fraction) -> float:
    """Return the smallest float from value on."""
    try:
        rounded = float(value)
    except OverflowError:
        return math.inf if value > 0 else -sys.float_info.max
    return rounded if rounded >= value else math.nextafter(rounded, math.inf)


def float_below(value: Fraction) -> float:
    """Return the largest float up to value."""
    return -float_above(-value)
