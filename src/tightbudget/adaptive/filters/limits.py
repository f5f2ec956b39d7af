"""Limits of a filter: the caps that its sums of prices must stay within."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Protocol, Self

from tightbudget.adaptive.amounts import Amount, show
from tightbudget.adaptive.states import State


@dataclass(frozen=True, slots=True)
class Limit:
    """How much there is of something, and how much of it is used.

    >>> limit = Limit("epsilon", used=Fraction(1, 4), cap=Fraction(1))
    >>> print(limit, limit.left, limit.exceeded)
    0.25 of 1 of epsilon 3/4 False
    """

    name: str
    used: Amount
    cap: Amount

    @property
    def left(self) -> Amount:
        return max(self.cap - self.used, Fraction(0))

    @property
    def exceeded(self) -> bool:
        return self.used > self.cap

    @property
    def shown(self) -> str:
        """Both amounts, rounded so that there is no less used and no more to use than is shown."""
        used, cap = readable_amount(self.used), readable_amount(self.cap, ROUND_FLOOR)
        full = not self.exceeded and Decimal(used) > Decimal(cap)
        return f"{cap if full else used} of {cap}"

    def __str__(self) -> str:
        return f"{self.shown} of {self.name}"


class Measure(Protocol):
    """A function of sums, in floats rounded up, fixed with the filter: a value, which can be compared and copied."""

    def __call__(self, *sums: float) -> float:
        """Return what is to stay within the cap."""

    def constants(self) -> State:
        """Return what was computed when it was made, fit for JSON."""

    def with_constants(self, constants: State) -> Self:
        """Return it with constants as they were written, after a check."""

    def lowered_from(self, old: Self) -> Self:
        """Return the measure of a lowered filter: it keeps what `old` fixed in advance, and is nowhere below `old`."""


@dataclass(frozen=True, slots=True)
class Cap:
    """The largest amount of one sum, or of a measure of several.

    One that was computed is kept in the state of the filter, as `constant`: another machine may find other last digits.
    One that only admits, `refuses=False`, is not what a refusal is about.
    """

    name: str
    cap: Amount
    of: str | tuple[str, ...] = ""
    measure: Measure | None = None
    constant: bool = False
    refuses: bool = True

    @property
    def sum(self) -> str:
        """The sum that is capped, called as the limit is if no other name is given."""
        return self.of if isinstance(self.of, str) and self.of else self.name


@dataclass(frozen=True, slots=True)
class Limits:
    """All `needed` caps must hold, and at least one of those that are `enough`.

    `sums` are what a filter adds up over the accepted steps, each with about the size it may reach: it is counted in
    parts of 1e-60 of that.
    """

    sums: Mapping[str, Fraction]
    needed: tuple[Cap, ...]
    enough: tuple[Cap, ...]

    def __post_init__(self) -> None:
        if not self.enough:
            raise ValueError("without a cap that is enough nothing is ever admitted")
        if sum(cap.measure is not None for cap in (*self.needed, *self.enough)) > 1:
            raise ValueError("a filter has one measure of its sums at most")


def readable_amount(amount: Amount, rounding: str = ROUND_CEILING) -> str:
    """Return the amount as a person wants to read it: as it is if that is short and no fraction, else in six digits."""
    if amount == math.inf:
        return "inf"
    text = show(amount)
    if len(text) <= 12 and "/" not in text:
        return text
    above, below = amount.as_integer_ratio()
    return f"{Context(prec=6, rounding=rounding).divide(Decimal(above), Decimal(below)):g}"
