"""Floats written as decimal numbers that lie on a chosen side of them."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

# So many name one float, whichever way they are rounded: they are less than 1e-17 apart relatively, halves of floats
# 2^-54.
MOST_DIGITS = 18


def decimal_rounded(value: float, digits: int, rounding: str) -> str:
    """Return the value in so many significant digits, rounded as asked.

    >>> decimal_rounded(1.23456111, 6, ROUND_CEILING), decimal_rounded(1e-7 / 3, 6, ROUND_FLOOR)
    ('1.23457', '3.33333e-8')
    """
    if math.isinf(value) or value == 0.0:
        return "inf" if value else "0"
    exact = Context(prec=digits, rounding=rounding).create_decimal(Decimal(value))
    return f"{exact:f}" if 1e-4 <= value < 1e6 else f"{exact:e}"


def decimal_at_most(value: float) -> str:
    """Return the shortest decimal number that is at most the value and that every reader of floats takes for it.

    >>> decimal_at_most(0.1), decimal_at_most(0.3), decimal_at_most(0.5)
    ('0.1', '0.29999999999999998', '0.5')
    """
    return _shortest_decimal(value, ROUND_FLOOR)


def decimal_at_least(value: float) -> str:
    """Return the shortest decimal number that is at least the value and that every reader of floats takes for it.

    >>> decimal_at_least(0.1), decimal_at_least(0.3), decimal_at_least(0.5)
    ('0.10000000000000001', '0.3', '0.5')
    """
    return _shortest_decimal(value, ROUND_CEILING)


def _shortest_decimal(value: float, rounding: str) -> str:
    """Return the fewest digits that do; the usual shortest form if it lies on the right side."""
    exact, usual = Decimal(value), Decimal(repr(value))
    if (usual <= exact) if rounding == ROUND_FLOOR else (usual >= exact):
        return repr(value)
    for digits in range(len(usual.as_tuple().digits), MOST_DIGITS + 1):
        text = str(Context(prec=digits, rounding=rounding).create_decimal(exact)).lower()
        if float(text) == value:
            return text
    raise AssertionError("unreachable")
