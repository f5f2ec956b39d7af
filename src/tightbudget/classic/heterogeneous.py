"""Advanced composition of different promises, by way of zero-concentrated differential privacy.

With V = sum epsilon_i^2: (V/2 + sqrt(2 V log(1/d')), d' + sum delta_i) for every d' > 0, because epsilon-differential
privacy is epsilon^2/2-zCDP. Reference: Bun, Steinke 2016, Propositions 1.3 and 1.4.
"""

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import ROUNDING, PromiseBound
from tightbudget.classic.concentration import epsilon_at, product, slack_at
from tightbudget.classic.promises import Promises
from tightbudget.classic.totals import summed
from tightbudget.numerics.rounding import U

Array = NDArray[np.float64]


def _moments(promises: Promises, epsilons: Array) -> tuple[Array, Array]:
    variance = product(epsilons, epsilons) @ np.array(promises.counts, dtype=np.float64) * (1.0 + ROUNDING)
    return 0.5 * variance, variance


def _delta(promises: Promises, epsilons: Array, deltas: Array, epsilon: float) -> Array:
    return summed(promises, deltas) + slack_at(*_moments(promises, epsilons), epsilon)


def _epsilon(promises: Promises, epsilons: Array, deltas: Array, delta: float) -> Array:
    slack = delta - summed(promises, deltas) - 4.0 * U * delta
    return epsilon_at(*_moments(promises, epsilons), slack)


heterogeneous = PromiseBound(
    name="advanced, by zCDP",
    reference="Bun, Steinke 2016, Prop. 1.3 and 1.4",
    delta_formula=_delta,
    epsilon_formula=_epsilon,
    at_infinity=summed,
)
