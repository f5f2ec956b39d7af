"""All promises on Rényi divergences of a composition, added up and turned into one pair (M34)."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import ANY
from tightbudget.mechanisms.renyi_promises import MomentPromise
from tightbudget.numerics.rounding import float_above, raised
from tightbudget.pairs.base import Array, Direction, Pair
from tightbudget.pairs.points import REMEMBERED, PointPair
from tightbudget.pairs.power_laws import MOST_BOUND, renyi_pair, tractable_laws
from tightbudget.pairs.profile_grid import Profile, pair_of_profiles
from tightbudget.pairs.rayleigh import LEAST_RHO, MOST_RHO, zcdp_pair
from tightbudget.pairs.renyi_profile import renyi_profile, zcdp_profile
from tightbudget.pairs.revealing import revealing_pair

_BETWEEN = 64  # orders tried from 1 to the smallest and between neighbours


@dataclass(frozen=True)
class PromisedBlock(Mechanism):
    """All promises on Rényi divergences of a composition, as one."""

    name: ClassVar[str] = "promised_block"
    neighbours: ClassVar[str] = ANY

    parts: tuple[tuple[MomentPromise, int], ...]

    def pair(self, direction: Direction) -> Pair | None:
        rho, orders, bounds = self._sum
        # events are removed in each step: all of them together are no likelier than their sum
        removed = sum((step.promised_delta * count for step, count in self.parts), start=Fraction(0))
        delta = min(1.0, float_above(removed))
        if delta == 1.0 or rho > MOST_RHO or (orders and not math.isfinite(min(bounds))):
            return revealing_pair()
        if rho == 0.0 and not any(bounds):
            return revealing_pair(delta) if delta else None
        return _promised_pair(rho, orders, bounds, delta)

    @cached_property
    def _sum(self) -> tuple[float, tuple[float, ...], tuple[float, ...]]:
        """Return the sum of rho if all promises are for all orders, else 0 and the sums at orders that are named."""
        if all(step.for_all_orders for step, _ in self.parts):
            rhos = (step.stated_rho * count for step, count in self.parts if step.stated_rho)
            return float_above(sum(rhos, start=Fraction(0))), (), ()
        named = sorted({order for step, _ in self.parts for order in step.stated_orders})
        # without a rho the bounds between them are chords, which the hull of their profiles has anyway (M36)
        orders = _orders_to_try(named) if any(step.for_all_orders for step, _ in self.parts) else np.array(named)
        total = np.zeros(orders.size)
        with np.errstate(over="ignore"):
            for step, count in self.parts:
                total = raised(total + raised(count * step.bounds_at(orders), 4), 4)
        kept = np.isfinite(total)
        if not kept.any():  # bounds that no float holds are none
            return math.inf, (), ()
        if (total <= MOST_BOUND).any():  # larger ones say nothing beside it
            kept = total <= MOST_BOUND
        return 0.0, tuple(orders[kept].tolist()), tuple(total[kept].tolist())


def _orders_to_try(named: list[float]) -> Array:
    """Return the orders named, with others between them, the fewer the more are named."""
    ends = [1.0, *named]
    between = np.geomspace(1e-3, 1.0, max(4, _BETWEEN // len(ends)))[:, None] * np.diff(ends) + ends[:-1]
    between = np.append(between, 1.0 + np.geomspace(1e-3, 1.0, _BETWEEN) * (ends[min(1, len(named))] - 1.0))
    orders: Array = np.union1d(between[between > 1.0], named)
    return orders


def _promised_pair(rho: float, orders: tuple[float, ...], bounds: tuple[float, ...], delta: float) -> Pair:
    if not delta and orders and tractable_laws(np.array(orders), np.array(bounds)):
        return renyi_pair(orders, bounds)
    if not delta and not orders and rho >= LEAST_RHO:
        return zcdp_pair(rho)
    return _pair_of_promised_block(rho, orders, bounds, delta)


@REMEMBERED.remember
def _pair_of_promised_block(rho: float, orders: tuple[float, ...], bounds: tuple[float, ...], delta: float) -> PointPair:
    """Return a pair of many dots of the profile, where no law of its own is followed."""
    profile = renyi_profile(np.array(orders), np.array(bounds)) if orders else zcdp_profile(rho)
    made = pair_of_profiles(("promised", rho, orders, bounds, delta), _after_removal(profile, delta) if delta else profile)
    assert made is not None  # the promise allows for some loss
    return made


def _after_removal(profile: Profile, delta: float) -> Profile:
    """Return the profile of what keeps a promise after removal of an event of probability delta."""

    def with_event(losses: Array) -> Array:
        return np.minimum(1.0, raised(delta + (1.0 - delta) * profile(losses), 8))

    return with_event
