"""delta(epsilon) of one pair, straight from its masses: no grid, no convolution (M8)."""

import math

import numpy as np

from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Pair


def single_delta(pair: Pair, epsilon: float, infinity: tuple[float, float]) -> tuple[float, float]:
    """Return lower and upper bounds on delta(epsilon) = A(S) - e^epsilon B(S), S = {loss > epsilon}."""
    lower, upper = infinity
    points = pair.points()
    above = points.where(points.low > epsilon)
    slack = pair.slack(epsilon) + 4.0 * U * epsilon
    if above.size:
        mass, excess = np.exp(above.log_a), above.low - epsilon
        errors = above.error + 16.0 * U
        lower += math.fsum((mass * -np.expm1(-np.maximum(excess - slack, 0.0)) * (1.0 - errors)).tolist())
        upper += math.fsum((mass * -np.expm1(-(excess + slack)) * (1.0 + errors)).tolist())
    near = points.where((points.low <= epsilon) & (points.low > epsilon - slack))
    if near.size:  # their true loss may be above epsilon
        upper += 2.0 * slack * float(np.exp(near.log_a).sum())
    tail = pair.cells(np.array([epsilon, math.inf]))
    if tail.size and tail.log_a[0] > -math.inf:
        a, error = math.exp(float(tail.log_a[0])), float(tail.error[0]) + 8.0 * U
        ratio = float(tail.log_b[0] - tail.log_a[0]) + epsilon  # log of e^epsilon B(S) / A(S), at most about 0
        # Each log is good to `error`; the edge may be off by `slack`, within which A - e^epsilon B is at most slack * A.
        doubt = 2.0 * error + 4.0 * U * (1.0 + epsilon + abs(float(tail.log_a[0])))
        lower += -math.expm1(min(0.0, ratio + doubt)) * a * (1.0 - doubt)
        upper += (max(0.0, -math.expm1(ratio - doubt)) + 2.0 * slack) * a * (1.0 + doubt)
    return max(0.0, lower * (1.0 - 4.0 * U)), min(1.0, upper * (1.0 + 4.0 * U) + 1.01 * pair.unresolved)
