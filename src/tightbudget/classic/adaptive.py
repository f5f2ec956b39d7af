"""Adaptive composition: the epsilons add up; delta is the chance 1 - prod (1 - delta_i) that some step fails.

An (epsilon_i, delta_i) promise is kept by randomised response that fails with probability delta_i; if none fails, the
loss is at most the sum of the epsilon_i. Reference: Meiser, Mohammadi 2018, Lemma 3.
"""

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import PromiseBound
from tightbudget.classic.promises import Promises
from tightbudget.classic.totals import failing

Array = NDArray[np.float64]


def _delta(promises: Promises, epsilons: Array, deltas: Array, epsilon: float) -> Array:
    return np.where(promises.weighted(epsilons) <= epsilon, failing(promises, deltas), np.inf)


def _epsilon(promises: Promises, epsilons: Array, deltas: Array, delta: float) -> Array:
    return np.where(failing(promises, deltas) <= delta, promises.weighted(epsilons), np.inf)


adaptive = PromiseBound(
    name="adaptive",
    reference="Meiser, Mohammadi 2018, Lemma 3",
    delta_formula=_delta,
    epsilon_formula=_epsilon,
    at_infinity=failing,
)
