"""The pair of one direction is that of the other with its members exchanged: trade-off curves rest on it (M23).

H at -epsilon of (A, B), from the masses of its own losses, is 1 - e^-epsilon + e^-epsilon H at epsilon of (B, A).
"""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.property import strategies as kinds

from tightbudget.engine.refine import delta_bracket
from tightbudget.mechanisms import Mechanism
from tightbudget.pairs.base import Direction, Pair

MECHANISMS = st.one_of(
    kinds.gaussians,
    kinds.laplaces,
    kinds.truncated_gaussians,
    kinds.truncated_laplaces,
    kinds.clamped_gaussians,
    kinds.clamped_laplaces,
    kinds.discrete_gaussians,
    kinds.discrete_laplaces,
    kinds.randomized_responses,
    kinds.bounded_ranges,
    kinds.pure_promises,
    kinds.approximate_promises,
    kinds.gaussian_promises,
    kinds.histograms(),
)


def mass_above(pair: Pair, epsilon: float) -> float:
    """Return A(S) - e^epsilon B(S) for S of all losses above epsilon, of either sign, in plain floats."""
    points = pair.points()
    above = points.where(points.low > epsilon)
    tail = pair.cells(np.array([epsilon, math.inf]))
    parts = [pair.infinity.upper, *(np.exp(above.log_a) - math.exp(epsilon) * np.exp(above.log_b)).tolist()]
    if tail.size:
        parts.append(math.exp(tail.log_a[0]) - math.exp(epsilon) * math.exp(tail.log_b[0]))
    return math.fsum(parts)


@given(MECHANISMS, st.floats(0.01, 3.0))
def test_each_direction_is_the_mirror_of_the_other(mechanism: Mechanism, epsilon: float) -> None:
    pair = mechanism.pair(Direction.REMOVE)
    if pair is None:
        assert mechanism.pair(Direction.ADD) is None
        return
    other = mechanism._directions[-1]
    bracket = delta_bracket((other,), epsilon, 1e-6, 1e-12)
    expected = -math.expm1(-epsilon) + math.exp(-epsilon) * bracket.upper
    assert abs(mass_above(pair, -epsilon) - expected) <= 1e-5 * expected + 1e-9
