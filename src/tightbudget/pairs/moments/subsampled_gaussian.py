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
    """Return the last of `sampled_log_moments`, of the order up to which log moments are given."""
    return float(sampled_log_moments(exponent, q, np.array([exponent.size + 1]))[0])


def sampled_log_moments(exponent: Array, q: float, orders: NDArray[np.int64]) -> Array:
    """Return log E e^{x(K)} for K ~ Bin(a, q) at whole orders a >= 2, rounded up; x(0) = x(1) = 0, x(2), ... are given.

    Guarantee: at least the log moment of order a of a Poisson sample at rate 0 < q < 1, in both directions, of any
    mechanism whose own log moments of orders k = 2, ..., a are at most x(k) in both directions (M34).
    """
    assert 0.0 < q < 1.0
    assert 2 <= orders.min() <= orders.max() <= LARGEST_ORDER
    # the terms k = 2, ..., a of all orders in one row, those of each from its start on
    lengths = orders - 1
    starts = np.cumsum(lengths) - lengths
    k = np.arange(int(lengths.sum())) - np.repeat(starts - 2, lengths)
    order = np.repeat(orders, lengths)
    log_factorial = special.gammaln(np.arange(1.0, exponent.size + 3.0))
    choose = log_factorial[order] - log_factorial[k] - log_factorial[order - k]
    log_binomial = choose + k * math.log(q) + (order - k) * math.log1p(-q)
    known = np.isfinite(exponent)
    given = np.where(known, exponent, 0.0)
    # log expm1(x), for large x without overflow
    log_rise = given + np.log(-np.expm1(-np.maximum(given, 1e-300)))
    logs = log_binomial + log_rise[k - 2]
    peak = np.maximum.reduceat(logs, starts)
    total = peak + np.log(np.add.reduceat(np.exp(logs - np.repeat(peak, lengths)), starts))
    # gammaln is good to a few u of its value; each product and sum adds a rounding at the size of its terms
    largest = np.maximum.accumulate(given)[orders - 2]
    size = 3.0 * log_factorial[orders] - orders * (math.log(q) + math.log1p(-q)) + largest
    total += 16.0 * U * (size + np.abs(peak) + orders + 64.0)
    bounds: Array = np.where(np.logical_and.accumulate(known)[orders - 2], raised(np.logaddexp(0.0, total), 32), np.inf)
    return bounds
