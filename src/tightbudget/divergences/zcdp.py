"""Zero-concentrated differential privacy: rho with D_a <= rho a at every order a > 1 (M10)."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tightbudget.divergences.conversions import pure_to_zcdp
from tightbudget.divergences.moments import log_moment
from tightbudget.divergences.orders import NEXT_TO_ONE
from tightbudget.divergences.pure import pure_epsilon
from tightbudget.mechanisms.base import Composable, Mechanism
from tightbudget.mechanisms.bounded_range import BoundedRange
from tightbudget.mechanisms.clamped import ClampedGaussian
from tightbudget.mechanisms.discrete import DiscreteGaussian
from tightbudget.mechanisms.poisson import Poisson
from tightbudget.numerics.rounding import TINIEST, U
from tightbudget.pairs.base import Direction
from tightbudget.pairs.gaussian import GaussianPair

Array = NDArray[np.float64]

_RATIO = 0.03  # between neighbouring orders less 1; the chord between them is too high by less than 2e-4 of itself


def zcdp(c: Composable) -> float:
    """Return rho such that the composition is rho-zCDP, rounded up; inf if it is not, or if we cannot show it.

    >>> from tightbudget import Gaussian, PureDP
    >>> zcdp(Gaussian(sigma=10.0) * 100), zcdp(PureDP(0.1))
    (0.5000..., 0.00499...)
    """
    worst = 0.0
    for direction in Direction:
        terms = [count * _step(mechanism, direction) for mechanism, count in c._parts]
        worst = max(worst, math.fsum(terms) * (1.0 + 8.0 * U) if math.inf not in terms else math.inf)
    return worst


@lru_cache(maxsize=512)
def _step(mechanism: Mechanism, direction: Direction) -> float:
    """Return the least rho known for one step: each of the bounds holds, so the smallest does."""
    pair = mechanism.pair(direction)
    if pair is None:
        return 0.0
    if pair.infinity.possible:
        return math.inf
    epsilon = pure_epsilon(mechanism)
    bounds = [pure_to_zcdp(epsilon)]
    if isinstance(pair, GaussianPair) and pair.cut == math.inf:
        bounds.append(_half_square(pair.m))
    if isinstance(mechanism, DiscreteGaussian | ClampedGaussian):
        bounds.append(_half_square(float(mechanism.sensitivity) / float(mechanism.sigma)))
    if isinstance(mechanism, BoundedRange):
        bounds.append(0.25 * _half_square(float(mechanism.eta)))
    if isinstance(mechanism, Poisson):
        bounds.append(_step(mechanism.mechanism, direction))
    if epsilon < math.inf and pair.max_loss > 0.0:
        bounds.append(_steepest(mechanism, direction, pair.max_loss))
    return max(min(bounds), TINIEST)  # a little is not nothing


def _half_square(m: float) -> float:
    return max(0.5 * m * m * (1.0 + 8.0 * U), 5e-324)


def _steepest(mechanism: Mechanism, direction: Direction, largest: float) -> float:
    """Return an upper bound on sup D_a / a of a step whose losses are at most `largest`.

    (a-1) D_a is convex in a, so between two orders it lies below its chord; below the first, D_a is at most D there;
    above the last, it is at most `largest`.
    """
    first = NEXT_TO_ONE - 1.0
    lowest = float(log_moment(mechanism, direction, np.array([NEXT_TO_ONE]))[0]) / first * (1.0 + 8.0 * U)
    if not 0.0 < lowest < math.inf:
        return math.inf
    # far enough that largest / a is no more than D_1
    last = max(1.0, 2.0 * min(largest / lowest, 1e15))
    fine = np.geomspace(0.02, last, 2 + math.ceil(math.log(last / 0.02) / _RATIO))
    nodes = np.concatenate([np.geomspace(first, 0.02, 32, endpoint=False), fine])  # near 1 the chords are nearly flat
    moments = log_moment(mechanism, direction, nodes + 1.0)
    inner = float(_chord_peak(nodes[:-1], nodes[1:], moments[:-1], moments[1:]).max())
    return max(lowest, inner, largest / (1.0 + last)) * (1.0 + 1e-9)


def _chord_peak(left: Array, right: Array, at_left: Array, at_right: Array) -> Array:
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
