"""Numbers as they were typed, exactly: 0.1 is one tenth.

A float that a person typed stands for the decimal number it prints as, not for the binary fraction nearest to it.
"""

import decimal
import math
import numbers
from decimal import Decimal
from fractions import Fraction

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.numerics.typed import TypedFloat

Amount = Fraction | int | float
"""An exact number; the only float in a sum is inf, for what no budget can pay."""

LONGEST_TEXT = 1000
_LONGEST_QUOTIENT = 4 * LONGEST_TEXT + 10  # as which any number is written that such a text may say
LARGEST_EXPONENT = 1000  # of ten, in text: 1e1000000000 is short to write and long to hold


def exact(name: str, value: object, allowed: str = "a finite number, 0 or more") -> Fraction:
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
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidParameter(name, value, allowed)
    if isinstance(value, bool) or not isinstance(value, float | str | Decimal | numbers.Rational):
        raise InvalidParameter(name, value, allowed, "Give a number, a Fraction, a Decimal or text such as '0.1'.")
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    try:
        if isinstance(value, TypedFloat):
            return number_in_text(str(value.exact))
        return number_in_text(repr(value) if isinstance(value, float) else str(value))
    except (ValueError, ZeroDivisionError, decimal.InvalidOperation):
        raise InvalidParameter(name, value, allowed, "Give a number, a Fraction, a Decimal or text such as '0.1'.") from None


def number_in_text(text: str) -> Fraction:
    if len(text) > (_LONGEST_QUOTIENT if "/" in text else LONGEST_TEXT):
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
    if math.isfinite(nearest) and number_in_text(repr(nearest)) == amount:
        return repr(nearest)
    return f"{amount.numerator}/{amount.denominator}"


def literal(number: Fraction) -> str:
    """Return the number as the notation and Python write it: what no float prints as is text.

    >>> literal(Fraction(1, 10)), literal(Fraction(1, 3))
    ('0.1', '"1/3"')
    """
    text = show(number)
    return f'"{text}"' if "/" in text else text


def amount_to_float(amount: Amount) -> float:
    """Return the nearest float; inf beyond the largest one."""
    if isinstance(amount, float):
        return amount
    try:
        return amount.numerator / amount.denominator
    except OverflowError:
        return math.inf
