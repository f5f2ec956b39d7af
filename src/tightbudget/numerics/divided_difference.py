"""The divided difference of (e^{xL} - 1)/x between two x near 0, by a series: free of cancellation (M10)."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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
