"""Numbers as people type them, read without a silent change of what they mean."""

import math
import re
from decimal import Decimal, InvalidOperation

_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")


class NoFloat(ValueError):
    """A number that no float is near; the message says how it is out of range."""


class TypedFloat(float):
    """The float nearest to a number that was written with more digits than floats have; `exact` is that number.

    Code that reads a limit rounds `exact` to the safe side (`mechanisms/checks.py`); all other code sees a float.
    """

    exact: Decimal

    def __new__(cls, value: float, exact: Decimal | None = None) -> "TypedFloat":
        made = super().__new__(cls, value)
        made.exact = Decimal(repr(float(value))) if exact is None else exact
        return made


def typed_float(text: str) -> float:
    """Return the float nearest to the number that was typed; raise ValueError if it is none.

    1e-400 is not 0 and 1e400 is not infinite: to read them so would answer another question without a word.

    >>> typed_float("1e-6"), typed_float("inf"), typed_float("0e-999")
    (1e-06, inf, 0.0)
    >>> typed_float("1e-400")
    Traceback (most recent call last):
        ...
    tightbudget.numerics.typed.NoFloat: too small for a float; the smallest above 0 is 5e-324
    """
    value = float(text)
    digits = [int(c) for c in text.lower().partition("e")[0] if c.isdecimal()]
    if value == 0.0 and any(digits):
        raise NoFloat("too small for a float; the smallest above 0 is 5e-324")
    if math.isinf(value) and digits:
        raise NoFloat("too large for a float; the largest is 1.8e308")
    return value


def typed_number(text: str) -> float:
    """Return the float of `typed_float`, as a `TypedFloat` if it prints as another number than the one that was typed.

    >>> typed_number("0.099999999999999999"), getattr(typed_number("0.099999999999999999"), "exact")
    (0.1, Decimal('0.099999999999999999'))
    """
    value = typed_float(text)
    try:
        exact = Decimal(text)
    except InvalidOperation:  # beyond the exponents of decimals, where a float is 0
        return value
    return value if not math.isfinite(value) or exact == Decimal(repr(value)) else TypedFloat(value, exact)


def toml_float(text: str) -> float:
    """Return a number of a TOML file, whose underscores and infinities are as in Python."""
    try:
        return typed_number(text)
    except NoFloat:  # the file is read as TOML says; the code that takes a number checks it
        return float(text)


def written_without_comma(text: str, whole: bool) -> str:
    """Return what to write in place of a number with a comma; nothing where nobody can tell what was meant.

    A comma before three digits may be a decimal one: both readings are offered, unless the number must be whole, or
    begins with 0 as no thousands do.

    >>> written_without_comma("1,000", whole=True), written_without_comma("0,001", whole=False)
    ('1000 or 1_000', '0.001, with a decimal point')
    >>> written_without_comma("1,500", whole=False)
    '1500 or 1_500, or with a decimal point 1.500'
    """
    thousands = f"{text.replace(',', '')} or {text.replace(',', '_')}" if _THOUSANDS.fullmatch(text) else ""
    decimal = text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) and not whole else ""
    if thousands and decimal:
        return f"{thousands}, or with a decimal point {decimal}"
    return thousands or (f"{decimal}, with a decimal point" if decimal else "")
