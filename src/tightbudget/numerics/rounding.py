"""The units of rounding, and numbers on a chosen side of others (M1).

The helpers take floats and arrays alike, of numbers from 0 on: a factor above 1 would lower a negative one. No factor
moves 0, nor the smallest denormals. Where a result may be that small, use `strictly_raised` and `strictly_lowered`.
"""

import math
import sys
from fractions import Fraction
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

U = 2.0**-53
"""Largest relative error of one float64 operation (M1)."""

TINIEST = 2.0**-1074
"""The smallest float above 0: the absolute error of one operation whose result is denormal (M1)."""

AMPLE = 1e-12
"""A relative allowance of 9,000 roundings: for a formula of fixed length, its elementary functions included."""

GENEROUS = 1e-9
"""A relative allowance of nine million roundings: for sums of up to 2^23 terms, and bounds that are rough anyway."""


@overload
def raised(value: float, roundings: float) -> float: ...
@overload
def raised(value: "NDArray[np.float64]", roundings: float) -> "NDArray[np.float64]": ...
def raised(value: "float | NDArray[np.float64]", roundings: float) -> "float | NDArray[np.float64]":
    """Return value (1 + roundings u), for an even number of roundings.

    Promise: at least the exact number, if value is what `roundings - 2` roundings made of it (2 make up for 1, too).
    """
    return value * (1.0 + roundings * U)


@overload
def lowered(value: float, roundings: float) -> float: ...
@overload
def lowered(value: "NDArray[np.float64]", roundings: float) -> "NDArray[np.float64]": ...
def lowered(value: "float | NDArray[np.float64]", roundings: float) -> "float | NDArray[np.float64]":
    """Return value (1 - roundings u).

    Promise: at most the exact number, if value is what `roundings - 2` roundings made of it (2 make up for 1, too).
    """
    return value * (1.0 - roundings * U)


@overload
def strictly_raised(value: float, roundings: float) -> float: ...
@overload
def strictly_raised(value: "NDArray[np.float64]", roundings: float) -> "NDArray[np.float64]": ...
def strictly_raised(value: "float | NDArray[np.float64]", roundings: float) -> "float | NDArray[np.float64]":
    """Return value (1 + roundings u) + 2^-1074.

    Promise: that of `raised`, also if the last operation underflowed; above value even if that is 0.
    """
    return value * (1.0 + roundings * U) + TINIEST


@overload
def strictly_lowered(value: float, roundings: float) -> float: ...
@overload
def strictly_lowered(value: "NDArray[np.float64]", roundings: float) -> "NDArray[np.float64]": ...
def strictly_lowered(value: "float | NDArray[np.float64]", roundings: float) -> "float | NDArray[np.float64]":
    """Return value (1 - roundings u) - 2^-1074.

    Promise: that of `lowered`, also if the last operation underflowed; below value even if that is 0.
    """
    return value * (1.0 - roundings * U) - TINIEST


@overload
def raised_by(value: float, share: float) -> float: ...
@overload
def raised_by(value: "NDArray[np.float64]", share: float) -> "NDArray[np.float64]": ...
def raised_by(value: "float | NDArray[np.float64]", share: float) -> "float | NDArray[np.float64]":
    """Return value (1 + share), for a share up to `GENEROUS`.

    Promise: at least the exact number, if the relative error of value is at most the share less 4u.
    """
    return value * (1.0 + share)


@overload
def lowered_by(value: float, share: float) -> float: ...
@overload
def lowered_by(value: "NDArray[np.float64]", share: float) -> "NDArray[np.float64]": ...
def lowered_by(value: "float | NDArray[np.float64]", share: float) -> "float | NDArray[np.float64]":
    """Return value (1 - share), for a share up to `GENEROUS`.

    Promise: at most the exact number, if the relative error of value is at most the share less 4u.
    """
    return value * (1.0 - share)


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
