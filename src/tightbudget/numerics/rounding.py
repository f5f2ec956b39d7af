"""The unit of rounding, and sums and products that end on the promised side."""

import math

U = 2.0**-53
"""Largest relative error of one float64 operation (M1)."""


def up(value: float, ulps: int = 1) -> float:
    """Return a float no smaller than any real number within `ulps` roundings of value."""
    return math.nextafter(value * (1.0 + math.copysign(ulps * 2 * U, value)), math.inf)


def down(value: float, ulps: int = 1) -> float:
    """Return a float no larger than any real number within `ulps` roundings of value."""
    return math.nextafter(value * (1.0 - math.copysign(ulps * 2 * U, value)), -math.inf)
