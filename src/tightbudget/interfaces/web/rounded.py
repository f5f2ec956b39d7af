"""Numbers as pages show them: bounds rounded outward, so that what is read is a bound too."""

from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any

from tightbudget.numerics.decimals import decimal_rounded

DIGITS = 4


def at_most(value: Any, digits: int = DIGITS) -> str:
    """Return a lower end, rounded down.

    >>> at_most(1.31859), at_least(1.31859), at_least("inf")
    ('1.318', '1.319', '∞')
    """
    return _rounded_for_page(value, digits, ROUND_FLOOR)


def at_least(value: Any, digits: int = DIGITS) -> str:
    """Return an upper end, rounded up."""
    return _rounded_for_page(value, digits, ROUND_CEILING)


def percent_at_least(part: float, digits: int = 3) -> str:
    """Return a part in hundredths, rounded up.

    >>> percent_at_least(0.5), percent_at_least(0.12345)
    ('50', '12.4')
    """
    text = at_least(100.0 * part, digits)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _rounded_for_page(value: Any, digits: int, rounding: str) -> str:
    number = float(value)
    if number == float("inf"):
        return "∞"
    return decimal_rounded(number, digits, rounding)
