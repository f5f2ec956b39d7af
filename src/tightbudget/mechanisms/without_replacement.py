"""Batches of a fixed size, drawn without replacement (M31)."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, cast

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter, UnknownRelation
from tightbudget.mechanisms.batches import check_batch, replaced_pair
from tightbudget.mechanisms.gaussian import Gaussian
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.poisson import Poisson
from tightbudget.mechanisms.promise import PureDP
from tightbudget.mechanisms.relations import ADD_REMOVE, REPLACE_ONE, ZERO_OUT, Relations
from tightbudget.numerics.rounding import AMPLE, float_above, float_below, lowered, lowered_by, strictly_raised
from tightbudget.pairs.base import Array, Direction, Pair
from tightbudget.pairs.both_branches import both_branches_pair
from tightbudget.pairs.choosing_analyst import ChoosingAnalyst
from tightbudget.pairs.points import REMEMBERED, PointPair, swapped_points
from tightbudget.pairs.poisson import poisson_pair
from tightbudget.pairs.profile_grid import pair_of_profiles
from tightbudget.pairs.profile_of import inner_losses, profile_above
from tightbudget.pairs.pulled_batch import pulled_batch_pair
from tightbudget.pairs.revealing import revealing_pair

_DOTS = 2**12  # of the profile of a zeroed record, on each side: upper ends are some 1e-6 of epsilon above it
_FEWER_DOTS = (0.1, 3 * 2**9), (0.01, 2**11)  # 8e-6 and 4e-6, where both ends are farther apart than so much of epsilon
_MODERATE = 1e-3, 50.0  # sensitivities in sigmas for which a batch that pulls one way is worth its cells
_SOME_SHARE = 1e-9  # of the records; below, losses have too few digits
_USUAL_SHARE = 1e-3  # from which on other records that pull one way have told more than zeros wherever anybody has looked
NOTHING_KNOWN = PureDP(0.0)
"""Stands where nothing is known to be revealed at least."""

_MOST_CHOICES = 32  # steps for which the choices of an analyst are followed


@dataclass(frozen=True)
class WithoutReplacement(Mechanism):
    """Run a mechanism on a batch of a fixed size, drawn without replacement.

    mechanism  what is run on the batch: one mechanism that knows what
               replacing a record does, as noise on a query does; of a
               promise such as pure_dp it is taken that it was made for a
               replaced record, whatever the relation here
    batch      how many different records are drawn, afresh in every step
    examples   how many there are to draw from, at least; under add_remove
               in the larger of the two data sets
    relation   add_remove, replace_one or zero_out; usually add_remove

    Neighbours: add_remove, unless another relation is stated. Whether one
    record or another is drawn, the batch has its size: a record that comes
    takes the place of another. Under replace_one and zero_out the upper end
    holds for every choice of the other records, also one that follows the
    answers; the lower end is attained by one that does not, or that does in
    up to 32 equal steps under replace_one (M31).

    >>> from tightbudget import Gaussian, WithoutReplacement
    >>> step = WithoutReplacement(Gaussian(sigma=4), 256, examples=60000)
    >>> print((step * 1000).epsilon(delta=1e-6))
    [0.289..., 0.289...]
    """

    name: ClassVar[str] = "without_replacement"
    attains_pair: ClassVar[bool] = False
    reveal_more: ClassVar[tuple[str, ...]] = ("batch",)
    hide_more: ClassVar[tuple[str, ...]] = ("examples",)

    mechanism: Mechanism
    batch: int
    examples: int
    relation: str = field(default=ADD_REMOVE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        check_batch(self.mechanism, self.batch, self.examples)
        if self.batch > self.examples:
            raise InvalidParameter(
                "batch", self.batch, f"at most examples, {self.examples}", "Drawn without replacement, records differ."
            )
        self.mechanism.under(REPLACE_ONE)
        if self.relation == ZERO_OUT:
            self.mechanism.under(ZERO_OUT)
            if not self._zeroed_known:
                hint = f"Of what {self.mechanism.name} stands for, none is known for zeroed records: ask about one of these."
                raise UnknownRelation(ZERO_OUT, self, [ADD_REMOVE, REPLACE_ONE], hint)

    @property
    def _zeroed_known(self) -> bool:
        """Whether the mechanism, and the member of its class that lower ends are of, know zeroed records."""
        return all(ZERO_OUT in one.known_relations for one in (self.mechanism, self.mechanism.member()))

    @cached_property
    def relations(self) -> Relations:
        return frozenset({self.relation})

    def _under(self, relation: str) -> Mechanism | None:
        if relation == ZERO_OUT and not self._zeroed_known:
            return None
        return replace(self, relation=relation)

    @property
    def promised_records(self) -> int:
        return int(self.examples)

    @property
    def share(self) -> Fraction:
        """The share of the records that a batch holds."""
        return Fraction(int(self.batch), int(self.examples))

    def member(self) -> Mechanism:
        return self.members()[0]

    def members(self) -> tuple[Mechanism, ...]:
        share = float_below(self.share)
        if self.relation == ZERO_OUT:
            return self._members_if_zeroed(self.mechanism.member_among_alike(ZERO_OUT), share)
        if self.relation == ADD_REMOVE and self.batch == self.examples:
            # the smaller data set has no batch of this size: what one record more reveals is all that is sure
            known = ADD_REMOVE in self.mechanism.known_relations
            return (self.mechanism.under(ADD_REMOVE).member() if known else NOTHING_KNOWN,)
        if self.relation == ADD_REMOVE and Fraction(share) == self.share and self._attained:
            return (self,)  # a float holds the share, and the pair is attained
        alike = self._replaced_among_alike
        return (OneBranch(alike, share),) if alike else self._members_among_zeros(share)

    @property
    def _replaced_among_alike(self) -> Mechanism | None:
        """What a batch releases at least where the other records all look like the one that is not there."""
        if self.batch == 1:  # there are no others in it
            return self.mechanism.under(REPLACE_ONE).member()
        return self.mechanism.member_among_alike(REPLACE_ONE)

    @property
    def _attained(self) -> bool:
        """Whether the pair for replacing a record of the batch occurs where all others look like that one."""
        return self._replaced_among_alike == self.mechanism.under(REPLACE_ONE)

    def _members_among_zeros(self, share: float) -> tuple[Mechanism, ...]:
        """Return what it is where the other records contribute nothing: the record is drawn, and then sampled again."""
        if self.relation == REPLACE_ONE:
            sampled = self.mechanism.under(REPLACE_ONE).member()
            if isinstance(sampled, Poisson):
                rate = float_below(self.share * Fraction(sampled.q))
                return (replace(sampled, q=rate, mix_relations=True),)
        zeroed = self.mechanism.member_among_alike(ZERO_OUT)
        return (OneBranch(zeroed, share) if zeroed else NOTHING_KNOWN,)

    def member_among_alike(self, relation: str) -> Mechanism | None:
        share = float_below(self.share)
        if relation == REPLACE_ONE:
            alike = self._replaced_among_alike
        else:
            alike = self.mechanism.member_among_alike(relation) if relation == ZERO_OUT else None
        return OneBranch(alike, share) if alike else None

    def _members_if_zeroed(self, inner: Mechanism | None, share: float) -> tuple[Mechanism, ...]:
        """Return what it is where the other records pull one way, and, if that is seen badly, where they are zero."""
        if inner is None:
            return (NOTHING_KNOWN,)
        ratio = float(inner.sensitivity) / float(inner.sigma) if isinstance(inner, Gaussian) and inner.sigma else 0.0
        if not _MODERATE[0] <= ratio <= _MODERATE[1] or not _SOME_SHARE <= share < 1.0:
            return (OneBranch(inner, share),)
        pulled = PulledBatch(lowered(ratio, 4), share)
        return (pulled,) if share >= _USUAL_SHARE else (pulled, OneBranch(inner, share))

    def choosing_analyst(self, count: int) -> ChoosingAnalyst | None:
        if self.relation != REPLACE_ONE or not 1 < count <= _MOST_CHOICES or not self.subsamples:
            return None
        branches = tuple(self.member().pair(direction) for direction in Direction)
        if branches[0] is None or branches[1] is None:
            return None
        return _choosing_analyst(cast(Hashable, branches[0]), cast(Hashable, branches[1]), count)

    @property
    def orders_exchanged(self) -> bool:
        return self.relation == ADD_REMOVE and self.mechanism.under(REPLACE_ONE).orders_exchanged

    def pair(self, direction: Direction) -> Pair | None:
        if self.batch == 0:
            return None
        if self.relation == ZERO_OUT:
            return self._zeroed(direction)
        base = replaced_pair(self.mechanism)
        if base is None or self.batch == self.examples:
            return base
        q = float_above(self.share)
        if q == 1.0:
            return base
        return both_branches_pair(base, q) if self.relation == REPLACE_ONE else poisson_pair(base, q, direction)

    def _zeroed(self, direction: Direction) -> Pair | None:
        zeroed = self.mechanism.under(ZERO_OUT)
        if self.batch == self.examples:
            return zeroed.pair(direction)
        pairs = replaced_pair(self.mechanism), zeroed.pair(Direction.REMOVE), zeroed.pair(Direction.ADD)
        if pairs[0] is None or pairs[1] is None or pairs[2] is None:
            return revealing_pair() if any(pairs) else None  # one that hides replacements hides zeros too
        made = _zeroed_pair(float_above(self.share), pairs[0], pairs[1], pairs[2])
        return made if direction is Direction.REMOVE else swapped_points(made)

    @property
    def is_class(self) -> bool:
        # a share that no float holds makes no class
        return self.relation != ADD_REMOVE or self.mechanism.is_class or not (self.subsamples and self._attained)

    @property
    def subsamples(self) -> bool:
        return self.batch < self.examples

    @property
    def whole(self) -> Mechanism:
        return self.mechanism.under(ZERO_OUT if self.relation == ZERO_OUT else REPLACE_ONE)

    def in_numbers(self) -> Mechanism:
        return replace(self, mechanism=self.mechanism.in_numbers())

    # Whoever sees whether the record was drawn sees the whole mechanism, or two equal laws.

    def known_rho(self, pair: Pair, direction: Direction) -> float:
        return self.whole.zcdp_rho(direction)

    def known_mu(self) -> float:
        return self.whole.gdp_mu()


@dataclass(frozen=True)
class OneBranch(Mechanism):
    """A batch whose other records all look like the one that is not there, in every step: a member of a class."""

    name: ClassVar[str] = "one_branch"

    mechanism: Mechanism
    q: float

    @property
    def larger(self) -> Direction | None:
        return Direction.REMOVE if isinstance(self.mechanism, Gaussian) else None

    @property
    def orders_exchanged(self) -> bool:
        return self.mechanism.orders_exchanged

    def pair(self, direction: Direction) -> Pair | None:
        base = self.mechanism.pair(direction)
        if base is None or self.q in (0.0, 1.0):
            return base if self.q else None
        return poisson_pair(base, self.q, direction)


@dataclass(frozen=True)
class PulledBatch(Mechanism):
    """A batch whose other records all pull one way, and the record the other way, or not at all if it is zeroed."""

    name: ClassVar[str] = "pulled_batch"
    neighbours: ClassVar[str] = ZERO_OUT
    larger: ClassVar[Direction] = Direction.REMOVE

    m: float
    q: float

    def pair(self, direction: Direction) -> Pair | None:
        return pulled_batch_pair(self.m, self.q, direction is Direction.REMOVE)


@lru_cache(maxsize=16)
def _choosing_analyst(remove: Hashable, add: Hashable, count: int) -> ChoosingAnalyst:
    return ChoosingAnalyst((cast(Pair, remove), cast(Pair, add)), count)


@REMEMBERED.remember
def _zeroed_pair(q: float, replaced: Pair, remove: Pair, add: Pair) -> PointPair:
    """Return the pair of a zeroed record, it first: q[(1-beta) d_2(g') + beta d_1(g')]; swapped q d_1(g') (M31)."""
    two, one, other = (profile_above(pair) for pair in (replaced, remove, add))

    def with_record_first(losses: Array) -> Array:
        inner = inner_losses(losses, q)
        # beta = g q / (g - 1 + q) falls from 1 to q, and d_1 <= d_2: a beta rounded down is safe
        beta = np.maximum(0.0, lowered_by(q / (q - (1.0 - q) * np.expm1(-losses)), AMPLE))
        larger, smaller = two(inner), one(inner)
        return strictly_raised(q * ((1.0 - beta) * np.maximum(larger, smaller) + beta * smaller), 16)

    def with_record_second(losses: Array) -> Array:
        return strictly_raised(q * other(inner_losses(losses, q)), 4)

    # beta at a loss log g' of the base is about 1 - (1-q)(g'-1)/g', and ends meet where it is 1
    apart = (1.0 - q) * replaced.total_variation
    most = next((dots for least, dots in _FEWER_DOTS if apart > least), _DOTS)
    made = pair_of_profiles(("zeroed", q, replaced, remove, add), with_record_first, with_record_second, most=most)
    assert made is not None  # the base pairs are not equal distributions
    return made
