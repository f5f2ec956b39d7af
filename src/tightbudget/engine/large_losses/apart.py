r"""One direction with its large losses apart (M20).

Events fall into two kinds: those in which no step loses more than its ceiling, and the others. delta is the sum of what
both give. The first kind is a composition like any other, of pairs without their large losses. Of the second, A and B
are known in closed form; it gives A - e^epsilon B, and at most as much more as e^epsilon B holds of a total loss below
epsilon.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.direction import OneDirection
from tightbudget.engine.pursuit import Profile
from tightbudget.engine.steps import Steps
from tightbudget.numerics.rounding import GENEROUS, U, lowered, lowered_by, raised, raised_by
from tightbudget.numerics.shares import share_up
from tightbudget.pairs.base import NEGLIGIBLE, Pair
from tightbudget.pairs.below import BelowPair

Array = NDArray[np.float64]

_FAR = 7.0  # standard deviations of the other losses between epsilon and the ceiling
_SLOPES = np.array([2.0, 4.0, 6.0, 8.0, 11.0])  # of Chernoff bounds, in units of 1 / standard deviation
_MOST_EPSILON = 300.0  # e^epsilon times what is negligible stays negligible
_LARGEST = 1e9  # loss for which this is tried: squares and exponentials stay in range
_ROUNDED = 1e-11  # relative, of products of many masses


@dataclass(frozen=True, eq=False)
class _LargeLossBounds:
    """Bounds on events in which some step loses more than its ceiling."""

    a_lower: float
    a_upper: float
    b_lower: float
    b_upper: float
    least: Array  # of each item: a large loss is at least this
    weight: Array  # of each item: its count times the mass of B with a large loss, at most
    slopes: Array
    log_moments: Array  # log E_B e^{-slope L} of the whole composition, at most
    loss_shift: float
    unseen: float  # mass of B that no moment covers

    def lower(self, epsilon: float) -> float:
        """Return at most what these events give: A - e^epsilon B, whatever their total loss."""
        if epsilon > 700.0:
            return 0.0
        return max(0.0, lowered(self.a_lower - raised(math.exp(epsilon), 4) * self.b_upper, 4))

    @np.errstate(over="ignore", invalid="ignore")
    def upper(self, epsilon: float) -> float:
        """Return at least what they give: e^epsilon B of a total loss below epsilon is to be added again."""
        distance = self.least - epsilon - self.loss_shift
        exponents = self.log_moments[None, :] - np.multiply.outer(distance, self.slopes)
        exponents += 16.0 * U * (np.abs(self.log_moments) + np.multiply.outer(np.abs(distance), self.slopes))
        exponents = np.where(np.isnan(exponents), 0.0, exponents)  # a bound that overflowed is none
        chance = np.where(distance > 0.0, np.exp(np.minimum(exponents.min(axis=1), 0.0)), 1.0)
        again = raised_by(float(self.weight @ np.minimum(chance + self.unseen, 1.0)), GENEROUS)
        growth = math.exp(min(epsilon, 700.0))
        total = self.a_upper - lowered(growth, 4) * max(0.0, self.b_lower - again)
        return min(self.a_upper, raised(max(0.0, total), 8) + NEGLIGIBLE)


@dataclass(frozen=True, eq=False)
class SplitProfile:
    small: Profile
    large: _LargeLossBounds

    @property
    def route(self) -> str:
        return f"large losses apart, {self.small.route}"

    @property
    def tilt(self) -> float | None:
        return self.small.tilt

    @property
    def points(self) -> float:
        return self.small.points

    def delta_upper(self, epsilon: float) -> float:
        return min(1.0, raised(self.small.delta_upper(epsilon) + self.large.upper(epsilon), 2))

    def delta_lower(self, epsilon: float) -> float:
        return max(0.0, lowered(self.small.delta_lower(epsilon) + self.large.lower(epsilon), 2))


class SplitDirection:
    """Profiles of the whole composition, made of those of its small losses."""

    route = "large losses apart, levels"

    def __init__(
        self, steps: Steps, ceilings: tuple[float, ...], of_small_losses: Callable[[Steps], OneDirection] = OneDirection
    ) -> None:
        items = [(pair, count, top) for (pair, count), top in zip(steps.items, ceilings, strict=True)]
        self.ceilings = ceilings
        self.small = of_small_losses(Steps(tuple((_up_to(pair, top), count) for pair, count, top in items)))
        self._large = _large_loss_bounds(steps, [(BelowPair(pair, top), count) for pair, count, top in items if top < math.inf])

    def profile(self, decades: int, tilt_index: int, width_index: int, most_points: float) -> SplitProfile | None:
        return self.with_large(self.small.profile(decades, tilt_index, width_index, most_points))

    def in_reach(self, decades: int, tilt_index: int, width_index: int, most_points: float) -> bool:
        return self.small.in_reach(decades, tilt_index, width_index, most_points)

    def with_large(self, small: Profile | None) -> SplitProfile | None:
        """Return what small losses give together with what large ones do."""
        return None if small is None else SplitProfile(small, self._large)


def has_large_losses(steps: Steps, epsilon: float) -> bool:
    """Whether there are losses well beyond epsilon, in pairs of which the coarse cells cover B as well as A."""
    return (
        epsilon < _MOST_EPSILON
        and all(_coarse_cells_cover(pair) and float(pair.coarse_cells().low[0]) < epsilon for pair, _ in steps.items)
        and not all(math.isinf(ceiling) for ceiling in loss_ceilings(steps, epsilon))
    )


def _coarse_cells_cover(pair: Pair) -> bool:
    """Whether the coarse cells hold all of B but 1e-300, with losses that stay in range."""
    if not pair.covers_b:
        return False
    cells = pair.coarse_cells()
    return cells.size > 0 and max(abs(float(cells.low[0])), abs(float(cells.high[-1]))) < _LARGEST


def _spread_of(steps: Steps) -> float:
    """Return the standard deviation of the total loss under B, roughly."""
    variance = 0.0
    for pair, count in steps.items:
        cells = pair.coarse_cells()
        loss, mass = cells.mean_losses, np.exp(cells.log_b)
        mean = float(mass @ loss)
        variance += count * max(0.0, float(mass @ (loss * loss)) - mean * mean)
    return math.sqrt(variance)


def loss_ceilings(steps: Steps, epsilon: float, ceiling: Callable[[float], float] = float) -> tuple[float, ...]:
    """Return how much each pair may lose to count as small: a little more than epsilon; inf if it never loses more.

    `ceiling` may raise that. Infinite losses are never small: where there are large ones, they count as such.
    """
    target = ceiling(epsilon + _FAR * _spread_of(steps))
    large = [float(pair.coarse_cells().high[-1]) > target for pair, _ in steps.items]
    return tuple(
        target if one or (pair.infinity.possible and any(large)) else math.inf
        for (pair, _), one in zip(steps.items, large, strict=True)
    )


def _up_to(pair: Pair, ceiling: float) -> Pair:
    return pair if math.isinf(ceiling) else BelowPair(pair, ceiling)


def _large_loss_bounds(steps: Steps, below: list[tuple[BelowPair, int]]) -> _LargeLossBounds:
    none = np.zeros(4)  # log of the chance that no step has a large loss, with each of the four masses
    least, weight, loss_shift, unseen = [], [], 0.0, 0.0
    for pair, count in below:
        # what is surely above for the lower ends, and all that might be for the upper ones
        a_lower, _, _, b_upper = pair.above(pair.ceiling + pair.error_bound)
        _, a_upper, b_lower, b_most = pair.above(pair.ceiling - pair.error_bound)
        masses = np.minimum([a_lower, a_upper, b_lower, b_upper], 1.0)
        with np.errstate(divide="ignore"):
            none += count * np.log1p(-masses)
        least.append(pair.ceiling - 2.0 * pair.error_bound)
        weight.append(count * b_most)
    for each, count in steps.items:  # also of those without a ceiling
        cells = each.coarse_cells()
        loss_shift += count * each.loss_shift(float(np.abs(cells.high).max()) + float(np.abs(cells.low).max()))
        unseen += count * (each.unresolved + NEGLIGIBLE)
    a_lower, a_upper, b_lower, b_upper = (-np.expm1(none)).tolist()
    slopes = _SLOPES / max(_spread_of(steps), 1e-300)
    return _LargeLossBounds(
        lowered_by(a_lower, _ROUNDED),
        raised_by(a_upper, _ROUNDED),
        lowered_by(b_lower, _ROUNDED),
        raised_by(b_upper, _ROUNDED),
        np.array(least),
        np.array(weight),
        slopes,
        _log_lower_moments(steps, slopes),
        raised_by(loss_shift, GENEROUS),
        unseen,
    )


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _log_lower_moments(steps: Steps, slopes: Array) -> Array:
    """Return upper bounds on log E_B e^{-slope L} over all losses that the coarse cells cover.

    A cell's masses under A and B put to its two ends keep the mean of e^L under B, of which e^{-slope L} is a convex
    function; what is in doubt goes to the lower end.
    """
    total = np.zeros(slopes.size)
    for pair, count in steps.items:
        cells = pair.coarse_cells()
        width = cells.high - cells.low
        loss = cells.log_a - cells.log_b
        error_bound = pair.loss_shift(float(np.abs(cells.high).max()) + float(np.abs(cells.low).max())) + 2.0 * cells.error
        excess = loss - cells.low - error_bound - 4.0 * U * (1.0 + np.abs(loss) + np.abs(cells.low))
        share = np.where(width > 0.0, share_up(np.nan_to_num(excess, nan=0.0), np.where(width > 0.0, width, 1.0)), 0.0)
        # `share` is of A's mass at the upper end; under B an end has e^-loss times that
        high = cells.log_a + np.log(share) - cells.high
        rest = -np.expm1(np.minimum(high - cells.log_b, 0.0)) + 2.0 * cells.error + 8.0 * U * (1.0 + np.abs(cells.log_b))
        low = cells.log_b + np.log(np.where(width > 0.0, np.minimum(np.nan_to_num(rest, nan=1.0), 1.0), 1.0))
        logs, losses = np.concatenate([low, high]), np.concatenate([cells.low, cells.high])
        logs, losses = logs[logs > -np.inf], losses[logs > -np.inf]
        exponent = logs - np.multiply.outer(slopes, losses)
        peak = exponent.max(axis=1)
        moment = peak + np.log(np.exp(exponent - peak[:, None]).sum(axis=1))
        widest = float(np.abs(losses).max())
        moment += float(cells.error.max()) + 8.0 * U * (losses.size + 1000.0 + (1.0 + slopes) * widest)
        total += count * np.maximum(moment, 0.0)  # it is at least 0 (Jensen), so that one step more does no harm
    return np.where(np.isnan(total), np.inf, raised_by(total, GENEROUS))
