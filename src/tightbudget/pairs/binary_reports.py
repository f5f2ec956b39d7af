"""Shuffled reports of one bit: how many users report 1, where one of them may report it more often (M37)."""

import math
from fractions import Fraction

import numpy as np

from tightbudget.numerics.binomial import binomial
from tightbudget.numerics.logs import group_log_sum
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import NEGLIGIBLE, Array, Direction
from tightbudget.pairs.points import PointPair, point_pair

_MOST_EVENTS = 8192  # more are merged, which can only lower what the pair tells


def binary_reports_pair(users: int, one: float, others: float, direction: Direction) -> PointPair:
    """Return Bin(n-1, others) + Bern(one) against Bin(n, others), in one of the two orders; 0 < others < one < 1.

    The ratio of the two is 1 + (one - others)(k - n others) / (n others (1 - others)) where k report 1.
    """
    law = binomial(users, others)
    k = law.first + np.arange(law.logs.size, dtype=np.float64)
    spread = float(Fraction(others) * (1 - Fraction(others)) * users)
    apart = float(Fraction(one) - Fraction(others))
    excess = apart * (k - users * others) / spread
    ratio = one * (k / (users * others)) + (1.0 - one) * ((users - k) / (users * (1.0 - others)))
    near = np.abs(excess) < 0.5  # where the ratio is near 1 its difference from 1 is known better, else it is itself
    losses = np.where(near, np.log1p(np.where(near, excess, 0.0)), np.log(ratio))
    # k - n others is off by a few roundings of n others, and all that is multiplied with it by some of itself
    doubt = np.where(near, 32.0 * U * apart * (k + users * others) / spread, 0.0)
    off = doubt + 16.0 * U * (np.where(near, 0.0, 1.0) + np.abs(losses))
    errors = law.errors + off + 4.0 * U * (np.abs(law.logs) + np.abs(losses))
    log_with, log_without, loss_error = law.logs + losses, law.logs, float(off.max())
    if k.size > _MOST_EVENTS:
        losses, log_with, log_without, errors = _merged_reports(log_with, log_without, errors)
        loss_error = 2.0 * float(errors.max())
    sign, log_a, log_b = (1.0, log_with, log_without) if direction is Direction.REMOVE else (-1.0, log_without, log_with)
    return point_pair(
        ("binary reports", users, one, others, direction),
        sign * losses,
        log_a,
        log_b,
        error=errors,
        loss_error=loss_error,
        unresolved=0.0 if law.logs.size == users + 1 else NEGLIGIBLE,
    )


def _merged_reports(log_with: Array, log_without: Array, errors: Array) -> tuple[Array, Array, Array, Array]:
    """Return losses, logs of both masses and errors of groups of neighbours."""
    starts = np.unique(np.linspace(0, errors.size, _MOST_EVENTS // 2, endpoint=False).astype(np.intp))
    size = math.ceil(errors.size / starts.size) + 1
    log_with, log_without = group_log_sum(log_with, starts), group_log_sum(log_without, starts)
    error = np.maximum.reduceat(errors, starts) + 4.0 * U * (size + 8.0 + np.abs(log_with) + np.abs(log_without))
    return log_with - log_without, log_with, log_without, error
