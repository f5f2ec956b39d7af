"""A grid and frequencies that served one composition, tried on its neighbours (M9, M19).

Places and angles are whole numbers of steps and parts of a turn: with another step the same ones serve another scale of
losses, and the table of their turns, which takes most of the time, is there already. Any grid that reaches beyond the
losses makes a sound bracket, at any frequencies (M5, M6, M19); what is checked here is whether it will be narrow.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.discretisation.discretise import discretise
from tightbudget.engine.spectral.blocks import Block
from tightbudget.engine.spectral.frequencies import ChosenNodes, FrequencyPlan, choose_nodes
from tightbudget.engine.spectral.grid import LAST, SpectralGrid, spectral_grid, tilted_weights
from tightbudget.engine.spectral.spectrum import Discretise, Laws, Spectrum, composed_spectrum, discretised_laws
from tightbudget.engine.target import PlanTarget, aligned_step

Array = NDArray[np.float64]

_WIDER, _FINER = 1.15, 0.75  # windows and variance of a plan, so that neighbours on either side can follow it
_DEEPER, _LONGER = 1.5, 1.4  # depth and period, likewise
_DENSER, _SPARSER = 1.04, 0.92  # deviation in steps, relative to that of the plan
_FINEST, _MOST = 0.2, 1.0  # of the variance allowed: a plan that adds less takes needlessly many points
_MOST_IN_VAIN, _RESTED = 2, 8  # failures in a row before a plan is left alone, and questions until it is tried again
_MOST_WORK = 2**19  # entries of a table for many counts: some 20 ms
_MORE = 3.0  # times what frequencies left out may hold; they are allowed a fiftieth of the width


@dataclass(frozen=True, slots=True, eq=False)
class GridPlan:
    """Places to put masses on and frequencies to look at, in steps."""

    grid: SpectralGrid
    low: float  # ends of the windows for which it is made
    high: float
    deviation: float  # of the composed loss
    variance: float  # that the grid adds, relative to what is allowed, in units of `_even_grid_variance`
    frequencies: FrequencyPlan
    in_vain: int = 0  # times in a row that its frequencies did not serve

    @property
    def hopeless(self) -> bool:
        """Whether neighbours are too different: then each is better planned for itself."""
        return self.in_vain >= _MOST_IN_VAIN

    def rested(self) -> "GridPlan":
        """Return the plan left alone once more; after some time it is worth another try."""
        return replace(self, in_vain=self.in_vain + 1 if self.in_vain < _RESTED else _MOST_IN_VAIN - 1)

    @property
    def nbytes(self) -> int:
        return self.grid.places.nbytes + self.frequencies.nbytes

    def step_for(self, target: PlanTarget) -> float | None:
        """Return the step with which the plan serves the target; None if it does not."""
        low, high = _grid_plan_window(target)
        if not low < 0.0 < high:
            return None
        deviation = target.tilt.deviation / self.deviation
        least, most = max(low / self.low, high / self.high, deviation / _DENSER), deviation / _SPARSER
        if not least <= most:
            return None
        # the step used last if it will do, for the same pair may have the same rows; else one that lasts for a while
        steps = (self.grid.step, aligned_step(most, None), aligned_step(1.000002 * least, None))
        lasting = steps if self.grid.step < least else (steps[0], steps[2])
        for step in lasting:
            if least <= step <= most and _FINEST <= self.variance * _even_grid_variance(target, step) <= _MOST:
                return step
        return None

    def at_step(self, step: float) -> "GridPlan":
        """Return the plan that has served with this step."""
        if step == self.grid.step and not self.in_vain:
            return self
        return replace(self, grid=replace(self.grid, step=step), in_vain=0)

    def laws(self, target: PlanTarget, step: float, rows: Discretise = discretise) -> Laws:
        """Return the only pair of the target on this grid, once."""
        points = replace(self.grid, step=step)
        return discretised_laws(target, points, _grid_columns(points), rows, [1])

    def follow(self, target: PlanTarget, step: float, rows: Discretise = discretise) -> "tuple[Spectrum | None, GridPlan]":
        """Return the spectrum on this grid, if it is short, and the plan for the next: other frequencies if need be."""
        choice = _PlannedNodeChoice(self.frequencies)
        points = self.grid if step == self.grid.step else replace(self.grid, step=step)
        made = composed_spectrum(target, points, _grid_columns(points), choice, rows)
        served = choice.plan is self.frequencies
        if served and points is self.grid and not self.in_vain:
            return made, self
        in_vain = 0 if served else self.in_vain + 1
        return made, replace(self, grid=points, frequencies=choice.plan or self.frequencies, in_vain=in_vain)


class _PlannedNodeChoice:
    """Chooses nodes by a plan, or where that does not serve, with some room for neighbours.

    With a span, nodes are chosen for counts down to that part of the one at hand: their modulus is raised to a smaller
    power.
    """

    def __init__(self, plan: FrequencyPlan | None = None, span: float = 1.0) -> None:
        self.plan, self.found = plan, None
        self._span = span

    found: ChosenNodes | None

    def __call__(self, blocks: Sequence[Block], places: Array, best: float, depth: float, length: float) -> ChosenNodes | None:
        if self.plan is not None and length <= self.plan.period:
            chosen = self.plan.follow(blocks, places)
            if float(chosen.beyond.max()) <= _MORE * math.exp(-depth):
                return chosen
        most = self._span * (depth + _DEEPER)
        if self._span > 1.0:
            new = choose_nodes(blocks, places, best * math.sqrt(most / depth), most, _LONGER * length, _MOST_WORK, True)
        else:
            new = choose_nodes(blocks, places, best, most, _LONGER * length, to_follow=True)
        self.plan, self.found = None if new is None else FrequencyPlan.of(new), new
        return new


def planned_spectrum(target: PlanTarget, most_points: float) -> tuple[Spectrum | None, float, GridPlan | None]:
    """Return the spectrum of a composition, the number of points it took, and the plan that neighbours may follow."""
    low, high = _grid_plan_window(target)
    if not low < 0.0 < high or any(pair.alignment for pair, _ in target.steps.items):
        points = spectral_grid(target, most_points)
        return composed_spectrum(target, points), float(points.places.size), None
    points = spectral_grid(_roomier_plan_target(target), most_points)
    choice = _PlannedNodeChoice()
    made = composed_spectrum(target, points, _grid_columns(points), choice)
    if made is None or choice.plan is None:
        return made, float(points.places.size), None
    variance = _added_variance(target, points) / _even_grid_variance(target, points.step)
    return made, float(points.places.size), _plan_on(points, target, variance, choice.plan)


def _plan_on(points: SpectralGrid, target: PlanTarget, variance: float, frequencies: FrequencyPlan) -> GridPlan:
    low, high = _grid_plan_window(target)
    window, deviation = (_WIDER * low / points.step, _WIDER * high / points.step), target.tilt.deviation / points.step
    return GridPlan(points, *window, deviation, variance, frequencies)


@dataclass(frozen=True, slots=True)
class SeenOnce:
    """The only pair of a target on a grid, once, with nodes for a range of counts, and a plan if there is one."""

    laws: Laws
    seen: ChosenNodes  # bounds are those of all steps of the target
    variance: float  # that the grid adds, relative to what is allowed, for each unit of steepness
    plan: GridPlan | None


def seen_once(target: PlanTarget, most_points: float, span: float) -> SeenOnce | None:
    """Return the only pair of a target on a grid of its own, seen well enough for 1 / span as many steps too."""
    low, high = _grid_plan_window(target)
    if not low < 0.0 < high:
        return None
    count = target.steps.items[0][1]
    points, choice = spectral_grid(_roomier_plan_target(target), most_points), _PlannedNodeChoice(span=span)
    laws = discretised_laws(target, points, _grid_columns(points), discretise, [count])
    laws.composed([count], target.width, choice)
    if choice.found is None:
        return None
    variance = _added_variance(target, points) / _even_grid_variance(target, points.step)
    plan = None if choice.plan is None else _plan_on(points, target, variance, choice.plan)
    return SeenOnce(laws, choice.found, variance, plan)


def _even_grid_variance(target: PlanTarget, step: float) -> float:
    """Return the variance that an even grid of this step would add, relative to what is allowed (M9)."""
    return target.steps.total * step * step / target.variance


def _added_variance(target: PlanTarget, points: SpectralGrid) -> float:
    """Return the variance that the grid adds, relative to what is allowed: that of `spectral_grid` (M9)."""
    total, edges, gaps = 0.0, points.step * points.places, points.step * np.diff(points.places)
    for cells, (_, count) in zip(target.cells, target.steps.items, strict=True):
        sums = np.concatenate([[0.0], np.cumsum(tilted_weights(cells, target.tilt.theta))])
        mass = np.diff(np.interp(edges, np.concatenate([cells.low[:1], cells.high]), sums))
        total += count * float(np.einsum("i,i,i", mass, gaps, gaps))
    return total / target.variance


def _grid_plan_window(target: PlanTarget) -> tuple[float, float]:
    return min(span.low for span in target.windows), max(span.high for span in target.windows)


def _grid_columns(points: SpectralGrid) -> slice:
    """Return the columns between the outermost points of a grid, which lie far beyond its ends."""
    return slice(LAST.size - 1, points.places.size - LAST.size + 1)


def _roomier_plan_target(target: PlanTarget) -> PlanTarget:
    """Return a target with a finer grid and wider windows."""
    windows = tuple(replace(span, low=_WIDER * span.low, high=_WIDER * span.high) for span in target.windows)
    return replace(target, windows=windows, variance=_FINER * target.variance)
