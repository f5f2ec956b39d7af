"""Zero-concentrated differential privacy: rho with D_a <= rho a at every order a > 1 (M10)."""

import math

from tightbudget.mechanisms.composition import Composable
from tightbudget.notation import composition_given
from tightbudget.numerics.rounding import raised
from tightbudget.pairs.base import Direction


def zcdp(c: Composable | str) -> float:
    """Return rho such that the composition is rho-zCDP, rounded up; inf if it is not, or if we cannot show it.

    >>> from tightbudget import Gaussian, PureDP
    >>> zcdp(Gaussian(sigma=10.0) * 100), zcdp(PureDP(0.1))
    (0.5000..., 0.00499...)
    """
    private, worst = composition_given("c", c), 0.0
    for direction in Direction:
        terms = [count * mechanism.zcdp_rho(direction) for mechanism, count in private._parts]
        worst = max(worst, raised(math.fsum(terms), 8) if math.inf not in terms else math.inf)
    return worst
