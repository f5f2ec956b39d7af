"""What a swept parameter may be: a number, or a piece of notation; never NaN."""

import math
import numbers
from typing import Any

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import not_lost_to_zero, real
from tightbudget.mechanisms.composition import Composable

Value = int | float | str

ALLOWED = "a number, or text in the notation"
LARGEST_WHOLE = 2**63 - 1  # what a column of whole numbers holds


def value(name: str, given: Any) -> Value:
    """Return a plain value, of whatever kind it was given: numbers of NumPy, fractions, compositions."""
    if isinstance(given, str):
        return given
    if isinstance(given, Composable):
        return str(given)
    if not isinstance(given, bool) and isinstance(given, numbers.Integral):
        return _whole_swept_value(name, int(given))
    number = not_lost_to_zero(name, given, real(name, given, ALLOWED), ALLOWED)
    if math.isnan(number):
        raise InvalidParameter(name, given, ALLOWED)
    return number


def _whole_swept_value(name: str, number: int) -> int:
    if abs(number) > LARGEST_WHOLE:
        raise InvalidParameter(name, number, f"a whole number of at most {LARGEST_WHOLE}", "Write it with a point, as in 1e30.")
    return number


def one_kind(name: str, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the values as they fit one column: all text, all whole, or all floats."""
    if any(isinstance(one, str) for one in values):
        odd = next((one for one in values if not isinstance(one, str)), None)
        if odd is not None:
            raise InvalidParameter(name, odd, "text as its other values are", "A parameter has numbers or text, not both.")
        return values
    if all(isinstance(one, int) for one in values):
        return values
    return tuple(_as_float(name, one) for one in values)


def _as_float(name: str, one: Value) -> float:
    if float(one) != one:
        raise InvalidParameter(name, one, "a number that a float holds, as its other values are")
    return float(one)
