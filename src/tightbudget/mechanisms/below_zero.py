"""The privacy profile at negative epsilon, from that of the other direction at a positive one."""

import math
from dataclasses import replace

from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.rounding import lowered, raised, strictly_lowered, strictly_raised


def delta_below_zero(epsilon: float, mirrored: Bracket) -> Bracket:
    """Return delta(epsilon) for epsilon < 0, given delta(-epsilon) of the same pairs in the other order.

    With g = e^epsilon, sup_S A(S) - g B(S) = 1 - g + g sup_S (B(S) - A(S)/g): take the complement of S.

    >>> print(delta_below_zero(-1.0, Bracket(0.25, 0.5)))
    [0.72409, 0.81607]
    """
    if epsilon == -math.inf:
        return replace(mirrored, lower=1.0, upper=1.0, converged=True, reason="")
    rest, factor = -math.expm1(epsilon), math.exp(epsilon)  # each within two roundings
    lower = strictly_lowered(rest, 4) + strictly_lowered(lowered(factor, 4) * mirrored.lower, 4)
    upper = strictly_raised(rest, 4) + strictly_raised(raised(factor, 4) * mirrored.upper, 4)
    return replace(mirrored, lower=max(0.0, strictly_lowered(lower, 4)), upper=min(1.0, raised(upper, 4)))
