"""How a mass between two points is shared between them (M5)."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def share_up(excess: Array, h: float | Array) -> Array:
    """Return the share of a mass whose loss lies `excess` above a point that goes to the next point, h higher.

    up = (a - b e^low) / (1 - e^-h) keeps the masses under A and under B (M5).
    """
    share: Array = np.minimum(np.expm1(-np.minimum(np.maximum(excess, 0.0), h)) / np.expm1(-h), 1.0)
    return share
