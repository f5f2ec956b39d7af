"""Sums in whole ticks: exact, short to write down however many steps they are of, and fast to add.

A tick is so small a part of what a sum may become that counting in ticks costs nothing: what is computed is rounded up
to the next one. What is typed is a whole number of them, as a decimal or as a fraction with a denominator up to 40,
unless it has some forty digits; other short fractions are exact parts of one. So ten steps of 0.1, seven of 1/7 and 365
of 1/365 fill 1 exactly.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from tightbudget.adaptive.amounts import Amount, exact, show, tidy_amount
from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter

SMALL_FRACTIONS = math.lcm(*range(1, 41))
DIGITS = 44
"""A sum of its usual size is a whole number of about this many decimal digits, and sixteen for small fractions."""
LARGEST_BASE = 10**24  # a budget of 1/41 or 3/101 is a whole number of ticks as well
BEYOND = 10**72
"""Ticks that no limit comes near; a sum beyond is of no use to any, and kept as infinite."""
LONGEST_PLAIN = 40  # characters; longer amounts are written as a number of ticks

SHORT = 10**6
"""Parts of a tick are kept down to this: steps of 1/n fill 1 for every n up to here, if all others are decimals."""

_TICKS = re.compile(r"-?\d{1,400}(/[1-9]\d{0,6})? ticks", re.ASCII)
_PER_UNIT = re.compile(r"[1-9]\d{0,39}e-?\d{1,4}", re.ASCII)


@dataclass(frozen=True)
class Tick:
    """The part 1/(base 10^places) of a unit.

    >>> tick = Tick.beside(Fraction(1))
    >>> tick.up(Fraction(1, 7)) * 7 == tick.up(Fraction(1)), tick.written(tick.up(Fraction(1, 7)))
    (True, '1/7')
    """

    base: int
    places: int

    @classmethod
    def beside(cls, size: Fraction) -> Self:
        """Return the tick for a sum of about this size."""
        decades = math.floor((size.numerator.bit_length() - size.denominator.bit_length()) * math.log10(2.0)) if size else 0
        base = math.lcm(SMALL_FRACTIONS, _without_tens(size.denominator))
        return cls(base if base <= LARGEST_BASE else SMALL_FRACTIONS, DIGITS - decades)

    @cached_property
    def _ratio(self) -> tuple[int, int]:
        """How many ticks there are in how many units."""
        return (self.base * 10**self.places, 1) if self.places >= 0 else (self.base, 10**-self.places)

    @property
    def per_unit(self) -> Any:
        """How many ticks are 1; None if one is more than that."""
        ticks, units = self._ratio
        return ticks if units == 1 else None

    def up(self, amount: Amount) -> Amount:
        """Return the amount in ticks, rounded up."""
        if isinstance(amount, float):
            return math.inf
        ticks, units = self._ratio
        return -(-amount.numerator * ticks // (amount.denominator * units))

    def shortly(self, amount: Amount) -> Amount:
        """Return the amount in ticks, with a short part of one if that is exact; else rounded up."""
        if isinstance(amount, float):
            return math.inf
        ticks, units = self._ratio
        return short_ticks(Fraction(amount.numerator * ticks, amount.denominator * units))

    def down(self, amount: Amount) -> Amount:
        """Return the amount in ticks, rounded down."""
        if isinstance(amount, float):
            return math.inf
        ticks, units = self._ratio
        return amount.numerator * ticks // (amount.denominator * units)

    def amount(self, count: Amount) -> Amount:
        """Return how much so many ticks are, exactly."""
        if isinstance(count, float):
            return count
        ticks, units = self._ratio
        return Fraction(count) * units / ticks

    def raised(self, amount: Amount) -> Amount:
        """Return the amount, rounded up to whole ticks."""
        return self.amount(self.up(amount))

    def in_float(self, count: Amount) -> float:
        """Return the float nearest to so many ticks; inf beyond the largest one."""
        if isinstance(count, float):
            return count
        ticks, units = self._ratio
        try:
            return float(count * units / ticks)
        except OverflowError:
            return math.inf

    def written(self, count: Amount) -> str:
        """Return so many ticks as text: a number if that is short."""
        amount = self.amount(count)
        plain = "" if tidy_amount(amount) != amount else show(amount)
        return plain if 0 < len(plain) <= LONGEST_PLAIN else f"{count} ticks"

    def read(self, name: str, text: object) -> Amount:
        """Return the exact amount that was written, which may be below 0."""
        if isinstance(text, str) and _TICKS.fullmatch(text):
            return self.amount(Fraction(text.removesuffix(" ticks")))
        if text == "inf":
            return math.inf
        size, sign = (text[1:], -1) if isinstance(text, str) and text.startswith("-") else (text, 1)
        return exact(name, size, "a number, as the state had it") * sign

    def read_sum(self, name: str, text: object) -> Amount:
        """Return a sum that was written, from 0, rounded up where it was counted in other parts."""
        amount = self.read(name, text)
        if amount < 0:
            raise InvalidParameter(name, text, "an amount from 0")
        return self.raised(amount)

    def __str__(self) -> str:
        return f"{self.base}e{self.places}"

    @classmethod
    def parse(cls, text: object, computed: "Tick") -> "Tick":
        """Return the tick that a state names, if it is about as fine as the one that is used here."""
        if not isinstance(text, str) or not _PER_UNIT.fullmatch(text):
            raise InvalidParameter("ticks", text, "numbers such as 5342931457063200e44, as the state had them")
        base, _, places = text.partition("e")
        tick = cls(int(base), int(places))
        if not Fraction(1, 10**12) <= Fraction(*tick._ratio) / Fraction(*computed._ratio) <= 10**12:
            raise InvalidParameter("ticks", text, f"about {computed}, which is what these settings need")
        return tick


def read_ticks(found: object, here: Mapping[str, Tick]) -> tuple[Tick, ...]:
    """Return the ticks that a state names, for the sums that there are here."""
    if not isinstance(found, dict) or set(found) != set(here):
        raise InvalidParameter("ticks", found, f"a dictionary of {', '.join(here)}")
    return tuple(Tick.parse(found[name], tick) for name, tick in here.items())


def short_ticks(count: Amount) -> Amount:
    """Return a number of ticks as it is kept: whole or with a short part of one; else rounded up to whole ones."""
    if not isinstance(count, Fraction):
        return count
    if count.denominator == 1:
        return count.numerator
    return count if count.denominator <= SHORT else math.ceil(count)


def _without_tens(number: int) -> int:
    """Return what is left of a denominator besides decimal places."""
    for prime in (2, 5):
        while number % prime == 0:
            number //= prime
    return number
