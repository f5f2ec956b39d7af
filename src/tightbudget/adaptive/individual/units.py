"""Amounts as whole numbers of a decimal unit, so that a float64 holds every balance exactly (M17).

One unit is 10^-k. A balance is a whole number of units below 2^53, hence adding to it is exact, in any order, and 0.1
spent ten times is 1.0. An amount that is no whole number of units costs the next one up.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tightbudget.adaptive.amounts import amount_to_float
from tightbudget.errors import InvalidParameter
from tightbudget.numerics.rounding import raised

Array = NDArray[np.float64]

MOST = 10**15  # units in a budget: twice this is still below 2^53, so a refused sum is exact too
FINEST = 22  # 10^22 is the largest power of ten that is a float64
SMALLEST, LARGEST = Fraction(1, 10**12), Fraction(MOST)


@dataclass(frozen=True)
class Units:
    """The unit of one budget, and how many of it the budget holds; `squares` if amounts are squared first."""

    budget: Fraction
    squares: bool

    def __post_init__(self) -> None:
        if not SMALLEST <= self.total <= LARGEST:
            allowed = "from 1e-6 to 3e7" if self.squares else "from 1e-12 to 1e15"
            raise InvalidParameter("budget", amount_to_float(self.budget), allowed)

    @property
    def total(self) -> Fraction:
        return self.budget**2 if self.squares else self.budget

    @property
    def digits(self) -> int:
        """k, with 10^-k the unit: as fine as `MOST` and `FINEST` allow."""
        k = FINEST
        while self.total * 10**k > MOST:
            k -= 1
        return k

    @property
    def limit(self) -> float:
        return float(math.floor(self.total * 10**self.digits))

    def of_number(self, amount: Fraction | float) -> float:
        """Return what one exact amount costs; more than the budget is all the same."""
        if isinstance(amount, float):  # infinite
            return 2.0 * MOST
        exact = amount**2 if self.squares else amount
        return float(min(math.ceil(exact * 10**self.digits), 2 * MOST))

    def of_array(self, amounts: Array, scale: float) -> Array:
        """Return what each amount costs, `scale` being 10^k.

        The whole number n nearest to the product is at most half a unit off, and the rounding of the product is less
        than another half, so n or n + 1 is enough. n is, if n/10^k (correctly rounded, as both are exact) is not below
        the amount. If the two are equal floats the amount may exceed n/10^k by a relative u: see GUARANTEED. A root is
        rounded once more, so it is raised first, or 0.12345 could cost a unit too much.
        """
        with np.errstate(over="ignore"):  # an infinite cost is one that no budget pays
            costs = np.rint((amounts * amounts if self.squares else amounts) * scale)
        worth = costs / scale
        if self.squares:
            np.sqrt(worth, out=worth)
            worth *= raised(1.0, 2)
        costs += worth < amounts
        np.minimum(costs, 2.0 * MOST, out=costs)
        return costs


GUARANTEED = 1 + Fraction(1, 2**49)
"""Amounts given as float64 add up, as the binary numbers they are, to at most this factor of the budget (`of_array`).

x <= fl(n/10^k) <= n/10^k (1 + u). If squared, x <= root(n/10^k) (1 + u)^(1/2) (1 + u) (1 + 2u) (1 + u), so x^2 is at
most n/10^k (1 + 10u). Both factors are below 1 + 16u.
"""
