"""Stand-ins for pairs whose stated errors are made so large that forgetting one of them shows."""

import math
from dataclasses import dataclass

import numpy as np

from tightbudget.pairs.base import Alignment, Array, Cells, Pair
from tightbudget.pairs.infinite_mass import NOWHERE


@dataclass(frozen=True)
class RoughPair(Pair):
    """A pair whose masses are off by factors e^(a error) and e^(b error), |a|, |b| <= 1, and which says so.

    It also says that its losses may be `loss_shift` from the edges.
    """

    exact: Pair
    error: float = 0.0
    a: float = 0.0
    b: float = 0.0
    extra_slack: float = 0.0

    infinity = NOWHERE
    minus_infinity = NOWHERE
    unresolved = 0.0
    alignment: Alignment | None = None

    @property
    def max_loss(self) -> float:
        return self.exact.max_loss

    @property
    def max_loss_lower(self) -> float:
        return self.exact.max_loss_lower

    def loss_shift(self, loss: float) -> float:
        return self.exact.loss_shift(loss) + self.extra_slack

    def _rough(self, cells: Cells) -> Cells:
        return Cells(
            cells.low,
            cells.high,
            cells.log_a + self.a * self.error,
            cells.log_b + self.b * self.error,
            cells.error + self.error,
        )

    def points(self) -> Cells:
        return self._rough(self.exact.points())

    def cells(self, edges: Array) -> Cells:
        return self._rough(self.exact.cells(edges))

    def coarse_cells(self) -> Cells:
        return self._rough(self.exact.coarse_cells())


@dataclass(frozen=True)
class Misplaced(RoughPair):
    """A pair that cuts its cells `shift` above the edges it is asked for, and admits to it by its loss_shift."""

    shift: float = 0.0

    def loss_shift(self, loss: float) -> float:
        return self.exact.loss_shift(loss) + abs(self.shift)

    def cells(self, edges: Array) -> Cells:
        found = self.exact.cells(edges + self.shift)
        return Cells(edges[:-1], edges[1:], found.log_a, found.log_b, found.error)


def spikes(losses: list[float], masses: list[float]) -> Cells:
    """Return point masses of A at increasing losses, with those of B that belong to them."""
    loss, mass = np.array(losses), np.array(masses)
    with np.errstate(divide="ignore"):
        log_a = np.log(mass)
    return Cells(loss, loss, log_a, log_a - loss, np.full(loss.size, 1e-15))


@dataclass(frozen=True, eq=False)
class Spikes(Pair):
    """A pair of nothing but point masses, wherever they are; `unresolved` as the test likes."""

    losses: tuple[float, ...]
    masses: tuple[float, ...]
    unresolved: float = 0.0

    infinity = NOWHERE
    minus_infinity = NOWHERE
    alignment: Alignment | None = None

    @property
    def max_loss(self) -> float:
        return math.inf if self.unresolved else self.losses[-1]

    @property
    def max_loss_lower(self) -> float:
        return self.losses[-1]

    def loss_shift(self, loss: float) -> float:
        return 0.0

    def points(self) -> Cells:
        return spikes(list(self.losses), list(self.masses))

    def cells(self, edges: Array) -> Cells:
        return Cells.none()

    def coarse_cells(self) -> Cells:
        return self.points()
