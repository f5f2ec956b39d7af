"""Exact confidence limits of probabilities from counts (Clopper and Pearson 1934, M13)."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.numerics.fair_coins import stirling_rest
from tightbudget.numerics.rounding import AMPLE, U, lowered_by, raised_by

Array = NDArray[np.float64]

# The inverses are iterative and good to about 1e-12 for samples up to this size; every limit is moved outward by this
# much, relatively. For a thousand of 10^9 SciPy's inverse is twice the estimate itself.
_INVERSE = 1e-9
INVERTED = 10**6

_HALVINGS = 200


def clopper_pearson(counts: NDArray[np.int64], error: float) -> tuple[Array, Array]:
    """Return limits of each cell's probability; each of the two is wrong with probability at most `error`.

    Lower limit: the p at which as many or more would be seen with probability `error`; upper limit: as many or fewer.
    """
    seen = np.asarray(counts, dtype=np.float64)
    total = float(seen.sum())
    unseen = total - seen
    if error == 0.0:
        return np.zeros_like(seen), np.ones_like(seen)
    if total > INVERTED:
        low, high = _limit_by_series(seen, total, error), np.nextafter(1.0 - _limit_by_series(unseen, total, error), 1.0)
        high[seen == 0.0] = -math.expm1(math.log(error) / total) * (1.0 + AMPLE)  # 1 - error^(1/n)
        return low, np.minimum(high, 1.0)
    low, high = np.zeros_like(seen), np.ones_like(seen)
    some, rest = seen > 0, unseen > 0
    low[some] = lowered_by(special.betaincinv(seen[some], unseen[some] + 1.0, error), _INVERSE)
    # near 1 the distance to 1 is what has to be accurate
    near = raised_by(special.betainccinv(seen[rest] + 1.0, unseen[rest], error), _INVERSE)
    far = 1.0 - lowered_by(special.betaincinv(unseen[rest], seen[rest] + 1.0, error), _INVERSE)
    high[rest] = np.where(near < 0.5, near, np.nextafter(far, 1.0))
    return low, high


def _limit_by_series(seen: Array, total: float, error: float) -> Array:
    """Return probabilities at which as many or more of each cell are seen with at most `error`; 0 where none is.

    From k on the terms of Bin(n, p) fall by (n-k) p / ((k+1) (1-p)) at least where p < k/n: a geometric series (M13).
    """
    low, high = np.zeros_like(seen), seen / total
    k, rest = np.maximum(seen, 1.0), np.maximum(total - seen, 0.0)
    left = np.maximum(rest, 1.0)
    root = np.where(rest > 0.0, 0.5 * np.log(total / k / left / (2.0 * math.pi)), 0.0)
    whole = np.where(rest > 0.0, stirling_rest(np.array([total])) - stirling_rest(k) - stirling_rest(left), 0.0)
    # products are rounded, relatively to counts, and so are the sums
    wanted = math.log(error) - 1e-9 - 16.0 * U * total
    for _ in range(_HALVINGS):
        p = 0.5 * (low + high)
        with np.errstate(divide="ignore", invalid="ignore"):
            there = k * _log_of_ratio(total * p, k)
            elsewhere = np.where(rest > 0.0, rest * _log_of_ratio(total * (1.0 - p), left), 0.0)
            ratio = rest * p / ((k + 1.0) * (1.0 - p))
            bound = there + elsewhere + root + whole - np.log1p(-np.minimum(ratio, 1.0))
            enough = (bound <= wanted) & (ratio < 1.0)
        low, high = np.where(enough, p, low), np.where(enough, high, p)
    found: Array = np.where(seen > 0.0, low, 0.0)
    return found


def _log_of_ratio(above: Array, below: Array) -> Array:
    """Return the logarithm of a quotient, relatively accurate where it is near 1."""
    apart = (above - below) / below
    logs: Array = np.where(apart > -0.5, np.log1p(np.maximum(apart, -0.5)), np.log(above / below))
    return logs
