"""Poisson subsampling of any mechanism (theory D.4)."""

from dataclasses import dataclass
from typing import ClassVar

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.base import Mechanism
from tightbudget.mechanisms.checks import probability
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.poisson import poisson_pair


@dataclass(frozen=True)
class Poisson(Mechanism):
    """Run the mechanism on a sample that contains each record with probability q, independently.

    The mechanism's two distributions are taken as those with and without the record, and the answer is for adding or
    removing a record. A mechanism stated for another relation is subsampled under that reading.
    """

    name: ClassVar[str] = "poisson"

    mechanism: Mechanism
    q: float

    def __post_init__(self) -> None:
        self._settle()
        if not isinstance(self.mechanism, Mechanism):
            raise InvalidParameter("mechanism", self.mechanism, "one mechanism", "Subsample each part of a composition.")
        probability("q", self.q, "For a batch of 256 out of 60000 use 256/60000.")

    def member(self) -> Mechanism:
        inner = self.mechanism.member()
        return self if inner == self.mechanism else Poisson(inner, self.q)

    def pair(self, direction: Direction) -> Pair | None:
        base = self.mechanism.pair(direction)
        if base is None or self.q == 0:
            return None
        return base if self.q == 1 else poisson_pair(base, float(self.q), direction)
