"""What the theorems are told: each distinct step with its count and the promises (epsilon_i, delta_i) it keeps.

A step keeps many promises at once, one for each epsilon_i, with delta_i its own delta(epsilon_i). A theorem about
promises holds for every choice of them, so the best choice may be searched for as carelessly as we like (M12).
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tightbudget.cached import cached_property
from tightbudget.mechanisms.composition import Composable
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.numerics.rounding import float_above
from tightbudget.pairs.base import NEGLIGIBLE, Direction, Pair

Array = NDArray[np.float64]

_SMALLEST = 1e-290  # an unbounded loss is followed down to this delta
_RATIO = 1.05  # between neighbouring epsilons of the grid
_MOST_POINTS = 250
_SINGLE_RTOL = 1e-4  # of the rare single step that is not answered in closed form
_LEVELS = np.concatenate([np.geomspace(1.0, 1e-30, 240), np.geomspace(1e-31, _SMALLEST, 60), [0.0]])
"""Slopes, and levels of delta, by which the choices for different steps are tied together."""
_SPLITTER = 2.0**27 + 1.0
_LEAST_SPLIT, _LARGEST_SPLIT = 2.0**-1000, 2.0**900  # no half is lost below the least float, no product is infinite
_MOST_SPLIT = 1 << 27


class Promises:
    """The steps of a composition that reveal something, equal ones counted together."""

    def __init__(self, composition: Composable) -> None:
        self.composition = composition
        counts: dict[Mechanism, int] = {}
        for mechanism, count in composition._parts:
            if any(mechanism.pair(direction) is not None for direction in Direction):
                counts[mechanism] = counts.get(mechanism, 0) + count
        self.steps = tuple(PromisedStep(mechanism) for mechanism in counts)
        self.counts = tuple(counts.values())
        self.answered: dict[tuple[str, str, float], tuple[float, Array]] = {}  # by theorem and question: value, epsilons
        self.taus: Array | None = None  # Rényi divergences at the usual orders, once asked for
        self.lines: Array | None = None  # lines above them, likewise
        self._sums: dict[bytes, Array] = {}

    @property
    def total(self) -> int:
        return sum(self.counts)

    @cached_property
    def choices(self) -> Array:
        """Epsilons to try, one row a choice and one column a distinct step.

        For one step this is its grid. For several, one number ties the choices together: the slope of delta_i, which is
        what an optimum of a sum of delta_i under a sum of epsilon_i has in common, or the level of delta_i.
        """
        if len(self.steps) <= 1:
            return np.stack([step.grid for step in self.steps], axis=1) if self.steps else np.zeros((1, 0))
        by_slope = np.stack([step.of_slopes(_LEVELS) for step in self.steps], axis=1)
        by_level = np.stack([step.of_levels(_LEVELS) for step in self.steps], axis=1)
        return np.unique(np.concatenate([by_slope, by_level]), axis=0)

    def choices_for_curve(self, epsilons: Sequence[float]) -> Array:
        """Return more of them, for curves, which are not searched at each point.

        For equal steps an even share of each epsilon is among them: the best choice if promises only add up.
        """
        if len(self.steps) != 1:
            return self.choices
        grid = self.steps[0].grid
        finer = np.interp(np.arange(3 * grid.size - 2) / 3.0, np.arange(grid.size), grid)
        shares = np.asarray(epsilons, dtype=np.float64) / self.counts[0]
        shares = shares[np.isfinite(shares) & (shares < grid[-1])]
        return np.unique(np.concatenate([finer, grid, shares, np.nextafter(shares, 0.0)]))[:, None]

    def deltas(self, epsilons: Array) -> Array:
        """Return the delta_i that belong to rows of epsilon_i."""
        return np.stack([step.deltas(column) for step, column in zip(self.steps, epsilons.T, strict=True)], axis=1)

    def weighted(self, rows: Array) -> Array:
        """Return sum of count_i * value_i for each row, the exact sum rounded up once."""
        key = rows.tobytes()
        if key not in self._sums:  # exact sums are slow, and many questions are about the same rows
            self._sums[key] = sums_up(rows, self.counts)
        return self._sums[key]


class PromisedStep:
    """One distinct step."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.pairs: tuple[Pair, ...] = tuple(
            pair for pair in (mechanism.pair(direction) for direction in Direction) if pair is not None
        )
        self._known: dict[float, float] = {}

    @cached_property
    def largest_loss(self) -> float:
        """No float smaller than any finite loss of either direction; inf if they are unbounded."""
        return max(0.0, *(pair.max_loss for pair in self.pairs))

    @property
    def reveals(self) -> bool:
        """Tell whether some event has an infinite loss."""
        return any(pair.infinity.possible for pair in self.pairs)

    @cached_property
    def pure(self) -> float:
        """The epsilon of pure differential privacy, inf if there is none."""
        return math.inf if self.reveals else self.largest_loss

    def deltas(self, epsilons: Array) -> Array:
        return np.array([self._delta(epsilon) for epsilon in epsilons.tolist()])

    def _delta(self, epsilon: float) -> float:
        if epsilon not in self._known:
            self._known[epsilon] = self.mechanism.delta(epsilon, rtol=_SINGLE_RTOL).upper
        return self._known[epsilon]

    @cached_property
    def grid(self) -> Array:
        """From 0 to the largest loss, or to where next to nothing is left; ends included."""
        top = self.largest_loss
        if math.isinf(top):
            top = self.mechanism.epsilon(_SMALLEST, rtol=0.1).upper
        if not 0.0 < top < math.inf:
            return np.zeros(1)
        if top < NEGLIGIBLE:  # no float lies well between
            return np.array([0.0, top])
        # below this delta has hardly left its value at 0
        start = 0.25 * self.mechanism.epsilon(0.9 * self._delta(0.0), rtol=0.1).upper
        start = min(max(start, 1e-9 * top), 0.5 * top)
        points = min(_MOST_POINTS, 2 + math.ceil(math.log(top / start) / math.log(_RATIO)))
        return np.concatenate([[0.0], np.geomspace(start, top, points)[:-1], [top]])

    @cached_property
    def grid_deltas(self) -> Array:
        return self.deltas(self.grid)

    def of_slopes(self, slopes: Array) -> Array:
        """Return for each slope s the epsilon that makes delta(epsilon) + s * epsilon smallest."""
        cost = self.grid_deltas[None, :] + slopes[:, None] * self.grid[None, :]
        chosen: Array = self.grid[np.argmin(cost, axis=1)]
        return chosen

    def of_levels(self, levels: Array) -> Array:
        """Return for each level the smallest epsilon with delta(epsilon) at most that, or the largest there is."""
        within = self.grid_deltas[None, :] <= levels[:, None]
        first = np.where(within.any(axis=1), np.argmax(within, axis=1), self.grid.size - 1)
        chosen: Array = self.grid[first]
        return chosen


def sums_up(rows: Array, counts: Sequence[int]) -> Array:
    """Return `sum_up` of each row, the same floats; `math.fsum` finds them many times faster than fractions."""
    ordinary = (rows == 0.0) | ((rows > _LEAST_SPLIT) & (rows < _LARGEST_SPLIT))
    if not ordinary.all() or any(count >= _MOST_SPLIT for count in counts):
        return np.array([sum_up(list(zip(row, counts, strict=True))) for row in rows.tolist()])
    # Veltkamp: both halves have 26 bits at most, so that either times a count of 27 bits is a float
    stretched = rows * _SPLITTER
    halves = stretched - (stretched - rows)
    terms = np.concatenate([halves * np.array(counts), (rows - halves) * np.array(counts)], axis=1)
    return np.array([_sum_of_floats_up(row) for row in terms.tolist()])


def _sum_of_floats_up(terms: list[float]) -> float:
    """Return the least float that is no smaller than the sum, by the nearest one and the sign of what is left."""
    nearest = math.fsum(terms)
    return math.nextafter(nearest, math.inf) if math.fsum([*terms, -nearest]) > 0.0 else nearest


def sum_up(parts: list[tuple[float, int]]) -> float:
    """Return no float smaller than the sum of value * count, and that value itself where it is a float."""
    if any(math.isinf(value) for value, _ in parts):
        return math.inf
    return float_above(sum((Fraction(value) * count for value, count in parts), start=Fraction(0)))
