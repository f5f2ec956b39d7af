"""Random allocation: each record is in some of the batches of an epoch, drawn at random ("balls and bins", M29)."""

import math
from dataclasses import InitVar, dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.base import Mechanism
from tightbudget.mechanisms.checks import real
from tightbudget.mechanisms.gaussian import Gaussian
from tightbudget.mechanisms.poisson import Poisson
from tightbudget.mechanisms.relations import Relations, check_one_relation, mix_relations_asked, stated_relation
from tightbudget.numerics.rounding import float_below, lowered
from tightbudget.pairs.allocation import allocated_pair, resolvable
from tightbudget.pairs.base import Direction, Pair

_MOST_BATCHES = 1_000_000


@dataclass(frozen=True)
class RandomAllocation(Mechanism):
    """Run a mechanism on each batch of an epoch; each record is in some of them.

    mechanism      what is run on every batch: one mechanism, no composition
    batches        how many batches an epoch has, from 1 to 1000000
    times          how many of them each record is in, drawn at random and
                   independently of other records; usually 1
    mix_relations  take a mechanism that is stated for another relation,
                   its two distributions as those with and without a record

    Neighbours: add_remove. The whole epoch is one step: repeat it
    for several. The bracket is as narrow as a grid allows, some 1e-3 of delta
    for 100 batches; with times above 1 its lower end is that of a part of what
    is released.

    >>> from tightbudget import Gaussian, RandomAllocation
    >>> epoch = RandomAllocation(Gaussian(sigma=2), batches=10)
    >>> print((epoch * 3).epsilon(delta=1e-6))
    [1.273..., 1.273...]
    """

    name: ClassVar[str] = "random_allocation"
    attains_pair: ClassVar[bool] = False

    mechanism: Mechanism
    batches: int
    times: int = 1
    mix_relations: InitVar[bool] = False

    def __post_init__(self, mix_relations: bool) -> None:
        self._check_parameters()
        if not isinstance(self.mechanism, Mechanism):
            raise InvalidParameter("mechanism", self.mechanism, "one mechanism", "Allocate each part of a composition.")
        if self.mechanism.of_several:
            raise InvalidParameter("mechanism", str(self.mechanism), "one for single records")
        batches = _whole("batches", self.batches, _MOST_BATCHES, "It counts the batches of one epoch.")
        _whole("times", self.times, batches, "It counts the batches of an epoch that a record is in.")
        if not mix_relations_asked(mix_relations) and len(self.mechanism.relations) == 1:
            check_one_relation(
                [("random allocation", stated_relation(self.neighbours)), (self.mechanism, self.mechanism.relations)]
            )

    @cached_property
    def relations(self) -> Relations:
        return stated_relation(self.neighbours) | self.mechanism.relations

    def _relation_hint(self, relation: str) -> str:
        return "What allocation reveals is known for records that are added or removed."

    def pair(self, direction: Direction) -> Pair | None:
        return self._pair_of(direction, above=True)

    def _pair_of(self, direction: Direction, above: bool) -> Pair | None:
        base, blocks = self.mechanism.pair(Direction.REMOVE), int(self.times)
        in_block = int(self.batches) // blocks
        if base is None or in_block == blocks == 1:
            return self.mechanism.pair(direction)
        if self.mechanism.reveals_everything or (blocks == 1 and not resolvable(base)):
            return self.mechanism.pair(direction)  # that the batch is told can only add to what is revealed
        if not resolvable(base):
            raise InvalidParameter("times", self.times, "1 for noise as small or as large as this")
        return allocated_pair(base, in_block, blocks, direction, above)

    def member(self) -> Mechanism:
        if self.batches == 1 or self.mechanism.pair(Direction.REMOVE) is None:
            return self.mechanism.member()
        if self.times in (1, self.batches) and self._from_below_known:
            return _FromBelow(self)
        return self._part

    @property
    def is_class(self) -> bool:
        return self.times not in (1, self.batches) or self.mechanism.is_class  # else only the grid keeps the ends apart

    @property
    def _from_below_known(self) -> bool:
        base = self.mechanism.pair(Direction.REMOVE)
        return base is not None and resolvable(base) and self.mechanism.member() == self.mechanism

    @property
    def _part(self) -> Mechanism:
        """What a part of the epoch releases: the sum of all answers if the noise is normal, else one answer."""
        share = Fraction(int(self.times), int(self.batches))
        if isinstance(self.mechanism, Gaussian):
            factor = lowered(float(share) * math.sqrt(self.batches), 8)
            return Gaussian(self.mechanism.sigma, lowered(factor * float(self.mechanism.sensitivity), 4))
        inner = self.mechanism.member()
        return inner if share == 1 else Poisson(inner, float_below(share), mix_relations=True)

    @property
    def reveals_everything(self) -> bool:
        return self.mechanism.reveals_everything

    def in_numbers(self) -> Mechanism:
        return RandomAllocation(self.mechanism.in_numbers(), self.batches, self.times, mix_relations=True)


@dataclass(frozen=True)
class _FromBelow(Mechanism):
    """What an allocation reveals at least: its likelihood ratios merged into cells, which is post-processing."""

    name: ClassVar[str] = "random_allocation_from_below"

    allocation: RandomAllocation

    def pair(self, direction: Direction) -> Pair | None:
        return self.allocation._pair_of(direction, above=False)


def _whole(name: str, value: object, most: int, meaning: str) -> int:
    number = real(name, value, f"a whole number from 1 to {most}")
    if not 1.0 <= number <= most or number != math.floor(number):
        raise InvalidParameter(name, value, f"a whole number from 1 to {most}", meaning)
    return int(number)
