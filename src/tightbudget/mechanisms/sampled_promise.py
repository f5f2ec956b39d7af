"""Promises on Rényi divergences of what is run on a Poisson sample: proven at whole orders, chords between (M34)."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tightbudget.mechanisms.exact_numbers import exact
from tightbudget.mechanisms.renyi_promises import MomentPromise
from tightbudget.numerics.rounding import U, float_above, raised, strictly_raised
from tightbudget.pairs.base import Array, Direction
from tightbudget.pairs.moments.subsampled_gaussian import LARGEST_ORDER, sampled_log_moments

_EVERY = 48  # all whole orders up to this are looked at, and some beyond


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
        low, high = np.split(self._at_whole(np.concatenate([below, above])), 2)
        share = orders - below
        between = np.where(share > 0.0, low + share * (high - low), low)
        chords: Array = np.where(np.isnan(between), np.inf, raised(between, 8) + 8.0 * U * low)
        return chords

    def _at_whole(self, orders: Array) -> Array:
        """Return bounds on the log moments of a sample at whole orders, in both directions; inf beyond the largest."""
        different, place = np.unique(orders, return_inverse=True)
        bounds = np.where(different <= 1.0, 0.0, np.inf)
        asked = (different > 1.0) & (different <= LARGEST_ORDER)
        if asked.any():
            whole = np.arange(2.0, different[asked][-1] + 1.0)
            with np.errstate(over="ignore"):
                exponent = strictly_raised((whole - 1.0) * self.whole_promise.bounds_at(whole), 4)
            bounds[asked] = sampled_log_moments(exponent, float(self.q), different[asked].astype(np.int64))
        found: Array = bounds[place]
        return found
