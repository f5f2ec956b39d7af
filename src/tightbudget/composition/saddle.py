"""Where a composition's mass of interest lies: cumulants of the loss, and tilts in order of depth.

Nothing here is certified or needs to be: a poor tilt makes a wide bracket, never a wrong one (M7).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.buckets.leaf import capped
from tightbudget.composition.steps import Steps
from tightbudget.numerics.logs import group_log_sum

Array = NDArray[np.float64]

_TILTS = np.geomspace(1e-3, 1e4, 80)  # in units of 1 / standard deviation of the loss
_FEW_ITEMS, _FEW_CELLS = 4, 96


@dataclass(frozen=True, slots=True)
class Saddle:
    """K(theta) = log E_A e^{theta L} of the composition and its derivatives, at increasing theta.

    With F(theta) = K - theta eps - log theta - log(1 + theta), whose minimum is the saddle point of eps, `depth` is the
    integral of sqrt(F''): tilts one unit of depth apart serve neighbouring eps almost equally well.
    """

    theta: Array
    k: Array
    mean: Array
    variance: Array
    curvature: Array  # F'', which does not depend on eps
    depth: Array

    @property
    def epsilon(self) -> Array:
        """The epsilon of which each theta is the saddle point: F'(theta) = 0."""
        return self.mean - 1.0 / self.theta - 1.0 / (1.0 + self.theta)

    @property
    def log_delta(self) -> Array:
        """Saddle-point estimate of log delta at those epsilons."""
        theta = self.theta
        exponent = self.k - theta * self.epsilon - np.log(theta) - np.log1p(theta)
        return exponent - 0.5 * np.log(2.0 * math.pi * self.curvature)

    def rung_for_epsilon(self, epsilon: float) -> int:
        return self._rung(float(np.interp(epsilon, self.epsilon, self.depth)))

    def rung_for_delta(self, log_delta: float) -> int:
        # estimates may wobble at the ends; a running minimum makes them monotone
        falling = np.minimum.accumulate(self.log_delta)
        return self._rung(float(np.interp(-log_delta, -falling, self.depth)))

    def epsilon_for_delta(self, log_delta: float) -> float:
        falling = np.minimum.accumulate(self.log_delta)
        return float(np.interp(-log_delta, -falling, self.epsilon))

    def log_delta_for_epsilon(self, epsilon: float) -> float:
        return float(np.interp(epsilon, self.epsilon, self.log_delta))

    def _rung(self, depth: float) -> int:
        return round(depth)

    def at_rung(self, rung: int) -> "Tilt":
        """Return the tilt at a whole number of depth."""
        depth = min(max(float(rung), float(self.depth[0])), float(self.depth[-1]))
        theta, variance, curvature = (
            math.exp(float(np.interp(depth, self.depth, np.log(values))))
            for values in (self.theta, self.variance, self.curvature)
        )
        return Tilt(theta, math.sqrt(variance), math.sqrt(curvature))


@dataclass(frozen=True, slots=True)
class Tilt:
    """A tilt, the standard deviation of the tilted loss, and sqrt(F'')."""

    theta: float
    deviation: float
    root_curvature: float


def saddle(steps: Steps, log_cap: float) -> Saddle:
    """Return the cumulants of the finite losses up to the cap."""
    surveys = []
    for pair, count in steps.items:
        cells = capped(pair, log_cap)
        with np.errstate(invalid="ignore"):
            loss = np.clip(cells.log_a - cells.log_b, cells.low, cells.high)
        log_a = cells.log_a
        if len(steps.items) > _FEW_ITEMS and loss.size > _FEW_CELLS:
            log_a, loss = _fewer(log_a, loss)
        surveys.append((loss, log_a, count))
    spread = sum(count * _variance(loss, log_a) for loss, log_a, count in surveys)
    theta = _TILTS / math.sqrt(spread) if spread > 0.0 else _TILTS  # one loss only: any tilt will do
    k, mean, variance = np.zeros(theta.size), np.zeros(theta.size), np.zeros(theta.size)
    for loss, log_a, count in surveys:
        exponent = np.multiply.outer(theta, loss) + log_a
        peak = exponent.max(axis=1, keepdims=True)
        weight = np.exp(exponent - peak)
        total = weight.sum(axis=1)
        weight /= total[:, None]
        first = np.einsum("tc,c->t", weight, loss)
        second = np.einsum("tc,tc->t", weight, (loss - first[:, None]) ** 2)
        k += count * (np.log(total) + peak[:, 0])
        mean += count * first
        variance += count * second
    variance = np.maximum(variance, 1e-280)
    curvature = variance + 1.0 / theta**2 + 1.0 / (1.0 + theta) ** 2
    root = np.sqrt(curvature)
    depth = np.concatenate([[0.0], np.cumsum(0.5 * (root[1:] + root[:-1]) * np.diff(theta))])
    return Saddle(theta, k, mean, variance, curvature, depth)


def _variance(loss: Array, log_a: Array) -> float:
    weight = np.exp(log_a - log_a.max())
    weight /= weight.sum()
    mean = float(np.einsum("i,i", weight, loss))
    return float(np.einsum("i,i", weight, (loss - mean) ** 2))


def _fewer(log_a: Array, loss: Array) -> tuple[Array, Array]:
    """Group neighbouring cells: with many items, planning needs less of each."""
    starts = np.arange(0, loss.size, -(-loss.size // _FEW_CELLS))
    sums = group_log_sum(log_a, starts)
    weight = np.exp(log_a - np.repeat(sums, np.diff(starts, append=loss.size)))
    return sums, np.add.reduceat(weight * loss, starts)
