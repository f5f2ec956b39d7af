"""When a privacy loss exceeds a bound: by more than rounding.

A loss is a sum of at most some millions of rounded floats, and basic composition is met with equality whenever every
answer tells. Such a tie is no failure, and no reason for an adversary to stop.
"""

import numpy as np
from numpy.typing import NDArray

TIE = 2.0**-36


def exceeds(loss: NDArray[np.float64], bound: NDArray[np.float64] | float) -> NDArray[np.bool_]:
    """Tell where the loss is above the bound by more than rounding.

    >>> exceeds(np.array([0.1 + 0.2, 0.31]), 0.3).tolist()
    [False, True]
    """
    result: NDArray[np.bool_] = loss > np.asarray(bound) * (1.0 + TIE)
    return result
