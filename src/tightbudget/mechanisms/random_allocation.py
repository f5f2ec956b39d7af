"""Random allocation: each record is in some of the batches of an epoch, drawn at random ("balls and bins", M29)."""

import math
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tightbudget.engine.reasons import GRID_OF_RATIOS
from tightbudget.errors import InvalidParameter, UnknownRelation
from tightbudget.mechanisms.checks import real
from tightbudget.mechanisms.composition import in_notation
from tightbudget.mechanisms.gaussian import Gaussian
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.poisson import Poisson
from tightbudget.mechanisms.promise import PureDP
from tightbudget.mechanisms.relation_of_samples import RunsOnSamples
from tightbudget.mechanisms.relations import ADD_REMOVE, REPLACE_ONE, mix_relations_asked
from tightbudget.mechanisms.what_is_sampled import check_sampled
from tightbudget.numerics.rounding import float_above, float_below, lowered, raised
from tightbudget.pairs.allocation import allocated_pair, resolvable_allocation
from tightbudget.pairs.allocation_types import pair_of_types
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.points import REMEMBERED, PointPair
from tightbudget.pairs.profile_grid import pair_of_profiles
from tightbudget.pairs.profile_of import profile_above
from tightbudget.pairs.via_third import profile_via_third

_MOST_BATCHES = 1_000_000


@dataclass(frozen=True)
class RandomAllocation(RunsOnSamples):
    """Run a mechanism on each batch of an epoch; each record is in some of them.

    mechanism      what is run on every batch: one mechanism, no composition
    batches        how many batches an epoch has, from 1 to 1000000
    times          how many of them each record is in, drawn at random and
                   independently of other records; usually 1
    relation       add_remove, zero_out or replace_one; usually add_remove
    mix_relations  take a mechanism that is stated for another relation,
                   its two distributions as those with and without a record

    Neighbours: add_remove, unless another relation is stated. The whole epoch
    is one step: repeat it for several. The bracket is as narrow as a grid
    allows, some 1e-3 of delta for 100 batches; with times above 1 its lower
    end is that of a part of what is released. Under replace_one, for noise on
    a query, the upper end goes by way of the data without either record, and
    the lower end is that of a record replaced by its opposite or by nothing.

    >>> from tightbudget import Gaussian, RandomAllocation
    >>> epoch = RandomAllocation(Gaussian(sigma=2), batches=10)
    >>> print((epoch * 3).epsilon(delta=1e-6))
    [1.273..., 1.273...]
    """

    name: ClassVar[str] = "random_allocation"
    what_is_run: ClassVar[str] = "what is run on each batch"
    what_to_run: ClassVar[str] = (
        "Batches hold the record, another in its place, or neither: give noise on a query, stated for add_remove."
    )
    attains_pair: ClassVar[bool] = False

    mechanism: Mechanism
    batches: int
    times: int = 1
    relation: str = field(default=ADD_REMOVE, kw_only=True)
    mix_relations: InitVar[bool] = False

    def __post_init__(self, mix_relations: bool) -> None:
        self._check_parameters()
        if not isinstance(self.mechanism, Mechanism):
            raise InvalidParameter(
                "mechanism", in_notation(self.mechanism), "one mechanism", "Allocate each part of a composition."
            )
        check_sampled(self.mechanism)
        batches = _whole_for_allocation("batches", self.batches, _MOST_BATCHES, "It counts the batches of one epoch.")
        _whole_for_allocation("times", self.times, batches, "It counts the batches of an epoch that a record is in.")
        if batches > 1:
            self._check_no_examples()
        if not mix_relations_asked(mix_relations):
            self._check_relations()
        elif batches > 1 and self.relation == REPLACE_ONE and REPLACE_ONE in self.mechanism.relations:
            # what two records move says nothing of batches without either, whatever is mixed
            raise UnknownRelation(REPLACE_ONE, self.mechanism, [ADD_REMOVE], self.what_to_run)

    def _known_on_samples(self, relation: str) -> bool:
        return relation == ADD_REMOVE or self.mechanism.absent_if_zeroed

    def pair(self, direction: Direction) -> Pair | None:
        # a record that adds nothing to a query might as well be absent: zero_out is add_remove
        return self._replaced(direction) if self.relation == REPLACE_ONE else self._pair_of(direction, above=True)

    def _replaced(self, direction: Direction) -> Pair | None:
        """Return the pair by way of the data without either record, and of the batch told."""
        if self._is_told:
            return self.mechanism.under(REPLACE_ONE).pair(direction)
        remove, add = (self._pair_of(one, above=True) for one in Direction)
        assert remove is not None
        assert add is not None
        return _replaced_pair(remove, add, None if self._told is None else self._told.pair(direction))

    @property
    def _told(self) -> Mechanism | None:
        """What is revealed if the batches of the record are told; None where we have no pair of it."""
        if self.times == 1:
            return self.mechanism.under(REPLACE_ONE)
        if not isinstance(self.mechanism, Gaussian):
            return None
        return _allocated_gaussian(self.mechanism, raised(2.0 * math.sqrt(self.times), 8), raised)

    def _pair_of(self, direction: Direction, above: bool) -> Pair | None:
        """Return the pair of a record that comes or goes, or one that it dominates."""
        if self._is_told:
            return self.mechanism.pair(direction)
        base, blocks = self.mechanism.pair(Direction.REMOVE), int(self.times)
        in_block = int(self.batches) // blocks
        assert base is not None
        if self._in_all or not resolvable_allocation(base):
            return self._all_told.pair(direction)
        return allocated_pair(base, in_block, blocks, direction, above)

    @property
    def _all_told(self) -> Mechanism:
        """What is revealed, or more, of a record that comes or goes if its batches are told: that many releases."""
        times = int(self.times)
        if isinstance(self.mechanism, Gaussian):
            return _allocated_gaussian(self.mechanism, raised(math.sqrt(times), 8), raised)
        largest = self.mechanism.pure_epsilon
        if math.isinf(largest):
            raise InvalidParameter(
                "times",
                self.times,
                f"1 for {self.mechanism}",
                "Of losses so close together, or so far apart, several are followed for normal noise and bounded losses only.",
            )
        return PureDP(float_above(times * Fraction(largest)))

    @property
    def _in_all(self) -> bool:
        """Whether each record is in all batches, so that there is nothing to tell, and the noise is normal."""
        return self.times == self.batches and isinstance(self.mechanism, Gaussian)

    @property
    def _is_told(self) -> bool:
        """Whether the epoch is taken for the batch that the record is in: to tell it only adds to what is revealed."""
        base = self.mechanism.pair(Direction.REMOVE)
        if base is None or self.batches == 1 or self.mechanism.reveals_everything:
            return True
        return self.times == 1 and not resolvable_allocation(base)

    @property
    def absent_if_zeroed(self) -> bool:
        return self.mechanism.absent_if_zeroed

    def member(self) -> Mechanism:
        return self.members()[0]

    def member_among_alike(self, relation: str) -> Mechanism | None:
        if self.batches == 1:
            return self.mechanism.member_among_alike(relation)
        # under replace_one too the first member has a second record that contributes nothing, as others may
        return self.under(relation).member() if relation in self.known_relations else None

    def members(self) -> tuple[Mechanism, ...]:
        if self.batches == 1 or self.mechanism.pair(Direction.REMOVE) is None:
            return self._whole_batch.members()
        zeroed = self._members_zeroed
        return (*zeroed, *self._members_replaced) if self.relation == REPLACE_ONE else zeroed

    @property
    def _whole_batch(self) -> Mechanism:
        return self.mechanism.under(REPLACE_ONE) if self.relation == REPLACE_ONE else self.mechanism

    @property
    def _members_zeroed(self) -> tuple[Mechanism, ...]:
        """What an epoch reveals at least of a record that comes or goes."""
        attained = replace(self, mechanism=self.mechanism.member(), relation=ADD_REMOVE, mix_relations=True)
        base = attained.mechanism.pair(Direction.REMOVE)
        if self.times in (1, self.batches) and not self._in_all:
            return (_AllocationFromBelow(attained),) if base is not None and resolvable_allocation(base) else (self._part,)
        listed = base is not None and pair_of_types(base, int(self.batches), int(self.times), Direction.REMOVE) is not None
        return (_CountedAllocation(attained), self._part) if listed else (self._part,)

    @property
    def _members_replaced(self) -> tuple[Mechanism, ...]:
        """What it reveals of a record replaced by its opposite: the sum of all answers, or one of them."""
        found: list[Mechanism] = []
        if isinstance(self.mechanism, Gaussian):
            found.append(_allocated_gaussian(self.mechanism, lowered(2.0 * self._of_the_sum, 4), lowered))
        if self.mechanism.replaced_in_samples and self.times < self.batches:
            found.append(Poisson(self.mechanism, float_below(self._share), relation=REPLACE_ONE, mix_relations=True))
        return tuple(found)

    @property
    def is_class(self) -> bool:
        if self.relation == REPLACE_ONE and self.batches > 1:
            return True
        return self.times not in (1, self.batches) or self.mechanism.is_class  # else only the grid keeps the ends apart

    @property
    def class_reason(self) -> str:
        return super().class_reason if self.is_class else GRID_OF_RATIOS

    @property
    def _share(self) -> Fraction:
        return Fraction(int(self.times), int(self.batches))

    @property
    def _of_the_sum(self) -> float:
        """How far the sum of all answers moves, in standard deviations of its noise over those of one; rounded down."""
        return lowered(float(self._share) * math.sqrt(self.batches), 8)

    @property
    def _part(self) -> Mechanism:
        """What a part of the epoch releases: the sum of all answers if the noise is normal, else one answer."""
        if isinstance(self.mechanism, Gaussian):
            return _allocated_gaussian(self.mechanism, self._of_the_sum, lowered)
        inner = self.mechanism.member()
        return inner if self._share == 1 else Poisson(inner, float_below(self._share), mix_relations=True)

    @property
    def reveals_everything(self) -> bool:
        return self.mechanism.reveals_everything

    def in_numbers(self) -> Mechanism:
        return replace(self, mechanism=self.mechanism.in_numbers(), mix_relations=True)


@dataclass(frozen=True)
class _AllocationFromBelow(Mechanism):
    """What an allocation reveals at least: its likelihood ratios merged into cells, which is post-processing."""

    name: ClassVar[str] = "random_allocation_from_below"

    allocation: RandomAllocation

    def pair(self, direction: Direction) -> Pair | None:
        return self.allocation._pair_of(direction, above=False)


@dataclass(frozen=True)
class _CountedAllocation(Mechanism):
    """What an allocation to several batches reveals at least: how often each of a few answers occurs."""

    name: ClassVar[str] = "random_allocation_counted"

    allocation: RandomAllocation

    def pair(self, direction: Direction) -> Pair | None:
        base = self.allocation.mechanism.pair(Direction.REMOVE)
        assert base is not None
        return pair_of_types(base, int(self.allocation.batches), int(self.allocation.times), direction)


@REMEMBERED.remember
def _replaced_pair(remove: Pair, add: Pair, told: Pair | None) -> PointPair:
    """Return the pair of the lesser of two profiles: by way of the data without the record, and of the batch told."""
    profiles = [profile_via_third(profile_above(remove), profile_above(add))]
    if told is not None:
        profiles.append(profile_above(told))
    key = ("replaced in one of the batches", remove, add, told)
    made = pair_of_profiles(key, lambda losses: np.minimum.reduce([profile(losses) for profile in profiles]))
    assert made is not None  # the pairs are not of equal distributions
    return made


def _allocated_gaussian(noise: Gaussian, factor: float, rounded: Callable[[float, float], float]) -> Gaussian:
    return Gaussian(noise.sigma, rounded(factor * float(noise.sensitivity), 4))


def _whole_for_allocation(name: str, value: object, most: int, meaning: str) -> int:
    number = real(name, value, f"a whole number from 1 to {most}")
    if not 1.0 <= number <= most or number != math.floor(number):
        raise InvalidParameter(name, value, f"a whole number from 1 to {most}", meaning)
    return int(number)
