"""What every classic bound has: delta, epsilon and curve; and the search for the promises that suit a theorem best."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tightbudget.classic.promises import Promises
from tightbudget.mechanisms.checks import delta_asked, epsilon_asked
from tightbudget.mechanisms.composition import Composable
from tightbudget.notation import composition_given

Array = NDArray[np.float64]

ROUNDING = 1e-11
"""Relative allowance for the rounding of a formula.

The formulas take fewer than a hundred operations, each good to 4u, on positive terms; an exponential of x < 745 adds
the relative error of x times 745. Together below 1e-11; differences are rounded to the safe side where they are taken.
"""

_AROUND = 4  # neighbours on the grid, to each side of the best one, between which the search looks closer
_ZOOM = 33  # points tried between them
_ZOOMS = 3
_SWEEPS = 2
_PARTS = 5  # into which the way from one choice of a curve to the next is divided


class Bound(Protocol):
    """A published bound. Each method raises DoesNotApply where the theorem says nothing."""

    @property
    def name(self) -> str: ...
    @property
    def reference(self) -> str: ...
    @property
    def kind(self) -> str: ...

    def delta(self, asked: "Composable | Promises", epsilon: float) -> float:
        """Return an upper bound on delta(epsilon), at most 1."""

    def epsilon(self, asked: "Composable | Promises", delta: float) -> float:
        """Return an upper bound on the smallest epsilon at delta; inf if the theorem gives none."""

    def curve(self, asked: "Composable | Promises", epsilons: Sequence[float]) -> list[float]:
        """Return `delta` at many epsilons, perhaps with less care in the choice of promises."""


Told = TypeVar("Told")


class EdgeAnswers(Generic[Told]):
    """The answers of a bound: arguments are checked in one way; `delta` and `curve` agree at the ends of the scales.

    Subclasses say what their theorem gives where something is revealed, delta is below 1 and epsilon is finite; what
    they read off a composition first, `_told`, raises DoesNotApply where the theorem says nothing.
    """

    def _told(self, promises: Promises) -> Told:
        raise NotImplementedError

    def _delta(self, promises: Promises, told: Told, epsilon: float) -> float:
        raise NotImplementedError

    def _epsilon(self, promises: Promises, told: Told, delta: float) -> float:
        raise NotImplementedError

    def _curve(self, promises: Promises, told: Told, epsilons: Sequence[float]) -> Sequence[float]:
        return [self._delta(promises, told, epsilon) for epsilon in epsilons]

    def _delta_at_infinity(self, promises: Promises, told: Told) -> float:
        return 0.0

    def delta(self, asked: Composable | Promises, epsilon: float) -> float:
        promises, epsilon = prepared_promises(asked), epsilon_asked(epsilon)
        told = self._told(promises)
        if not promises.steps:
            return 0.0
        infinite = math.isinf(epsilon)
        return min(1.0, self._delta_at_infinity(promises, told) if infinite else self._delta(promises, told, epsilon))

    def epsilon(self, asked: Composable | Promises, delta: float) -> float:
        promises, delta = prepared_promises(asked), delta_asked(delta)
        told = self._told(promises)
        if not promises.steps or delta == 1.0:  # (0, 1) is promised by everything
            return 0.0
        found = self._epsilon(promises, told, delta)
        return math.inf if math.isnan(found) else found

    def curve(self, asked: Composable | Promises, epsilons: Sequence[float]) -> list[float]:
        promises, places = prepared_promises(asked), [epsilon_asked(epsilon) for epsilon in epsilons]
        told = self._told(promises)
        if not promises.steps:
            return [0.0 for _ in places]
        finite = [epsilon for epsilon in places if epsilon < math.inf]
        found = iter(self._curve(promises, told, finite) if finite else ())
        last = self._delta_at_infinity(promises, told) if len(finite) < len(places) else 0.0
        return [min(1.0, last if math.isinf(epsilon) else next(found)) for epsilon in places]


Formula = Callable[[Promises, Array, Array, float], Array]
"""A theorem's value for each row of (epsilon_i) and (delta_i), and the delta or epsilon asked; inf if it has none."""


@dataclass(frozen=True)
class PromiseBound(EdgeAnswers[None]):
    """A theorem about steps known only by their promises; its value is the least over the promises tried."""

    name: str
    reference: str
    delta_formula: Formula
    epsilon_formula: Formula
    at_infinity: Callable[[Promises, Array], Array]
    check: Callable[[Promises], None] = lambda promises: None
    curve_formula: Callable[[Promises, Array, Array, Array], Array] | None = None  # where many at once are cheaper
    kind: str = "upper bound"

    def _told(self, promises: Promises) -> None:
        self.check(promises)

    def _delta(self, promises: Promises, told: None, epsilon: float) -> float:
        return self.best_for_delta(promises, epsilon)[0]

    def _epsilon(self, promises: Promises, told: None, delta: float) -> float:
        return self.best_for_epsilon(promises, delta)[0]

    def _delta_at_infinity(self, promises: Promises, told: None) -> float:
        # whatever finite epsilons the steps promise, the theorem's slack vanishes; only what is revealed remains
        last = np.full((1, len(promises.steps)), math.inf)
        return float(self.at_infinity(promises, promises.deltas(last))[0])

    def best_for_delta(self, promises: Promises, epsilon: float) -> tuple[float, Array]:
        """Return the least delta found at a finite epsilon, and the promises that give it."""
        return best_promises(promises, (self.name, "delta", epsilon), lambda e, d: self.delta_formula(promises, e, d, epsilon))

    def best_for_epsilon(self, promises: Promises, delta: float) -> tuple[float, Array]:
        """Return the least epsilon found at a delta, and the promises that give it."""
        return best_promises(promises, (self.name, "epsilon", delta), lambda e, d: self.epsilon_formula(promises, e, d, delta))

    def _curve(self, promises: Promises, told: None, epsilons: Sequence[float]) -> list[float]:
        rows = promises.choices_for_curve(epsilons)
        values = self._values(promises, rows, epsilons)
        least = values.min(axis=0)
        if len(promises.steps) > 1:  # from one best row to the next there are steps
            between = _rows_between(rows[values.argmin(axis=0)[np.argsort(epsilons, kind="stable")]])
            if between.size:
                least = np.minimum(least, self._values(promises, between, epsilons).min(axis=0))
        found: list[float] = least.tolist()
        return found

    def _values(self, promises: Promises, rows: Array, epsilons: Sequence[float]) -> Array:
        """Return the theorem's value for each row, at each epsilon."""
        deltas = promises.deltas(rows)
        with np.errstate(all="ignore"):
            if self.curve_formula is not None:
                return _nothing_known_as_inf(self.curve_formula(promises, rows, deltas, np.array(epsilons)))
            columns = [self.delta_formula(promises, rows, deltas, epsilon) for epsilon in epsilons]
        return _nothing_known_as_inf(np.stack(columns, axis=1))


def _nothing_known_as_inf(values: Array) -> Array:
    """Return the values; inf where a formula was led beyond the floats, so that it says nothing."""
    known: Array = np.where(np.isnan(values), np.inf, values)
    return known


def _rows_between(rows: Array) -> Array:
    """Return rows at even distances between each and the next that is another."""
    changed = np.flatnonzero((rows[1:] != rows[:-1]).any(axis=1))
    parts = np.arange(1, _PARTS)[:, None, None] / _PARTS
    between = rows[changed] + parts * (rows[changed + 1] - rows[changed])
    return np.asarray(between.reshape(-1, rows.shape[1]))


def prepared_promises(asked: Composable | Promises | str) -> Promises:
    """Return what theorems are told; callers that ask several of them prepare it once."""
    if isinstance(asked, Promises):
        return asked
    return Promises(composition_given("composition", asked))


def best_promises(
    promises: Promises, question: tuple[str, str, float], formula: Callable[[Array, Array], Array]
) -> tuple[float, Array]:
    """Return the least value of the formula over the choices tried, and the row of epsilons that gives it.

    Every choice is valid, so nothing here needs care beyond finding a small value.
    """
    if question not in promises.answered:
        with np.errstate(all="ignore"):
            promises.answered[question] = _best_of_grid(promises, lambda e, d: _nothing_known_as_inf(formula(e, d)))
    return promises.answered[question]


def _best_of_grid(promises: Promises, formula: Callable[[Array, Array], Array]) -> tuple[float, Array]:
    rows = promises.choices
    values = formula(rows, promises.deltas(rows))
    found = int(np.argmin(values))
    value, row = float(values[found]), rows[found]
    if len(promises.steps) == 1:
        return _best_nearby(promises, formula, value, row)
    for _ in range(_SWEEPS):
        for place, step in enumerate(promises.steps):
            tried = np.repeat(row[None, :], step.grid.size, axis=0)
            tried[:, place] = step.grid
            values = formula(tried, promises.deltas(tried))
            found = int(np.argmin(values))
            if values[found] < value:
                value, row = float(values[found]), tried[found]
    return value, row


def _best_nearby(promises: Promises, formula: Callable[[Array, Array], Array], value: float, row: Array) -> tuple[float, Array]:
    grid = promises.steps[0].grid
    place = int(np.searchsorted(grid, row[0]))
    low, high = float(grid[max(0, place - _AROUND)]), float(grid[min(grid.size - 1, place + _AROUND)])
    for _ in range(_ZOOMS):
        tried = np.linspace(low, high, _ZOOM)
        values = formula(tried[:, None], promises.deltas(tried[:, None]))
        found = int(np.argmin(values))
        if values[found] < value:
            value, row = float(values[found]), tried[found : found + 1]
        low, high = float(tried[max(0, found - 1)]), float(tried[min(_ZOOM - 1, found + 1)])
    return value, row
