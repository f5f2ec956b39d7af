"""Numbers as people type them, read without a silent change of what they mean."""

import math


class NoFloat(ValueError):
    """A number that no float is near; the message says how it is out of range."""


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
