"""The Laplace pair with losses around 0 moved outwards, onto two points: the sparse vector technique (M33)."""

import math
from dataclasses import dataclass

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.numerics.rounding import TINIEST, U
from tightbudget.pairs.base import Alignment, Array, Cells, Pair
from tightbudget.pairs.exponential import ExponentialPair
from tightbudget.pairs.infinite_mass import NOWHERE
from tightbudget.pairs.moments.events import Events, point_events

_EVENT_CELLS = 512
_FINE = np.geomspace(1e-14, 1.0, 48)
_COARSE = np.unique(np.concatenate([_FINE, np.linspace(0.0, 1.0, 64), 1.0 - _FINE]))
"""Edges of coarse cells from the hole to the largest loss, as parts of the way: closer towards both ends."""


@dataclass(frozen=True)
class HollowLaplacePair(Pair):
    """Laplace noise with largest loss `top`, of which all losses between -hole and hole are moved to these two.

    Its profile is that of Laplace noise at losses from `hole` on, and the chord between -hole and hole. 0 < hole < top.
    """

    top: float
    hole: float

    infinity = NOWHERE
    minus_infinity = NOWHERE
    unresolved = 0.0

    def __post_init__(self) -> None:
        assert 0.0 < self.hole < self.top

    @cached_property
    def _whole(self) -> ExponentialPair:
        half = math.log(0.5)
        return ExponentialPair(top=self.top, reach=self.top, log_weight=half, log_point=half)

    @property
    def max_loss(self) -> float:
        return self.top

    @property
    def max_loss_lower(self) -> float:
        return self._whole.max_loss_lower

    @property
    def alignment(self) -> Alignment | None:
        outer = float(np.exp(self.points().log_a[[0, 3]]).sum())
        return Alignment(-self.top, 2.0 * self.top, max(0.0, 1.0 - outer))

    @property
    def covers_b(self) -> bool:
        return True

    def loss_shift(self, loss: float) -> float:
        return 2.0 * U * abs(loss) + TINIEST

    def points(self) -> Cells:
        return self._points

    @cached_property
    def _points(self) -> Cells:
        """Masses of A at the two inner points are e^{(+-hole - top)/2} sinh(hole/2) / (2 cosh(hole/2)) each."""
        losses = np.array([-self.top, -self.hole, self.hole, self.top])
        log_inner = math.log(0.5) - 0.5 * (self.top - self.hole) + math.log(math.tanh(0.5 * self.hole))
        log_a = np.array([math.log(0.5) - self.top, log_inner - self.hole, log_inner, math.log(0.5)])
        return Cells(losses, losses, log_a, log_a[::-1].copy(), U * (16.0 + 8.0 * self.top + 4.0 * np.abs(log_a)))

    def cells(self, edges: Array) -> Cells:
        below, above = (self._whole.cells(part) for part in (np.minimum(edges, -self.hole), np.maximum(edges, self.hole)))
        log_a, log_b = np.logaddexp(below.log_a, above.log_a), np.logaddexp(below.log_b, above.log_b)
        sizes = np.where(np.isfinite(log_a), np.abs(log_a) + np.abs(log_b), 0.0)
        return Cells(edges[:-1], edges[1:], log_a, log_b, np.maximum(below.error, above.error) + 4.0 * U * (1.0 + sizes))

    def coarse_cells(self) -> Cells:
        return self._coarse_cells

    @cached_property
    def _coarse_cells(self) -> Cells:
        points, edges = self.points(), self._edges(_COARSE)
        negative, positive = self.cells(-edges[::-1]), self.cells(edges)
        return Cells.join(points.part(0, 1), negative, points.part(1, 3), positive, points.part(3, 4))

    def _edges(self, parts: Array) -> Array:
        """Return losses between the hole and the largest."""
        return np.clip(np.unique(self.hole + parts * (self.top - self.hole)), self.hole, self.top)

    def events(self, reach: float) -> Events:
        edges = self._edges(np.linspace(0.0, 1.0, _EVENT_CELLS + 1))
        cells = Cells.join(self.cells(-edges[::-1]), self.cells(edges), self.points())
        return point_events(cells, self.loss_shift(self.top), 0.0, 0.0)
