"""Numbers that hold at every order: the rho of zCDP, D_a <= rho a, and the mu of GDP (M10)."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.numerics.rounding import AMPLE, GENEROUS, TINIEST, raised, raised_by, strictly_raised

Array = NDArray[np.float64]

NEXT_TO_ONE = 1.0 + 1e-6
"""Stands for all orders below it: the divergence grows with the order."""

_RATIO = 0.03  # between neighbouring orders less 1; the chord between them is too high by less than 2e-4 of itself


def pure_rho(epsilon: float) -> float:
    """Return epsilon tanh(epsilon / 2), rounded up: epsilon-DP implies this rho-zCDP (Steinke 2024)."""
    if epsilon in (0.0, math.inf):
        return epsilon
    return strictly_raised(epsilon * math.tanh(0.5 * epsilon), 8)


def pure_mu(epsilon: float) -> float:
    """Return mu = -2 Phi^{-1}(1 / (1 + e^epsilon)), rounded up: the least for which epsilon-DP implies mu-GDP."""
    if epsilon in (0.0, math.inf):
        return epsilon
    # Phi(-mu/2) = 1/(1 + e^eps). Near 1/2 the inverse is taken where it does not cancel: Phi(x) - 1/2 = erf(x/sqrt
    # 2)/2, and 1/2 - 1/(1 + e^eps) = tanh(eps/2)/2.
    if epsilon < 1.0:
        mu = 2.0 * math.sqrt(2.0) * float(special.erfinv(math.tanh(0.5 * epsilon)))
    else:
        mu = -2.0 * float(special.ndtri_exp(-epsilon - math.log1p(math.exp(-epsilon))))
    # ndtri_exp is good to 2^14 u (M1), the other functions to a few
    return raised_by(mu, 4.0 * AMPLE) + TINIEST


def half_square(m: float) -> float:
    """Return m^2 / 2 rounded up: the rho of N(m, 1) against N(0, 1)."""
    return max(raised(0.5 * m * m, 8), TINIEST)


def steepest_rho(log_moment: Callable[[Array], Array], largest: float) -> float:
    """Return an upper bound on sup D_a / a of a step whose losses are at most `largest`, and so all D_a."""
    lowest = _lowest_order_divergence(log_moment)
    if not 0.0 < lowest < math.inf:
        return math.inf
    # far enough that largest / a is no more than D_1
    last = max(1.0, 2.0 * min(largest / lowest, 1e15))
    return _steepest_concentration(log_moment, lowest, last, largest / (1.0 + last))


def steepest_until(log_moment: Callable[[Array], Array], last: float, beyond: float) -> float:
    """Return an upper bound on sup D_a / a of a step for which D_a / a is at most `beyond` from a = 1 + last on."""
    lowest = _lowest_order_divergence(log_moment)
    return _steepest_concentration(log_moment, lowest, last, beyond) if 0.0 < lowest < math.inf else math.inf


def _lowest_order_divergence(log_moment: Callable[[Array], Array]) -> float:
    """Return a bound on the divergence at the first order."""
    return raised(float(log_moment(np.array([NEXT_TO_ONE]))[0]) / (NEXT_TO_ONE - 1.0), 8)


def _steepest_concentration(log_moment: Callable[[Array], Array], lowest: float, last: float, beyond: float) -> float:
    """Return the most of three bounds: below the first order D_a is at most D there, after the last as given.

    Between, (a-1) D_a is convex in a and lies below its chords.
    """
    first = NEXT_TO_ONE - 1.0
    fine = np.geomspace(0.02, last, 2 + math.ceil(math.log(last / 0.02) / _RATIO))
    nodes = np.concatenate([np.geomspace(first, 0.02, 32, endpoint=False), fine])  # near 1 the chords are nearly flat
    moments = log_moment(nodes + 1.0)
    inner = float(chord_peak(nodes[:-1], nodes[1:], moments[:-1], moments[1:]).max())
    return raised_by(max(lowest, inner, beyond), GENEROUS)


def chord_peak(left: Array, right: Array, at_left: Array, at_right: Array) -> Array:
    """Return the largest value of chord(theta) / (theta (1 + theta)) on each [left, right]; it has one peak (M10)."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        slope = (at_right - at_left) / (right - left)
        rest = at_left - slope * left
        peak = np.where(rest < 0.0, (-rest + np.sqrt(rest * rest - slope * rest)) / slope, left)
    theta = np.clip(np.where(np.isfinite(peak), peak, left), left, right)
    with np.errstate(invalid="ignore", over="ignore"):
        value = (at_left + slope * (theta - left)) / (theta * (1.0 + theta))
        # the ends too, should rounding have misplaced the peak
        ends = np.maximum(at_left / (left * (1.0 + left)), at_right / (right * (1.0 + right)))
    return np.nan_to_num(np.maximum(value, ends), nan=np.inf, posinf=np.inf)
