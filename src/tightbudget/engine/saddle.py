"""The saddle point of a question: cumulants of the privacy loss, and tilts in order of depth (M9).

Nothing here is certified or needs to be: a poor tilt makes a wide bracket, never a wrong one (M7).

Notation: K(theta) = log E_A e^{theta L}; F(theta) = K - theta eps - log theta - log(1 + theta), whose minimum is the
saddle point of eps. F'' does not depend on eps.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.cached import cached_property
from tightbudget.engine.discretisation.window import tail_truncated
from tightbudget.engine.steps import Steps
from tightbudget.numerics.logs import group_log_sum
from tightbudget.pairs.base import Cells

Array = NDArray[np.float64]

_TILTS = np.geomspace(1e-3, 1e4, 36)  # in units of 1 / standard deviation of the loss
_CELLS = 192  # of each item: planning needs no more
_FAR_APART, _CLOSER = 3.0, 65  # tilt_indices between two tilts of the table, and tilts to look at where there are more
_BATCH = 2**17  # entries worked on together
_CLOSE = 0.03  # in log theta
_NEAR_TILTS = (-4, -3, -2, -1, 0, 1)  # from the saddle point: the best tilt for one large loss is rather smaller
_GENTLER, _HARDLY = 4, 1.0  # indices below a tilt, and F above its minimum: errors then count e times as much
_HALVINGS = 40  # of the range of epsilons: to 1e-12 of it
_BESIDE = 0.1  # of a tilt, to either side: where the variance is looked at for the skewness
_NEWTON = 40  # corrections of a tilt read off the table, at most
_LEAP = 10.0  # power of a tilt with which the variance grows: then it is that of rare losses, farther away than any answer


class Tilt(NamedTuple):
    """A tilt, the standard deviation of the tilted loss, and sqrt(F'')."""

    theta: float
    deviation: float
    root_curvature: float


class SaddlePoint(NamedTuple):
    """A point (epsilon, log delta) of the privacy curve, roughly, and the index of the tilt that suits it."""

    epsilon: float
    log_delta: float
    tilt_index: int
    theta: float  # about the slope of -log delta there


@dataclass(frozen=True, eq=False)
class Cumulants:
    """K and its first two derivatives at some tilts."""

    theta: Array
    k: Array
    mean: Array
    variance: Array

    @cached_property
    def curvature(self) -> Array:
        return self.variance + 1.0 / self.theta**2 + 1.0 / (1.0 + self.theta) ** 2

    @cached_property
    def epsilon(self) -> Array:
        """The epsilon of which each theta is the saddle point: F'(theta) = 0."""
        return self.mean - 1.0 / self.theta - 1.0 / (1.0 + self.theta)

    @cached_property
    def log_delta(self) -> Array:
        """Saddle-point estimate of log delta at those epsilons."""
        exponent = self.k - self.theta * self.epsilon - np.log(self.theta) - np.log1p(self.theta)
        return exponent - 0.5 * np.log(2.0 * math.pi * self.curvature)


# Extreme losses overflow here; that spoils a plan, which is then noticed by its width, and nothing else.
plain_numbers = np.errstate(over="ignore", invalid="ignore", divide="ignore")


class Saddle:
    """Saddle points of the losses of a composition, without those too rare to matter.

    Tilts form a ladder, one index per unit of `depth`, the integral of sqrt(F''): neighbouring tilts serve the epsilons
    between them almost equally well, and an answer depends on its question alone, not on what was asked before.
    """

    @plain_numbers
    def __init__(self, steps: Steps, log_tail_mass: float) -> None:
        self.cells = [tail_truncated(pair, log_tail_mass) for pair, _ in steps.items]
        self._counts = np.array([count for _, count in steps.items], dtype=np.float64)
        self._loss, self._log_a = _rows_of(self.cells)
        self._measured: dict[int, tuple[Array, Array, Array, Array]] = {}

    @cached_property
    @plain_numbers
    def _table(self) -> Cumulants:
        return self._cumulants(_TILTS / self._scale())

    @cached_property
    @plain_numbers
    def _depth(self) -> Array:
        return self._integral(self._table)

    @plain_numbers
    def at_index(self, tilt_index: int) -> Tilt:
        interval = int(self._depth.searchsorted(tilt_index)) - 1
        log_theta, depth, variance, curvature = self._tilt_indices(interval)
        theta, variance_there, curvature_there = (
            math.exp(min(700.0, float(np.interp(tilt_index, depth, values)))) for values in (log_theta, variance, curvature)
        )
        return Tilt(theta, math.sqrt(variance_there), math.sqrt(curvature_there))

    def _tilt_indices(self, interval: int) -> tuple[Array, Array, Array, Array]:
        """Return log theta, depth, and logarithms of variance and F'', between two tilts of the table.

        Where many tilt_indices lie between the two (cumulants jump), the ladder is measured more closely.
        """
        i = min(max(interval, 0), self._depth.size - 2)
        if i not in self._measured:
            ends, part, table = self._depth[i : i + 2], slice(i, i + 2), self._table
            depth = ends
            if not 0.0 <= ends[1] - ends[0] <= _FAR_APART:
                table, part = self._cumulants(np.geomspace(table.theta[i], table.theta[i + 1], _CLOSER)), slice(None)
                depth = self._integral(table)
                depth = ends[0] + depth / depth[-1] * (ends[1] - ends[0])
            logs = [np.log(values[part]) for values in (table.theta, table.variance, table.curvature)]
            self._measured[i] = (logs[0], depth, logs[1], logs[2])
        return self._measured[i]

    @plain_numbers
    def skewness(self, theta: float) -> float:
        """Return the skewness of the loss tilted by theta, from the variance at two tilts beside it."""
        before, here, after = self._cumulants(theta * np.array([1.0 - _BESIDE, 1.0, 1.0 + _BESIDE])).variance
        return float((after - before) / (2.0 * _BESIDE * theta) / here**1.5)

    @plain_numbers
    def growth(self, theta: float) -> float:
        """Return the power of the tilt with which the variance grows: large if large losses are about to decide."""
        table = self._table
        i = min(max(int(table.theta.searchsorted(theta)), 1), table.theta.size - 1)
        return math.log(table.variance[i] / table.variance[i - 1]) / math.log(table.theta[i] / table.theta[i - 1])

    def leaps(self, theta: float) -> bool:
        """Whether the tilted law is about to leap to rare large losses: then its moments say little of an answer."""
        return self.growth(theta) > _LEAP

    @plain_numbers
    def gentle_tilt(self, tilt_index: int, epsilon: float) -> int:
        """Return the least of some tilts up to the one given at which F of epsilon is hardly above the smallest.

        Before a leap the tilted law is narrow, and takes few points and frequencies.
        """
        tilt_indices = [max(0, tilt_index - away) for away in range(_GENTLER, -1, -1)]
        here = self._cumulants(np.array([self.at_index(index).theta for index in tilt_indices]))
        heights = here.k - here.theta * epsilon - np.log(here.theta) - np.log1p(here.theta)
        low = np.flatnonzero(heights <= heights.min() + _HARDLY)
        return tilt_indices[int(low[0])] if low.size else tilt_index

    @staticmethod
    def _integral(table: Cumulants) -> Array:
        """Return the integral of sqrt(F'') from the first tilt on."""
        root = np.sqrt(table.curvature)
        return np.concatenate([[0.0], np.cumsum(0.5 * (root[1:] + root[:-1]) * (table.theta[1:] - table.theta[:-1]))])

    @plain_numbers
    def for_epsilon(self, epsilon: float) -> SaddlePoint:
        """Return the saddle point of epsilon: Newton's method for F'(theta) = 0, on log theta."""
        return self._solve(
            float(np.interp(epsilon, self._table.epsilon, np.log(self._table.theta))),
            lambda here: here.theta * (epsilon - here.epsilon),
            epsilon,
        )

    @plain_numbers
    def for_delta(self, log_delta: float) -> SaddlePoint:
        """Return the saddle point at which delta is as given; d log delta / d theta = -theta F''."""
        falling = np.minimum.accumulate(self._table.log_delta)
        return self._solve(
            float(np.interp(-log_delta, -falling, np.log(self._table.theta))),
            lambda here: here.log_delta - log_delta,
            None,
        )

    @plain_numbers
    def large_loss_for_delta(self, log_delta: float) -> SaddlePoint | None:
        """Return the point at which delta is as given, if it comes from one large loss in one step."""
        low, high = 0.0, max(0.0, *(float(cells.high[-1]) for cells in self.cells if cells.size))
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._of_one_large_loss(middle)[0] > log_delta else (low, middle)
        return self.large_loss_for_epsilon(low)

    @plain_numbers
    def large_loss_for_epsilon(self, epsilon: float) -> SaddlePoint | None:
        """Return the point of an epsilon whose delta comes from one large loss in one step; None if there is none.

        As the tilt grows, the mean of the tilted loss may leap over epsilon: tilts either see nothing of such losses,
        or much larger ones that play no part. Then the best tilt is one that still leaves the bulk where it is, and has
        F smallest.
        """
        log_delta, slope = self._of_one_large_loss(epsilon)
        nearest = self.for_epsilon(epsilon).tilt_index
        tilt_indices = [max(0, nearest + away) for away in _NEAR_TILTS]
        here = self._cumulants(np.array([self.at_index(tilt_index).theta for tilt_index in tilt_indices]))
        heights = here.k - here.theta * epsilon - np.log(here.theta) - np.log1p(here.theta)
        if not (math.isfinite(log_delta) and slope > 0.0 and np.isfinite(heights).all()):
            return None
        return SaddlePoint(epsilon, log_delta, tilt_indices[int(np.argmin(heights))], slope)

    def _of_one_large_loss(self, epsilon: float) -> tuple[float, float]:
        """Return log of the sum over all steps of E_A (1 - e^{epsilon - L})_+, and how fast it falls."""
        logs, slopes = [], []
        for (edges, values), count in zip(self._single_losses, self._counts.tolist(), strict=True):
            if edges.size > 1 and epsilon < edges[-1]:
                i = min(max(int(np.searchsorted(edges, epsilon)), 1), edges.size - 1)
                slope = (values[i - 1] - values[i]) / (edges[i] - edges[i - 1])
                logs.append(math.log(count) + values[i] + slope * (edges[i] - epsilon))
                slopes.append(slope)
        total = float(np.logaddexp.reduce(logs)) if logs else -math.inf
        return total, float(np.exp(np.array(logs) - total) @ slopes) if math.isfinite(total) else 0.0

    @cached_property
    def _single_losses(self) -> list[tuple[Array, Array]]:
        """Of each item, edges of its coarse cells and log E_A (1 - e^{edge - L})_+ = log (A - e^edge B) above each."""
        found = []
        for cells in self.cells:
            log_a, log_b = (np.logaddexp.accumulate(logs[::-1])[::-1] for logs in (cells.log_a, cells.log_b))
            values = log_a + np.log(-np.expm1(np.minimum(cells.low + log_b - log_a, 0.0)))
            some = np.isfinite(values) & (np.diff(cells.low, prepend=-np.inf) > 0.0)
            found.append((cells.low[some], values[some]))
        return found

    def _solve(self, log_theta: float, missing: Callable[[Cumulants], Array], epsilon: float | None) -> SaddlePoint:
        """Return the point where nothing is missing; `missing`, in log delta, falls by theta^2 F'' per log theta."""
        ends = math.log(self._table.theta[0]), math.log(self._table.theta[-1])
        here = self._newton(log_theta, missing, *ends)
        return self._point(here, epsilon, self._depth_at(here))

    def _newton(self, log_theta: float, missing: Callable[[Cumulants], Array], low: float, high: float) -> Cumulants:
        """Return cumulants at about the tilt between the two where nothing is missing."""
        for _ in range(_NEWTON):
            here = self._cumulants(np.exp(np.array([log_theta])))
            rest = float(missing(here)[0])
            step = rest / float((here.theta**2 * here.curvature)[0])
            low, high = (log_theta, high) if rest > 0.0 else (low, log_theta)
            if (abs(step) < _CLOSE and abs(rest) < 1.0) or high - low < 0.1 * _CLOSE:
                break
            proposed = log_theta + step
            # cumulants may jump between two tilts; then halving finds the place where Newton's method does not
            newton = low < proposed < high and (abs(step) >= _CLOSE or abs(rest) < 1.0)
            log_theta = proposed if newton else 0.5 * (low + high)
        return here

    def _depth_at(self, here: Cumulants) -> float:
        """Return the depth of a tilt, rounded to an index by who asks."""
        theta = float(here.theta[0])
        tilts, depths, _, _ = self._tilt_indices(int(self._table.theta.searchsorted(theta)) - 1)
        return float(np.interp(math.log(theta), tilts, depths))

    @staticmethod
    def _point(here: Cumulants, epsilon: float | None, depth: float) -> SaddlePoint:
        log_delta, found = float(here.log_delta[0]), float(here.epsilon[0])
        if epsilon is not None and math.isfinite(epsilon):
            # the tangent at what was found; beyond the last tilt this falls as steeply as we can tell
            log_delta, found = log_delta - float(here.theta[0]) * (epsilon - found), epsilon
        if not math.isfinite(depth + log_delta + found):  # losses beyond what squares of floats can hold
            return SaddlePoint(0.0, 0.0, 0, 1.0)
        return SaddlePoint(found, log_delta, round(depth), float(here.theta[0]))

    def _scale(self) -> float:
        """Return the standard deviation of the loss; 1 if there is only one loss, for which any tilt will do."""
        weight = np.exp(self._log_a - self._log_a.max(axis=1, keepdims=True))
        weight /= weight.sum(axis=1, keepdims=True)
        mean = np.einsum("ic,ic->i", weight, self._loss)
        square = np.einsum("ic,ic->i", weight, (self._loss - mean[:, None]) ** 2)
        spread = float(np.einsum("i,i", self._counts, square))
        return math.sqrt(spread) if 0.0 < spread < math.inf else 1.0

    def _cumulants(self, theta: Array) -> Cumulants:
        k, mean, variance = np.zeros(theta.size), np.zeros(theta.size), np.zeros(theta.size)
        some = max(1, _BATCH // (theta.size * self._loss.shape[1]))
        for i in range(0, self._counts.size, some):
            loss, log_a, counts = self._loss[i : i + some], self._log_a[i : i + some], self._counts[i : i + some]
            exponent = theta[None, :, None] * loss[:, None, :] + log_a[:, None, :]
            peak = exponent.max(axis=2)
            exponent -= peak[:, :, None]
            weight = np.exp(exponent, out=exponent)
            total = weight.sum(axis=2)
            first = np.matmul(weight, loss[:, :, None])[:, :, 0] / total
            # the spread of coarse cells around the mean of A keeps the difference of squares away from cancelling
            second = np.matmul(weight, (loss * loss)[:, :, None])[:, :, 0] / total
            k += counts @ (np.log(total) + peak)
            mean += counts @ first
            variance += counts @ (second - first * first)
        return Cumulants(theta, k, mean, np.maximum(variance, 1e-280))


def _rows_of(cells: list[Cells]) -> tuple[Array, Array]:
    """Return the losses and log masses of all coarse cells, as rows of equal length."""
    pairs = [_losses_and_masses(one) for one in cells]
    length = max(loss.size for loss, _ in pairs)
    losses, logs = np.zeros((len(pairs), length)), np.full((len(pairs), length), -np.inf)
    for i, (loss, log_a) in enumerate(pairs):
        losses[i, : loss.size], logs[i, : loss.size] = loss, log_a
    return losses, logs


def _losses_and_masses(cells: Cells) -> tuple[Array, Array]:
    loss = cells.mean_losses
    return _grouped_cells(loss, cells.log_a) if loss.size > _CELLS else (loss, cells.log_a)


def _grouped_cells(loss: Array, log_a: Array) -> tuple[Array, Array]:
    """Group neighbouring cells."""
    starts = np.arange(0, loss.size, -(-loss.size // _CELLS))
    sums = group_log_sum(log_a, starts)
    weight = np.exp(log_a - np.repeat(sums, np.diff(starts, append=loss.size)))
    return np.add.reduceat(weight * loss, starts), sums
