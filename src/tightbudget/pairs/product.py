"""Several releases as one pair: the product of their pairs, where that is a pair we can write down (M3)."""

import math
from functools import reduce

import numpy as np

from tightbudget.numerics.rounding import U
from tightbudget.pairs.points import PointPair, point_pair

MOST_EVENTS = 4096


def product_pair(factors: list[PointPair]) -> PointPair | None:
    """Return the product of pairs of finitely many events.

    None if it has too many, if some reveal everything, or if no float holds its losses.
    """
    events = np.prod([float(one.losses.size) for one in factors])
    if events > MOST_EVENTS or any(_pair_is_incomplete(one) for one in factors):
        return None
    farthest = sum(float(np.abs(one.losses).max(initial=0.0)) for one in factors)
    return reduce(_product_of_both, factors) if farthest < math.inf else None


def _pair_is_incomplete(pair: PointPair) -> bool:
    return pair.infinity.possible or pair.minus_infinity.possible or pair.unresolved > 0.0


def _product_of_both(first: PointPair, second: PointPair) -> PointPair:
    """Return both releases as one: losses and logarithms of masses add up."""
    losses, log_a, log_b = (
        np.add.outer(one, other).ravel()
        for one, other in ((first.losses, second.losses), (first.log_a, second.log_a), (first.log_b, second.log_b))
    )
    error = np.add.outer(first.error, second.error).ravel() + 4.0 * U * np.maximum(np.abs(log_a), np.abs(log_b))
    widest = float(np.abs(losses).max(initial=0.0))
    errors = (one.loss_shift(float(np.abs(one.losses).max(initial=0.0))) for one in (first, second))
    return point_pair(
        ("product", first.key, second.key), losses, log_a, log_b, error=error, loss_error=sum(errors) + 4.0 * U * widest
    )
