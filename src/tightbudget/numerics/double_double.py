"""Numbers of twice the digits, as unevaluated sums of two floats: for differences that cancel (M1).

Sums are exact (Knuth); products are exact but for what underflows (Dekker). Nothing here may be larger than 2^990.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SPLITTER = 134217729.0  # 2^27 + 1
QUOTIENT_ERROR = 2.0**-96
"""Relative error of `quotient`, with much room: some 2^-102 if neither number is below 1e-290."""


class Double(NamedTuple):
    """high + low, with |low| at most half a unit of the last place of high."""

    high: Array
    low: Array


def double_difference(x: Array, y: Array) -> Double:
    """Return x - y exactly."""
    high = x - y
    part = high - x
    return Double(high, (x - (high - part)) - (y + part))


def double_quotient(x: Double, y: Double) -> Double:
    """Return x / y, good to `QUOTIENT_ERROR`."""
    first = x.high / y.high
    product, rest = _exact_double_product(first, y.high)
    second = (((x.high - product) - rest) + x.low - first * y.low) / y.high
    return _normalised_double(first, second)


def double_less(x: Double, y: Double) -> Array:
    """Return x - y as one float, good to 2u of itself and 2^-104 of x and y."""
    high, low = double_difference(x.high, y.high)
    total: Array = high + (low + (x.low - y.low))
    return total


def double_plus(x: Double, y: Array) -> Double:
    """Return x + y, good to 2^-104 of the larger of them."""
    high, low = double_difference(x.high, -y)
    return _normalised_double(high, low + x.low)


def _normalised_double(high: Array, low: Array) -> Double:
    total = high + low
    return Double(total, low - (total - high))


def _exact_double_product(x: Array, y: Array) -> Double:
    high = x * y
    (x_high, x_low), (y_high, y_low) = _split_double(x), _split_double(y)
    return Double(high, ((x_high * y_high - high) + x_high * y_low + x_low * y_high) + x_low * y_low)


def _split_double(x: Array) -> Double:
    scaled = _SPLITTER * x
    high = scaled - (scaled - x)
    return Double(high, x - high)
