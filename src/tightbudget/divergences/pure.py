"""The largest loss: pure differential privacy (M10)."""

import math

from tightbudget.mechanisms.composition import Composable
from tightbudget.notation import composition_given


def pure_epsilon(c: Composable | str) -> float:
    """Return the smallest epsilon with delta = 0, rounded up; inf if losses are unbounded or infinite.

    >>> from tightbudget import Laplace
    >>> pure_epsilon(Laplace(scale=2.0) * 3)
    1.5
    """
    worst = 0.0
    for direction in composition_given("c", c)._directions:
        steps = direction.steps
        if any(pair.infinity.possible for pair, _ in steps.items):
            return math.inf
        worst = max(worst, steps.max_loss)
    return worst
