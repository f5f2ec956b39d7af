"""Batches of a fixed size, a record replaced: the pair of both ways in which the others may look (M31).

With a pair (P, Q) for replacing one record of a batch and q the share of the records that it holds, the worst that one
step can do is H_g(qP + (1-q)Q || Q) at g >= 1, where the others look like the record that is not there, and
H_g(P || (1-q)P + qQ) at g < 1, where they look like the one that is. Its pair has the positive losses of the first, the
negative ones of the second, and what is left of both sides, (1-q) TV(P, Q), at loss 0.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.numerics.rounding import U, raised
from tightbudget.pairs.base import Alignment, Array, Cells, Direction, Pair
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.negligible import without_negligible
from tightbudget.pairs.points import PointPair, point_pair
from tightbudget.pairs.poisson import PoissonPair, poisson_pair
from tightbudget.pairs.variation import total_variation


@dataclass(frozen=True)
class BothBranchesPair(Pair):
    """The pair of both branches of a base pair that has a continuous part; the base has the same profile both ways."""

    base: Pair
    q: float

    only_points = False

    @cached_property
    def above(self) -> Pair:
        """Where positive losses come from: the others look like the record that is not there."""
        return poisson_pair(self.base, self.q, Direction.REMOVE)

    @cached_property
    def below(self) -> Pair:
        """Where losses up to 0 come from: the others look like the record that is there."""
        return poisson_pair(self.base, self.q, Direction.ADD)

    @property
    def infinity(self) -> InfiniteMass:
        return self.above.infinity

    @property
    def minus_infinity(self) -> InfiniteMass:
        return self.below.minus_infinity

    @property
    def unresolved(self) -> float:
        return self.above.unresolved

    @property
    def max_loss(self) -> float:
        return self.above.max_loss

    @property
    def max_loss_lower(self) -> float:
        return self.above.max_loss_lower

    @property
    def alignment(self) -> Alignment | None:
        points = self.points()
        first, last = float(points.low[0]), float(points.low[-1])
        if not -first == last > 0.0:
            return None  # grids are anchored at 0, where the only point is
        on_grid = float(np.exp(points.log_a[[0, -1]]).sum() + np.exp(points.log_a[points.low == 0.0]).sum())
        return Alignment(first, last, max(0.0, 1.0 - on_grid))

    def loss_shift(self, loss: float) -> float:
        return max(self.above.loss_shift(loss), self.below.loss_shift(loss)) + self._misplaced

    @cached_property
    def _misplaced(self) -> float:
        """Bound on the losses, and on the error of the masses, of events that rounding puts on the wrong side of 0."""
        return 2.0 * self.base.loss_shift(0.0)

    def points(self) -> Cells:
        return self._points

    @cached_property
    def _points(self) -> Cells:
        return points_of_both(self.base, self.q, self.above, self.below)

    def cells(self, edges: Array) -> Cells:
        split = int(np.searchsorted(edges, 0.0))  # the first edge from 0 on
        if split in (0, edges.size):
            cells = (self.below if split else self.above).cells(edges)
            return cells if not cells.size else self._less_certain(cells)
        down, up = self._on_both_sides(np.append(edges[:split], 0.0), np.append(0.0, edges[split:]))
        if not (down.size and up.size):
            return Cells.none()  # neither has a continuous part: both are of the same base
        last = down.part(split - 1, split)
        middle = last if edges[split] == 0.0 else _joined_branch_cells(last, up.part(0, 1))
        return self._less_certain(Cells.join(down.part(0, split - 1), middle, up.part(1, up.size)))

    def _on_both_sides(self, low: Array, high: Array) -> tuple[Cells, Cells]:
        """Return the cells of the lower branch up to 0, and of the upper one from 0 on."""
        if not (isinstance(self.below, PoissonPair) and isinstance(self.above, PoissonPair)):
            return self.below.cells(low), self.above.cells(high)
        # 0 stays 0, so that one call of the base serves both
        inner = self.base.cells(np.concatenate([self.below.backward(low), self.above.backward(high)[1:]]))
        if not inner.size:
            return inner, inner
        split = low.size - 1
        return self.below.mixed(inner.part(0, split), low), self.above.mixed(inner.part(split, inner.size), high)

    def _less_certain(self, cells: Cells) -> Cells:
        near = (cells.low <= 2.0 * self._misplaced) & (cells.high >= -2.0 * self._misplaced)
        return replace(cells, error=cells.error + np.where(near, self._misplaced, 0.0)) if near.any() else cells

    def coarse_cells(self) -> Cells:
        return self._coarse_cells

    @cached_property
    def _coarse_cells(self) -> Cells:
        continuous = self._coarse_sides() or [self._coarse_side(self.below, -1.0), self._coarse_side(self.above, 1.0)]
        joined = Cells.join(*(side.where(side.log_a > -np.inf) for side in continuous), self.points())
        order = np.argsort(joined.low, kind="stable")
        return Cells(*(getattr(joined, name)[order] for name in ("low", "high", "log_a", "log_b", "error")))

    def _coarse_sides(self) -> list[Cells] | None:
        """Return coarse cells on both sides of 0, of a base without points whose own have no gaps and meet there."""
        if not (isinstance(self.below, PoissonPair) and isinstance(self.above, PoissonPair)):
            return None
        cells = self.base.coarse_cells()
        split = int(np.count_nonzero(cells.high <= 0.0))
        whole = bool((cells.high > cells.low).all()) and np.array_equal(cells.low[1:], cells.high[:-1])
        if not (whole and 0 < split < cells.size and cells.low[split] == 0.0):
            return None
        sides = (self.below, cells.part(0, split)), (self.above, cells.part(split, cells.size))
        return [self._less_certain(branch.coarse(side)) for branch, side in sides]

    def _coarse_side(self, branch: Pair, sign: float) -> Cells:
        """Return the continuous part of a branch on its side of 0 in coarse cells."""
        cells = branch.coarse_cells()
        wide = cells.where(cells.high > cells.low)
        mine = wide.where(wide.high <= 0.0 if sign < 0.0 else wide.low >= 0.0)
        if 0.0 in (mine.high[-1:] if sign < 0.0 else mine.low[:1]):  # no cell has 0 inside
            return self._less_certain(mine)
        edges = np.unique(np.concatenate([wide.low, wide.high, [0.0]]))
        return self.cells(edges[edges <= 0.0] if sign < 0.0 else edges[edges >= 0.0])

    def rough_profile(self) -> tuple[Array, Array]:
        return self.above.rough_profile()  # that of losses from 0 on

    @property
    def total_variation(self) -> float:
        return raised(self.q * self.base.total_variation, 4)

    @property
    def place(self) -> tuple[Hashable, tuple[float, ...]] | None:
        found = self.base.place
        if found is None:
            return None
        family, numbers = found
        return ("both branches", family), (*numbers, self.q)


def both_branches_pair(base: Pair, q: float) -> Pair:
    """Return the pair of both branches at a share 2^-53 <= q < 1, of a base with the same profile in both orders."""
    base = without_negligible(base)
    if not isinstance(base, PointPair):
        return BothBranchesPair(base, q)
    above, below = (poisson_pair(base, q, direction) for direction in (Direction.REMOVE, Direction.ADD))
    assert isinstance(above, PointPair)
    assert isinstance(below, PointPair)
    cells = points_of_both(base, q, above, below)
    made = point_pair(
        ("both branches", base.key, q),
        cells.low,
        cells.log_a,
        cells.log_b,
        error=cells.error,
        infinity=above.infinity,
        minus_infinity=below.minus_infinity,
        unresolved=above.unresolved,
        top=(above.max_loss_lower, above.top),
        loss_error=max(above.loss_error, below.loss_error) + 2.0 * base.loss_shift(0.0),
    )
    return replace(made, bounded=base.bounded)


def points_of_both(base: Pair, q: float, above: Pair, below: Pair) -> Cells:
    """Return the point masses of both branches on their sides of 0, and the one at 0 that fills both up to 1."""
    positive, rest = above.points(), below.points()
    positive, rest = positive.where(positive.low > 0.0), rest.where(rest.low <= 0.0)
    log, error = total_variation(base).times(1.0 - q).log
    # 1 - q is rounded once; base losses that are hardly known to be positive or not make their masses uncertain
    at_zero, masses = np.zeros(1), np.array([log])
    middle = Cells(at_zero, at_zero, masses, masses, np.array([error + 4.0 * U]))
    joined = Cells.join(rest, middle, positive)
    near = np.abs(joined.low) <= 2.0 * base.loss_shift(0.0)
    return replace(joined, error=joined.error + np.where(near, 2.0 * base.loss_shift(0.0), 0.0))


def _joined_branch_cells(one: Cells, other: Cells) -> Cells:
    """Return two cells that meet as one."""
    log_a, log_b = np.logaddexp(one.log_a, other.log_a), np.logaddexp(one.log_b, other.log_b)
    with np.errstate(invalid="ignore"):
        size = np.nan_to_num(np.abs(log_a) + np.abs(log_b), posinf=0.0)
    error = np.maximum(one.error, other.error) + 8.0 * U * (1.0 + size)
    return Cells(one.low, other.high, log_a, log_b, error)
