r"""Composition of steps whose loss varies by at most eta_i, such as exponential mechanisms.

With c_i = eta_i/(1 - e^-eta_i), at delta = d':

$$\varepsilon = \min\{\textstyle\sum\varepsilon_i,\ \sum(c_i-1-\ln c_i)+\sqrt{\tfrac12\sum\eta_i^2\ln(1/d')}\}$$

A step with losses between -b and a has eta = a + b. Reference: Dong, Durfee, Rogers 2020, Proposition 4 and Theorem 3.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import ROUNDING, EdgeAnswers
from tightbudget.classic.concentration import epsilon_at, product_up, slack_at
from tightbudget.classic.promises import Promises, sum_up
from tightbudget.errors import DoesNotApply
from tightbudget.numerics.rounding import raised_by

Array = NDArray[np.float64]
_RangeMoments = tuple[float, Array, Array]


@dataclass(frozen=True)
class RangeBound(EdgeAnswers[_RangeMoments]):
    name: str = "bounded range"
    reference: str = "Dong, Durfee, Rogers 2020, Prop. 4"
    kind: str = "upper bound"

    def _told(self, promises: Promises) -> _RangeMoments:
        return _bounded_range_moments(promises)

    def _delta(self, promises: Promises, told: _RangeMoments, epsilon: float) -> float:
        largest, drift, variance = told
        return 0.0 if epsilon >= largest else float(slack_at(drift, variance, epsilon))

    def _epsilon(self, promises: Promises, told: _RangeMoments, delta: float) -> float:
        largest, drift, variance = told
        return min(largest, float(epsilon_at(drift, variance, np.array(delta))))


def _bounded_range_moments(promises: Promises) -> _RangeMoments:
    """Return the largest loss, the sum of the largest mean losses, and a quarter of the sum of eta_i^2."""
    if any(math.isinf(step.pure) for step in promises.steps):
        raise DoesNotApply("the loss of a step is not bounded")
    etas, counts = [step.mechanism.loss_range for step in promises.steps], promises.counts
    largest = sum_up([(step.pure, count) for step, count in zip(promises.steps, counts, strict=True)])
    drift = math.fsum(_largest_mean(eta) * count for eta, count in zip(etas, counts, strict=True))
    quarter = math.fsum(0.25 * _squared_range(eta) * count for eta, count in zip(etas, counts, strict=True))
    return largest, np.array(raised_by(drift, ROUNDING)), np.array(raised_by(quarter, ROUNDING))


def _largest_mean(eta: float) -> float:
    r"""Return c - 1 - ln c for c = eta/(1 - e^-eta), rounded up.

    For small eta the terms cancel; there eta^2/8 is an upper bound, by Hoeffding's lemma, as it is everywhere.
    """
    if eta < 1e-3:
        return _squared_range(eta) / 8.0
    c = eta / -math.expm1(-eta)
    # the terms are good to 4u of c; below eta = 1 the difference is at least eta^2/9
    return min(eta * eta / 8.0, c - 1.0 - math.log(c) + 1e-15 * c)


def _squared_range(eta: float) -> float:
    return float(product_up(np.array(eta), np.array(eta)))


bounded_range = RangeBound()
