"""Upper bounds on the profile of any pair at many losses at once (M31)."""

import math

import numpy as np
from scipy import special

from tightbudget.numerics.rounding import TINIEST, U, lowered, raised
from tightbudget.pairs.base import NEGLIGIBLE, Array, Cells, Pair
from tightbudget.pairs.profile_grid import Profile

_USUAL = 1e-100, 1e100  # sigmas: nothing in the closed form of normal noise overflows
_M_ERROR = 8.0 * U  # of the shift, which was rounded up to six times
_ROOT_HALF, _DENSITY = math.sqrt(0.5), 1.0 / math.sqrt(2.0 * math.pi)
_MOST_ERROR = 0.5  # of a logarithm; a mass that is known less well than this is not known


def profile_above(pair: Pair) -> Profile:
    """Return upper bounds on H_g(A||B) = A(loss > log g) - g B(loss > log g) at losses log g, in any order."""
    whole = pair.gaussian
    if whole is not None and _USUAL[0] < whole.m < _USUAL[1]:
        return _normal_profile(whole.m * (1.0 + whole.m_error + _M_ERROR))  # it grows with m

    def bounds(losses: Array) -> Array:
        order = np.argsort(losses, kind="stable")
        made = np.empty(losses.size)
        made[order] = _profile_bounds(pair, losses[order])
        return made

    return bounds


def _normal_profile(m: float) -> Profile:
    """Return upper bounds on the profile of N(m, 1) against N(0, 1), by the closed form and its error (M8)."""

    def bounds(losses: Array) -> Array:
        u, v = losses / m - 0.5 * m, losses / m + 0.5 * m
        scale = 0.5 * np.exp(-0.5 * u * u)
        second = scale * special.erfcx(v * _ROOT_HALF)
        first = scale * special.erfcx(np.maximum(u, 0.0) * _ROOT_HALF)
        likely = u < 0.0
        first[likely] = special.ndtr(-u[likely])
        error = U * (24.0 + 4.0 * (np.abs(u) + 1.0) * v) * (first + second) + NEGLIGIBLE
        most = min(1.0, raised(m * _DENSITY, 8))  # delta(0) is less, and all others are no more
        bounded: Array = np.minimum(np.maximum(raised(first - second + error, 4), NEGLIGIBLE), most)
        return bounded

    return bounds


def _profile_bounds(pair: Pair, losses: Array) -> Array:
    """The same at increasing losses: tails are sums of the cells between them and of points.

    The edge of a tail is hit up to the shift of the loss. What is then on the wrong side of it has a loss so near to
    the edge that A - gB of it is at most expm1 of three shifts times A, of which no more than all of the tail is there.
    """
    shift = pair.loss_shift(float(losses[-1])) + 4.0 * U * losses[-1]
    points, cells = pair.points(), pair.cells(np.append(losses - 2.0 * shift, math.inf))
    worst = max(float(points.error.max(initial=0.0)), float(cells.error[cells.log_a > -np.inf].max(initial=0.0)))
    if worst > _MOST_ERROR:
        return np.ones(losses.size)
    a, b, error = (np.zeros(losses.size) for _ in range(3))  # the error is that of each relative to itself, times A
    if cells.size:
        a, b = np.exp(cells.log_a), np.exp(cells.log_b)
        error = a * np.expm1(np.where(a > 0.0, cells.error, 0.0))
    place = np.searchsorted(losses - 2.0 * shift, points.low, side="left") - 1
    counted = place >= 0
    for total, masses in ((a, np.exp(points.log_a)), (b, np.exp(points.log_b)), (error, _profile_point_errors(points))):
        total += np.bincount(place[counted], masses[counted], losses.size)
    tail_a, tail_b, tail_error = (np.cumsum(total[::-1])[::-1] for total in (a, b, error))
    count = losses.size + points.size
    # masses of B below the normal floats have no digits, and g may be large: they are taken for none
    paid = np.minimum(np.exp(np.minimum(losses, 709.0)) * np.maximum(0.0, tail_b - 2.0 * count * TINIEST), tail_a)
    rounding = (2.0 * count + 16.0) * U * tail_a + 2.0 * tail_error
    wrong_side = math.expm1(min(3.0 * shift, 1.0)) * tail_a
    bound = (tail_a - paid) + 2.0 * (rounding + wrong_side) + pair.infinity.upper + 1.01 * pair.unresolved
    bounded: Array = np.minimum(raised(bound, 8) + NEGLIGIBLE, 1.0)
    return bounded


def _profile_point_errors(points: Cells) -> Array:
    errors: Array = np.exp(points.log_a) * np.expm1(points.error)
    return errors


def inner_losses(losses: Array, q: float) -> Array:
    """Return floats no larger than log g' = log(1 + (g-1)/q) at the losses log g."""
    large = losses > 600.0
    inner = np.where(large, losses - np.log(q), np.log1p(np.expm1(np.minimum(losses, 600.0)) / q))
    below: Array = np.maximum(0.0, lowered(inner, 90))
    return below
