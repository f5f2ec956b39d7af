"""Shuffled reports of one bit: how many users report 1, where one of them may report it more often (M37)."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.binomial import binomial
from tightbudget.numerics.logs import group_log_sum
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import NEGLIGIBLE
from tightbudget.pairs.points import PointPair, point_pair

_LOWEST_LOG = -715.0  # all that is less likely has less than 1e-300, of up to three million terms
_FEW = 1000  # values of k that are not merged
_NEAR, _SMALL = 6.0, 0.02  # deviations up to which groups are small, and their width, or up to twice that
_FAR_GROUPS = 400  # beyond, in all


def binary_reports_pair(users: int, one: float, others: float) -> PointPair:
    """Return Bin(n-1, others) + Bern(one) against Bin(n, others), 0 < others < one < 1; neighbours are merged.

    The ratio of the two is 1 + (one - others)(k - n others) / (n others (1 - others)) where k report 1. Merging can
    only lower what the pair tells. What the list lacks, if anything, has less than 1e-300 of either law.
    """
    assert 0.0 < others < one < 1.0
    law = binomial(users, others)
    logs, law_errors, k = law.logs, law.errors, law.first + np.arange(law.logs.size, dtype=np.float64)
    complete = k.size == users + 1
    if not complete:  # a ratio is at most one / others
        likely = slice(*np.flatnonzero(logs >= _LOWEST_LOG - math.log(one / others))[[0, -1]] + [0, 1])
        logs, law_errors, k = logs[likely], law_errors[likely], k[likely]
    spread = float(Fraction(others) * (1 - Fraction(others)) * users)
    apart = float(Fraction(one) - Fraction(others))
    excess = apart * (k - users * others) / spread
    ratio = one * (k / (users * others)) + (1.0 - one) * ((users - k) / (users * (1.0 - others)))
    # k - n others is off by a few roundings of n others, and all that is multiplied with it by some of itself
    doubt = 32.0 * U * apart * (k + users * others) / spread
    starts = _group_starts(users * others - float(k[0]), math.sqrt(spread), k.size)
    sizes, ends = np.diff(starts, append=k.size), np.append(starts[1:], k.size) - 1
    # a group's ratio is a mean of its members', which increase: wrong weights cannot move it far
    log_without, law_error = group_log_sum(logs, starts), np.maximum.reduceat(law_errors, starts)
    shares = np.exp(logs - np.repeat(log_without, sizes))
    total = np.add.reduceat(shares, starts)
    range_of_ratio, doubt = ratio[ends] - ratio[starts], doubt[ends]
    excess, ratio = (np.add.reduceat(shares * values, starts) / total for values in (excess, ratio))
    near = np.abs(excess) < 0.5  # where the ratio is near 1 its difference from 1 is known better, else it is itself
    losses = np.where(near, np.log1p(np.where(near, excess, 0.0)), np.log(ratio))
    moved = range_of_ratio / ratio
    off = np.where(near, doubt, 0.0) + 4.0 * law_error * moved
    off += U * (16.0 + 4.0 * sizes) * (np.where(near, 0.0, 1.0) + 2.0 * np.abs(losses) + moved)
    errors = law_error + off + U * (32.0 + 2.0 * sizes + 4.0 * (np.abs(log_without) + np.abs(losses)))
    return point_pair(
        ("binary reports", users, one, others),
        losses,
        log_without + losses,
        log_without,
        error=errors,
        loss_error=float(off.max()),
        unresolved=0.0 if complete else NEGLIGIBLE,
    )


def _group_starts(centre: float, deviation: float, size: int) -> NDArray[np.intp]:
    """Return where groups begin, among so many whole numbers from 0 on."""
    if size <= _FEW:
        return np.arange(size)
    low, high = (min(max(0, math.floor(centre + x * deviation)), size) for x in (-_NEAR, _NEAR))
    small, large = max(1, math.ceil(_SMALL * deviation)), math.ceil((size - (high - low)) / _FAR_GROUPS)
    return np.concatenate([np.arange(0, low, large), np.arange(low, high, small), np.arange(high, size, large)])
