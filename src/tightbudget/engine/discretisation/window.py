"""The losses worth resolving: rare large ones truncated, and a window outside which little tilted mass lies (M5)."""

import math
from dataclasses import dataclass

import numpy as np

from tightbudget.numerics.logs import log_sum
from tightbudget.numerics.rounding import GENEROUS, U
from tightbudget.pairs.base import Cells, Pair


@dataclass(frozen=True, slots=True)
class Window:
    """Range of losses to resolve; exp(log_below) of A lies below it and exp(log_beyond) of tilted A above it."""

    low: float
    high: float
    log_below: float
    log_beyond: float


def tail_truncated(pair: Pair, log_tail_mass: float) -> Cells:
    """Return the pair's coarse cells without its largest losses, as far as they hold at most exp(log_tail_mass) of A.

    The mass left out is charged to the upper bound as if its loss were infinite (M5). Otherwise a tilt would follow
    events so rare that they play no part in the answer.
    """
    cells = pair.coarse_cells()
    beyond = np.logaddexp.accumulate(cells.log_a[::-1])[::-1]
    size = max(1, int(np.count_nonzero(beyond > log_tail_mass)))
    return cells if size == cells.size else cells.part(0, size)


def loss_window(cells: Cells, theta: float, tail: float) -> Window:
    """Return the range of losses outside which the tilted mass of the cells is at most `tail` of the whole."""
    limit = log_sum(cells.log_a + theta * cells.mean_losses) + math.log(tail)
    # above: masses at the upper end of their cell; below: everything moved up to the window's lower end
    right = np.logaddexp.accumulate((cells.log_a + theta * cells.high)[::-1])[::-1]
    left = np.logaddexp.accumulate(cells.log_a)
    last = max(0, int(np.count_nonzero(right > limit)) - 1)
    first = min(last, int(np.count_nonzero(left[:-1] + theta * cells.low[1:] <= limit)))
    # the masses are good to their error, the exponents to a few roundings at the size of their terms
    steepest = theta * max(abs(float(cells.high[-1])), abs(float(cells.low[0])))
    error_bound = GENEROUS + float(cells.error.max()) + 16.0 * U * (1.0 + abs(limit) + steepest)
    return Window(
        low=float(cells.low[first]),
        high=float(cells.high[first : last + 1].max()),
        log_below=float(left[first - 1]) + error_bound if first > 0 else -math.inf,
        log_beyond=float(right[last + 1]) + error_bound if last + 1 < cells.size else -math.inf,
    )
