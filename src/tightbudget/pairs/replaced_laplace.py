"""Laplace noise on a Poisson sample in which one record is another: the pair of its replacement (M28).

A = (1-q) f + q f(. + D) and B = (1-q) f + q f(. - D), f the Laplace density of scale 1. By symmetry B is A mirrored.
"""

import math
from dataclasses import dataclass

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.numerics.rounding import TINIEST, U
from tightbudget.pairs.base import Alignment, Array, Cells, Pair
from tightbudget.pairs.infinite_mass import NOWHERE
from tightbudget.pairs.moments.events import Events, point_events

_FINE = np.geomspace(1e-14, 1.0, 36, endpoint=False)
_SURVEY_EDGES = np.unique(np.concatenate([_FINE - 1.0, np.linspace(-1.0, 1.0, 96), 1.0 - _FINE, _FINE, -_FINE]))
"""Edges of coarse cells, relative to D: closer towards both ends and towards 0, where losses gather."""
_EVENT_CELLS = 512
_LOG_HALF = math.log(0.5)
_MODERATE = 200.0  # e^200 e^200 is far from overflow, and 1 is far below the rounding of e^200


@dataclass(frozen=True)
class ReplacedLaplacePair(Pair):
    """The pair seen at s = -x: its loss increases with s, and all s beyond +-D have the same two losses.

    `shift` is D, at most one rounding above the true quotient of sensitivity and scale.
    """

    shift: float
    q: float

    infinity = NOWHERE
    minus_infinity = NOWHERE
    unresolved = 0.0

    @property
    def _log_rest(self) -> float:
        """log(1 - q + q e^-D), also where it is all but 0."""
        within = self.q * math.expm1(-self.shift)
        return math.log1p(within) if within > -0.5 else math.log((1.0 - self.q) + self.q * math.exp(-self.shift))

    @property
    def _log_scale(self) -> float:
        """log of k = (1 - q + q e^-D) e^D / q: the loss at s is log(1 + (e^2s - 1) / k)."""
        return self._log_rest + self.shift - math.log(self.q)

    @cached_property
    def _top(self) -> float:
        return float(self._losses(np.array([self.shift]))[0])

    @property
    def max_loss(self) -> float:
        return self._top + self.loss_shift(self._top)

    @property
    def max_loss_lower(self) -> float:
        return max(0.0, self._top - self.loss_shift(self._top))

    @property
    def alignment(self) -> Alignment | None:
        on_grid = float(np.exp(self.points().log_a).sum())
        return Alignment(-self._top, 2.0 * self._top, max(0.0, 1.0 - on_grid)) if self._top > 0.0 else None

    def loss_shift(self, loss: float) -> float:
        # an error of k moves a loss by that, relatively, times 1 - e^-|loss|; one of D by (1 + D) |loss| times it (M28)
        scale = (64.0 + 64.0 * self.shift - 16.0 * math.log(self.q)) * min(1.0, abs(loss))
        return U * (scale + (8.0 + 8.0 * self.shift) * abs(loss)) + 4.0 * TINIEST

    def points(self) -> Cells:
        return self._points

    @cached_property
    def _points(self) -> Cells:
        losses = np.array([-self._top, self._top])
        with_it = np.logaddexp(math.log1p(-self.q) - self.shift, math.log(self.q)) + _LOG_HALF
        without = self._log_rest - self.shift + _LOG_HALF
        log_a = np.array([without, with_it])
        return Cells(losses, losses, log_a, log_a[::-1].copy(), np.full(2, self._rounding + 4.0 * U * abs(without)))

    @property
    def _rounding(self) -> float:
        """Bound on the errors that all masses share: D, log q and log(1-q) are rounded, and D is a quotient."""
        return U * (32.0 + 16.0 * self.shift - 4.0 * math.log(self.q) - 4.0 * math.log1p(-self.q))

    def cells(self, edges: Array) -> Cells:
        return self._cells_between(self._places(edges), edges[:-1], edges[1:])

    def _places(self, losses: Array) -> Array:
        """Return the s of each loss, at most D to either side."""
        size = np.minimum(np.abs(losses), 2.0 * self._top + 1.0)  # an edge may be at infinity
        return np.copysign(np.minimum(0.5 * self._grown(size, self._log_scale), self.shift), losses)

    def _losses(self, places: Array) -> Array:
        return np.copysign(self._grown(2.0 * np.abs(places), -self._log_scale), places)

    @staticmethod
    def _grown(size: Array, log_factor: float) -> Array:
        """Return log(1 + (e^size - 1) e^log_factor) for sizes from 0, relatively accurate."""
        near = np.minimum(size, _MODERATE)
        grown: Array = np.log1p(np.expm1(near) * math.exp(min(max(log_factor, -_MODERATE), _MODERATE)))
        if abs(log_factor) <= _MODERATE and bool((size <= _MODERATE).all()):
            return grown
        with np.errstate(divide="ignore"):
            log_growth = np.where(size > _MODERATE, size, np.log(np.expm1(near))) + log_factor
        far: Array = np.logaddexp(0.0, log_growth)
        return far if abs(log_factor) > _MODERATE else np.where(size <= _MODERATE, grown, far)

    def _cells_between(self, places: Array, low: Array, high: Array) -> Cells:
        log_a = self._log_mass(places[:-1], places[1:])
        log_b = self._log_mass(-places[1:], -places[:-1])
        size = np.abs(log_a) + np.abs(log_b)
        size[~np.isfinite(size)] = 0.0  # where there is nothing, and that is exact
        return Cells(low, high, log_a, log_b, self._rounding + 2.0 * U * size)

    def _log_mass(self, low: Array, high: Array) -> Array:
        """Return the logarithm of A between two s: density e^-s (1-q)/2 + q/2 e^(s-D) above 0, else a Laplace tail."""
        above_low, above_high = np.maximum(low, 0.0), np.maximum(high, 0.0)
        below_low, below_high = np.maximum(-high, 0.0), np.maximum(-low, 0.0)
        with np.errstate(divide="ignore"):
            width_above = np.log(-np.expm1(above_low - above_high))
            width_below = np.log(-np.expm1(below_low - below_high))
        density = np.logaddexp(math.log1p(-self.q) - above_low, math.log(self.q) + above_high - self.shift)
        mass: Array = np.logaddexp(density + width_above, self._log_rest - below_low + width_below) + _LOG_HALF
        return mass

    def coarse_cells(self) -> Cells:
        return self._coarse_cells

    @cached_property
    def _coarse_cells(self) -> Cells:
        points = self.points()
        return Cells.join(points.part(0, 1), self._continuous(_SURVEY_EDGES), points.part(1, 2))

    def _continuous(self, edges: Array) -> Cells:
        places = self.shift * edges
        losses = self._losses(places)
        cells = self._cells_between(places, losses[:-1], np.maximum(losses[1:], np.nextafter(losses[:-1], np.inf)))
        return cells.where(cells.log_a > -math.inf)

    @property
    def covers_b(self) -> bool:
        return True

    def events(self, reach: float) -> Events:
        cells = Cells.join(self._continuous(np.linspace(-1.0, 1.0, _EVENT_CELLS + 1)), self.points())
        return point_events(cells, self.loss_shift(self._top), 0.0, 0.0)
