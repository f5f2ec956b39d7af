"""Gaussian differential privacy: mu such that the trade-off function of N(mu, 1) and N(0, 1) lies below (M10)."""

import math

from tightbudget.mechanisms.checks import epsilon_asked
from tightbudget.mechanisms.composition import Composable
from tightbudget.notation import composition_given
from tightbudget.numerics.rounding import raised
from tightbudget.pairs.moments.concentrated import pure_mu


def gdp(c: Composable | str) -> float:
    """Return mu such that the composition is mu-GDP, rounded up; inf if it is not, or if we cannot show it.

    >>> from tightbudget import Gaussian, PureDP
    >>> gdp(Gaussian(sigma=5.0) * 100), gdp(PureDP(1.0))
    (2.0000..., 1.2320...)
    """
    parts = [(mechanism.gdp_mu(), count) for mechanism, count in composition_given("c", c)._parts]
    largest = max((mu for mu, _ in parts), default=0.0)
    if largest in (0.0, math.inf):
        return largest
    # scaled as in M8, so that squares neither overflow nor underflow
    total = math.fsum(count * (mu / largest) ** 2 for mu, count in parts)
    return max(raised(largest * math.sqrt(total), 16), largest)


def pure_to_gdp(epsilon: float) -> float:
    """Return mu = -2 Phi^{-1}(1 / (1 + e^epsilon)), rounded up: the least for which epsilon-DP implies mu-GDP."""
    return pure_mu(epsilon_asked(epsilon))
