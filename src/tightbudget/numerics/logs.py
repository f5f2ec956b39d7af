"""Logarithms of fractions, and sums of numbers given by their logarithms."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.rounding import float_above, raised

Array = NDArray[np.float64]

_LN2 = math.log(2.0)
_SMALL = 1e-280  # of the largest: what floats lose of the terms of a sum is far less than a rounding of it
_SHORT = 256  # of which logarithms are quickly added up
_ROUNDINGS = 16  # of a conversion and a logarithm, each good to 2u, the conversion relative to a log of at least ln 2


def log_sum(logs: Array) -> float:
    """Return log(sum(exp(logs))); good to about size(logs) roundings, relatively to the sum."""
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).sum())) if top > -math.inf else -math.inf


def log_tails(logs: Array) -> Array:
    """Return log(sum(exp(logs[i:]))) for each i; good to about size(logs) roundings, relatively to each sum."""
    top = float(logs.max(initial=-math.inf))
    first = 0  # of those that have to be added up as logarithms, which takes several times as long
    found = np.empty(logs.size)
    if logs.size > _SHORT and math.isfinite(top):
        sums = np.exp(logs - top)[::-1].cumsum()[::-1]
        first = int(np.count_nonzero(sums > _SMALL))
        found[:first] = top + np.log(sums[:first])
    found[first:] = np.logaddexp.accumulate(logs[first:][::-1])[::-1]
    return found


def group_log_sum(logs: Array, starts: NDArray[np.intp]) -> Array:
    """Return log(sum(exp(logs[starts[i]:starts[i+1]]))) for each i, however small the sums are."""
    peaks = np.maximum.reduceat(logs, starts)
    peaks = np.where(np.isfinite(peaks), peaks, 0.0)
    each = np.repeat(peaks, np.diff(starts, append=logs.size))
    with np.errstate(divide="ignore"):
        return peaks + np.log(np.add.reduceat(np.exp(logs - each), starts))


def log_fraction(value: Fraction) -> float:
    """Return log(value) of any fraction above 0, good to 12 roundings of its size."""
    if value == 1:
        return 0.0
    if Fraction(1, 2) < value < 2:  # the difference from 1 is what counts
        return math.log1p(float(value - 1))
    shift = value.denominator.bit_length() - value.numerator.bit_length()
    return math.log(float(value * Fraction(2) ** shift)) - shift * _LN2


def log_reciprocal(probability: Fraction) -> float:
    """Return ln(1/probability), rounded up, for a probability from 1e-300 to 1."""
    if probability > Fraction(1, 2):  # a float would have lost 1 - probability
        value = -math.log1p(-float_above(1 - probability))
    else:
        value = -math.log(probability.numerator / probability.denominator)
    return math.nextafter(raised(value, _ROUNDINGS), math.inf)  # the smallest floats are not raised by a factor
