"""Poisson subsampling of any pair (theory D.4, M3).

REMOVE turns (P, Q) into (qP + (1-q)Q, Q) and ADD turns it into (P, (1-q)P + qQ); both act event by event, so masses and
losses of the subsampled pair are positive combinations of those of the base pair.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Alignment, Array, Cells, Direction, Pair, log_or_minus_inf
from tightbudget.pairs.points import PointPair, point_pair


@dataclass(frozen=True)
class PoissonPair:
    """The subsampled pair of a base pair that has a continuous part."""

    base: Pair
    q: float
    direction: Direction

    @property
    def infinity(self) -> float:
        return self.q * self.base.infinity if self.direction is Direction.REMOVE else 0.0

    @property
    def infinity_error(self) -> float:
        return max(0.0, self.base.infinity_error)

    @property
    def lost(self) -> float:
        return 0.0 if self.direction is Direction.REMOVE else self.q * self.base.lost

    @property
    def unresolved(self) -> float:
        # The tails of both base distributions may end up in A.
        return 2.0 * self.base.unresolved

    @property
    def max_loss(self) -> float:
        if self.direction is Direction.ADD and (self.base.max_loss == math.inf or self.base.infinity > 0.0):
            return -math.log1p(-self.q) * (1.0 + 4.0 * U)
        top = self.base.max_loss
        if top == math.inf:
            return math.inf
        loss = float(self._forward(np.array([top]))[0])
        return loss + 8.0 * U * (1.0 + abs(top) - math.log(self.q)) + _magnified(loss, self.q)

    @property
    def alignment(self) -> Alignment | None:
        points = self.points()
        if points.size < 2:
            return None
        # Two points always lie on a grid; of more we align the outer ones.
        first, last = float(points.low[0]), float(points.low[-1])
        on_grid = float(np.exp(points.log_a[0]) + np.exp(points.log_a[-1]))
        return Alignment(first, last - first, max(0.0, 1.0 - on_grid)) if last > first else None

    def slack(self, loss: float) -> float:
        # _backward rounds expm1 and the base loss. An error of the first moves the loss by u|1 - e^-loss|, one of the
        # second by as much times the slope of the map, 1 - (1-q)e^-loss, which is at most q + |loss| and at most 1 (M3).
        size = 1.0 + abs(loss) - math.log(self.q) - math.log1p(-self.q)
        slope = min(1.0, self.q + abs(loss))
        return slope * (8.0 * U * size + self.base.slack(size)) + _magnified(loss, self.q)

    def points(self) -> Cells:
        return self._points

    @cached_property
    def _points(self) -> Cells:
        return _subsample_points(self.base, self.q, self.direction)

    def cells(self, edges: Array) -> Cells:
        cells = self.base.cells(self._backward(edges))
        if cells.size == 0:
            return cells
        return self._mix(cells, edges[:-1], edges[1:])

    def survey(self) -> Cells:
        return self._survey

    @cached_property
    def _survey(self) -> Cells:
        cells = self.base.survey()
        wide = cells.high > cells.low
        continuous = cells if wide.all() else cells.where(wide)
        if continuous.size and np.array_equal(continuous.low[1:], continuous.high[:-1]):
            edges = self._forward(np.concatenate([continuous.low, continuous.high[-1:]]))
            low, high = edges[:-1], edges[1:]
        else:
            low, high = self._forward(continuous.low), self._forward(continuous.high)
        # a cell squeezed flat against the end of the support is still no point mass
        mapped = self._mix(continuous, low, np.maximum(high, np.nextafter(low, np.inf)))
        if not self.points().size:
            return mapped
        joined = Cells.join(mapped, self.points())
        order = np.argsort(joined.low, kind="stable")
        return Cells(*(getattr(joined, name)[order] for name in ("low", "high", "log_a", "log_b", "error")))

    def _forward(self, loss: Array) -> Array:
        return _forward(loss, self.q, self.direction)

    def _backward(self, edges: Array) -> Array:
        """Return the base losses that become `edges`; outside the range of the map, -inf and +inf."""
        sign = 1.0 if self.direction is Direction.REMOVE else -1.0
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            inner = np.expm1(sign * edges) / self.q
            base = np.where(inner > -1.0, np.log1p(np.maximum(inner, -1.0)), -np.inf)
            # e^x overflows long after the "+ 1 - q" has stopped to matter
            large = sign * edges > 500.0
            base = np.where(large, sign * edges - math.log(self.q), base)
        return sign * base

    def _mix(self, cells: Cells, low: Array, high: Array) -> Cells:
        log_a, log_b = _mix(cells.log_a, cells.log_b, self.q, self.direction)
        return Cells(low, high, log_a, log_b, cells.error + _rounding(log_a, log_b, self.direction))


def poisson_pair(base: Pair, q: float, direction: Direction) -> Pair:
    """Return the base pair subsampled at rate 0 < q < 1."""
    if isinstance(base, PointPair):
        cells = _subsample_points(base, q, direction)
        remove = direction is Direction.REMOVE
        widest = float(np.abs(base.losses).max(initial=0.0))
        return point_pair(
            ("poisson", base.key, q, direction),
            cells.low,
            cells.log_a,
            cells.log_b,
            error=cells.error,
            infinity=q * base.infinity if remove else 0.0,
            lost=0.0 if remove else q * base.lost,
            unresolved=2.0 * base.unresolved,
            loss_error=base.slack(widest)
            + 8.0 * U * (1.0 + widest - math.log(q))
            + _magnified(float(np.abs(cells.low).max()), q),
        )
    return PoissonPair(base, q, direction)


def _magnified(loss: float, q: float) -> float:
    """Bound on what the rounding of expm1 does to a loss: u |1 - e^-loss|, and at most u / (1 - q), a few times (M3)."""
    return 4.0 * U * min(math.expm1(min(abs(loss), 700.0)), 1.0 / (1.0 - q))


def _forward(loss: Array, q: float, direction: Direction) -> Array:
    """Return log(1 - q + q e^x) for x = loss (REMOVE), and minus that for x = -loss (ADD)."""
    sign = 1.0 if direction is Direction.REMOVE else -1.0
    x = sign * loss
    moderate = np.minimum(x, 600.0)
    # beyond 600 the rest of the sum has long stopped to matter
    return sign * (np.log1p(q * np.expm1(moderate)) + (x - moderate))


def _mix(log_a: Array, log_b: Array, q: float, direction: Direction) -> tuple[Array, Array]:
    if direction is Direction.REMOVE:
        return np.logaddexp(math.log(q) + log_a, math.log1p(-q) + log_b), log_b
    return log_a, np.logaddexp(math.log1p(-q) + log_a, math.log(q) + log_b)


def _rounding(log_a: Array, log_b: Array, direction: Direction) -> Array:
    """Bound on the error of the mass that `_mix` changes (M3)."""
    mixed = log_a if direction is Direction.REMOVE else log_b
    return 7.0 * U * (1.0 + np.minimum(np.abs(mixed), 1e4))


def _subsample_points(base: Pair, q: float, direction: Direction) -> Cells:
    """Return the base's point masses subsampled, with the events that only one side could produce, now points too."""
    points = base.points()
    losses, log_a, log_b, error = points.low, points.log_a, points.log_b, points.error
    if direction is Direction.REMOVE and base.lost > 0.0:  # A had no mass there: now (1-q) B
        edge, extra_a, extra_b = math.log1p(-q), -math.inf, log_or_minus_inf(base.lost)
    elif direction is Direction.ADD and base.infinity > 0.0:  # B had no mass there: now (1-q) A
        edge, extra_a, extra_b = -math.log1p(-q), log_or_minus_inf(base.infinity), -math.inf
    else:
        edge = math.nan
    new_losses = _forward(losses, q, direction)
    if not math.isnan(edge):
        new_losses, log_a, log_b = np.append(new_losses, edge), np.append(log_a, extra_a), np.append(log_b, extra_b)
        error = np.append(error, 32.0 * U * (1.0 + abs(extra_a if direction is Direction.ADD else extra_b)))
    if new_losses.size == 0:
        return Cells.none()
    mixed_a, mixed_b = _mix(log_a, log_b, q, direction)
    order = np.argsort(new_losses, kind="stable")
    new_error = error + _rounding(mixed_a, mixed_b, direction)
    return Cells(new_losses[order], new_losses[order], mixed_a[order], mixed_b[order], new_error[order])
