"""Dominating pairs that are nothing but point masses: randomised response, promises, histograms, discrete noise."""

import math
from dataclasses import dataclass, field

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.numerics.byte_cache import ByteCache
from tightbudget.numerics.logs import group_log_sum
from tightbudget.numerics.rounding import TINIEST, U
from tightbudget.pairs.base import Alignment, Array, Cells, Pair, cell_events
from tightbudget.pairs.infinite_mass import NOWHERE, InfiniteMass
from tightbudget.pairs.moments.events import Events, Tail

_SURVEY = 512  # cells enough to plan with
_LISTED = 2**13  # events that are all looked at for a guess
_MOST_EVENTS = 4096  # longer lists are grouped into the coarse cells
_LATTICE_POINTS = 4096  # a longer list is not tested for lying on a lattice
_LATTICE_SAMPLE = 32  # losses that are tested before all are
_LATTICE_SLACK = 1e-13  # relative to the largest loss; what is farther off is no lattice


@dataclass(frozen=True, eq=False)
class PointPair(Pair):
    """Finitely many events. `key` identifies the pair: equal keys promise equal masses."""

    key: tuple[object, ...]
    losses: Array = field(repr=False)
    log_a: Array = field(repr=False)
    log_b: Array = field(repr=False)
    error: Array = field(repr=False)  # of the logarithms
    infinity: InfiniteMass = NOWHERE
    minus_infinity: InfiniteMass = NOWHERE
    unresolved: float = 0.0
    period: float | None = None  # known lattice period, if any
    top: float = 0.0  # a float no smaller than any loss
    max_loss_lower: float = 0.0
    loss_error: float = 0.0  # of each loss, absolute, beyond a few roundings
    bounded: bool = False  # whether `top` bounds what is unresolved too
    known_tail: Tail | None = field(default=None, repr=False)  # of what is unresolved
    lists_b: bool = False  # whether all of B but 1e-300 is in the lists too

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PointPair) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def keepable(self) -> bool:
        return False

    @property
    def nbytes(self) -> int:
        """The bytes of its lists, which is all it holds but for a few numbers."""
        return self.losses.nbytes + self.log_a.nbytes + self.log_b.nbytes + self.error.nbytes

    @property
    def max_loss(self) -> float:
        return self.top if self.unresolved == 0.0 or self.bounded else math.inf

    @property
    def covers_b(self) -> bool:
        return self.lists_b and self.losses.size <= 2 * _SURVEY  # a cell of several events cannot be cut

    def loss_shift(self, loss: float) -> float:
        return 4.0 * U * abs(loss) + self.loss_error + TINIEST

    @cached_property
    def alignment(self) -> Alignment | None:
        if self.losses.size == 0:
            return None
        if self.period is not None:
            return Alignment(float(self.losses[0]), self.period, 0.0)
        period = _lattice_period(self.losses)
        return None if period is None else Alignment(float(self.losses[0]), period, 0.0)

    @property
    def only_points(self) -> bool:
        return 0 < self.losses.size <= _LISTED  # of more, some cells take less time

    def points(self) -> Cells:
        return Cells(self.losses, self.losses, self.log_a, self.log_b, self.error)

    def cells(self, edges: Array) -> Cells:
        return Cells.none()

    def coarse_cells(self) -> Cells:
        return self._coarse_cells

    @cached_property
    def _coarse_cells(self) -> Cells:
        if self.losses.size <= 2 * _SURVEY:
            return self.points()
        starts = np.unique(np.linspace(0, self.losses.size, _SURVEY, endpoint=False).astype(np.intp))
        ends = np.append(starts[1:], self.losses.size) - 1
        return Cells(
            self.losses[starts],
            self.losses[ends],
            group_log_sum(self.log_a, starts),
            group_log_sum(self.log_b, starts),
            np.maximum.reduceat(self.error, starts) + 8.0 * U * np.diff(starts, append=self.losses.size),
        )

    @property
    def tail(self) -> Tail | None:
        return self.known_tail if self.unresolved > 0.0 and self.known_tail is not None else super().tail

    def events(self, reach: float) -> Events:
        return cell_events(self, self.points() if self.losses.size <= _MOST_EVENTS else self.coarse_cells())


REMEMBERED: ByteCache[PointPair] = ByteCache(most_bytes=2**28)
"""Pairs of noise on the integers, which take long to make: two of the longest, or hundreds of ordinary ones."""


def point_pair(
    key: tuple[object, ...],
    losses: Array,
    log_a: Array,
    log_b: Array,
    *,
    error: float | Array,
    infinity: InfiniteMass = NOWHERE,
    minus_infinity: InfiniteMass = NOWHERE,
    unresolved: float = 0.0,
    period: float | None = None,
    top: tuple[float, float] | None = None,
    unbounded: bool = False,
    loss_error: float = 0.0,
    tail: Tail | None = None,
    lists_b: bool = False,
) -> PointPair:
    """Return the pair with its events in increasing order of loss.

    `top` is given if bounds on the largest loss are known better than from the list, `unbounded` if the list is cut and
    losses beyond it have no end, `lists_b` if it lacks no more than 1e-300 of B either.
    """
    order = np.argsort(losses, kind="stable")
    errors = np.broadcast_to(error, losses.shape)
    arrays = [np.ascontiguousarray(values[order], dtype=np.float64) for values in (losses, log_a, log_b, errors)]
    for values in arrays:
        values.setflags(write=False)
    if top is None:
        largest = float(arrays[0][-1]) if arrays[0].size else 0.0
        error_bound = 4.0 * U * abs(largest) + loss_error + (TINIEST if largest else 0.0)
        top = largest - error_bound, largest + error_bound
    lowest = math.inf if unbounded else top[0]
    return PointPair(
        key,
        *(arrays[0], arrays[1], arrays[2], arrays[3]),
        infinity=infinity,
        minus_infinity=minus_infinity,
        unresolved=unresolved,
        period=period,
        top=top[1],
        max_loss_lower=lowest,
        loss_error=loss_error,
        known_tail=tail,
        lists_b=lists_b,
    )


def swapped_points(pair: PointPair, unresolved: float = 0.0) -> PointPair:
    """Return (B, A) of (A, B): all losses change their sign. What the list lacks of B, if anything, is given."""
    assert pair.unresolved == 0.0 or unresolved > 0.0
    return point_pair(
        ("swapped", pair.key),
        -pair.losses,
        pair.log_b,
        pair.log_a,
        error=pair.error,
        infinity=pair.minus_infinity,
        minus_infinity=pair.infinity,
        unresolved=unresolved + pair.infinity.elsewhere,
        loss_error=pair.loss_error,
    )


def _lattice_period(losses: Array) -> float | None:
    """Return a period on which all losses lie, up to rounding, or None."""
    if losses.size == 1:
        return max(1.0, abs(float(losses[0])))
    if losses.size > _LATTICE_POINTS:
        return None
    scale = float(np.abs(losses).max())
    gaps = np.diff(losses)
    gaps = gaps[gaps > _LATTICE_SLACK * scale]
    if gaps.size == 0:
        return max(1.0, scale)
    smallest, span = float(gaps.min()), float(losses[-1] - losses[0])
    some = losses[:: 1 + losses.size // _LATTICE_SAMPLE]  # few are enough to see that most lists lie on none
    for parts in range(1, 9):
        count = round(span / smallest * parts)
        if count > 1 << 22:
            return None
        period = span / count
        if all(_on_lattice(values - losses[0], period, _LATTICE_SLACK * scale) for values in (some, losses)):
            return period
    return None


def _on_lattice(distances: Array, period: float, slack: float) -> bool:
    """Whether all are whole multiples of the period, but for the slack."""
    index = distances / period
    return bool(np.abs(index - np.round(index)).max() * period <= slack) and math.isfinite(period)
