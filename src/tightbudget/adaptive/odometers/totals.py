"""Running sums of many floats at once, never below the true sums: fast, and good to some thirty digits."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.adaptive.amounts import Amount
from tightbudget.numerics.rounding import float_above

Array = NDArray[np.float64]


class Totals(NamedTuple):
    """Sums of float64 arrays that are never below the true sums: high + low, low is what high lost to rounding."""

    high: Array
    low: Array

    @classmethod
    def zero(cls, size: int) -> "Totals":
        return cls(np.zeros(size), np.zeros(size))

    def plus(self, values: Array, count: int = 1) -> "Totals":
        """Return the sums with the values added `count` times."""
        if count > 1:
            return self._plus_many(values, count)
        with np.errstate(invalid="ignore", over="ignore"):
            high = self.high + values
            back = high - self.high
            lost = (self.high - (high - back)) + (values - back)  # exactly, if all is finite
            low = np.nextafter(self.low + lost, np.inf)
        return Totals(high, np.where(np.isfinite(high), low, 0.0))

    def up(self) -> Array:
        with np.errstate(over="ignore"):
            return np.nextafter(self.high + self.low, np.inf)

    def exact(self) -> list[Amount]:
        """Return the sums as they are kept."""
        pairs = zip(self.high.tolist(), self.low.tolist(), strict=True)
        return [Fraction(high) + Fraction(low) if math.isfinite(high) else math.inf for high, low in pairs]

    def plausible(self) -> bool:
        """Return whether these may be sums of amounts from 0: each addition loses at most u, 2^33 of them 2^-20."""
        high, low = self
        if not (np.all(high >= 0.0) and np.all(np.isfinite(low))):
            return False
        return bool(np.all(high + low >= 0.0) and np.all(np.abs(low) <= 2.0**-20 * high + 1e-300))

    def _plus_many(self, values: Array, count: int) -> "Totals":
        """Rounded up once, where adding one by one rounds `count` times: the two agree to some thirty digits."""
        each = zip(self.exact(), values.tolist(), strict=True)
        sums = [math.inf if math.inf in (total, value) else total + count * Fraction(value) for total, value in each]
        high, low = np.array([_high_and_low(total) for total in sums]).T
        return Totals(high, low)


def _high_and_low(amount: Amount) -> tuple[float, float]:
    """Return two floats that add up to the amount, or hardly more."""
    high = float_above(Fraction(amount)) if amount < math.inf else math.inf
    return (high, float_above(Fraction(amount) - Fraction(high))) if high < math.inf else (math.inf, 0.0)
