"""Poisson subsampling of any pair (theory D.4, M3).

REMOVE turns (P, Q) into (qP + (1-q)Q, Q) and ADD turns it into (P, (1-q)P + qQ); both act event by event, so masses and
losses of the subsampled pair are positive combinations of those of the base pair.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.numerics.rounding import TINIEST, U, lowered, raised
from tightbudget.pairs.base import Alignment, Array, Cells, Direction, Pair
from tightbudget.pairs.infinite_mass import MODERATE, NOWHERE, InfiniteMass
from tightbudget.pairs.moments.events import Events, subsampled_events
from tightbudget.pairs.negligible import without_negligible
from tightbudget.pairs.points import PointPair, point_pair

_LARGE = 600.0  # e^_LARGE is far from overflow, and 1 is far below its rounding


@dataclass(frozen=True)
class PoissonPair(Pair):
    """The subsampled pair of a base pair that has a continuous part."""

    base: Pair
    q: float
    direction: Direction

    def on_known_base(self, known: Callable[[Pair], Pair]) -> Pair:
        return replace(self, base=known(self.base))

    # What is asked of the base is kept: of a sample of a sample of ... each would be asked four times as often as the
    # next.
    @cached_property
    def infinity(self) -> InfiniteMass:
        return self.base.infinity.times(self.q) if self.direction is Direction.REMOVE else NOWHERE

    @cached_property
    def minus_infinity(self) -> InfiniteMass:
        return NOWHERE if self.direction is Direction.REMOVE else self.base.minus_infinity.times(self.q)

    @property
    def unresolved(self) -> float:
        # The tails of both base distributions may end up in A.
        return 2.0 * self.base.unresolved + _left_out(self.base, self.direction)

    @property
    def max_loss(self) -> float:
        return self._largest[1]

    @property
    def max_loss_lower(self) -> float:
        return self._largest[0]

    @cached_property
    def _largest(self) -> tuple[float, float]:
        return _largest_subsampled_loss(self.base, self.q, self.direction)

    @property
    def alignment(self) -> Alignment | None:
        points = self.points()
        if points.size < 2:
            return None
        # Two points always lie on a grid; of more we align the outer ones.
        first, last = float(points.low[0]), float(points.low[-1])
        on_grid = float(np.exp(points.log_a[0]) + np.exp(points.log_a[-1]))
        return Alignment(first, last - first, max(0.0, 1.0 - on_grid)) if last > first else None

    def loss_shift(self, loss: float) -> float:
        # backward rounds expm1 and the base loss. An error of the first moves the loss by u|1 - e^-loss|, one of the
        # second by as much times the slope of the map, 1 - (1-q)e^-loss, which is at most q + |loss| and at most 1
        # (M3).
        size = 1.0 + abs(loss) - math.log(self.q) - math.log1p(-self.q)
        slope = min(1.0, self.q + abs(loss))
        return slope * (8.0 * U * size + self.base.loss_shift(size)) + _magnified_loss_error(loss, self.q) + 8.0 * TINIEST

    def points(self) -> Cells:
        return self._points

    @cached_property
    def _points(self) -> Cells:
        return _subsample_points(self.base, self.q, self.direction)

    def cells(self, edges: Array) -> Cells:
        cells = self.base.cells(self.backward(edges))
        return cells if cells.size == 0 else self.mixed(cells, edges)

    def mixed(self, cells: Cells, edges: Array) -> Cells:
        """Return the cells between losses, of those of the base between the losses that become these."""
        return self._mix(cells, edges[:-1], edges[1:])

    def coarse_cells(self) -> Cells:
        return self._coarse_cells

    @cached_property
    def _coarse_cells(self) -> Cells:
        cells = self.base.coarse_cells()
        wide = cells.high > cells.low
        mapped = self.coarse(cells if wide.all() else cells.where(wide))
        if not self.points().size:
            return mapped
        joined = Cells.join(mapped, self.points())
        order = np.argsort(joined.low, kind="stable")
        return Cells(*(getattr(joined, name)[order] for name in ("low", "high", "log_a", "log_b", "error")))

    def coarse(self, cells: Cells) -> Cells:
        """Return coarse cells of the base's continuous part as they become; those next to one another stay so."""
        if cells.size and np.array_equal(cells.low[1:], cells.high[:-1]):
            edges = self._forward(np.concatenate([cells.low, cells.high[-1:]]))
            low, high = edges[:-1], edges[1:]
        else:
            low, high = self._forward(cells.low), self._forward(cells.high)
        # a cell squeezed flat against the end of the support is still no point mass
        return self._mix(cells, low, np.maximum(high, np.nextafter(low, np.inf)))

    def coarse_edges(self) -> Array:
        if self.points().size:
            return super().coarse_edges()
        return np.unique(self._forward(self.base.coarse_edges()))

    def rough_profile(self) -> tuple[Array, Array]:
        if self.direction is Direction.ADD:
            return super().rough_profile()
        losses, logs = self.base.rough_profile()  # with g' = 1 + (g-1)/q the profile is q times that of the base (M3)
        above = losses > 0.0
        return self._forward(losses[above]), logs[above] + math.log(self.q)

    @property
    def place(self) -> tuple[Hashable, tuple[float, ...]] | None:
        found = self.base.place
        if found is None:
            return None
        family, numbers = found
        return ("poisson", self.direction, family), (*numbers, self.q)

    @property
    def covers_b(self) -> bool:
        return not isinstance(self.base, PoissonPair) and self.base.covers_b  # M20 is about one sampling

    @property
    def normal_ratio(self) -> float:
        return self.base.normal_ratio

    # Moments: whoever knew whether the record was drawn would see the base or two equal laws, and no less.

    def events(self, reach: float) -> Events:
        return subsampled_events(self.base.events(reach), self.q, self.direction)

    @property
    def zcdp_rho(self) -> float:
        return self.base.zcdp_rho

    @property
    def gdp_mu(self) -> float:
        return self.base.gdp_mu

    def _forward(self, loss: Array) -> Array:
        return _forward_loss(loss, self.q, self.direction)

    def backward(self, edges: Array) -> Array:
        """Return the base losses that become `edges`; outside the range of the map, -inf and +inf."""
        sign = 1.0 if self.direction is Direction.REMOVE else -1.0
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            inner = np.expm1(sign * edges) / self.q
            base = np.where(inner > -1.0, np.log1p(np.maximum(inner, -1.0)), -np.inf)
            # a quotient overflows long after the "+ 1 - q" has stopped to matter
            large = (sign * edges > 500.0) | np.isposinf(inner)
            if large.any():
                log_inner = np.where(sign * edges > 500.0, sign * edges, np.log(np.expm1(sign * edges)))
                base = np.where(large, log_inner - math.log(self.q), base)
        return sign * base

    def _mix(self, cells: Cells, low: Array, high: Array) -> Cells:
        log_a, log_b = _mixed_masses(cells.log_a, cells.log_b, self.q, self.direction)
        return Cells(low, high, log_a, log_b, cells.error + _poisson_mass_rounding(log_a, log_b, self.direction))


def poisson_pair(base: Pair, q: float, direction: Direction) -> Pair:
    """Return the base pair subsampled at rate 0 < q < 1."""
    base = without_negligible(base)
    if isinstance(base, PointPair):
        cells = _subsample_points(base, q, direction)
        remove = direction is Direction.REMOVE
        widest = float(np.abs(base.losses).max(initial=0.0))
        images = _forward_loss(base.losses, q, direction)
        steepest = float(_poisson_loss_slope(base.losses, images, q, direction).max(initial=0.0))
        rounding = float(_forward_error(base.losses, images, q, direction).max(initial=0.0))
        made = point_pair(
            ("poisson", base.key, q, direction),
            cells.low,
            cells.log_a,
            cells.log_b,
            error=cells.error,
            infinity=base.infinity.times(q) if remove else NOWHERE,
            minus_infinity=NOWHERE if remove else base.minus_infinity.times(q),
            unresolved=2.0 * base.unresolved + _left_out(base, direction),
            top=_largest_subsampled_loss(base, q, direction),
            loss_error=steepest * base.loss_shift(widest)
            + rounding
            + _magnified_loss_error(float(np.abs(cells.low).max(initial=0.0)), q),
        )
        return replace(made, bounded=base.bounded)
    return PoissonPair(base, q, direction)


def _magnified_loss_error(loss: float, q: float) -> float:
    """Bound on what rounding expm1 does to a loss: u |1 - e^-loss|, and at most u / (1 - q), a few times (M3)."""
    return 4.0 * U * min(math.expm1(min(abs(loss), 700.0)), 1.0 / (1.0 - q))


def _forward_loss(loss: Array, q: float, direction: Direction) -> Array:
    """Return log(1 - q + q e^x) for x = loss (REMOVE), and minus that for x = -loss (ADD)."""
    sign = 1.0 if direction is Direction.REMOVE else -1.0
    x = sign * loss
    image: Array = np.log1p(q * np.expm1(np.minimum(x, _LARGE)))
    if x.size and float(x.max()) > _LARGE:  # there the "1 - q" has long stopped to matter, unless q is as small
        exponent = np.maximum(x, _LARGE) + math.log(q)
        far = np.where(exponent > _LARGE, exponent, np.log1p(np.exp(np.minimum(exponent, _LARGE))))
        image = np.where(x > _LARGE, far, image)
    return sign * image


def _forward_error(loss: Array, image: Array, q: float, direction: Direction) -> Array:
    """Bound on the rounding of `_forward_loss`: relative where 1 - q + q e^x grows, magnified where it falls (M3)."""
    falls = (image < 0.0) if direction is Direction.REMOVE else (image > 0.0)
    size = np.abs(image)
    growth = np.expm1(np.minimum(size, _LARGE))
    error = 8.0 * U * size + np.where(falls, 4.0 * U * np.minimum(growth, 1.0 / (1.0 - q)), 0.0)
    far = np.abs(loss) > _LARGE
    if far.any():  # the exponent log q + x is rounded at the size of its terms
        error += np.where(far, 4.0 * U * (np.abs(loss) + 1.0 - math.log(q)) * np.minimum(growth, 1.0), 0.0)
    return error + 4.0 * TINIEST


def _poisson_loss_slope(loss: Array, image: Array, q: float, direction: Direction) -> Array:
    """Return the derivative of the loss map, q e^x / (1 - q + q e^x), with room for rounding (M3)."""
    sign = 1.0 if direction is Direction.REMOVE else -1.0
    return np.minimum(1.0, 1.01 * np.exp(np.minimum(sign * (loss - image) + math.log(q), 0.0)))


def _largest_subsampled_loss(base: Pair, q: float, direction: Direction) -> tuple[float, float]:
    """Return bounds on the supremum of the subsampled losses, the image of the base's: the map increases (M3)."""
    remove = direction is Direction.REMOVE
    end = -math.log1p(-q)  # of the losses of ADD: what only A could produce, or losses without end
    if base.max_loss_lower == math.inf and remove:
        return math.inf, math.inf
    if not remove and (base.infinity.at(MODERATE).certain or base.max_loss_lower == math.inf):
        return lowered(end, 4), raised(end, 4)
    losses = np.array([base.max_loss_lower, base.max_loss])
    finite = np.where(np.isfinite(losses), losses, 0.0)
    images = _forward_loss(finite, q, direction)
    errors = _forward_error(finite, images, q, direction)
    lower, upper = float(images[0] - errors[0]), float(images[1] + errors[1])
    if not math.isfinite(losses[0]):
        lower = math.inf if losses[0] > 0.0 else -math.inf
    if losses[1] == math.inf or (not remove and base.infinity.possible):
        upper = math.inf if remove else raised(end, 4)
    return lower, upper


def _mixed_masses(log_a: Array, log_b: Array, q: float, direction: Direction) -> tuple[Array, Array]:
    if direction is Direction.REMOVE:
        return np.logaddexp(math.log(q) + log_a, math.log1p(-q) + log_b), log_b
    return log_a, np.logaddexp(math.log1p(-q) + log_a, math.log(q) + log_b)


def _poisson_mass_rounding(log_a: Array, log_b: Array, direction: Direction) -> Array:
    """Bound on the error of the mass that `_mixed_masses` changes (M3)."""
    mixed = log_a if direction is Direction.REMOVE else log_b
    return 7.0 * U * (1.0 + np.minimum(np.abs(mixed), 1e4))


def _one_sided(base: Pair, direction: Direction) -> InfiniteMass:
    """Return the mass of the law that is not mixed where the other has none: it now has 1 - q times as much."""
    return base.minus_infinity if direction is Direction.REMOVE else base.infinity


def _left_out(base: Pair, direction: Direction) -> float:
    """Return a bound on the mass of such an event, if that is less than floats hold."""
    one_sided = _one_sided(base, direction)
    return one_sided.upper if one_sided.below_floats else 0.0


def _subsample_points(base: Pair, q: float, direction: Direction) -> Cells:
    """Return the base's point masses subsampled, with the events that only one side could produce, now points too."""
    points = base.points()
    losses, log_a, log_b, error = points.low, points.log_a, points.log_b, points.error
    new_losses = _forward_loss(losses, q, direction)
    remove, one_sided = direction is Direction.REMOVE, _one_sided(base, direction)
    if one_sided.possible and not one_sided.below_floats:
        edge = math.log1p(-q) if remove else -math.log1p(-q)
        extra, error_bound = one_sided.mixed_log(1.0 - q)
        new_losses, error = np.append(new_losses, edge), np.append(error, error_bound + 32.0 * U * (1.0 + abs(extra)))
        log_a = np.append(log_a, -math.inf if remove else extra)
        log_b = np.append(log_b, extra if remove else -math.inf)
    if new_losses.size == 0:
        return Cells.none()
    mixed_a, mixed_b = _mixed_masses(log_a, log_b, q, direction)
    order = np.argsort(new_losses, kind="stable")
    new_error = error + _poisson_mass_rounding(mixed_a, mixed_b, direction)
    return Cells(new_losses[order], new_losses[order], mixed_a[order], mixed_b[order], new_error[order])
