"""Naive composition: the epsilons add up, and so do the deltas.

Reference: Dwork, Kenthapadi, McSherry, Mironov, Naor 2006, Theorem 1.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import PromiseBound
from tightbudget.classic.failure_probability import summed_deltas
from tightbudget.classic.promises import Promises

Array = NDArray[np.float64]


def summed_epsilons(name: str, reference: str, total: Callable[[Promises, Array], Array]) -> PromiseBound:
    """Return the bound whose epsilon is the sum of all epsilons and whose delta is a total of all deltas."""

    def delta_formula(promises: Promises, epsilons: Array, deltas: Array, epsilon: float) -> Array:
        return np.where(promises.weighted(epsilons) <= epsilon, total(promises, deltas), np.inf)

    def epsilon_formula(promises: Promises, epsilons: Array, deltas: Array, delta: float) -> Array:
        return np.where(total(promises, deltas) <= delta, promises.weighted(epsilons), np.inf)

    return PromiseBound(name, reference, delta_formula, epsilon_formula, at_infinity=total)


naive = summed_epsilons("naive", "Dwork, Kenthapadi, McSherry, Mironov, Naor 2006", summed_deltas)
