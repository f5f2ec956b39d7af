"""The large losses of a pair, for compositions in which it is known how many of them there are (M20)."""

import math
from dataclasses import dataclass

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.numerics.rounding import AMPLE
from tightbudget.pairs.base import Alignment, Array, Cells, Pair
from tightbudget.pairs.below import BelowPair
from tightbudget.pairs.infinite_mass import NOWHERE


@dataclass(frozen=True)
class AbovePair(Pair):
    """The part of a pair that `below` leaves out; infinite losses must have no mass. Its masses do not add up to 1.

    Both parts are cut at the same edge, which each hits only up to the pair's `loss_shift`. Events that may be missing
    here, or may be in both, are in the error of the first cell.
    """

    below: BelowPair

    infinity = NOWHERE
    minus_infinity = NOWHERE
    whole = False

    @property
    def unresolved(self) -> float:
        return self.below.base.unresolved

    @property
    def max_loss(self) -> float:
        return self.below.base.max_loss

    @property
    def max_loss_lower(self) -> float:
        return -math.inf  # nobody asks

    @property
    def alignment(self) -> Alignment | None:
        return self.below.base.alignment

    def loss_shift(self, loss: float) -> float:
        return self.below.base.loss_shift(loss)

    def points(self) -> Cells:
        points = self.below.base.points()
        return points.where(points.low > self.below.ceiling) if points.size else points

    def cells(self, edges: Array) -> Cells:
        ceiling = self.below.ceiling
        cells = self.below.base.cells(np.maximum(edges, ceiling))
        if cells.size == 0:
            return cells
        empty = edges[1:] <= ceiling
        log_a, log_b = (np.where(empty, -np.inf, logs) for logs in (cells.log_a, cells.log_b))
        error = np.where(empty, 0.0, cells.error)
        first = int(np.count_nonzero(empty))
        if first < error.size and edges[first] <= ceiling + self.below.error_bound:
            error[first] += self._strip(float(edges[first + 1]))
        return Cells(edges[:-1], edges[1:], log_a, log_b, error)

    def coarse_cells(self) -> Cells:
        return self._coarse_cells

    @cached_property
    def _coarse_cells(self) -> Cells:
        ceiling, cells = self.below.ceiling, self.below.base.coarse_cells()
        whole = cells.where((cells.low >= ceiling) & ((cells.high > cells.low) | (cells.low > ceiling)))
        cut = np.flatnonzero((cells.low < ceiling) & (ceiling < cells.high))
        if cut.size:
            part = self.below.base.cells(np.append(ceiling, cells.high[cut]))
            whole = Cells.join(part.where(part.log_a > -np.inf), whole)
        if whole.size and whole.low[0] == ceiling < whole.high[0]:
            whole.error[0] += self._strip(float(whole.high[0]))
        return whole

    def _strip(self, end: float) -> float:
        """Return by how much logarithms of masses from the ceiling to `end` may be off, for want of a sharp edge."""
        if not self._after < end:
            return math.inf
        starts = (self._after, self.below.ceiling - self.below.error_bound)
        least, most = (self.below.base.cells(np.array([start, end])) for start in starts)
        if not (least.log_a[0] > -np.inf and least.log_b[0] > -np.inf):
            return math.inf
        apart = max(float(most.log_a[0] - least.log_a[0]), float(most.log_b[0] - least.log_b[0]), 0.0)
        return apart + float(least.error[0]) + float(most.error[0])

    @property
    def _after(self) -> float:
        return self.below.ceiling + self.below.error_bound

    @property
    def log_mass(self) -> float:
        """Bound on the logarithm of A's mass here."""
        mass = self.below.above(self.below.ceiling - self.below.error_bound)[1]
        return math.log(mass) + AMPLE if mass > 0.0 else -math.inf
