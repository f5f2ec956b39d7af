"""A pair without its largest losses, and what these hold (M20)."""

import math
from dataclasses import dataclass

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.numerics.rounding import AMPLE, U, lowered_by, raised_by
from tightbudget.pairs.base import NEGLIGIBLE, Alignment, Array, Cells, Pair
from tightbudget.pairs.infinite_mass import NOWHERE, InfiniteMass


@dataclass(frozen=True)
class BelowPair(Pair):
    """The part of a pair whose loss is at most `ceiling`; its masses do not add up to 1."""

    base: Pair
    ceiling: float

    infinity = NOWHERE
    whole = False

    @property
    def minus_infinity(self) -> InfiniteMass:
        return self.base.minus_infinity

    @property
    def unresolved(self) -> float:
        return self.base.unresolved

    @property
    def max_loss(self) -> float:
        return min(self.ceiling, self.base.max_loss)

    @property
    def max_loss_lower(self) -> float:
        return -math.inf  # nobody asks how near to the ceiling losses come

    @property
    def alignment(self) -> Alignment | None:
        return self.base.alignment

    def loss_shift(self, loss: float) -> float:
        return self.base.loss_shift(loss)

    def points(self) -> Cells:
        points = self.base.points()
        return points.where(points.low <= self.ceiling) if points.size else points

    def cells(self, edges: Array) -> Cells:
        cells = self.base.cells(np.minimum(edges, self.ceiling))
        if cells.size == 0:
            return cells
        # what begins at the ceiling is empty, whatever rounding makes of a width of 0
        empty = edges[:-1] >= self.ceiling
        log_a, log_b = (np.where(empty, -np.inf, logs) for logs in (cells.log_a, cells.log_b))
        return Cells(edges[:-1], edges[1:], log_a, log_b, np.where(empty, 0.0, cells.error))

    def coarse_cells(self) -> Cells:
        return self._coarse_cells

    @cached_property
    def _coarse_cells(self) -> Cells:
        cells = self.base.coarse_cells()
        whole = cells.where(cells.high <= self.ceiling)
        cut = np.flatnonzero((cells.low < self.ceiling) & (self.ceiling < cells.high))
        if not cut.size:
            return whole
        edges = np.append(cells.low[cut], self.ceiling)  # only one cell holds the ceiling
        part = self.base.cells(edges)
        if not part.size:
            raise AssertionError("a ceiling lies inside a cell of several point masses, which cannot be cut there")
        return Cells.join(whole, part.where(part.log_a > -np.inf))

    @property
    def error_bound(self) -> float:
        """How far from the ceiling the events may be that are counted on the wrong side of it, at most."""
        size = abs(self.ceiling)
        return 4.0 * self.base.loss_shift(size + self.base.loss_shift(size)) + 16.0 * U * size

    def above(self, threshold: float) -> tuple[float, float, float, float]:
        """Return bounds (lower, upper) on the masses of A and of B with a loss above about `threshold`.

        Infinite losses count for A. Cells are cut at the threshold as exactly as `cells` can; A and B lose the same
        events.
        """
        points = self.base.points()
        parts = self._cells_above(threshold)
        if points.size:
            parts.append(points.where(points.low > threshold))
        cells = Cells.join(*parts)
        least_a, least_b = (lowered_by(_sum_of_masses(logs - cells.error), AMPLE) for logs in (cells.log_a, cells.log_b))
        with np.errstate(invalid="ignore"):  # an empty cell of which nothing is known
            most_a, most_b = (raised_by(_sum_of_masses(logs + cells.error), AMPLE) for logs in (cells.log_a, cells.log_b))
        beyond = self.base.unresolved + NEGLIGIBLE
        # denormal masses are rounded absolutely: NEGLIGIBLE is more than all of that
        return (
            max(0.0, least_a + self.base.infinity.at(threshold).lower - NEGLIGIBLE),
            most_a + beyond + self.base.infinity.upper,
            max(0.0, least_b - NEGLIGIBLE),
            most_b + beyond * math.exp(min(700.0, max(0.0, -threshold))),
        )

    def _cells_above(self, threshold: float) -> list[Cells]:
        """Return the cell from the threshold to the next edge of coarse cells, and those beyond."""
        edges = self._coarse_ends
        number = int(np.searchsorted(edges, threshold, side="right"))
        if number == edges.size:
            return [self.base.cells(np.array([threshold, math.inf]))]
        if number not in self._known_beyond:
            # the last edge of coarse cells is the end of the losses up to rounding only
            self._known_beyond[number] = self.base.cells(np.append(edges[number:], math.inf))
        return [self.base.cells(np.array([threshold, edges[number]])), self._known_beyond[number]]

    @cached_property
    def _coarse_ends(self) -> Array:
        survey = self.base.coarse_cells()
        return np.unique(survey.high[survey.high > survey.low])

    @cached_property
    def _known_beyond(self) -> dict[int, Cells]:
        """Cells from the edge of a number on: two thresholds that are next to each other share them."""
        return {}


def can_be_cut(pair: Pair, ceiling: float) -> bool:
    """Whether losses up to the ceiling can be told from larger ones in the coarse cells.

    Long lists of point masses are counted in coarse cells of several; one that the ceiling meets cannot be cut, and
    what it holds would be missing on one side or counted on both (M20).
    """
    coarse = pair.coarse_cells()
    for i in np.flatnonzero((coarse.low <= ceiling) & (ceiling < coarse.high)).tolist():
        if not pair.cells(np.array([coarse.low[i], coarse.high[i]])).size:
            return False
    return True


def _sum_of_masses(logs: Array) -> float:
    """Return the sum of masses given by their logs; none is larger than 1, however little is known of it."""
    return float(np.exp(np.minimum(np.nan_to_num(logs, nan=0.0, neginf=-np.inf), 0.0)).sum())
