"""Naive composition: the epsilons add up, and so do the deltas.

Reference: Dwork, Kenthapadi, McSherry, Mironov, Naor 2006, Theorem 1.
"""

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import PromiseBound
from tightbudget.classic.promises import Promises
from tightbudget.classic.totals import summed

Array = NDArray[np.float64]


def _delta(promises: Promises, epsilons: Array, deltas: Array, epsilon: float) -> Array:
    return np.where(promises.weighted(epsilons) <= epsilon, summed(promises, deltas), np.inf)


def _epsilon(promises: Promises, epsilons: Array, deltas: Array, delta: float) -> Array:
    return np.where(summed(promises, deltas) <= delta, promises.weighted(epsilons), np.inf)


naive = PromiseBound(
    name="naive",
    reference="Dwork, Kenthapadi, McSherry, Mironov, Naor 2006",
    delta_formula=_delta,
    epsilon_formula=_epsilon,
    at_infinity=summed,
)
