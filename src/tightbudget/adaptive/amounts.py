"""Amounts as they were typed: 0.1 is one tenth, and sums of amounts are exact.

A float that a person typed stands for the decimal number it prints as, not for the binary fraction nearest to it.
Amounts that are computed (a Rényi divergence, a threshold) are floats or decimals rounded to the safe side, and those
are taken as they are.
"""

import decimal
import itertools
import math
import numbers
import operator
from decimal import Decimal
from fractions import Fraction

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.numerics.rounding import float_above, raised

Amount = Fraction | int | float
"""An exact number; the only float in a sum is inf, for what no budget can pay."""

LONGEST_TEXT = 1000
FINEST = 2**1000
"""Denominators of sums are no larger: what a filter or odometer writes down stays shorter than `LONGEST_TEXT`."""
LARGEST_EXPONENT = 1000  # of ten, in text: 1e1000000000 is short to write and long to hold


def exact(name: str, value: object, allowed: str = "a finite number from 0") -> Fraction:
    """Return the number that was typed: a float by its shortest decimal form, text as a decimal number or as p/q.

    >>> exact("epsilon", 0.1), exact("epsilon", "1/3"), exact("epsilon", 2)
    (Fraction(1, 10), Fraction(1, 3), Fraction(2, 1))
    """
    if type(value) is float and 0.0 <= value < math.inf:  # by far the commonest case, decided fast
        return Fraction(*Decimal(repr(value)).as_integer_ratio())
    number = _read_amount(name, value, allowed)
    if number < 0:
        raise InvalidParameter(name, value, allowed)
    return number


def exact_probability(name: str, value: object) -> Fraction:
    number = exact(name, value, "a number from 0 to 1")
    if number > 1:
        raise InvalidParameter(name, value, "a number from 0 to 1", "It is a probability; 1e-6 is a usual choice.")
    return number


def _read_amount(name: str, value: object, allowed: str) -> Fraction:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidParameter(name, value, allowed)
    if isinstance(value, bool) or not isinstance(value, float | str | Decimal | numbers.Rational):
        raise InvalidParameter(name, value, allowed, "Give a number, a Fraction, a Decimal or text such as '0.1'.")
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    try:
        return _from_text(repr(value) if isinstance(value, float) else str(value))
    except (ValueError, ZeroDivisionError, decimal.InvalidOperation):
        raise InvalidParameter(name, value, allowed, "Give a number, a Fraction, a Decimal or text such as '0.1'.") from None


def _from_text(text: str) -> Fraction:
    if len(text) > LONGEST_TEXT:
        raise ValueError
    if "/" in text:
        above, _, below = text.partition("/")
        return Fraction(int(above), int(below))
    number = Decimal(text)
    if not number.is_finite() or (number and abs(number.adjusted()) > LARGEST_EXPONENT):
        raise ValueError
    return Fraction(number)


def show(amount: Amount) -> str:
    """Return the number as text that `exact` reads back to the same number: decimal if it ends, else p/q.

    >>> show(Fraction(1, 10)), show(Fraction(1, 3)), show(Fraction(3))
    ('0.1', '1/3', '3')
    """
    if isinstance(amount, float):
        return repr(amount)
    if amount.denominator == 1 and abs(amount.numerator) < 10**16:
        return str(amount.numerator)
    nearest = amount_to_float(amount)
    if math.isfinite(nearest) and _from_text(repr(nearest)) == amount:
        return repr(nearest)
    return f"{amount.numerator}/{amount.denominator}"


def amount_to_float(amount: Amount) -> float:
    """Return the nearest float; inf beyond the largest one."""
    if isinstance(amount, float):
        return amount
    try:
        return amount.numerator / amount.denominator
    except OverflowError:
        return math.inf


def float_up(amount: Amount) -> float:
    """Return a float that, read as the decimal number it prints as, is no smaller than the amount."""
    nearest = amount_to_float(amount)
    if math.isinf(nearest) or _from_text(repr(nearest)) >= amount:
        return nearest
    return math.nextafter(nearest, math.inf)


def binary_up(amount: Fraction | float) -> float:
    """Return a float whose binary value is no smaller than the amount; inf beyond the largest."""
    return amount if isinstance(amount, float) else float_above(amount)


def rounded_up(value: float, roundings: float = 8.0) -> Amount:
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
