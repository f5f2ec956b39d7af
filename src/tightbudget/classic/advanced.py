"""Advanced composition of k equal promises.

(k epsilon (e^epsilon - 1) + epsilon sqrt(2 k log(1/d')), k delta + d') for every d' > 0.
Reference: Dwork, Rothblum, Vadhan 2010, Theorem III.3.
"""

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import ROUNDING
from tightbudget.classic.concentration import concentration_bound, product_up
from tightbudget.classic.homogeneous import only_equal_steps
from tightbudget.classic.promises import Promises
from tightbudget.numerics.rounding import raised_by

Array = NDArray[np.float64]


def _advanced_moments(promises: Promises, epsilons: Array) -> tuple[Array, Array]:
    k, epsilon = float(promises.counts[0]), epsilons[:, 0]
    with np.errstate(over="ignore"):
        drift = k * product_up(epsilon, np.expm1(epsilon))
    return raised_by(drift, ROUNDING), raised_by(k * product_up(epsilon, epsilon), ROUNDING)


advanced = concentration_bound("advanced", "Dwork, Rothblum, Vadhan 2010, Thm III.3", _advanced_moments, only_equal_steps)
