"""Poisson subsampling of any mechanism, as in DP-SGD (theory D.4)."""

import math
from dataclasses import InitVar, dataclass, field, replace
from typing import ClassVar

import numpy as np

from tightbudget.errors import InvalidParameter, UnknownRelation
from tightbudget.mechanisms.checks import probability
from tightbudget.mechanisms.composition import Composable, Composition
from tightbudget.mechanisms.gaussian import Gaussian
from tightbudget.mechanisms.known_bounds import Known
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.noise import AdditiveNoise
from tightbudget.mechanisms.one_sample import OneSample
from tightbudget.mechanisms.relation_of_samples import RunsOnSamples
from tightbudget.mechanisms.relations import (
    ADD_REMOVE,
    REPLACE_ONE,
    ZERO_OUT,
    Relations,
    mix_relations_asked,
)
from tightbudget.mechanisms.renyi_promises import MomentPromise
from tightbudget.mechanisms.sampled_promise import SampledPromise
from tightbudget.mechanisms.what_is_sampled import check_sampled
from tightbudget.numerics.rounding import U, strictly_raised
from tightbudget.pairs.base import REACH, Array, Direction, Pair
from tightbudget.pairs.moments import subsampled_gaussian
from tightbudget.pairs.moments.events import Events, subsampled_events
from tightbudget.pairs.points import REMEMBERED, PointPair
from tightbudget.pairs.poisson import poisson_pair
from tightbudget.pairs.profile_grid import pair_of_profiles
from tightbudget.pairs.profile_of import profile_above
from tightbudget.pairs.revealing import revealing_pair

_NEAR = 25.0  # orders a with a m below this have their moment within the 45 sigmas of the first grid


@dataclass(frozen=True)
class Poisson(RunsOnSamples):
    """Run a mechanism on a random sample of the records, as DP-SGD does.

    mechanism      what is run on the sample: a mechanism, or a composition
                   of normal noise for several releases on one sample; to draw
                   a new sample for each, repeat the whole: poisson(...) * n
    q              probability with which each record is in the sample,
                   independently, from 0 to 1: for a batch of 256 out of 60000
                   use 256/60000
    relation       add_remove, zero_out or replace_one; usually add_remove
    mix_relations  take a mechanism that is stated for another relation,
                   its two distributions as those with and without a record

    Neighbours: add_remove, unless another relation is stated. The mechanism
    itself is stated for records that come and go, under replace_one too: what
    is sampled may hold either record or none of them. Noise that is stated for
    replace_one says nothing about a sample without either record: the upper
    end holds for every such sample, and the bracket is wide.

    >>> from tightbudget import Gaussian, Poisson
    >>> print((Poisson(Gaussian(sigma=4), q=0.01) * 65536).epsilon(delta=1e-6))
    [3.0179..., 3.0193...]
    """

    name: ClassVar[str] = "poisson"
    reveal_more: ClassVar[tuple[str, ...]] = ("q",)
    what_is_run: ClassVar[str] = "what Poisson sampling runs"
    what_to_run: ClassVar[str] = (
        "A sample may hold the record, another in its place, or neither: give noise on a query, stated for add_remove."
    )

    mechanism: Mechanism
    q: float
    relation: str = field(default=ADD_REMOVE, kw_only=True)
    mix_relations: InitVar[bool] = False

    def __post_init__(self, mix_relations: bool) -> None:
        self._check_parameters()
        check_sampled(self.mechanism, "Take the group of the sample: group(poisson(mechanism, q), k).")
        if isinstance(self.mechanism, Composition):
            object.__setattr__(self, "mechanism", OneSample(self.mechanism))
        if not isinstance(self.mechanism, Mechanism):
            raise InvalidParameter("mechanism", self.mechanism, "a mechanism, or a composition for several on one sample")
        probability("q", self.q, "For a batch of 256 out of 60000 use 256/60000.")
        if self.q not in (0, 1):
            self._check_no_examples()
        if not mix_relations_asked(mix_relations):
            self._check_relations()
        elif self._replaces and not self._known_on_samples(REPLACE_ONE):  # three laws count, whatever is mixed
            raise UnknownRelation(REPLACE_ONE, self.mechanism, [ADD_REMOVE], self.what_to_run)

    def _fits(self, stated: Relations) -> bool:
        if self.relation == REPLACE_ONE and self.mechanism.replaced_in_samples:
            return stated != {ZERO_OUT}
        return super()._fits(stated)

    def _known_on_samples(self, relation: str) -> bool:
        if relation == REPLACE_ONE:
            return self.mechanism.replaced_in_samples
        return relation == ADD_REMOVE or self.mechanism.absent_if_zeroed

    def _group(self, k: int) -> Composable | None:
        from tightbudget.mechanisms.group import group_of_sampled

        if self.q in (0, 1):  # nobody is drawn, or everybody
            return self.whole._group(k) if self.q == 1 else self
        return group_of_sampled(self, k)

    @property
    def absent_if_zeroed(self) -> bool:
        return self.mechanism.absent_if_zeroed

    @property
    def _is_told(self) -> bool:
        """Whether the bound assumes that the sample reveals whether it contains the record.

        It does so for noise stated for replace_one only: nothing limits how far a sample without either record is.
        """
        return self._replaces and isinstance(self.mechanism, AdditiveNoise) and self.mechanism.relations == {REPLACE_ONE}

    @property
    def attains_pair(self) -> bool:  # type: ignore[override]
        return not self._is_told

    def member(self) -> Mechanism:
        if self._is_told:  # a record that adds nothing, as if it were not there, in the place of one that does
            return Poisson(replace(self.mechanism, relation=ADD_REMOVE), self.q)  # type: ignore[type-var]
        inner = self.mechanism.member()
        return self if inner == self.mechanism else replace(self, mechanism=inner, mix_relations=True)

    def members(self) -> tuple[Mechanism, ...]:
        if self._is_told:
            return (self.member(),)
        inner = self.mechanism.members()
        return (self.member(), *(replace(self, mechanism=one, mix_relations=True) for one in inner[1:]))

    def member_among_alike(self, relation: str) -> Mechanism | None:
        if self.q == 1:
            return self.mechanism.member_among_alike(relation)
        if self.q > 0 and relation != ZERO_OUT:
            return None  # the others are drawn by chance, too
        return self.under(relation).member() if relation in self.known_relations else None

    @property
    def larger(self) -> Direction | None:
        return Direction.REMOVE if isinstance(self.mechanism, Gaussian) and not self._replaces else None

    @property
    def orders_exchanged(self) -> bool:
        return self.mechanism.orders_exchanged

    def pair(self, direction: Direction) -> Pair | None:
        if self.q in (0, 1):
            return self.whole.pair(direction) if self.q == 1 else None
        if self._replaces and not self._is_told:
            return self.mechanism.sampled_replacement_of(direction, float(self.q))
        base = self.mechanism.pair(direction)
        if self._is_told and base is not None:
            return revealing_pair(float(self.q)) if self.mechanism.reveals_everything else _told_pair(base, float(self.q))
        return None if base is None else poisson_pair(base, float(self.q), direction)

    @property
    def moment_promise(self) -> MomentPromise | None:
        promised = self.mechanism.moment_promise
        if promised is None or self.q == 0 or self._replaces:
            return None
        return SampledPromise(promised, self.q) if self.q < 1 else promised

    def log_moment(self, direction: Direction, orders: Array) -> Array:
        promised = self.moment_promise
        return super().log_moment(direction, orders) if promised is None else promised.log_moment(direction, orders)

    def zcdp_rho(self, direction: Direction) -> float:
        promised = self.moment_promise
        return super().zcdp_rho(direction) if promised is None else promised.zcdp_rho(direction)

    @property
    def _replaces(self) -> bool:
        return self.relation == REPLACE_ONE

    @property
    def subsamples(self) -> bool:
        return self.q < 1

    @property
    def whole(self) -> Mechanism:
        return self.mechanism.under(self.relation) if self._replaces else self.mechanism

    @property
    def reveals_everything(self) -> bool:
        return self.q == 1 and self.mechanism.reveals_everything

    def in_numbers(self) -> Mechanism:
        return replace(self, mechanism=self.mechanism.in_numbers(), mix_relations=True)

    # A subsampled pair mixes the whole one with a pair that tells nothing.

    def known_rho(self, pair: Pair, direction: Direction) -> float:
        return self.whole.zcdp_rho(direction)

    def known_mu(self) -> float:
        return self.whole.gdp_mu()

    def known_below(self, slot: Known) -> bool:
        # a small sample can be taken from a larger one, and that from the whole
        if isinstance(slot, Poisson) and self.q <= slot.q and self.relation == slot.relation and self._base_below(slot):
            return True
        return slot.dominates(self.whole)

    def _base_below(self, slot: "Poisson") -> bool:
        # a pair of three laws is not known to be dominated because one of two laws is
        return slot.mechanism == self.mechanism if self._replaces else slot.mechanism.dominates(self.mechanism)

    def known_log_moment(self, pair: Pair, direction: Direction, orders: Array) -> Array:
        if self.q == 1:
            return self.whole.log_moment(direction, orders)
        q = float(self.q)
        # All pairs mix (A, B) with one whose moment is 1, and moments are convex in the pair.
        whole = self.whole.log_moment(direction, orders)
        bound = np.logaddexp(math.log1p(-q), math.log(q) + whole) + 16.0 * U * (
            2.0 + np.where(np.isinf(whole), 0.0, whole) - math.log(q)
        )
        if self._replaces:
            return np.minimum(bound, pair.log_moment(orders))
        base = self.mechanism.pair(direction)
        assert base is not None  # else this mechanism had no pair
        m = base.normal_ratio
        near = orders * m <= _NEAR
        if near.any():
            bound[near] = np.minimum(bound[near], self.events(direction, REACH + m).log_moment(orders[near]))
        if not near.all():
            far = orders[~near]
            reach = _sampled_reach(m, float(far.max()), q)
            bound[~near] = np.minimum(bound[~near], self.events(direction, reach).log_moment(far))
        if direction is Direction.REMOVE and base.gaussian is not None:
            for place in np.flatnonzero((orders == np.floor(orders)) & (orders <= subsampled_gaussian.LARGEST_ORDER)):
                bound[place] = min(bound[place], subsampled_gaussian.subsampled_gaussian_log_moment(m, q, int(orders[place])))
        return bound

    def events(self, direction: Direction, reach: float) -> Events:
        """Return the events of the mechanism, however often it is subsampled."""
        if self._replaces:
            return super().events(direction, reach)
        inner = self.mechanism.events(direction, reach)
        return subsampled_events(inner, float(self.q), direction) if self.q < 1 else inner


@REMEMBERED.remember
def _told_pair(base: Pair, q: float) -> PointPair:
    """Return the pair with q times the profile of a base that is the same in both orders (M28)."""
    profile = profile_above(base)
    made = pair_of_profiles(("told whether it is drawn", base, q), lambda losses: strictly_raised(q * profile(losses), 4))
    assert made is not None  # the base pair is not of equal distributions
    return made


def _sampled_reach(m: float, order: float, q: float) -> float:
    """Return how far to resolve a normal law: past the peak of the moment, or to where sampling no longer matters."""
    peak = order * m + 20.0
    alike = (math.log(order) - math.log(q) - math.log1p(-q) + 12.0) / m + m
    return max(REACH + m, min(peak, alike))
