"""Poisson subsampling of any mechanism, as in DP-SGD (theory D.4)."""

import math
from dataclasses import InitVar, dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.base import Mechanism
from tightbudget.mechanisms.checks import probability
from tightbudget.mechanisms.known_bounds import Known
from tightbudget.mechanisms.relations import Relations, check_one_relation, mix_relations_asked, stated_relation
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import REACH, Array, Direction, Pair
from tightbudget.pairs.moments import subsampled_gaussian
from tightbudget.pairs.moments.events import Events, subsampled_events
from tightbudget.pairs.poisson import poisson_pair

_NEAR = 25.0  # orders a with a m below this have their moment within the 45 sigmas of the first grid


@dataclass(frozen=True)
class Poisson(Mechanism):
    """Run a mechanism on a random sample of the records, as DP-SGD does.

    mechanism      what is run on the sample: one mechanism, no composition
    q              probability with which each record is in the sample,
                   independently, from 0 to 1: for a batch of 256 out of 60000
                   use 256/60000
    mix_relations  take a mechanism that is stated for another relation,
                   its two distributions as those with and without a record

    Neighbours: add_remove.

    >>> from tightbudget import Gaussian, Poisson
    >>> print((Poisson(Gaussian(sigma=4), q=0.01) * 65536).epsilon(delta=1e-6))
    [3.0179..., 3.0193...]
    """

    name: ClassVar[str] = "poisson"
    reveal_more: ClassVar[tuple[str, ...]] = ("q",)

    mechanism: Mechanism
    q: float
    mix_relations: InitVar[bool] = False

    def __post_init__(self, mix_relations: bool) -> None:
        self._check_parameters()
        if not isinstance(self.mechanism, Mechanism):
            raise InvalidParameter("mechanism", self.mechanism, "one mechanism", "Subsample each part of a composition.")
        probability("q", self.q, "For a batch of 256 out of 60000 use 256/60000.")
        if not mix_relations_asked(mix_relations) and len(self.mechanism.relations) == 1:
            check_one_relation(
                [("Poisson sampling", stated_relation(self.neighbours)), (self.mechanism, self.mechanism.relations)]
            )

    @cached_property
    def relations(self) -> Relations:
        return stated_relation(self.neighbours) | self.mechanism.relations

    def member(self) -> Mechanism:
        inner = self.mechanism.member()
        return self if inner == self.mechanism else Poisson(inner, self.q, mix_relations=True)

    def pair(self, direction: Direction) -> Pair | None:
        base = self.mechanism.pair(direction)
        if base is None or self.q == 0:
            return None
        return base if self.q == 1 else poisson_pair(base, float(self.q), direction)

    @property
    def subsamples(self) -> bool:
        return self.q < 1

    @property
    def whole(self) -> Mechanism:
        return self.mechanism

    @property
    def reveals_everything(self) -> bool:
        return self.q == 1 and self.mechanism.reveals_everything

    def in_numbers(self) -> Mechanism:
        return Poisson(self.mechanism.in_numbers(), self.q, mix_relations=True)

    # A subsampled pair mixes the whole one with a pair that tells nothing.

    def known_rho(self, pair: Pair, direction: Direction) -> float:
        return self.mechanism.zcdp_rho(direction)

    def known_mu(self) -> float:
        return self.mechanism.gdp_mu()

    def known_below(self, slot: Known) -> bool:
        # a small sample can be taken from a larger one, and that from the whole
        if isinstance(slot, Poisson) and self.q <= slot.q and slot.mechanism.dominates(self.mechanism):
            return True
        return slot.dominates(self.mechanism)

    def known_log_moment(self, pair: Pair, direction: Direction, orders: Array) -> Array:
        if self.q == 1:
            return self.mechanism.log_moment(direction, orders)
        q = float(self.q)
        # Both pairs mix (A, B) with one whose moment is 1, and moments are convex in the pair.
        whole = self.mechanism.log_moment(direction, orders)
        bound = np.logaddexp(math.log1p(-q), math.log(q) + whole) + 16.0 * U * (
            2.0 + np.where(np.isinf(whole), 0.0, whole) - math.log(q)
        )
        base = self.mechanism.pair(direction)
        assert base is not None  # else this mechanism had no pair
        m = base.normal_ratio
        near = orders * m <= _NEAR
        if near.any():
            bound[near] = np.minimum(bound[near], self.events(direction, REACH + m).log_moment(orders[near]))
        if not near.all():
            far = orders[~near]
            reach = _reach(m, float(far.max()), q)
            bound[~near] = np.minimum(bound[~near], self.events(direction, reach).log_moment(far))
        if direction is Direction.REMOVE and base.gaussian is not None:
            for place in np.flatnonzero((orders == np.floor(orders)) & (orders <= subsampled_gaussian.LARGEST_ORDER)):
                bound[place] = min(bound[place], subsampled_gaussian.subsampled_gaussian_log_moment(m, q, int(orders[place])))
        return bound

    def events(self, direction: Direction, reach: float) -> Events:
        """Return the events of the mechanism, however often it is subsampled."""
        inner = self.mechanism.events(direction, reach)
        return subsampled_events(inner, float(self.q), direction) if self.q < 1 else inner


def _reach(m: float, order: float, q: float) -> float:
    """Return how far to resolve a normal law: past the peak of the moment, or to where sampling no longer matters."""
    peak = order * m + 20.0
    alike = (math.log(order) - math.log(q) - math.log1p(-q) + 12.0) / m + m
    return max(REACH + m, min(peak, alike))
