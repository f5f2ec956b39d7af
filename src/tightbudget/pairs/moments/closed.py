"""Moments in closed form: normal and Laplace noise (M10)."""

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.rounding import U, raised, strictly_raised
from tightbudget.pairs.moments.excess import log_two_exponentials

Array = NDArray[np.float64]


def gaussian_log_moment(m: float, orders: Array) -> Array:
    """D_a = a m^2 / 2."""
    with np.errstate(over="ignore"):
        return strictly_raised(0.5 * orders * (orders - 1.0) * m * m, 16)


def laplace_log_moment(top: float, orders: Array) -> Array:
    """E_A e^{(a-1)L} - 1 = (a (e^{(a-1) top} - 1) + (a-1) (e^{-a top} - 1)) / (2a - 1), top = sensitivity / scale."""
    excess = log_two_exponentials(orders - 1.0, -orders, top) - np.log(2.0 * orders - 1.0)
    excess += 16.0 * U * (1.0 + np.abs(excess) + np.log(orders))
    moment: Array = raised(np.logaddexp(0.0, excess), 32)
    return moment
