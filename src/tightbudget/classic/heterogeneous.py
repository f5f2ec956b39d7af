"""Advanced composition of different promises, by way of zero-concentrated differential privacy.

With V = sum epsilon_i^2: (V/2 + sqrt(2 V log(1/d')), d' + sum delta_i) for every d' > 0, because epsilon-differential
privacy is epsilon^2/2-zCDP. Reference: Bun, Steinke 2016, Propositions 1.3 and 1.4.
"""

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.bound import ROUNDING
from tightbudget.classic.concentration import concentration_bound, product_up
from tightbudget.classic.promises import Promises
from tightbudget.numerics.rounding import raised_by

Array = NDArray[np.float64]


def _heterogeneous_moments(promises: Promises, epsilons: Array) -> tuple[Array, Array]:
    variance = raised_by(product_up(epsilons, epsilons) @ np.array(promises.counts, dtype=np.float64), ROUNDING)
    return 0.5 * variance, variance


heterogeneous = concentration_bound("advanced, by zCDP", "Bun, Steinke 2016, Prop. 1.3 and 1.4", _heterogeneous_moments)
