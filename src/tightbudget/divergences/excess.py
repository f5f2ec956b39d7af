"""What a loss adds to a moment, free of cancellation: E_A e^{theta L} - 1 as a sum of terms that are never negative (M10)."""

import math

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.rounding import U

Array = NDArray[np.float64]

_SMALL = 0.05  # |x L| below which six terms of the series leave out less than 1e-12 of their sum
_SERIES = 1e-11
_LARGE = 690.0  # e^690 is still a float


def log_excess(thetas: Array, losses: Array) -> Array:
    """Return log of r = (e^{theta L} - 1) + theta (e^{-L} - 1), rounded up, one row for each theta > 0.

    r >= 0, it falls for L < 0 and rises for L > 0. As E_A e^{-L} = 1 - B(dA = 0), the mean of r under A is the moment less 1,
    up to theta B(dA = 0).
    """
    theta, loss = thetas[:, None], losses[None, :]
    with np.errstate(divide="ignore", over="ignore"):
        x = theta * loss
        rise = np.expm1(np.minimum(x, _LARGE))
        fall = theta * np.expm1(np.minimum(-loss, _LARGE))
        # an exponent x is off by u|x|, which moves expm1 by u|x|e^x; both functions are good to 2u
        value = rise + fall + U * ((4.0 + np.abs(x)) * (np.abs(rise) + 1.0) * (np.abs(x) > 0.0) + 8.0 * np.abs(fall))
        log_r = np.log(value)
        # for L > 0 the second term is negative, for L < 0 the first
        log_r = np.where(x > _LARGE, x, log_r)
        log_r = np.where(-loss > _LARGE, np.log(theta) - loss, log_r)
        row, column = np.nonzero((theta + 1.0) * np.abs(loss) <= _SMALL)
        if row.size:
            log_r[row, column] = _log_series(thetas[row], losses[column])
    return log_r


def _log_series(theta: Array, loss: Array) -> Array:
    square: Array = np.log(0.5 * theta * (theta + 1.0)) + 2.0 * np.log(np.abs(loss))
    return square + np.log(divided_difference(theta, -1.0, loss)) + _SERIES


def divided_difference(x: Array, y: Array | float, loss: Array) -> Array:
    """Return 2/L^2 (F(x) - F(y)) / (x - y) with F(x) = (e^{xL} - 1)/x, for |x L|, |y L| <= 0.05, good to 1e-12.

    The series is 2 sum_k h_k L^k / (k+2)! with h_k = sum_i x^i y^{k-i}.
    """
    power: Array | float = 1.0
    h, total = np.ones(np.broadcast(x, loss).shape), np.ones(np.broadcast(x, loss).shape)
    term = np.ones(np.broadcast(x, loss).shape)
    for k in range(1, 6):
        power = power * y
        h = x * h + power
        term = term * loss / (k + 2)
        total = total + h * term
    return total


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
    result: Array = log_value
    return result
