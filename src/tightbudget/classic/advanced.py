"""Advanced composition of k equal promises.

(k epsilon (e^epsilon - 1) + epsilon sqrt(2 k log(1/d')), k delta + d') for every d' > 0.
Reference: Dwork, Rothblum, Vadhan 2010, Theorem III.3.
"""

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import ROUNDING, PromiseBound
from tightbudget.classic.concentration import epsilon_at, product, slack_at
from tightbudget.classic.homogeneous import only_equal_steps
from tightbudget.classic.promises import Promises
from tightbudget.classic.totals import summed
from tightbudget.numerics.rounding import U

Array = NDArray[np.float64]


def _moments(promises: Promises, epsilons: Array) -> tuple[Array, Array]:
    k, epsilon = float(promises.counts[0]), epsilons[:, 0]
    with np.errstate(over="ignore"):
        drift = k * product(epsilon, np.expm1(epsilon))
    return drift * (1.0 + ROUNDING), k * product(epsilon, epsilon) * (1.0 + ROUNDING)


def _delta(promises: Promises, epsilons: Array, deltas: Array, epsilon: float) -> Array:
    return summed(promises, deltas) + slack_at(*_moments(promises, epsilons), epsilon)


def _epsilon(promises: Promises, epsilons: Array, deltas: Array, delta: float) -> Array:
    slack = delta - summed(promises, deltas) - 4.0 * U * delta
    return epsilon_at(*_moments(promises, epsilons), slack)


advanced = PromiseBound(
    name="advanced",
    reference="Dwork, Rothblum, Vadhan 2010, Thm III.3",
    delta_formula=_delta,
    epsilon_formula=_epsilon,
    at_infinity=summed,
    check=only_equal_steps,
)
