"""Discrete Gaussian noise on vectors: what is known of all shifts up to a length (M38)."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import real
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import ADD_REMOVE, moved_by
from tightbudget.mechanisms.renyi_promises import ZCDP
from tightbudget.numerics.rounding import float_above
from tightbudget.pairs.base import REACH, Direction, Pair
from tightbudget.pairs.integer_shifts import (
    Shift,
    can_be_listed,
    dominating_pair,
    known_shifts,
    shift_pair,
    telling_shifts,
)

MOST_DIMENSION = 2**53
_MOST_INTEGERS = 4_000_000 - 100  # that the noise on single integers lists, and a few to be sure
_ROUNDED = Fraction(1, 2**48)  # by how much the square of a rounded root may be too small: 32 roundings
_LENGTH = "0, or a number from 1 on"
_AT_LEAST_1 = "It bounds the Euclidean length of what a record adds to a vector of integers; the shortest is 1."


def whole_dimension(value: object) -> int:
    """Check that a dimension is a whole number from 1."""
    number = real("dimension", value, "a whole number from 1")
    if not (1.0 <= number <= MOST_DIMENSION and number == math.floor(number)):
        raise InvalidParameter("dimension", value, "a whole number from 1", "It counts the entries of the query.")
    return int(number)


def length_of_vectors(value: object) -> float:
    """Check the sensitivity of a query whose answers are vectors of integers."""
    number = real("sensitivity", value, _LENGTH)
    if not (number == 0.0 or 1.0 <= number < math.inf):
        raise InvalidParameter("sensitivity", value, _LENGTH, _AT_LEAST_1)
    return number


@dataclass(frozen=True)
class IntegerVectors:
    """Noise of the given sigma, and shifts by all vectors of integers up to a length, in some dimensions."""

    sigma: float
    length: float
    dimension: int

    @cached_property
    def square(self) -> int:
        """The largest squared length; one that rounding took just below a whole number is that number."""
        return math.floor(Fraction(self.length) ** 2 * (1 + _ROUNDED))

    @cached_property
    def shifts(self) -> tuple[Shift, ...] | None:
        """The shifts that dominate all others; None if there are too many to try each."""
        return known_shifts(self.sigma, self.square, self.dimension)

    @property
    def promised(self) -> ZCDP | None:
        """The promise that holds for all shifts, where they are too many."""
        if not self.square or self.shifts is not None:
            return None
        return ZCDP(rho=self._exact_rho)

    @property
    def _exact_rho(self) -> Fraction:
        return max(Fraction(self.length) ** 2, Fraction(self.square)) / (2 * Fraction(self.sigma) ** 2)

    @property
    def rho(self) -> float:
        """The rho of zCDP of every shift, rounded up."""
        return float_above(self._exact_rho)

    def pair(self, direction: Direction) -> Pair | None:
        if not self.square:
            return None
        if self.promised is not None:
            return self.promised.pair(direction)
        assert self.shifts is not None
        return shift_pair(self.sigma, self.shifts[0]) if self.is_one else dominating_pair(self.sigma, self.shifts)

    @property
    def is_one(self) -> bool:
        """Whether one shift dominates all others."""
        return self.shifts is not None and len(self.shifts) == 1

    @property
    def telling(self) -> tuple[Shift, ...]:
        """A few shifts that can occur, and tell most."""
        if self.shifts is None:  # along one axis; none if the noise is so large that no list holds it
            entry = math.floor(self.length)
            return ((entry,) if 2.0 * REACH * self.sigma + entry < _MOST_INTEGERS else (),)
        return telling_shifts(self.sigma, self.shifts)


@dataclass(frozen=True)
class OneShift(Mechanism):
    """The noise and one shift of it: a member of the class of all shifts."""

    name: ClassVar[str] = "one_shift"

    sigma: float
    shift: Shift
    relation: str = ADD_REMOVE

    def _under(self, relation: str) -> "OneShift | None":
        factor = moved_by(self.relation, relation)
        if factor is None:
            return None
        return OneShift(self.sigma, tuple(factor * entry for entry in self.shift), relation)

    @property
    def absent_if_zeroed(self) -> bool:
        return True

    @property
    def orders_exchanged(self) -> bool:
        return True

    def pair(self, direction: Direction) -> Pair | None:
        shift = self.shift
        while shift and not can_be_listed(self.sigma, shift):
            shift = shift[:-1]  # who sees fewer entries sees less
        return shift_pair(self.sigma, shift) if shift else None
