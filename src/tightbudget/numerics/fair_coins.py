"""How many heads s fair coins show: probabilities as logs, each with a bound on its error (M37)."""

import math

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.rounding import U

Array = NDArray[np.float64]

_FEW = 16  # from here on four terms of Stirling's series are good to 1 / (1188 n^9) < 1.3e-14
_REST_ERROR = 256.0 * U  # of what Stirling's formula lacks


def log_fair(coins: int | Array, heads: Array) -> tuple[Array, Array]:
    """Return log Pr[Bin(coins, 1/2) = heads], for whole numbers from 0 to coins, and bounds on the errors.

    Stirling's formula for the three factorials: -s D(heads/s || 1/2), half a logarithm, and what the formula lacks of
    each. Coins are one number for all, or one for each.
    """
    tails = coins - heads
    inner = (heads > 0.0) & (tails > 0.0)
    whole = stirling_rest(np.maximum(np.asarray(coins, dtype=np.float64), 1.0))
    if inner.all():
        exponent, peak = _fair_coin_divergence(heads, tails), 0.5 * np.log(coins / heads / tails / (2.0 * math.pi))
        rest = whole - stirling_rest(heads) - stirling_rest(tails)
        return peak + rest - exponent, _error(exponent, peak)
    a, b = np.where(inner, heads, 1.0), np.where(inner, tails, 1.0)
    exponent = np.where(inner, _fair_coin_divergence(a, b), coins * math.log(2.0))
    peak = np.where(inner, 0.5 * np.log(coins / a / b / (2.0 * math.pi)), 0.0)
    rest = np.where(inner, whole - stirling_rest(a) - stirling_rest(b), 0.0)
    return peak + rest - exponent, _error(exponent, peak)


def _error(exponent: Array, peak: Array) -> Array:
    error: Array = 3.0 * _REST_ERROR + U * (32.0 + 48.0 * exponent + 8.0 * np.abs(peak))
    return error


def _fair_coin_divergence(a: Array, b: Array) -> Array:
    """Return (a+b) D(a/(a+b) || 1/2), relatively accurate: two forms, in neither of which much cancels."""
    s = a + b
    y = (a - b) / s
    far = np.abs(y) > 0.5
    if not far.any():
        return _divergence_near(s, y)
    found = np.empty(a.size)
    found[~far] = _divergence_near(s[~far], y[~far])
    a, b, s = a[far], b[far], s[far]
    found[far] = a * np.log(2.0 * a / s) + b * np.log(2.0 * b / s)
    return found


def _divergence_near(s: Array, y: Array) -> Array:
    near: Array = s * (y * np.arctanh(y) + 0.5 * np.log1p(-y * y))
    return near


def stirling_rest(n: Array) -> Array:
    """Return log n! - (n log n - n + log(2 pi n) / 2) of whole numbers from 1 on."""
    x = 1.0 / np.maximum(n, float(_FEW))
    y = x * x
    series: Array = x * (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y / 1680.0)))
    if float(n.min(initial=math.inf)) >= _FEW:
        return series
    rest: Array = np.where(n < _FEW, _FEW_RESTS[np.minimum(n, _FEW - 1.0).astype(np.intp)], series)
    return rest


_FEW_RESTS = np.array(
    [0.0, *(math.log(math.factorial(n)) - (n * math.log(n) - n + 0.5 * math.log(2.0 * math.pi * n)) for n in range(1, _FEW))]
)
