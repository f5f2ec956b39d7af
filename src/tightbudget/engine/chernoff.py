"""The Chernoff bound of the moments accountant, certified: cheap enough to see which direction is the smaller (M9)."""

import math

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.discretisation.window import tail_truncated
from tightbudget.engine.steps import Steps
from tightbudget.numerics.rounding import AMPLE, GENEROUS, U, raised_by
from tightbudget.numerics.shares import share_up
from tightbudget.pairs.base import Cells

Array = NDArray[np.float64]


@np.errstate(over="ignore", invalid="ignore")  # a bound that overflows is none
def log_moments(steps: Steps, thetas: Array, log_tail_mass: float) -> tuple[Array, float]:
    """Return upper bounds on log E_A e^{theta L} at each theta, without the rarest, and how far losses may exceed it.

    Every coarse cell is spread to its two ends, keeping its masses under A and B, which can only raise the moment (M5).
    """
    total, loss_shift = np.zeros(thetas.size), 0.0
    for pair, count in steps.items:
        cells = tail_truncated(pair, log_tail_mass)
        if not cells.size:
            return np.full(thetas.size, np.inf), 0.0  # no moment to speak of: the bound says nothing
        logs, losses = _spread_cells(cells, pair.loss_shift(float(np.abs(cells.high).max()) + float(np.abs(cells.low).max())))
        exponent = np.multiply.outer(thetas, losses) + logs
        peak = exponent.max(axis=1)
        moment = peak + np.log(np.exp(exponent - peak[:, None]).sum(axis=1))
        # masses are good to `error`, exponents to a rounding at the size of their terms, the sum to its length
        widest = float(np.abs(losses).max())
        error_bound = float(cells.error.max()) + 8.0 * U * (losses.size + 1000.0 + thetas * widest)
        total += count * (moment + error_bound)
        loss_shift += count * (pair.loss_shift(widest) + 4.0 * U * widest)
    return total + 8.0 * U * len(steps.items) * np.abs(total), raised_by(loss_shift, GENEROUS)


def log_delta_upper(moments: Array, thetas: Array, epsilon: float) -> float:
    """Return an upper bound on log E_A (1 - e^{epsilon - L})_+: the least moment - theta epsilon + log c_theta (M7)."""
    with np.errstate(over="ignore", invalid="ignore"):
        error_bound = 8.0 * U * (np.abs(moments) + thetas * (1.0 + abs(epsilon)))
        return _least_bound(moments - thetas * epsilon + _log_weight(thetas) + error_bound)


def epsilon_upper(moments: Array, thetas: Array, log_delta: float) -> float:
    """Return an epsilon at which that bound is at most log_delta."""
    with np.errstate(over="ignore", invalid="ignore"):
        error_bound = 8.0 * U * (np.abs(moments) + abs(log_delta) + thetas)
        return _least_bound((moments + _log_weight(thetas) - log_delta + error_bound) / thetas)


def _least_bound(bounds: Array) -> float:
    """Return the least of some upper bounds; one that overflowed is none."""
    return float(np.min(np.where(np.isnan(bounds), np.inf, bounds)))


def _log_weight(thetas: Array) -> Array:
    """Return log of max_y e^{-theta y}(1 - e^{-y}) = theta^theta / (1+theta)^(1+theta), with room for rounding."""
    weight: Array = -np.log1p(thetas) - thetas * np.log1p(1.0 / thetas) + AMPLE
    return weight


def _spread_cells(cells: Cells, loss_shift: float) -> tuple[Array, Array]:
    width = cells.high - cells.low
    inside = width > 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        loss = cells.log_a - cells.log_b
        excess = loss - cells.low + loss_shift + 2.0 * cells.error + 4.0 * U * (1.0 + np.abs(loss) + np.abs(cells.low))
        share = np.where(inside, share_up(np.nan_to_num(excess, nan=math.inf), np.where(inside, width, 1.0)), 0.0)
        logs = np.concatenate([cells.log_a + np.log1p(-share), cells.log_a + np.log(share)])
    losses = np.concatenate([cells.low, cells.high])
    some = logs > -np.inf
    return logs[some], losses[some]
