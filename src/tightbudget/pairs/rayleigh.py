"""The worst losses that a promise of zCDP allows: two Rayleigh laws (M36).

At the place t the best order is 1 + t. Beyond it A has the mass e^(-rho t^2) and B has e^(-rho (1+t)^2), and the loss
there is rho (1 + 2t) - log(1 + 1/t).
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special

from tightbudget.cached import cached_property
from tightbudget.numerics.rounding import GENEROUS, TINIEST, U, lowered_by
from tightbudget.pairs.base import Array
from tightbudget.pairs.mirrored import MirroredPair, Rest
from tightbudget.pairs.moments.events import Tail

LEAST_RHO, MOST_RHO = 1e-14, 1e4  # below, rounding hides how close A and B are
_LEAST_PLACE = 1e-140
_FARTHEST = 1e100  # losses beyond have places whose squares may be no floats, and no mass
_REACH = 745.0  # rho t^2 at the last place that is resolved: e^-745 < 1e-300
_COARSE = 256
_MOST_STEPS = 100


@dataclass(frozen=True)
class RayleighLaw:
    """The positive losses of the worst pair with D_a <= rho a at every order a, 1e-14 <= rho <= 1e4."""

    rho: float

    @cached_property
    def start(self) -> tuple[float, float]:
        low, high = math.log(_LEAST_PLACE), 0.5 * math.log(_REACH / self.rho)
        if not self._may_start(math.exp(low)):
            for _ in range(64):  # any place where it may start will do; the first is the best
                middle = 0.5 * (low + high)
                low, high = (low, middle) if self._may_start(math.exp(middle)) else (middle, high)
            low = high
        place = math.exp(low)
        return place, max(0.0, float(self.losses(np.array([place]))[0]))

    def _may_start(self, place: float) -> bool:
        return self._rest(place).certain and self.rho * (1.0 + 2.0 * place) > math.log1p(1.0 / place)

    def _rest(self, place: float) -> Rest:
        missing, exponent = -math.expm1(-self.rho * place * place), self.rho * (1.0 + place) ** 2
        mirrored = math.exp(-exponent)
        return Rest(missing, mirrored, 8.0 * U * (missing + (1.0 + exponent) * mirrored) + TINIEST)

    @property
    def rest(self) -> Rest:
        return self._rest(self.start[0])

    @property
    def _last(self) -> float:
        return math.sqrt(_REACH / self.rho)

    @cached_property
    def coarse_places(self) -> Array:
        first = self.start[0]
        return np.unique(
            np.concatenate([np.geomspace(first, self._last, _COARSE // 4), np.linspace(first, self._last, _COARSE)])
        )

    def losses(self, places: Array) -> Array:
        result: Array = self.rho * (1.0 + 2.0 * places) - np.log1p(1.0 / places)
        return result

    def loss_shift(self, loss: float) -> float:
        # both terms are good to 4u, and neighbouring places differ by no more; the second is largest at the start
        return 32.0 * U * (abs(loss) + 2.0 * math.log1p(1.0 / self.start[0])) + TINIEST

    def places(self, losses: Array) -> Array:
        """Return places by Newton steps from below: the loss is concave in the place, so that none goes too far."""
        found = np.full(losses.size, np.inf)
        todo = np.flatnonzero(losses < _FARTHEST)
        asked = losses[todo]
        rho, sums = self.rho, asked + self.rho
        # log(1 + 1/t) is at least 1/(1+t), and at least -log t: both give places that are too low
        x = (sums + np.sqrt(sums * sums + 8.0 * rho)) / (4.0 * rho) - 1.0
        small = np.exp(np.minimum(asked - rho, 300.0))
        x = np.maximum(np.maximum(x, small / (1.0 + 2.0 * rho * small)), self.start[0])
        for _ in range(_MOST_STEPS):
            logs = np.log1p(1.0 / x)
            miss = asked - (rho * (1.0 + 2.0 * x) - logs)
            before, x = x, np.maximum(x + miss / (2.0 * rho + 1.0 / (x * (1.0 + x))), self.start[0])
            if ((np.abs(miss) <= 8.0 * U * (asked + 2.0 * logs)) | (x == before)).all():
                found[todo] = before
                return found
        raise AssertionError("Newton steps from below converge (M36)")

    def masses(self, places: Array) -> tuple[Array, Array, Array]:
        low, high = places[:-1], places[1:]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            gap = np.where(high > low, high - low, 0.0)  # also where both are infinite
            square = self.rho * (1.0 + low) ** 2
            log_a = np.log(-np.expm1(-self.rho * gap * (high + low))) - self.rho * low * low
            log_b = np.log(-np.expm1(-self.rho * gap * (2.0 + high + low))) - square
        empty = gap == 0.0
        log_a[empty], log_b[empty], square[empty] = -np.inf, -np.inf, 0.0
        sizes = np.maximum(*(np.where(np.isfinite(log), np.abs(log), 0.0) for log in (log_a, log_b)))
        return log_a, log_b, 16.0 * U * (1.0 + np.where(np.isfinite(square), square, 0.0) + sizes)

    @property
    def tail(self) -> Tail:
        last, rho = self._last, self.rho

        def log_moment(orders: Array) -> Array:
            # of e^(t L) with L <= rho (1 + 2x): complete the square
            t = orders - 1.0
            gap = math.sqrt(rho) * (last - t)
            with np.errstate(divide="ignore"):  # of order 1 this part is nothing
                log_rest = np.log(2.0 * t * math.sqrt(math.pi * rho)) + special.log_ndtr(-math.sqrt(2.0) * gap)
            beyond = np.logaddexp(-gap * gap, log_rest)
            square = t * rho + t * t * rho
            result: Array = square + beyond + GENEROUS * (1.0 + square)
            return result

        return Tail(lowered_by(float(self.losses(np.array([last]))[0]), GENEROUS), log_moment)


@lru_cache(maxsize=16)
def zcdp_pair(rho: float) -> MirroredPair:
    """Return the pair that dominates every one with D_a <= rho a at every order a, 1e-14 <= rho <= 1e4."""
    assert LEAST_RHO <= rho <= MOST_RHO
    return MirroredPair(RayleighLaw(rho))
