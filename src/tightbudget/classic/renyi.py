"""Rényi differential privacy, also known as the moments accountant: the best order of two conversions.

If the Rényi divergence of order a is at most tau, then delta(epsilon) is at most e^((a-1)(tau - epsilon)), the
conversion of the moments accountant, and at most (1/a) (1 - 1/a)^(a-1) times that, the best possible from one order.
Divergences of steps add up. References: Abadi et al. 2016, Theorem 2; Mironov 2017, Propositions 1 and 3; Canonne,
Kamath, Steinke 2020, Proposition 12.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import ROUNDING, EdgeAnswers
from tightbudget.classic.promises import Promises
from tightbudget.divergences import ORDERS, rdp_delta, rdp_epsilon, renyi
from tightbudget.errors import DoesNotApply
from tightbudget.numerics.rounding import raised_by
from tightbudget.pairs.base import NEGLIGIBLE

Array = NDArray[np.float64]
Conversion = Callable[[Array, Array, float], Array]

_CLOSER = 33  # orders tried between the neighbours of the best one


def _moments_delta(orders: Array, taus: Array, epsilon: float) -> Array:
    exponent = (orders - 1.0) * (taus - epsilon)
    # the difference is rounded at the size of its terms
    exponent = exponent + ROUNDING * (orders - 1.0) * (taus + epsilon)
    return raised_by(np.exp(np.minimum(exponent, 0.0)), ROUNDING) + NEGLIGIBLE


def _moments_epsilon(orders: Array, taus: Array, delta: float) -> Array:
    if delta == 0.0:
        return np.full(orders.shape, math.inf)
    epsilons: Array = raised_by(taus - math.log(delta) / (orders - 1.0), ROUNDING)
    return epsilons


@dataclass(frozen=True)
class RenyiBound(EdgeAnswers[Array]):
    name: str
    reference: str
    to_delta: Conversion
    to_epsilon: Conversion
    kind: str = "upper bound"

    def _told(self, promises: Promises) -> Array:
        return _usual_renyi_divergences(promises)

    def _delta(self, promises: Promises, told: Array, epsilon: float) -> float:
        return _least_over_orders(promises, told, lambda a, tau: self.to_delta(a, tau, epsilon))

    def _epsilon(self, promises: Promises, told: Array, delta: float) -> float:
        return _least_over_orders(promises, told, lambda a, tau: self.to_epsilon(a, tau, delta))

    def _curve(self, promises: Promises, told: Array, epsilons: Sequence[float]) -> list[float]:
        with np.errstate(all="ignore"):
            return [float(self.to_delta(ORDERS, told, epsilon).min()) for epsilon in epsilons]


def _usual_renyi_divergences(promises: Promises) -> Array:
    """Return the divergences at the usual orders; DoesNotApply if none is finite."""
    if promises.taus is None:
        promises.taus = np.asarray(renyi(promises.composition, ORDERS))
    if np.isinf(promises.taus).all():
        raise DoesNotApply("a step may reveal everything, so no Rényi divergence is finite")
    return promises.taus


def _least_over_orders(promises: Promises, taus: Array, convert: Callable[[Array, Array], Array]) -> float:
    """Return the least value over the usual orders and a few around the best of them; every order is sound."""
    with np.errstate(all="ignore"):
        values = convert(ORDERS, taus)
        place = int(np.argmin(values))
        around = ORDERS[max(0, place - 1)], ORDERS[min(ORDERS.size - 1, place + 1)]
        closer = 1.0 + np.geomspace(around[0] - 1.0, around[1] - 1.0, _CLOSER)
        values_closer = convert(closer, np.asarray(renyi(promises.composition, closer)))
    return float(min(values[place], values_closer.min()))


moments_accountant = RenyiBound(
    name="moments accountant",
    reference="Abadi et al. 2016, Thm 2",
    to_delta=_moments_delta,
    to_epsilon=_moments_epsilon,
)

renyi_dp = RenyiBound(
    name="Rényi DP",
    reference="Mironov 2017; Canonne, Kamath, Steinke 2020, Prop. 12",
    to_delta=rdp_delta,
    to_epsilon=rdp_epsilon,
)
