"""One of two pairs, told which: masses add up with the probabilities of the two (M30)."""

import math
from dataclasses import dataclass, field

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Alignment, Array, Cells, Pair
from tightbudget.pairs.infinite_mass import InfiniteMass, either_infinite
from tightbudget.pairs.moments.events import Events, joined_events

_MANY, _FAR = 240, 40  # coarse cells of both, and at either end


@dataclass(frozen=True)
class EitherPair(Pair):
    """With probabilities e^log_weights the one or the other of two pairs without point masses, and it is seen which.

    `error` bounds the errors of both logs. `swapped` is the pair (B, A) of the same events, if somebody has it: what is
    known of those need not be found again.
    """

    first: Pair
    second: Pair
    log_weights: tuple[float, float]
    error: float
    swapped: "EitherPair | None" = field(default=None, repr=False, compare=False)

    @property
    def _both(self) -> tuple[Pair, Pair]:
        return self.first, self.second

    @cached_property
    def _reversed(self) -> "EitherPair | None":
        """The pair (B, A), if its coarse cells hold all of B."""
        return self.swapped if self.swapped is not None and self.swapped.covers_b else None

    @cached_property
    def infinity(self) -> InfiniteMass:
        return either_infinite(list(zip((pair.infinity for pair in self._both), self.log_weights, strict=True)), self.error)

    @cached_property
    def minus_infinity(self) -> InfiniteMass:
        parts = zip((pair.minus_infinity for pair in self._both), self.log_weights, strict=True)
        return either_infinite(list(parts), self.error)

    @property
    def unresolved(self) -> float:
        return sum(pair.unresolved for pair in self._both)

    @property
    def max_loss(self) -> float:
        return max(pair.max_loss for pair in self._both)

    @property
    def max_loss_lower(self) -> float:
        return max(pair.max_loss_lower for pair in self._both)

    @property
    def alignment(self) -> Alignment | None:
        return None

    @property
    def total_variation(self) -> float:
        return max(pair.total_variation for pair in self._both)

    @property
    def covers_b(self) -> bool:
        return all(pair.covers_b for pair in self._both)

    def loss_shift(self, loss: float) -> float:
        if self._reversed is not None:
            return self._reversed.loss_shift(loss)  # of losses of a size, whatever their sign
        return max(pair.loss_shift(loss) for pair in self._both)

    def points(self) -> Cells:
        return Cells.none()

    def cells(self, edges: Array) -> Cells:
        if self._reversed is not None:
            return self._reversed.cells(-edges[::-1]).swapped()
        first, second = (pair.cells(edges) for pair in self._both)
        log_a, log_b = (
            np.logaddexp(self.log_weights[0] + one, self.log_weights[1] + two)
            for one, two in ((first.log_a, second.log_a), (first.log_b, second.log_b))
        )
        sizes = np.maximum(*(np.where(np.isfinite(log), np.abs(log), 0.0) for log in (log_a, log_b)))
        error = np.maximum(first.error, second.error) + self.error + 8.0 * U * (1.0 + sizes)
        return Cells(edges[:-1], edges[1:], log_a, log_b, error)

    def coarse_cells(self) -> Cells:
        return self._coarse_cells

    @cached_property
    def _coarse_cells(self) -> Cells:
        if self._reversed is not None:
            return self._reversed.coarse_cells().swapped()
        edges = np.unique(np.concatenate([pair.coarse_edges() for pair in self._both]))
        if edges.size <= 2:  # of pairs with one loss each, which is at the lower edge of its cell
            edges = np.append(edges, np.nextafter(edges[-1], np.inf))
        if edges.size > _MANY:  # each of both has enough of them in the middle; far out they are sparse
            edges = np.concatenate([edges[:_FAR], edges[_FAR:-_FAR:2], edges[-_FAR:]])
        cells = self.cells(edges)
        return cells.where(cells.log_a > -math.inf)

    def rough_profile(self) -> tuple[Array, Array]:
        parts = [pair.rough_profile() for pair in self._both]
        edges = np.unique(np.concatenate([losses for losses, _ in parts]))
        logs = np.full(edges.size, -np.inf)
        for (losses, own), weight in zip(parts, self.log_weights, strict=True):
            if losses.size:
                logs = np.logaddexp(logs, weight + np.interp(edges, losses, own, right=-np.inf))
        return edges, logs

    def events(self, reach: float) -> Events:
        parts = [pair.events(reach) for pair in self._both]
        weights = [log + self.error for log in self.log_weights]
        return joined_events(parts[0].weighted(weights[0]), parts[1].weighted(weights[1]))

    def log_moment(self, orders: Array) -> Array:
        first, second = (pair.log_moment(orders) for pair in self._both)
        mixed = np.logaddexp(self.log_weights[0] + first, self.log_weights[1] + second)
        most = np.where(np.isfinite(mixed), np.maximum(first, second), 0.0)
        result: Array = mixed + self.error + 16.0 * U * (1.0 + most - min(self.log_weights))
        return result

    @property
    def zcdp_rho(self) -> float:
        return max(pair.zcdp_rho for pair in self._both)

    @property
    def gdp_mu(self) -> float:
        return max(pair.gdp_mu for pair in self._both)
