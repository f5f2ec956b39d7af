"""The worst losses that promises on Rényi divergences at some orders allow: power laws, one after the other (M36).

The bound of an order a = 1 + t is a power of g. It is the profile of a law with A(loss > x) = e^(-t (x - first)) and
B(loss > x) = t/a e^-x times that. The lower hull of several follows each for a while, and chords in between.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tightbudget.cached import cached_property
from tightbudget.numerics.logs import group_log_sum
from tightbudget.numerics.rounding import GENEROUS, TINIEST, U, raised, raised_by
from tightbudget.pairs.base import Array
from tightbudget.pairs.mirrored import MirroredPair, Rest
from tightbudget.pairs.moments.events import Tail

MOST_ORDER, MOST_BOUND, LEAST_BOUND = 1e6, 1e4, 1e-20
"""Orders and divergences of which nothing overflows, and of which rounding leaves enough."""

_LEAST_THETA = 1e-6  # of an order less 1
_LONG = 1e6  # an order that is the best for less than this many times the error of where that begins is left out
_FIRST = 1e-12  # relative: how well the first place where it may start is looked for
_NEAR = 16.0  # times that error: losses so near to an end are taken for it
_REACH = 745.0  # -log A(loss > x) at the last x that is resolved: e^-745 < 1e-300
_COARSE = 256


def tractable_laws(orders: Array, bounds: Array) -> bool:
    """Whether orders that increase, and divergences there, are such as are followed here."""
    usual = float(orders[0]) >= 1.0 + _LEAST_THETA and float(orders[-1]) <= MOST_ORDER
    return usual and float(bounds.min()) >= LEAST_BOUND and float(bounds.max()) <= MOST_BOUND


@dataclass(frozen=True)
class _PowerLawPieces:
    """Where each of the orders that count is the best one, all in increasing order."""

    theta: Array
    first: Array  # where A(loss > x) would be 1
    low: Array
    high: Array
    doubt: Array  # of the ends, in turns: `low` and `high` of the first, then of the second, ...


@dataclass(frozen=True)
class PowerLaws:
    """The positive losses of the worst pair with D_a <= bound at each of some orders; places are losses."""

    orders: tuple[float, ...]
    bounds: tuple[float, ...]

    @cached_property
    def pieces(self) -> _PowerLawPieces:
        """Orders from the smallest on; one that turns out to be the best nowhere is taken back.

        The chord from order i to order j is level in A(loss > x) and in B(loss > x). Two equations give its ends.
        """
        thetas = [order - 1.0 for order in self.orders]
        logs = [math.log1p(1.0 / theta) for theta in thetas]
        firsts = [bound - log for bound, log in zip(self.bounds, logs, strict=True)]
        sizes = [8.0 * U * (bound + log) for bound, log in zip(self.bounds, logs, strict=True)]
        kept, low, high, doubt = [0], [firsts[0]], list[float](), [sizes[0]]
        for j in range(1, len(thetas)):
            while kept:
                i = kept[-1]
                gap, apart = logs[i] - logs[j], thetas[j] - thetas[i]
                end = (thetas[j] * (firsts[j] - gap) - thetas[i] * firsts[i]) / apart
                error = 4.0 * (thetas[j] * (sizes[j] + sizes[i] + U * gap) + thetas[i] * sizes[i]) / apart + 8.0 * U * abs(end)
                if end - low[-1] > _LONG * (error + doubt[-1]):
                    high.append(end)
                    low.append(end + gap)
                    doubt.append(error)
                    break
                for values in (kept, low, doubt, high):
                    del values[-1:]
            else:
                low.append(firsts[j])
                doubt.append(sizes[j])
            kept.append(j)
        chosen = np.array(kept)
        return _PowerLawPieces(
            theta=np.array(thetas)[chosen],
            first=np.array(firsts)[chosen],
            low=np.array(low),
            high=np.array([*high, math.inf]),
            doubt=np.append(np.repeat(doubt, 2)[1:], 0.0),
        )

    @cached_property
    def _variation(self) -> float:
        """Bound on the total variation: sqrt(1 - e^-KL), and KL is at most the divergence of any order (M10)."""
        return raised(math.sqrt(-math.expm1(-min(self.bounds))), 8)

    @cached_property
    def start(self) -> tuple[float, float]:
        low, high = max(0.0, float(self.pieces.low[0])), self._last
        for _ in range(64):  # any place where it may start will do; the first is the best
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self._may_start(middle) else (middle, high)
            if high - low <= _FIRST * high:
                break
        nearest = int(np.abs(self._ends - high).argmin())
        doubt = float(self.pieces.doubt[nearest])
        if abs(float(self._ends[nearest]) - high) <= _NEAR * doubt:  # or the piece between the two would not be known
            high = float(self._ends[nearest]) + 2.0 * _NEAR * doubt
        return high, high

    def _may_start(self, loss: float) -> bool:
        rest = self._rest(loss)
        return loss > 0.0 and rest.certain and rest.variation > 4.0 * rest.doubt

    def _rest(self, loss: float) -> Rest:
        thetas, firsts, lows, highs = self._in_lists
        index = max(0, bisect_right(lows, loss) - 1)
        theta, first = thetas[index], firsts[index]
        at = min(max(loss, lows[index]), highs[index])
        exponent = theta * (at - first)
        rest = -math.log1p(1.0 / theta) - at
        missing, mirrored = -math.expm1(-exponent), math.exp(-exponent + rest)
        doubt = 8.0 * (1.0 + theta) * self._most_doubt + 16.0 * U * (1.0 + (1.0 + theta) * (abs(at) + abs(first)))
        # of a start that is too early H_1 is already larger than it need be
        return Rest(missing, mirrored, doubt, max(0.0, self._variation - (1.0 - missing - mirrored) + 2.0 * doubt))

    @cached_property
    def _in_lists(self) -> tuple[list[float], list[float], list[float], list[float]]:
        """The pieces as lists, for who looks up one loss after the other."""
        return self.pieces.theta.tolist(), self.pieces.first.tolist(), self.pieces.low.tolist(), self.pieces.high.tolist()

    @cached_property
    def _most_doubt(self) -> float:
        return float(self.pieces.doubt.max())

    @property
    def rest(self) -> Rest:
        return self._rest(self.start[0])

    @property
    def _last(self) -> float:
        return float(self.pieces.first[-1] + _REACH / self.pieces.theta[-1])

    @cached_property
    def coarse_places(self) -> Array:
        start, last, pieces = self.start[0], self._last, self.pieces
        parts = 2 + _COARSE // pieces.theta.size
        ends = np.minimum(pieces.high, last)
        # the last one has its mass near its beginning
        tail = pieces.low[-1] + np.geomspace(1e-4, 1.0, _COARSE) * (last - pieces.low[-1])
        places = np.concatenate([np.linspace(pieces.low, ends, parts).ravel(), tail, [start, last]])
        return np.unique(places[(places >= start) & (places <= last)])

    def losses(self, places: Array) -> Array:
        return places

    def loss_shift(self, loss: float) -> float:
        return 2.0 * _NEAR * self._most_doubt + 8.0 * U * abs(loss) + TINIEST

    @cached_property
    def _ends(self) -> Array:
        """Beginnings and ends in turns, without the last end."""
        return np.stack([self.pieces.low, self.pieces.high], axis=1).ravel()[:-1]

    def places(self, losses: Array) -> Array:
        ends = self._ends
        nearest = np.searchsorted(0.5 * (ends[1:] + ends[:-1]), losses)
        near = np.abs(losses - ends[nearest]) <= _NEAR * self.pieces.doubt[nearest]
        return np.where(near, ends[nearest], losses)

    def masses(self, places: Array) -> tuple[Array, Array, Array]:
        ends = self._ends[(self._ends > places[0]) & (self._ends < places[-1])]
        edges = np.concatenate([places, ends])
        order = np.argsort(edges, kind="stable")
        edges = edges[order]
        log_a, log_b, error = self._between(edges[:-1], edges[1:])
        if not ends.size:
            return log_a, log_b, error
        starts = np.flatnonzero(order < places.size)[:-1]
        return _grouped_power_laws(log_a, log_b, error, starts)

    def _between(self, low: Array, high: Array) -> tuple[Array, Array, Array]:
        """Return the same where each cell is in one piece, or in none."""
        pieces = self.pieces
        index = np.maximum(np.searchsorted(pieces.low, low, side="right") - 1, 0)
        theta, first = pieces.theta[index], pieces.first[index]
        at_low, at_high = low == pieces.low[index], high == pieces.high[index]
        doubt = np.where(at_low, pieces.doubt[2 * index], 0.0) + np.where(at_high, pieces.doubt[2 * index + 1], 0.0)
        inside = (low >= pieces.low[index]) & (low < pieces.high[index]) & (high > low)
        log_a, log_b, error = np.full(low.size, -np.inf), np.full(low.size, -np.inf), np.zeros(low.size)
        theta, first, doubt, at, gap = (
            values[inside] for values in (theta, first, doubt, low, _power_law_cell_widths(low, high))
        )
        exponent = theta * (at - first)
        order = 1.0 + theta
        with np.errstate(divide="ignore"):
            log_a[inside] = np.log(-np.expm1(-theta * gap)) - exponent
            log_b[inside] = np.log(-np.expm1(-order * gap)) - exponent - at - np.log1p(1.0 / theta)
        sizes = np.abs(log_a[inside]) + np.abs(log_b[inside]) + order * (np.abs(at) + np.abs(first))
        error[inside] = 16.0 * U * (1.0 + sizes) + 2.0 * doubt * (order + 1.0 / gap)
        return log_a, log_b, error

    @property
    def tail(self) -> Tail:
        last, theta, first = self._last, float(self.pieces.theta[-1]), float(self.pieces.first[-1])

        def log_moment(orders: Array) -> Array:
            t = orders - 1.0
            left = np.maximum(theta - t, TINIEST)
            with np.errstate(over="ignore"):
                moment = math.log(theta) - np.log(left) + theta * first - left * last
            size = theta * (abs(first) + abs(last))
            return np.where(t < theta, moment + 1e-9 * (1.0 + size), np.inf)

        return Tail(last, log_moment)


def _power_law_cell_widths(low: Array, high: Array) -> Array:
    """Return the widths of cells; one without any may lie at infinity."""
    with np.errstate(invalid="ignore"):
        return np.where(high > low, high - low, 0.0)


def _grouped_power_laws(log_a: Array, log_b: Array, error: Array, starts: NDArray[np.intp]) -> tuple[Array, Array, Array]:
    """Return sums of masses from each start to the next, and the means of their errors, the larger of A's and B's."""
    sums = group_log_sum(log_a, starts), group_log_sum(log_b, starts)
    lengths = np.diff(starts, append=error.size)
    means = []
    for logs, total in zip((log_a, log_b), sums, strict=True):
        shares = np.exp(logs - np.repeat(np.where(np.isfinite(total), total, 0.0), lengths))
        means.append(np.add.reduceat(shares * np.expm1(error), starts))
    sizes = np.where(np.isfinite(sums[1]), np.abs(sums[0]) + np.abs(sums[1]), 0.0)
    return *sums, raised_by(np.maximum(*means), GENEROUS) + U * (16.0 + 8.0 * lengths + 4.0 * sizes)


@lru_cache(maxsize=16)
def renyi_pair(orders: tuple[float, ...], bounds: tuple[float, ...]) -> MirroredPair:
    """Return the pair that dominates every one with D_a <= bound at each of some orders a, tractable ones."""
    assert tractable_laws(np.array(orders), np.array(bounds))
    return MirroredPair(PowerLaws(orders, bounds))
