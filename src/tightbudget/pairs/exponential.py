"""Pairs whose loss has density proportional to e^(x/2): Laplace noise, whole or cut off, and bounded range."""

import math
from dataclasses import dataclass

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.numerics.rounding import TINIEST, U
from tightbudget.pairs.base import Alignment, Array, Cells, Pair
from tightbudget.pairs.infinite_mass import NOWHERE, InfiniteMass
from tightbudget.pairs.moments.closed import laplace_log_moment
from tightbudget.pairs.moments.events import Events, point_events

_FINE = np.geomspace(1e-14, 1.0, 36, endpoint=False)
_SURVEY_EDGES = np.unique(np.concatenate([_FINE - 1.0, np.linspace(-1.0, 1.0, 48), 1.0 - _FINE]))
"""Edges of coarse cells, relative to its reach: closer towards both ends, where steep tilts gather the mass."""
_EVENT_CELLS = 512
_HALF = math.log(0.5)


@dataclass(frozen=True)
class ExponentialPair(Pair):
    """Loss density e^log_weight / 2 * e^((x - top)/2) on [-reach, reach] under A, times e^-x under B, and two points.

    The points sit at +-top: exp(log_point) under A and exp(log_point - top) under B at +top, mirrored at -top. Laplace:
    log_weight = log_point = log 1/2, reach = top (theory D.2). Bounded range: -log(1 - e^-top), no points (D.3).
    """

    top: float
    reach: float
    log_weight: float
    log_point: float = -math.inf
    infinity: InfiniteMass = NOWHERE

    unresolved = 0.0

    @property
    def minus_infinity(self) -> InfiniteMass:
        return self.infinity

    @property
    def max_loss(self) -> float:
        return self.top if self.log_point > -math.inf else max(0.0, self.reach)

    @property
    def max_loss_lower(self) -> float:
        return math.nextafter(self.max_loss, 0.0)  # top and reach are at most one rounding too large

    @property
    def alignment(self) -> Alignment | None:
        if self.reach <= 0.0:
            return None
        # without points the ends of the support still make good edges
        top = self.max_loss
        return Alignment(-top, 2.0 * top, max(0.0, 1.0 - float(np.exp(self.points().log_a).sum())))

    def loss_shift(self, loss: float) -> float:
        return 2.0 * U * abs(loss) + TINIEST

    def points(self) -> Cells:
        return self._points

    @cached_property
    def _points(self) -> Cells:
        if self.log_point == -math.inf:
            return Cells.none()
        losses = np.array([-self.top, self.top])
        log_a = np.array([self.log_point - self.top, self.log_point])
        return Cells(losses, losses, log_a, log_a[::-1].copy(), np.full(2, U * (8.0 + 4.0 * self.top)))

    def cells(self, edges: Array) -> Cells:
        if self.reach <= 0.0:
            return Cells.none()
        x = np.minimum(np.maximum(edges, -self.reach), self.reach)
        low, top = 0.5 * x[:-1], 0.5 * self.top  # halves: sums of two large ones are floats
        half = 0.5 * x[1:] - low
        with np.errstate(divide="ignore"):
            log_width = np.log(-np.expm1(-half))
        log_a = self.log_weight + (low - top) + half + log_width
        log_b = self.log_weight - (low + top) + log_width
        logs = np.abs(log_a) + np.abs(log_b)
        if not half.all():  # beyond the reach there is nothing, and that is exact
            logs[half == 0.0] = 0.0
        return Cells(
            edges[:-1], edges[1:], log_a, log_b, U * (12.0 + 4.0 * self.top + 4.0 * abs(self.log_weight)) + 1.5 * U * logs
        )

    def coarse_cells(self) -> Cells:
        return self._coarse_cells

    @cached_property
    def _coarse_cells(self) -> Cells:
        points = self.points()
        if self.reach <= 0.0:
            return points
        cells = self.cells(self.reach * _SURVEY_EDGES)
        if not points.size:
            return cells
        return Cells.join(points.part(0, 1), cells, points.part(1, 2))

    @property
    def covers_b(self) -> bool:
        return not self.infinity.possible

    @property
    def exponential(self) -> bool:
        return True

    @property
    def laplace_loss(self) -> float | None:
        whole = self.reach == self.top and self.log_weight == self.log_point == _HALF and not self.infinity.possible
        return self.top if whole else None

    def events(self, reach: float) -> Events:
        edges = self.reach * np.linspace(-1.0, 1.0, _EVENT_CELLS + 1)
        cells = Cells.join(self.cells(edges), self.points()) if self.reach > 0.0 else self.points()
        return point_events(cells, self.loss_shift(self.top), self.minus_infinity.upper, self.infinity.upper)

    def log_moment(self, orders: Array) -> Array:
        return super().log_moment(orders) if self.laplace_loss is None else laplace_log_moment(self.laplace_loss, orders)
