"""Poisson samples at whole orders: a binomial sum (Mironov, Talwar, Zhang 2019; M10, and M34 for promises)."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.numerics.rounding import U, raised

Array = NDArray[np.float64]

LARGEST_ORDER = 512


def subsampled_gaussian_log_moment(m: float, q: float, order: int) -> float:
    """Return log E_B (1 - q + q dA/dB)^a for A = N(m, 1), B = N(0, 1) and a whole order a >= 2, rounded up.

    With K ~ Bin(a, q) it is log E e^{K(K-1) m^2/2}; the terms K < 2 are 1, so the excess over 1 is a positive sum.
    """
    k = np.arange(2.0, order + 1.0)
    with np.errstate(over="ignore"):
        return sampled_log_moment((0.5 * k * (k - 1.0)) * (m * m), q)


def sampled_log_moment(exponent: Array, q: float) -> float:
    """Return log E e^{x(K)} for K ~ Bin(a, q), rounded up, where x(0) = x(1) = 0 and x(2), ..., x(a) are given.

    Guarantee: at least the log moment of order a of a Poisson sample at rate 0 < q < 1, in both directions, of any
    mechanism whose own log moments of orders k = 2, ..., a are at most x(k) in both directions (M34).
    """
    order = exponent.size + 1
    k = np.arange(2.0, order + 1.0)
    choose = special.gammaln(order + 1.0) - special.gammaln(k + 1.0) - special.gammaln(order - k + 1.0)
    log_binomial = choose + k * math.log(q) + (order - k) * math.log1p(-q)
    if not np.isfinite(exponent).all():
        return math.inf
    # log expm1(x), for large x without overflow
    log_rise = exponent + np.log(-np.expm1(-np.maximum(exponent, 1e-300)))
    logs = log_binomial + log_rise
    peak = float(logs.max())
    total = peak + math.log(float(np.exp(logs - peak).sum()))
    # gammaln is good to a few u of its value; each product and sum adds a rounding at the size of its terms
    size = 3.0 * float(special.gammaln(order + 1.0)) - order * (math.log(q) + math.log1p(-q)) + float(exponent.max())
    total += 16.0 * U * (size + abs(peak) + order + 64.0)
    return raised(float(np.logaddexp(0.0, total)), 32)
