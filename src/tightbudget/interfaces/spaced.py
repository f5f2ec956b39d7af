"""The ε of a curve that is asked for by its range: evenly spaced, in few digits."""

import numpy as np
from numpy.typing import NDArray

from tightbudget.mechanisms import Composable
from tightbudget.mechanisms.whole_range import end_of_range

SHOWN_DIGITS = 6
_NO_STEP = 1e-12  # of the range: what is left of a 0 between negative and positive ε


def spaced_epsilons(private: Composable, low: float, high: float | None, points: int) -> NDArray[np.float64]:
    """Return evenly spaced ε; those between the ends have few digits, so that what is printed is what was asked."""
    low = float(low)  # NumPy has no whole numbers from 2^64
    grid = np.linspace(low, end_of_range(private, low) if high is None else float(high), points)
    grid[np.abs(grid) < _NO_STEP * (grid[-1] - grid[0])] = 0.0
    rounded = np.array([grid[0], *(float(f"{epsilon:.{SHOWN_DIGITS}g}") for epsilon in grid[1:-1]), grid[-1]])
    return rounded if bool((np.diff(rounded) > 0.0).all()) else grid
