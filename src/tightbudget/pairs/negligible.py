"""Negligible privacy losses, so small that only denormal floats would hold them: the loss 0 in their place (M2)."""

import math

import numpy as np

from tightbudget.pairs.base import NEGLIGIBLE, Pair
from tightbudget.pairs.points import PointPair


def without_negligible(pair: Pair) -> Pair:
    """Return the pair or, if its losses are negligible, one with the loss 0 and the difference unresolved.

    Taking B for A in one step of a composition changes delta by at most their total variation, and leaving the step out
    can only lower it. The total variation is at most the largest finite loss, and at most m for normal noise.
    """
    if pair.infinity.possible:
        return pair
    return _zero_loss(pair, pair.total_variation) if 0.0 < pair.total_variation < NEGLIGIBLE else pair


def _zero_loss(pair: Pair, variation: float) -> PointPair:
    zero = np.zeros(1)
    return PointPair(
        ("negligible", pair),
        *(zero, zero, zero, zero),
        unresolved=variation,
        top=pair.max_loss,
        max_loss_lower=pair.max_loss_lower,
        bounded=pair.max_loss < math.inf,
    )
