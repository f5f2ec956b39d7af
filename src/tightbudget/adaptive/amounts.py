"""Amounts as they were typed, and sums of them, exact.

Amounts that are computed (a Rényi divergence, a threshold) are floats or decimals rounded to the safe side, and those
are taken as they are.
"""

import itertools
import math
import operator
from fractions import Fraction

from tightbudget.mechanisms.exact_numbers import LONGEST_TEXT as LONGEST_TEXT
from tightbudget.mechanisms.exact_numbers import Amount as Amount
from tightbudget.mechanisms.exact_numbers import amount_to_float as amount_to_float
from tightbudget.mechanisms.exact_numbers import exact as exact
from tightbudget.mechanisms.exact_numbers import exact_probability as exact_probability
from tightbudget.mechanisms.exact_numbers import number_in_text
from tightbudget.mechanisms.exact_numbers import show as show
from tightbudget.numerics.rounding import float_above, raised

FINEST = 2**1000
"""Denominators of sums are no larger: what a filter or odometer writes down stays shorter than `LONGEST_TEXT`."""


def float_up(amount: Amount) -> float:
    """Return a float that, read as the decimal number it prints as, is no smaller than the amount."""
    nearest = amount_to_float(amount)
    if math.isinf(nearest) or number_in_text(repr(nearest)) >= amount:
        return nearest
    return math.nextafter(nearest, math.inf)


def binary_up(amount: Fraction | float) -> float:
    """Return a float whose binary value is no smaller than the amount; inf beyond the largest."""
    return amount if isinstance(amount, float) else float_above(amount)


def amount_rounded_up(value: float, roundings: float = 8.0) -> Amount:
    """Return a computed amount, at most the given number of roundings below its true value, raised to be no smaller."""
    bound = math.nextafter(raised(value, roundings + 2.0), math.inf)
    return Fraction(bound) if math.isfinite(bound) else math.inf


def sums_after(sums: tuple[Amount, ...], price: tuple[Amount, ...], count: int = 1) -> tuple[Amount, ...]:
    """Return the sums after `count` steps of this price."""
    if count == 1:
        try:
            return tuple(map(operator.add, sums, price))
        except OverflowError:  # inf added to a number that no float holds
            pass
    return tuple(map(_times_plus, sums, price, itertools.repeat(count)))


def tidy_amount(amount: Amount) -> Amount:
    """Return the amount, or one hardly above where its exact form has become too long to write down.

    Sums of 1/2, 1/3, 1/5, ... have ever longer denominators; sums of decimals do not, and stay as they are.
    """
    if isinstance(amount, float) or amount.denominator <= FINEST:
        return amount
    return Fraction(-(-amount.numerator * FINEST // amount.denominator), FINEST)


def _times_plus(total: Amount, amount: Amount, count: int) -> Amount:
    if math.inf in (total, amount):
        return math.inf if count else total
    return total + amount * count
