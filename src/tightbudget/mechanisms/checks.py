"""What a parameter may be: each check returns a plain number or names the value, what is allowed and what to do."""

import math
import numbers
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.numerics.typed import TypedFloat

MOST_REPETITIONS = 2**53
_SMALLEST_EXPONENT = -1000  # of ten: 1e-1000000000 is short to write and long to hold


def real(name: str, value: object, allowed: str) -> float:
    if isinstance(value, Decimal):
        return _float_of_decimal(name, value, allowed)
    if isinstance(value, str | bytes):
        raise InvalidParameter(name, value, allowed, "This is text: give the number itself, without quotes.")
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        try:
            array = np.asarray(value)
            if array.ndim or array.dtype.kind not in "fiu":
                raise TypeError
            value = float(array)
        except (TypeError, ValueError, RuntimeError):  # the last by tensors that keep track of gradients
            raise InvalidParameter(name, value, allowed, _hint_of_item(value)) from None
    try:
        return float(value)
    except OverflowError:
        raise InvalidParameter(name, "a number beyond 1e308", allowed) from None


def _hint_of_item(value: object) -> str:
    """Return what to write for a tensor or an array that holds one number; nothing for anything else."""
    try:
        held = value.item()  # type: ignore[attr-defined]
    except Exception:  # whatever objects of other packages raise
        return ""
    return "It holds one number: give its .item()." if type(held) in (int, float) else ""


def _float_of_decimal(name: str, value: Decimal, allowed: str) -> float:
    """Return the float nearest to a decimal number, unless that is so far from all that its fraction is endless."""
    if value.is_nan():
        raise InvalidParameter(name, value, allowed)
    number = float(value)
    if math.isinf(number) and value.is_finite():
        raise InvalidParameter(name, "a number beyond 1e308", allowed)
    if value and value.adjusted() < _SMALLEST_EXPONENT:
        not_lost_to_zero(name, value, number, allowed)
    return number


def not_lost_to_zero(name: str, value: object, number: float, allowed: str) -> float:
    """Return the float of a value, unless it is 0 and the value is not: a fraction, say, that no float is near."""
    if number == 0.0 and value != 0:
        raise InvalidParameter(name, "nearer to 0 than any float", allowed, "The smallest float above 0 is 5e-324.")
    return number


def exact_value(value: object) -> Fraction | None:
    """Return the exact number that a value stands for if it is finite and no float: a fraction, a decimal number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]  # a number that cannot be changed behind our back
    if isinstance(value, TypedFloat):
        return Fraction(value.exact)
    if isinstance(value, float):
        return None
    if isinstance(value, numbers.Integral):
        return Fraction(int(value))
    try:
        return Fraction(*value.as_integer_ratio())  # type: ignore[attr-defined]
    except (AttributeError, TypeError, ValueError, OverflowError):  # nothing of the kind, or not finite
        return None


def limit_below(value: object, number: float) -> float:
    """Return a limit, which was read as this number, as a float that is no larger; a float stays as it is.

    Every limit that must not be exceeded is read this way: neither the float nor the decimal number it prints as is
    above the given value, unless that was a float.
    """
    exact = exact_value(value)
    if exact is None or not math.isfinite(number) or Fraction(number) == exact:
        return number
    while max(Fraction(number), Fraction(repr(number))) > exact:
        number = math.nextafter(number, -math.inf)
    return number


def limit_above(value: object, number: float) -> float:
    """Return a float that is no smaller than the number, inf if need be: for numbers that are safe if rounded up."""
    exact = exact_value(value)
    if exact is None:
        return number
    while math.isfinite(number) and min(Fraction(number), Fraction(repr(number))) < exact:
        number = math.nextafter(number, math.inf)
    return number


def epsilon_asked(value: object) -> float:
    epsilon = not_lost_to_zero("epsilon", value, real("epsilon", value, "a number from 0 to inf"), "a number from 0 to inf")
    if not epsilon >= 0.0:
        raise InvalidParameter("epsilon", value, "a number from 0 to inf")
    return epsilon


def any_epsilon_asked(value: object) -> float:
    """Return an epsilon, which may be negative: the privacy profile is defined there too."""
    epsilon = not_lost_to_zero("epsilon", value, real("epsilon", value, "a number"), "a number")
    if math.isnan(epsilon):
        raise InvalidParameter("epsilon", value, "a number")
    return epsilon


def delta_asked(value: object) -> float:
    delta = not_lost_to_zero("delta", value, real("delta", value, "a number from 0 to 1"), "a number from 0 to 1")
    if not 0.0 <= delta <= 1.0:
        raise InvalidParameter("delta", value, "a number from 0 to 1", "It is a probability; 1e-6 is a usual choice.")
    return delta


MOST_EFFORT = 64.0


def asked_width(rtol: object, atol: object, effort: object = None) -> tuple[float, float, float | None]:
    """Return how narrow a bracket should be, and how much work it may take."""
    relative, absolute = real("rtol", rtol, "a number above 0"), real("atol", atol, "a number, 0 or more")
    if not 0.0 < relative < math.inf:
        raise InvalidParameter("rtol", rtol, "a number above 0", "1e-3 is the default; 1e-6 is narrow.")
    if not 0.0 <= absolute < math.inf:
        raise InvalidParameter("atol", atol, "a finite number, 0 or more")
    if effort is None:
        return relative, absolute, None
    work = real("effort", effort, f"a number above 0, at most {MOST_EFFORT:g}")
    if not 0.0 < work <= MOST_EFFORT:
        raise InvalidParameter("effort", effort, f"a number above 0, at most {MOST_EFFORT:g}", "1 is usual; 16 is a lot.")
    return relative, absolute, work


def whole_count(value: object, name: str = "count", least: int = 0, hint: str = "") -> int:
    if type(value) is int and least <= value <= MOST_REPETITIONS:  # as nearly all are
        return value
    allowed = f"a whole number from {least} to {MOST_REPETITIONS}"
    number = real(name, value, allowed)
    # a float may have rounded a whole number beyond the largest down to it
    exact = Fraction(value) if isinstance(value, numbers.Rational | Decimal) and math.isfinite(number) else number
    if not (least <= number <= MOST_REPETITIONS and exact == math.floor(number)):
        raise InvalidParameter(name, value, allowed, hint)
    return int(number)


def positive(name: str, value: object, hint: str = "", *, zero: bool = False, infinite: bool = False) -> float:
    """Check that a parameter is a number above 0 (or from 0), finite unless `infinite`; return it as given."""
    allowed = f"a {'' if infinite else 'finite '}number{', 0 or more' if zero else ' above 0'}"
    number = real(name, value, allowed)
    if not (number > 0.0 or (zero and number == 0.0)) or (math.isinf(number) and not infinite):
        raise InvalidParameter(name, value, allowed, hint)
    return number


def probability(name: str, value: object, hint: str = "") -> float:
    """Check that a parameter is between 0 and 1."""
    number = real(name, value, "between 0 and 1")
    if not 0.0 <= number <= 1.0:
        raise InvalidParameter(name, value, "between 0 and 1", hint)
    return number


def numbers_from_0(name: str, values: object) -> tuple[float, ...]:
    """Return a list of numbers from 0 as floats."""
    return _numbers_within(name, values, "a list of finite numbers, 0 or more, as in [0, 1]", "a finite number, 0 or more")


def probabilities(name: str, values: object, hint: str = "") -> tuple[float, ...]:
    """Return a list of numbers from 0 to 1 as floats."""
    given = _numbers_within(name, values, "a list of numbers between 0 and 1, as in [0.1, 0.2]", "between 0 and 1")
    for place, value in enumerate(given):
        probability(f"{name}[{place}]", value, hint)
    return given


def _numbers_within(name: str, values: object, allowed: str, each: str) -> tuple[float, ...]:
    if isinstance(values, str | bytes | dict | set) or not isinstance(values, Iterable):
        raise InvalidParameter(name, values, allowed)
    given = list(values)
    if not given:
        raise InvalidParameter(name, "an empty list", allowed)
    numbers = []
    for place, value in enumerate(given):
        where = f"{name}[{place}]"
        number = not_lost_to_zero(where, value, real(where, value, each), each)
        if not 0.0 <= number < math.inf:
            raise InvalidParameter(where, value, each)
        numbers.append(abs(number))  # -0.0 is 0
    return tuple(numbers)


def group_size(value: object) -> int:
    return whole_count(value, "k", least=1, hint="A group has at least one record.")
