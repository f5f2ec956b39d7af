"""Poisson subsampling of any mechanism (theory D.4)."""

from dataclasses import InitVar, dataclass
from functools import cached_property
from typing import ClassVar

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.base import Mechanism
from tightbudget.mechanisms.checks import probability
from tightbudget.mechanisms.relations import Relations, check_one, meant, stated
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.poisson import poisson_pair


@dataclass(frozen=True)
class Poisson(Mechanism):
    """Run the mechanism on a sample that contains each record with probability q, independently.

    The mechanism's two distributions are taken as those with and without the record, and the answer is for adding or
    removing a record. A mechanism stated for another relation has no distribution without the record: it is refused
    unless `mix_relations` says that its two distributions are meant to be read so.
    """

    name: ClassVar[str] = "poisson"

    mechanism: Mechanism
    q: float
    mix_relations: InitVar[bool] = False

    def __post_init__(self, mix_relations: bool) -> None:
        self._check_parameters()
        if not isinstance(self.mechanism, Mechanism):
            raise InvalidParameter("mechanism", self.mechanism, "one mechanism", "Subsample each part of a composition.")
        probability("q", self.q, "For a batch of 256 out of 60000 use 256/60000.")
        if not meant(mix_relations) and len(self.mechanism.relations) == 1:
            check_one([("Poisson sampling", stated(self.neighbours)), (self.mechanism, self.mechanism.relations)])

    @cached_property
    def relations(self) -> Relations:
        return stated(self.neighbours) | self.mechanism.relations

    def member(self) -> Mechanism:
        inner = self.mechanism.member()
        return self if inner == self.mechanism else Poisson(inner, self.q, mix_relations=True)

    def pair(self, direction: Direction) -> Pair | None:
        base = self.mechanism.pair(direction)
        if base is None or self.q == 0:
            return None
        return base if self.q == 1 else poisson_pair(base, float(self.q), direction)
