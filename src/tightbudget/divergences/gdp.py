"""Gaussian differential privacy: mu such that N(mu, 1) against N(0, 1) is at least as easy to tell apart (M10)."""

import math

from scipy import special

from tightbudget.divergences.pure import pure_epsilon
from tightbudget.mechanisms.base import Composable, Mechanism
from tightbudget.mechanisms.checks import epsilon_asked
from tightbudget.mechanisms.clamped import ClampedGaussian
from tightbudget.mechanisms.poisson import Poisson
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Direction
from tightbudget.pairs.gaussian import GaussianPair


def gdp(c: Composable) -> float:
    """Return mu such that the composition is mu-GDP, rounded up; inf if it is not, or if we cannot show it.

    >>> from tightbudget import Gaussian, PureDP
    >>> gdp(Gaussian(sigma=5.0) * 100), gdp(PureDP(1.0))
    (2.0000..., 1.2320...)
    """
    parts = [(_step(mechanism), count) for mechanism, count in c._parts]
    largest = max((mu for mu, _ in parts), default=0.0)
    if largest in (0.0, math.inf):
        return largest
    # scaled as in M8, so that squares neither overflow nor underflow
    total = math.fsum(count * (mu / largest) ** 2 for mu, count in parts)
    return max(largest * math.sqrt(total) * (1.0 + 16.0 * U), largest)


def _step(mechanism: Mechanism) -> float:
    """Return the least mu known for one step."""
    pair = mechanism.pair(Direction.REMOVE)
    if pair is None and mechanism.pair(Direction.ADD) is None:
        return 0.0
    bounds = [pure_to_gdp(pure_epsilon(mechanism))]
    if isinstance(pair, GaussianPair) and pair.cut == math.inf:
        bounds.append(pair.m * (1.0 + 4.0 * U) + 5e-324)  # a quotient below the normal floats is good to no more
    if isinstance(mechanism, ClampedGaussian):  # rounded normal noise
        bounds.append(float(mechanism.sensitivity) / float(mechanism.sigma) * (1.0 + 4.0 * U) + 5e-324)
    if isinstance(mechanism, Poisson):  # a mixture with a pair that tells nothing
        bounds.append(_step(mechanism.mechanism))
    return min(bounds)


def pure_to_gdp(epsilon: float) -> float:
    """Return mu = -2 Phi^{-1}(1 / (1 + e^epsilon)), rounded up: the least for which epsilon-DP implies mu-GDP."""
    epsilon = epsilon_asked(epsilon)
    if epsilon in (0.0, math.inf):
        return epsilon
    # Phi(-mu/2) = 1/(1 + e^eps). Near 1/2 the inverse is taken where it does not cancel: Phi(x) - 1/2 = erf(x/sqrt
    # 2)/2, and 1/2 - 1/(1 + e^eps) = tanh(eps/2)/2.
    if epsilon < 1.0:
        mu = 2.0 * math.sqrt(2.0) * float(special.erfinv(math.tanh(0.5 * epsilon)))
    else:
        mu = -2.0 * float(special.ndtri_exp(-epsilon - math.log1p(math.exp(-epsilon))))
    # ndtri_exp is good to 2^14 u (M1), the other functions to a few
    return mu * (1.0 + 4e-12) + 5e-324
