"""Profiles H_g(A, B) of single steps from the definitions, degenerate parameters included; shares no code with the
package.

H_g(A, B) is the integral of (A - g B)_+, g from 0. A step dominates another if its profile is nowhere smaller, in
either direction. Floats are taken as the rationals they are.
"""

from functools import cache

import mpmath
from mpmath import mpf
from tests.support import pair_truth, point_truth

import tightbudget as tb
from tightbudget.pairs.base import Direction

DIGITS = 60


@cache
def profile(step: tb.Mechanism, direction: Direction, g: mpf) -> mpf:
    with mpmath.workdps(DIGITS):
        if g == 0:
            return mpf(1)
        if isinstance(step, tb.Poisson):
            return _subsampled(step, direction, g)
        limit = _limit(step)
        if limit is not None:
            return mpf(1) if limit == mpmath.inf else max(mpf(0), 1 - g)
        if isinstance(step, tb.Gaussian | tb.GaussianDP):
            m = mpf(step.mu) if isinstance(step, tb.GaussianDP) else mpf(step.sensitivity) / mpf(step.sigma)
            z = mpmath.log(g) / m + m / 2
            return _beyond(z - m) - g * _beyond(z)
        law = _law(step)
        if law is not None:
            a, b = law.tails(mpmath.log(g))
            return a - g * b
        return mpmath.fsum(max(mpf(0), a - g * b) for a, b in point_truth.events(step, direction))


def _subsampled(step: tb.Poisson, direction: Direction, g: mpf) -> mpf:
    """With P for the sampled record and Q without: (qP + (1-q)Q, Q) when it is removed, (Q, qP + (1-q)Q) when it is
    added.
    """
    q = mpf(step.q)
    if q == 0:
        return max(mpf(0), 1 - g)
    if direction is Direction.REMOVE:
        return q * profile(step.mechanism, direction, (g - 1 + q) / q) if g > 1 - q else 1 - g
    rest = 1 - g * (1 - q)
    return rest * profile(step.mechanism, direction, g * q / rest) if rest > 0 else mpf(0)


def _limit(step: tb.Mechanism) -> mpf | None:
    """Return 0 if the step reveals nothing and inf if it reveals everything, whatever the formulas of its kind say
    there.
    """
    nothing, everything = mpf(0), mpmath.inf
    match step:
        case tb.Gaussian(sigma=scale, sensitivity=shift) | tb.Laplace(scale=scale, sensitivity=shift):
            return nothing if shift == 0 or scale == mpmath.inf else everything if scale == 0 else None
        case tb.TruncatedGaussian(bound=bound, sensitivity=shift) | tb.TruncatedLaplace(bound=bound, sensitivity=shift):
            return nothing if shift == 0 else everything if mpf(shift) >= 2 * mpf(bound) else None
        case tb.DiscreteGaussian(sensitivity=0) | tb.DiscreteLaplace(sensitivity=0) | tb.GaussianDP(mu=0):
            return nothing
        case tb.BoundedRange(eta=0):
            return nothing
        case tb.PureDP(promised_epsilon=epsilon) | tb.ApproximateDP(promised_epsilon=epsilon):
            return everything if epsilon == mpmath.inf else None
    return None


def _beyond(x: mpf) -> mpf:
    """Return P(Z > x); further out than mpmath's own series reach it is 0 or 1 to millions of digits."""
    return pair_truth.beyond(x) if abs(x) < 10**4 else mpf(x < 0)


def _law(step: tb.Mechanism) -> pair_truth.Law | None:
    match step:
        case tb.TruncatedGaussian(sigma=sigma, bound=bound, sensitivity=shift):
            return pair_truth.gaussian(mpf(shift) / mpf(sigma), mpf(bound) / mpf(sigma))
        case tb.Laplace(scale=scale, sensitivity=shift):
            return pair_truth.laplace(scale, sensitivity=shift)
        case tb.TruncatedLaplace(scale=scale, bound=bound, sensitivity=shift):
            return pair_truth.laplace(scale, bound, shift)
        case tb.BoundedRange(eta=eta):
            return pair_truth.bounded_range(eta)
    return None
