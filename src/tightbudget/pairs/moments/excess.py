"""What a loss adds to a moment, free of cancellation: E_A e^{theta L} - 1 as a sum of terms from 0 on (M10)."""

import math

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.divided_difference import divided_difference
from tightbudget.numerics.rounding import U

Array = NDArray[np.float64]

_SMALL = 0.05  # |x L| below which six terms of the series leave out less than 1e-12 of their sum
_SERIES = 1e-11
_CANCELLED = 1000.0 * U  # beyond _SMALL each of the two terms is at most 41 times their sum (M10)
_LARGE = 600.0  # e^600 times any order of interest is still a float


def log_excess(thetas: Array, losses: Array) -> Array:
    """Return log of r = (e^{theta L} - 1) + theta (e^{-L} - 1), one row for each theta > 0.

    r >= 0, it falls for L < 0 and rises for L > 0. As E_A e^{-L} = 1 - B(dA = 0), the mean of r under A is the moment
    less 1, up to theta B(dA = 0). The result is rounded up but for the rounding of exponents, u |theta L| times at
    most 100.
    """
    with np.errstate(divide="ignore", over="ignore"):
        x = np.multiply.outer(thetas, losses)
        log_r = np.minimum(x, _LARGE)
        np.expm1(log_r, out=log_r)
        log_r += np.multiply.outer(thetas, np.expm1(np.minimum(-losses, _LARGE)))
        np.log(np.maximum(log_r, 0.0, out=log_r), out=log_r)
        log_r += _CANCELLED
        # for L > 0 the second term is negative, for L < 0 the first
        if x.max(initial=0.0) > _LARGE:
            np.copyto(log_r, x, where=x > _LARGE)
        steep = losses < -_LARGE
        if steep.any():
            log_r[:, steep] = np.subtract.outer(np.log(thetas), losses[steep])
        row, column = np.nonzero(np.abs(np.multiply.outer(thetas + 1.0, losses)) <= _SMALL)
        if row.size:
            log_r[row, column] = _log_series(thetas[row], losses[column])
    return log_r


def _log_series(theta: Array, loss: Array) -> Array:
    square: Array = np.log(0.5 * theta * (theta + 1.0)) + 2.0 * np.log(np.abs(loss))
    return square + np.log(divided_difference(theta, -1.0, loss)) + _SERIES


def log_two_exponentials(x: Array, y: Array, loss: float) -> Array:
    """Return log of |y| (e^{xL} - 1) + x (e^{yL} - 1), x > 0 > y, L > 0, rounded up."""
    with np.errstate(divide="ignore", over="ignore"):
        rise, fall = -y * np.expm1(np.minimum(x * loss, _LARGE)), x * np.expm1(y * loss)
        value = rise + fall + U * ((8.0 + x * loss) * (rise - y) + (8.0 + np.abs(y) * loss) * x)
        log_value = np.where(x * loss > _LARGE, np.log(-y) + x * loss, np.log(value))
        small = np.maximum(x, -y) * loss <= _SMALL
        if small.any():
            near = np.log(-0.5 * x * y * (x - y)) + 2.0 * math.log(loss)
            series = np.log(divided_difference(np.where(small, x, 0.0), np.where(small, y, 0.0), np.where(small, loss, 0.0)))
            log_value = np.where(small, near + series + _SERIES, log_value)
    result: Array = log_value + 8.0 * U * np.abs(log_value)
    return result
