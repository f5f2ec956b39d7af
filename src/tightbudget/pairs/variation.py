"""The total variation of a pair, A(loss > 0) - B(loss > 0), as a mass that is bounded on both sides (M31)."""

import math

import numpy as np

from tightbudget.numerics.mass import Mass
from tightbudget.numerics.normal import log_normal_mass
from tightbudget.numerics.rounding import AMPLE, U, lowered_by, raised_by
from tightbudget.pairs.base import Cells, Pair

_MOST_ERROR = 0.5  # of a logarithm; a mass that is known less well than this is not known


def total_variation(pair: Pair) -> Mass:
    """Return the total variation of A and B."""
    if pair.variation is not None:
        return pair.variation
    if pair.gaussian is not None:  # 2 Phi(m/2) - 1
        log_mass, error = log_normal_mass(np.zeros(1), np.array([pair.gaussian.m]))
        return Mass.about(float(log_mass[0]), float(error[0]) + 32.0 * U + pair.gaussian.m_error)
    survey, points = pair.coarse_cells(), pair.points()
    edges = np.unique(survey.high[(survey.high > 0.0) & (survey.high > survey.low)])
    positive = Cells.join(pair.cells(np.concatenate([[0.0], edges, [math.inf]])), points.where(points.low > 0.0))
    known = positive.where(positive.log_a > -np.inf)
    if float(known.error.max(initial=0.0)) > _MOST_ERROR:
        return Mass(-math.inf, 0.0)
    # The edge at 0 is hit up to the shift of the loss: what is on its wrong side has an excess of no more than that.
    shift = pair.loss_shift(0.0)
    mass = np.exp(known.log_a)
    excess = mass * -np.expm1(np.minimum(known.log_b - known.log_a, 0.0))
    error = mass * (2.0 * np.expm1(known.error) + 8.0 * U * (1.0 + np.abs(known.log_a)))
    value = float(excess.sum())
    doubt = float(error.sum()) + known.size * U * value + 4.0 * shift + pair.unresolved
    lower = lowered_by(value, AMPLE) - doubt + pair.infinity.at(0.0).lower
    upper = raised_by(value, AMPLE) + doubt + pair.infinity.upper
    return Mass(math.log(lower) - 4.0 * U if lower > 0.0 else -math.inf, min(0.0, math.log(upper) + 4.0 * U))
