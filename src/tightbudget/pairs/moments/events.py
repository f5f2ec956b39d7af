"""A pair as finitely many events whose moments are at least as large, and what may lie beyond them (M10).

Cells are spread to their two ends, which keeps their masses under A and B and can only raise a moment (M5).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.numerics.logs import group_log_sum
from tightbudget.numerics.normal import log_normal_mass
from tightbudget.numerics.rounding import GENEROUS, TINIEST, U, lowered, raised, raised_by, strictly_raised
from tightbudget.numerics.shares import share_up
from tightbudget.pairs.cells import NEGLIGIBLE, REACH, Cells, Direction, log_or_minus_inf
from tightbudget.pairs.moments.excess import log_excess

Array = NDArray[np.float64]

_CHUNK = 1 << 14  # entries of a table made at a time, so that it stays in the cache
_BELOW, _CORE, _STEP = -9.0, 20.0, 0.05  # sigmas between which a normal law is cut into cells of this width
_RATIO = 0.0025  # beyond, cells grow like this: a loss in a cell is then known to one part in 400


@dataclass(frozen=True, eq=False)
class Tail:
    """What lies beyond the events, all of it with losses of at least `start` > 0.

    log_moment(orders) bounds log of the integral of (dA/dB)^(a-1) dA over it, at a = 1 its mass under A.
    """

    start: float
    log_moment: Callable[[Array], Array]

    def weighted(self, log_weight: float) -> "Tail":
        """Return the same with all masses times e^log_weight, rounded up."""

        def log_moment(orders: Array) -> Array:
            log = self.log_moment(orders)
            size = np.where(np.isfinite(log), np.abs(log), 0.0) + abs(log_weight)
            return np.asarray(log + log_weight + 4.0 * U * size)

        return Tail(self.start, log_moment)

    def joined(self, other: "Tail") -> "Tail":
        """Return both together."""

        def log_moment(orders: Array) -> Array:
            log = np.logaddexp(self.log_moment(orders), other.log_moment(orders))
            return np.asarray(log + 8.0 * U * (1.0 + np.where(np.isfinite(log), np.abs(log), 0.0)))

        return Tail(min(self.start, other.start), log_moment)


def unknown_tail() -> Tail:
    """Return the tail of which nothing is known: its moments may be infinite."""
    return Tail(0.0, lambda orders: np.full(orders.size, np.inf))


@dataclass(frozen=True, eq=False)
class Events:
    """Point masses e^log_a under A at the losses, e^(log_a - loss) under B; all of them rounded up and outward.

    `minus_infinity` is mass of B where A may have none, `infinity` mass of A where B may have none.
    """

    losses: Array
    log_a: Array
    minus_infinity: float = 0.0
    infinity: float = 0.0
    tail: Tail | None = None

    def log_moment(self, orders: Array) -> Array:
        """Return upper bounds on log E_A e^{(a-1) L}."""
        if self.infinity > 0.0:
            return np.full(orders.size, np.inf)
        rows = max(1, _CHUNK // max(1, self.losses.size))
        parts = [self._log_moment(orders[start : start + rows]) for start in range(0, orders.size, rows)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _log_moment(self, orders: Array) -> Array:
        thetas = orders - 1.0
        terms = [self._log_sum(thetas)]
        if self.minus_infinity > 0.0:
            terms.append((np.log(thetas) + math.log(self.minus_infinity)) + GENEROUS)
        if self.tail is not None:
            terms.append(self.tail.log_moment(orders))
        total = np.logaddexp.reduce(terms) + 64.0 * U
        # log(1 + e^total), relatively accurate however small
        moment: Array = strictly_raised(np.logaddexp(0.0, total), 32)
        return moment

    def weighted(self, log_weight: float) -> "Events":
        """Return the same with all masses times e^log_weight, rounded up."""
        log_a = self.log_a + log_weight + 4.0 * U * (np.abs(self.log_a) + abs(log_weight))
        weight, masses = strictly_raised(math.exp(log_weight), 8), (self.minus_infinity, self.infinity)
        minus_infinity, infinity = (strictly_raised(mass * weight, 4) if mass else 0.0 for mass in masses)
        return Events(self.losses, log_a, minus_infinity, infinity, self.tail and self.tail.weighted(log_weight))

    def _log_sum(self, thetas: Array) -> Array:
        if self.losses.size == 0:
            return np.full(thetas.size, -np.inf)
        table = log_excess(thetas, self.losses)
        with np.errstate(invalid="ignore"):
            table += self.log_a
        peak = np.maximum(table.max(axis=1), -1e300)
        beyond = ~(peak < np.inf)  # exponents that no float holds, or masses of which nothing is known
        if beyond.any():
            table[beyond], peak[beyond] = 0.0, np.inf
        table -= np.where(beyond, 0.0, peak)[:, None]
        np.exp(table, out=table)
        with np.errstate(divide="ignore"):
            # what is 750 below the peak adds nothing; theta L of the rest is at most |peak| + 750 + |log_a|
            total: Array = peak + np.log(table.sum(axis=1)) + 128.0 * U * (np.abs(peak) + 1000.0 + self.losses.size)
            return total


def joined_events(first: Events, second: Events) -> Events:
    """Return the events of both together: those of one law or the other, which are told apart."""
    tails = [events.tail for events in (first, second) if events.tail is not None]
    return Events(
        *_grouped_events(np.concatenate([first.losses, second.losses]), np.concatenate([first.log_a, second.log_a])),
        strictly_raised(first.minus_infinity + second.minus_infinity, 4),
        first.infinity + second.infinity,
        tails[0].joined(tails[1]) if len(tails) == 2 else tails[0] if tails else None,
    )


def point_events(points: Cells, loss_shift: float, minus_infinity: float, infinity: float, tail: Tail | None = None) -> Events:
    """Return point masses as events; what shares a cell is spread to its ends."""
    return _events_of_cells(points, loss_shift, minus_infinity, infinity, tail)


def _events_of_cells(cells: Cells, loss_shift: float, minus_infinity: float, infinity: float, tail: Tail | None) -> Events:
    cells = cells.where(cells.log_a > -math.inf)
    flat = cells.high == cells.low
    points, wide = cells.where(flat), cells.where(~flat)
    losses, log_a, error = points.low, points.log_a, points.error
    if wide.size:
        down, up = _cell_end_shares(wide, loss_shift)
        with np.errstate(divide="ignore"):
            losses = np.concatenate([losses, wide.low, wide.high])
            log_a = np.concatenate([log_a, wide.log_a + np.log(down), wide.log_a + np.log(up)])
            error = np.concatenate([error, wide.error, wide.error])
    keep = log_a > -math.inf
    losses, log_a, error = losses[keep], log_a[keep], error[keep]
    # Losses move outward by the loss_shift: for L > 0 mass under B would fall by as much, hence twice that on the
    # masses. What is near 0 may be on either side of it: the excess at 2 loss_shift is more than at -loss_shift.
    outward = losses + np.sign(losses) * loss_shift + np.where(losses == 0.0, 2.0 * loss_shift, 0.0)
    log_a = log_a + error + 2.0 * loss_shift + 128.0 * U * (1.0 + np.abs(log_a) + np.abs(losses))
    return Events(*_grouped_events(outward, log_a), raised_by(minus_infinity, GENEROUS), infinity, tail)


def _grouped_events(losses: Array, log_a: Array) -> tuple[Array, Array]:
    """Return each loss once, with the sum of its masses: neighbouring cells share an end."""
    if losses.size == 0:
        return losses, log_a
    order = np.argsort(losses, kind="stable")
    sorted_losses = losses[order]
    starts = np.flatnonzero(np.diff(sorted_losses, prepend=-np.inf))
    longest = float(np.diff(starts, append=losses.size).max())
    return sorted_losses[starts], group_log_sum(log_a[order], starts) + 4.0 * U * longest


def _cell_end_shares(cells: Cells, loss_shift: float) -> tuple[Array, Array]:
    """Return which shares of their masses under A cells send to their lower and upper ends, on the side that is larger.

    The excess of a moment falls with the loss below 0 and rises above, so doubt goes down there and up here.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        width = cells.high - cells.low
        loss = cells.log_a - cells.log_b
    excess = loss - cells.low
    error_bound = loss_shift + 2.0 * cells.error + 4.0 * U * (1.0 + np.abs(loss) + np.abs(cells.low))
    with np.errstate(invalid="ignore"):
        most, least = share_up(excess + error_bound, width), share_up(excess - error_bound, width)
    # of a share that is not known all goes to either end: the excess is no larger between them than at one of them
    unknown = ~np.isfinite(excess) | ~np.isfinite(error_bound)
    # shares are good to 8u, relatively; so is 1 - share near 1, by what is added here
    up = np.where(cells.high <= 0.0, least, most)
    down = 1.0 - np.where(cells.low >= 0.0, most, least)
    return np.where(unknown, 1.0, down + 8.0 * U), np.where(unknown, 1.0, np.minimum(1.0, raised(up, 8)))


def normal_events(m: float, reach: float) -> Events:
    """Return N(m, 1) against N(0, 1), cut into cells from -45 to `reach` sigmas; the rest is a tail in closed form."""
    core = np.arange(_BELOW, _CORE, _STEP)
    far = np.geomspace(_CORE, reach, 2 + math.ceil(math.log(reach / _CORE) / _RATIO))
    z = np.unique(np.concatenate([np.linspace(-REACH, _BELOW, 16, endpoint=False), core, far, [0.5 * m]]))
    width, middle = np.diff(z), 0.5 * (z[:-1] + z[1:])
    log_a, error_a = log_normal_mass(middle - m, width)
    log_b, error_b = log_normal_mass(middle, width)
    # the middle is good to u|z| and m to u m, which moves log phi by at most 8u (|z| + m)^2; far out, so do tail logs
    error = np.maximum(error_a, error_b) + U * (24.0 * (np.abs(middle) + m) ** 2 + 8.0)
    losses = m * (z - 0.5 * m)
    cells = Cells(losses[:-1], losses[1:], log_a, log_b, error)
    loss_shift = 16.0 * U * m * (reach + m)
    return _events_of_cells(cells, loss_shift, NEGLIGIBLE, 0.0, normal_tail(m, reach))


def normal_tail(m: float, reach: float) -> Tail:
    """Return the part of N(m, 1) against N(0, 1) above `reach`: e^{a(a-1)m^2/2} P(N(am, 1) > reach)."""

    def log_moment(orders: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            shift = orders * m - reach
            size = 0.5 * orders * (orders - 1.0) * m * m
            result: Array = size + special.log_ndtr(shift) + 16.0 * U * (2.0 + size + shift * shift + orders * m + reach)
        return np.where(np.isnan(result), np.inf, result)

    return Tail(lowered(m * (reach - 0.5 * m), 16) - 16.0 * U * m * m, log_moment)


def subsampled_events(events: Events, q: float, direction: Direction) -> Events:
    """Return the events of the pair subsampled at rate 0 < q < 1 (theory D.4, M3)."""
    return _events_of_removal(events, q) if direction is Direction.REMOVE else _events_of_addition(events, q)


def _events_of_removal(events: Events, q: float) -> Events:
    """(A, B) becomes (qA + (1-q)B, B)."""
    losses = _mixed_loss(events.losses, q)
    log_a = events.log_a - events.losses + losses
    log_a += 8.0 * U * (1.0 + np.abs(events.log_a) + np.abs(events.losses))
    if events.minus_infinity > 0.0:  # A had no mass there: now (1-q) B
        losses = np.append(losses, -raised(-math.log1p(-q), 4))
        log_a = np.append(log_a, -lowered(-math.log1p(-q) - math.log(events.minus_infinity), 8) + GENEROUS)
    return Events(losses, log_a, 0.0, _sampled_mass(q, events.infinity), _removed_tail(events.tail, q))


def _sampled_mass(q: float, mass: float) -> float:
    """Return at least q times the mass, and never 0 unless the mass is."""
    return raised_by(q * mass, GENEROUS) + TINIEST if mass > 0.0 else 0.0


def _removed_tail(tail: Tail | None, q: float) -> Tail | None:
    if tail is None:
        return None
    # 1 - q + qt <= (q + (1-q) e^-start) t wherever t >= e^start
    log_factor = float(np.logaddexp(math.log(q), math.log1p(-q) - tail.start)) + 16.0 * U * (1.0 - math.log(q))
    inner = tail.log_moment
    start = max(0.0, lowered(float(_mixed_loss(np.array([tail.start]), q)[0]), 64))
    return Tail(start, lambda orders: inner(orders) + orders * log_factor)


def _events_of_addition(events: Events, q: float) -> Events:
    """(A, B) becomes (A, (1-q)A + qB)."""
    losses = -_mixed_loss(-events.losses, q)
    log_a = events.log_a
    if events.infinity > 0.0:  # B had no mass there: now (1-q) A
        losses = np.append(losses, raised(-math.log1p(-q), 4))
        log_a = np.append(log_a, log_or_minus_inf(events.infinity) + GENEROUS)
    return Events(losses, log_a, _sampled_mass(q, events.minus_infinity), 0.0, _added_tail(events.tail, q))


def _added_tail(tail: Tail | None, q: float) -> Tail | None:
    if tail is None:
        return None
    inner, one = tail.log_moment, np.ones(1)

    def log_moment(orders: Array) -> Array:
        # e^loss = 1 / (1 - q + q/t) is at most 1/(1-q), and at most t/q
        thetas = orders - 1.0
        bounded = inner(one) + raised(thetas * -math.log1p(-q), 8)
        result: Array = np.minimum(bounded, inner(orders) + raised(thetas * -math.log(q), 8))
        return result

    start = max(0.0, lowered(-float(_mixed_loss(np.array([-tail.start]), q)[0]), 64))
    return Tail(start, log_moment)


def _mixed_loss(losses: Array, q: float) -> Array:
    """Return log(1 - q + q e^L), relatively accurate, and rounded away from 0."""
    with np.errstate(over="ignore"):
        inner = q * np.expm1(np.minimum(losses, 600.0))
    direct = (inner > -0.5) & (losses < 600.0)
    near = np.log1p(np.where(direct, inner, 0.0))
    far = np.logaddexp(math.log1p(-q), math.log(q) + losses)
    far += np.sign(far) * 8.0 * U * (1.0 + np.abs(losses) - math.log(q) - math.log1p(-q))
    image: Array = np.where(direct, near, far) * raised(1.0, 32)  # of either sign
    return image + np.sign(image) * TINIEST
