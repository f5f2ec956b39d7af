"""Brackets: a number of which we know only a lower and an upper end."""

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn

from tightbudget.errors import InvalidParameter
from tightbudget.numerics.attempt import Attempt
from tightbudget.numerics.format_spec import formatted_ends
from tightbudget.numerics.rounding import float_above, float_below

_NO_ORDER = (
    "A Bracket has two ends, and a limit may lie between them: ask bracket.certainly_at_most(limit) or "
    "bracket.certainly_above(limit), or compare bracket.upper or bracket.lower."
)


@dataclass(frozen=True, slots=True)
class Bracket:
    """A real number of which we know that lower <= it <= upper.

    `converged` says whether the bracket is as narrow as was asked for; if not, `reason` says why. It is valid either
    way. `relation` is the neighbouring relation the number is for. `trace` lists what was computed on the
    way; it is no part of the value.

    Printing rounds outward, and so does formatting: `f"{bracket:.3f}"` is a bound too.

    >>> bracket = Bracket(0.123456789, 0.123456999)
    >>> print(bracket, f"{bracket:.3f} {bracket:.2e} {bracket:.1%}")
    [0.12345678, 0.12345700] [0.123, 0.124] [1.23e-1, 1.24e-1] [12.3%, 12.4%]
    """

    lower: float
    upper: float
    converged: bool = True
    reason: str = ""
    relation: str = ""
    trace: tuple[Attempt, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if not (type(self.lower) is type(self.upper) is float):
            object.__setattr__(self, "lower", _plain_end("lower", self.lower, float_below))
            object.__setattr__(self, "upper", _plain_end("upper", self.upper, float_above))
        if not self.lower <= self.upper:  # written so that NaN is refused too
            raise ValueError(f"empty bracket: lower={self.lower!r}, upper={self.upper!r}")

    @property
    def width(self) -> float:
        return 0.0 if self.lower == self.upper else self.upper - self.lower

    @property
    def estimate(self) -> float:
        """Return a point inside that cancels the leading discretisation error (M6); no guarantee beyond the bracket."""
        if self.lower <= 0.0 or math.isinf(self.upper):
            return self.upper
        middle = math.exp((math.log(self.upper) + 2.0 * math.log(self.lower)) / 3.0)
        return min(max(middle, self.lower), self.upper)

    def certainly_at_most(self, limit: float) -> bool:
        return self.upper <= limit

    def certainly_above(self, limit: float) -> bool:
        return self.lower > limit

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    def __str__(self) -> str:
        digits = _digits_of_bracket(self.lower, self.upper)
        return f"[{_outward_end(self.lower, digits, ROUND_FLOOR)}, {_outward_end(self.upper, digits, ROUND_CEILING)}]"

    def __format__(self, spec: str) -> str:
        """Return both ends as the specification says for floats, rounded outward; a width is that of the whole text."""
        return formatted_ends(self.lower, self.upper, spec, str(self))

    if not TYPE_CHECKING:  # type checkers see that there are none; who runs the code is told what to write

        def __float__(self) -> NoReturn:
            raise TypeError("A Bracket is no single number: take bracket.upper, which is certified, or bracket.lower.")

        def __lt__(self, other: object) -> NoReturn:
            raise TypeError(_NO_ORDER)

        __le__ = __gt__ = __ge__ = __lt__

    def _repr_html_(self) -> str:
        from tightbudget.markup import html_record

        rows = [("true value in", str(self)), ("relation", self.relation)]
        if not self.converged:
            rows.append(("wider than asked", self.reason))
        return html_record((what, text) for what, text in rows if text)


def _plain_end(name: str, value: object, rounded: Callable[[Fraction], float]) -> float:
    """Return the float of a number of another kind, rounded outward."""
    if not isinstance(value, numbers.Real):
        raise InvalidParameter(name, value, "a number")
    if isinstance(value, numbers.Rational):
        return rounded(Fraction(value))
    if hasattr(value, "as_integer_ratio") and math.isfinite(value):  # long doubles have more digits than floats
        return rounded(Fraction(*value.as_integer_ratio()))
    return float(value)


def _digits_of_bracket(lower: float, upper: float) -> int:
    """Return how many significant digits show where the two ends part, and one more; each end may be used alone."""
    if not (0.0 < lower < upper < math.inf):
        return 6 if lower != upper else 17
    return min(17, max(5, 2 - math.floor(math.log10((upper - lower) / upper))))


def _outward_end(value: float, digits: int, rounding: str) -> str:
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    exact = Context(prec=digits, rounding=rounding).create_decimal(Decimal(value))
    if exact == 0:
        return "0"
    if Decimal(value) == Decimal(repr(value)) and exact == Decimal(repr(value)):
        return repr(value)
    plain = 1e-4 <= abs(value) < 1e6
    return f"{exact:f}" if plain else f"{exact:e}"
