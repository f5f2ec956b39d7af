"""Promises on Rényi divergences of what is run on a Poisson sample: proven at whole orders, chords between (M34)."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tightbudget.mechanisms.exact_numbers import exact
from tightbudget.mechanisms.renyi_promises import MomentPromise
from tightbudget.numerics.remembered import remembered
from tightbudget.numerics.rounding import U, float_above, raised, strictly_raised
from tightbudget.pairs.base import Array, Direction
from tightbudget.pairs.moments.subsampled_gaussian import LARGEST_ORDER, sampled_log_moment

_EVERY = 48  # all whole orders up to this are looked at, and some beyond
_REMEMBERED = 4096


@dataclass(frozen=True, repr=False)
class SampledPromise(MomentPromise):
    """What `Poisson` promises where the mechanism that it runs is known only by a promise."""

    name: ClassVar[str] = "sampled_promise"

    whole_promise: MomentPromise
    q: float

    @property
    def promised_delta(self) -> Fraction:  # type: ignore[override]
        return max(Fraction(self.q), exact("q", self.q)) * self.whole_promise.promised_delta

    @property
    def stated_rho(self) -> Fraction | None:
        return self.whole_promise.stated_rho  # no sample has larger divergences than the whole

    @property
    def stated_orders(self) -> tuple[float, ...]:
        beyond = np.unique(np.geomspace(_EVERY, LARGEST_ORDER, _EVERY).astype(int)).tolist()
        return tuple(map(float, [*range(2, _EVERY), *beyond]))

    def zcdp_rho(self, direction: Direction) -> float:
        return self.whole_promise.zcdp_rho(direction)

    def at(self, order: Fraction) -> Fraction | None:
        bound = float(self.bounds_at(np.array([float_above(order)]))[0])  # divergences grow with the order
        return Fraction(bound) if bound < math.inf else None

    def bounds_at(self, orders: Array) -> Array:
        theta = orders - 1.0
        with np.errstate(over="ignore", invalid="ignore"):
            whole = self.whole_promise.bounds_at(orders)
            mixed = strictly_raised(self._mixed(strictly_raised(theta * whole, 4)) / theta, 4)
            chords = strictly_raised(self._chords(orders) / theta, 4)
        bounds: Array = np.fmin(np.fmin(whole, mixed), chords)
        return bounds

    def _mixed(self, log_moments: Array) -> Array:
        """Return log(1 - q + q e^x): moments are convex in the pair, and without the record there is nothing to see."""
        q = float(self.q)
        size = 2.0 + np.where(np.isinf(log_moments), 0.0, log_moments) - math.log(q) - math.log1p(-q)
        mixed: Array = np.logaddexp(math.log1p(-q), math.log(q) + log_moments) + 16.0 * U * size
        return mixed

    def _chords(self, orders: Array) -> Array:
        """Return bounds on the log moments, convex in the order and 0 at 1: chords between whole orders."""
        below, above = np.floor(orders), np.ceil(orders)
        low, high = (self._at_whole(ends) for ends in (below, above))
        share = orders - below
        between = np.where(share > 0.0, low + share * (high - low), low)
        chords: Array = np.where(np.isnan(between), np.inf, raised(between, 8) + 8.0 * U * low)
        return chords

    def _at_whole(self, orders: Array) -> Array:
        return np.array([_log_moment(self.whole_promise, float(self.q), order) for order in orders.tolist()])


@remembered(_REMEMBERED)
def _log_moment(promise: MomentPromise, q: float, order: float) -> float:
    """Return a bound on the log moment of a sample at a whole order, in both directions; inf beyond the largest."""
    if order <= 1.0:
        return 0.0
    if order > LARGEST_ORDER:
        return math.inf
    whole = np.arange(2.0, order + 1.0)
    with np.errstate(over="ignore"):
        return sampled_log_moment(strictly_raised((whole - 1.0) * promise.bounds_at(whole), 4), q)
