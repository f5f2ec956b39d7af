"""Which epsilons tell the whole story of a curve: to where delta is negligible or falls no more, dense where it falls.

Nothing here is certified or needs to be: it decides which epsilons are asked about, not what is answered.
"""

import math
import sys
from decimal import ROUND_CEILING, Context, Decimal
from typing import TYPE_CHECKING

import numpy as np

from tightbudget.mechanisms.answers import Array, Curve
from tightbudget.numerics.rounding import lowered

if TYPE_CHECKING:
    from tightbudget.mechanisms.composition import Composable

NEGLIGIBLE = 1e-10
"""Times the delta at which a curve begins."""

_LARGER = (NEGLIGIBLE, 1e-6, 1e-3, 1e-1)  # where delta is so small that no epsilon is known for the first of them
_FLAT = 0.05  # of what is left at infinity, or of the fall: so near to it the curve has become flat
_BEYOND = 1.25  # times as far, so that one sees that it is
_ROUGHLY = 0.01
_STEEP = 2.0  # times: where delta falls by more from one point to the next, there are too few
_MOST_BETWEEN = 120


def end_of_range(composition: "Composable", low: float = 0.0) -> float:
    """Return an epsilon above `low` up to which a curve tells the whole story.

    >>> from tightbudget import ApproximateDP, Gaussian, PureDP
    >>> end_of_range(Gaussian(sigma=1)), end_of_range(PureDP(2.0)), end_of_range(ApproximateDP(1.0, 1e-3))
    (6.7, 2.0, 1.25)
    """
    begin, left = composition.delta(low).lower, composition.delta(math.inf).upper
    flat = left + _FLAT * min(left, begin - left)
    for part in _LARGER if left < begin else ():
        end = composition.epsilon(max(part * begin, flat), rtol=_ROUGHLY).upper
        if low < end < math.inf:
            return _range_end_above(low, (end - low) * (_BEYOND if flat > part * begin else 1.0))
    return _range_end_above(low, max(1.0, low))


def _range_end_above(low: float, width: float) -> float:
    # less by what roundings may have added: a loss of 1e-9, raised, is no 1.01e-9
    few_digits = float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(Decimal(lowered(width, 16))))
    return min(low + few_digits, sys.float_info.max)


def epsilons_between(curve: Curve) -> Array:
    """Return epsilons to ask about besides, between those of the curve, which increase: where delta falls steeply.

    >>> from tightbudget import Gaussian
    >>> epsilons_between(Gaussian(sigma=1).curve([0.0, 0.5, 2.0]))
    array([0.875, 1.25 , 1.625])
    """
    upper = np.maximum(curve.upper, NEGLIGIBLE * curve.upper[:1])
    with np.errstate(divide="ignore", invalid="ignore"):
        pieces = np.nan_to_num(np.log(upper[:-1] / upper[1:]) / math.log(_STEEP))
    pieces *= min(1.0, _MOST_BETWEEN / max(1.0, float(pieces.sum())))
    steps = zip(curve.epsilons[:-1].tolist(), curve.epsilons[1:].tolist(), np.ceil(pieces).astype(int).tolist(), strict=True)
    found = [low + (high - low) * k / count for low, high, count in steps for k in range(1, count)]
    return np.setdiff1d(np.array(found), curve.epsilons)
