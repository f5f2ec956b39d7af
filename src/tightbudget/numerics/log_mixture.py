"""The logarithm of 1 - q + q e^x, which is what sampling makes of a likelihood ratio e^x, with a bound on its error."""

import math

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.rounding import TINIEST, U

Array = NDArray[np.float64]

_LARGE = 600.0  # e^_LARGE is far from overflow


def log_mixture(x: Array, q: float) -> tuple[Array, Array]:
    """Return log(1 - q + q e^x) for 0 < q < 1, relatively accurate near 0, and a bound on its absolute error."""
    near = np.minimum(x, _LARGE)
    inner = q * np.expm1(near)
    direct = (inner > -0.5) & (x <= _LARGE)
    # log1p magnifies a relative error of what it is given by at most 1.45 where that is above -1/2
    value = np.log1p(np.where(direct, inner, 0.0))
    error = 8.0 * U * np.abs(value) + 4.0 * TINIEST
    if not direct.all():
        below = np.log((1.0 - q) + q * np.exp(np.minimum(near, 0.0)))  # a sum of positive numbers
        above = np.logaddexp(math.log1p(-q), math.log(q) + x)
        far = np.where(x <= 0.0, below, above)
        doubt = np.where(x <= 0.0, 1.0, 1.0 + np.abs(x) - math.log(q) - math.log1p(-q))
        value = np.where(direct, value, far)
        error = np.where(direct, error, 8.0 * U * (doubt + np.abs(far)))
    return value, error


def mixture_slope(x: Array, value: Array, q: float) -> Array:
    """Return a bound on the derivative q e^x / (1 - q + q e^x), at most 1, by which an error of x counts."""
    return np.minimum(1.0, 1.01 * np.exp(np.minimum(x - value + math.log(q), 0.0)))
