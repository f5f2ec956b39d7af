"""The hockey-stick divergence of one pair, straight from its masses: no grid, no convolution (M8)."""

import math
from enum import Enum, auto

import numpy as np

from tightbudget.numerics.rounding import TINIEST, U, lowered, raised
from tightbudget.pairs.base import Cells, Pair

_MOST_ERROR = 0.5  # of a logarithm; a mass that is known less well than this is not known


class Ends(Enum):
    """Which bounds are asked for: each takes about half the time of both."""

    LOWER = auto()
    UPPER = auto()
    BOTH = auto()


def single_delta(pair: Pair, epsilon: float, infinity: tuple[float, float], ends: Ends = Ends.BOTH) -> tuple[float, float]:
    """Return lower and upper bounds on delta(epsilon) = A(S) - e^epsilon B(S), S = {loss > epsilon}.

    An end that is not asked for is that of `infinity` or 1.
    """
    lower, upper = infinity
    points = pair.points()
    if float(points.error.max(initial=0.0)) > _MOST_ERROR:
        return lower, 1.0
    # points are in order of loss
    first = int(np.searchsorted(points.low, epsilon, side="right"))
    above = points.part(first, points.size)
    loss_shift = pair.loss_shift(max([epsilon, *above.low[-1:].tolist()])) + 4.0 * U * epsilon
    if above.size:
        mass, excess = np.exp(above.log_a), above.low - epsilon
        errors = np.expm1(above.error) + (64.0 + above.size) * U  # of each mass, and of the sum
        if ends is not Ends.UPPER:
            lower += max(0.0, float(np.sum(mass * -np.expm1(-np.maximum(excess - loss_shift, 0.0)) * (1.0 - errors))))
        if ends is not Ends.LOWER:
            upper += float(np.sum(mass * -np.expm1(-(excess + loss_shift)) * (1.0 + errors)))
    near = points.part(int(np.searchsorted(points.low, epsilon - loss_shift, side="right")), first)
    if near.size:  # their true loss may be above epsilon
        upper += 2.0 * loss_shift * float(np.exp(near.log_a).sum())
    # what is denormal has been rounded absolutely: every mass and every product, and the tail
    denormal = (2.0 * points.size + 8.0) * TINIEST
    certain = infinity[0]
    if ends is not Ends.UPPER:
        lower += _one_step_tail(pair, epsilon, epsilon)[0]
        certain = max(certain, lowered(lower, 4) - denormal)
    if ends is Ends.LOWER:
        return certain, 1.0
    # The edge may be off by `loss_shift`: take all that may lie above epsilon.
    # What lies below then costs at most e^{3 loss_shift} - 1.
    _, above_upper, mass_upper = _one_step_tail(pair, epsilon - 2.0 * loss_shift, epsilon)
    upper += above_upper + min(1.0, math.expm1(min(3.0 * loss_shift, 700.0))) * mass_upper
    return certain, min(1.0, raised(upper, 4) + 1.01 * pair.unresolved + denormal)


def single_guess(pair: Pair, delta: float) -> tuple[float, float]:
    """Return about the epsilon at which finite losses have this delta, and how fast log delta falls there.

    Nothing here is certified: delta at some losses, and between them straight lines of its logarithm, or of delta
    itself over e^epsilon where nothing lies between two point masses.
    """
    wanted = math.log(delta)
    if pair.only_points:
        return _between_points(pair.points(), wanted)
    edges, logs = pair.rough_profile()
    if edges.size < 2:
        return 0.0, 1.0
    logs = np.minimum.accumulate(logs)
    i = min(max(int(np.searchsorted(-logs, -wanted)), 1), edges.size - 1)
    fall, width = float(logs[i - 1]) - float(logs[i]), float(edges[i]) - float(edges[i - 1])
    slope = fall / width if width > 0.0 else math.inf  # of the tiniest losses, the quotient may be infinite too
    if not 0.0 < slope < math.inf:
        return max(0.0, float(edges[i])), 1.0
    return max(0.0, float(edges[i]) + (float(logs[i]) - wanted) / slope), slope


def _between_points(points: Cells, wanted: float) -> tuple[float, float]:
    """Return the epsilon at which A(S) - e^epsilon B(S) is e^wanted, S the points above it, and the slope there."""
    log_a, log_b, logs = points.tails()
    below = np.flatnonzero(logs <= wanted)  # at the largest loss nothing is above: its log is -inf
    i = int(below[0]) if below.size else points.size - 1
    share = min(math.exp(min(0.0, wanted - float(log_a[i]))), 1.0 - U)
    epsilon = max(0.0, float(log_a[i]) - float(log_b[i]) + math.log1p(-share))
    slope = (1.0 - share) / max(share, 1e-300)
    return epsilon, slope if slope > 0.0 else 1.0


def _one_step_tail(pair: Pair, edge: float, epsilon: float) -> tuple[float, float, float]:
    """Return bounds on A(S) - e^epsilon B(S) for the continuous part with losses above the edge, and one on A(S)."""
    tail = pair.cells(np.array([edge, math.inf]))
    if not tail.size or tail.log_a[0] == -math.inf:
        return 0.0, 0.0, 0.0
    if float(tail.error[0]) > _MOST_ERROR:
        return 0.0, 1.0, 1.0
    log_a = float(tail.log_a[0])
    ratio = float(tail.log_b[0]) - log_a + epsilon  # log of e^epsilon B(S) / A(S)
    error_bound = 2.0 * math.expm1(float(tail.error[0])) + 8.0 * U * (1.0 + abs(epsilon) + abs(log_a))
    a = math.exp(log_a)
    lower = -math.expm1(min(0.0, ratio + error_bound)) * a * (1.0 - error_bound)
    return lower, max(0.0, -math.expm1(min(700.0, ratio - error_bound))) * a * (1.0 + error_bound), a * (1.0 + error_bound)
