r"""A composition seen through few frequencies (M19).

The tilted law of a composed loss is smooth, so that its transform $\varphi = \prod \varphi_i^{r_i}$ lives on a short range of
frequencies, whatever r is. All leaves lie on multiples of one step; with M nodes to a period, a sum over nodes equals a sum
over the law wrapped around M steps. Three things are certified: what wrapping adds (Chernoff bounds of the rows), what the
frequencies left out could hold (the modulus between two nodes, from its second derivative), and rounding.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.buckets.leaf import Leaf, leaf
from tightbudget.composition.grid import Grid
from tightbudget.composition.task import Task
from tightbudget.numerics.convolve import TooWide
from tightbudget.numerics.frequencies import (
    LONGEST_PERIOD,
    Nodes,
    Turns,
    even_turns,
    joined,
    odd_length,
    padded,
    shifted_turns,
    some_turns,
    transform,
    turned,
    turns,
    whole_transform,
)
from tightbudget.numerics.rounding import U

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

_SLOPES = np.array([0.2, 0.45, 0.7, 1.0, 1.4])  # of Chernoff bounds, relative to the best one for a normal law
_ROOM = 1.5  # standard deviations around the mean for which the period is chosen
_LADDER = np.array([0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, *(9.0 * 1.8 ** np.arange(60))])  # where the modulus is looked at
_STRIDE = 1.4  # distance of further such angles, in units of 1 / standard deviation
_SHORT, _SHORT_STRIDE = 64, 0.5  # where many angles are looked at in one go
_SPLITS = 4  # times that an interval is looked at more closely
_MOST_NODES = 8192
_MOST_WORK = 2**22  # points times angles: what a table of turns may hold
_BLOCK_ENTRIES = 2**18
_FEW_ENTRIES = 2**15  # of the table of all turns, for which it is quicker to look at every node
_LONGEST = 2.0**40  # period, in steps: angles are good to 1e-16 of a turn


@dataclass(frozen=True, slots=True)
class Chernoff:
    """Bounds on the tails of the rows: P(k >= x) <= exp(log_moments - slope x)."""

    slopes: Array
    log_moments: Array  # row by row, rounded up

    def reach(self, depth: float) -> float:
        """Return where a tail of e^-depth begins, for the row where it is farthest."""
        return float(np.max(np.min((self.log_moments + depth) / self.slopes, axis=1)))

    def wrapped(self, row: int, x: float, period: int) -> float:
        r"""Return a bound on $\sum_{m \ge 1} E e^{-s (x + m\,period - k)}$ for the best slope s."""
        place, size = x + period, abs(x) + period
        exponent, slope = math.inf, 1.0
        for trial, moment in zip(self.slopes.tolist(), self.log_moments[row].tolist(), strict=True):
            bound = moment - trial * place + 16.0 * U * (abs(moment) + trial * size)
            if bound < exponent:
                exponent, slope = bound, trial
        return math.exp(min(exponent, 700.0)) / -math.expm1(-slope * period) * (1.0 + 1e-9)


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Transforms of three rows: the spread reading of A, and the merged readings of A and of B.

    Index k of a row stands for the loss anchor + (origin + k) step; row 0 has anchors[0], rows 1 and 2 anchors[1].
    """

    step: float
    theta: float
    period: int  # in steps
    nodes: Nodes  # j of the frequencies 2 pi j / period
    values: Complex
    doubt: Array  # on the modulus of each value
    beyond: Array  # bound on the modulus of all values left out, row by row
    up: Chernoff
    down: Chernoff  # of -k; its slopes are at most theta step
    origin: int
    anchors: tuple[float, float]
    log_scale: Array
    error: Array  # of the rows, in L1
    slack: float


@dataclass(frozen=True, slots=True)
class _Block:
    """Some leaves on the common grid: rows 3i, 3i + 1 and 3i + 2 belong to leaf i."""

    rows: Array
    folded: Array  # the same, as `transform` likes them
    counts: Array
    means: Array  # of each row, roughly
    variances: Array  # at least
    mean_place: Array  # mean of |k| in each row, at most

    def total(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sum over all leaves, each with its count, of values by row: one for each kind of row."""
        if self.counts.size == 1:
            single: NDArray[Any] = self.counts[0] * values
            return single
        each: NDArray[Any] = np.einsum("i,i...->...", self.counts, values.reshape(self.counts.size, 3, *values.shape[1:]))
        return each


def spectrum(task: Task, grid: Grid) -> Spectrum | None:
    """Return the composition's spectrum, or None if it is not short."""
    theta, counts = task.tilt.theta, [count for _, count in task.steps.items]
    leaves = [
        leaf(pair, span, grid.step, theta, anchor, grid.places)
        for (pair, _), span, anchor in zip(task.steps.items, task.windows, grid.anchors, strict=True)
    ]
    log_scale, error = _certificate(leaves, counts)
    begin, end = min(one.begin for one in leaves), max(one.begin + one.spread.size for one in leaves)
    places = grid.places[begin:end]
    if _no_gaps(places):  # then columns are places
        places = places - places[0]
    blocks = list(_blocks(leaves, counts, places, begin))
    # indices of the composition count from near its mean; a leaf's own from its peak
    centre = round(math.fsum(float(block.counts @ block.means[::3]) for block in blocks))
    origin = centre + sum(
        count * (one.spread.first - round(places[one.begin - begin])) for count, one in zip(counts, leaves, strict=True)
    )
    variance = float(np.max(sum(block.total(block.variances) for block in blocks)))
    deviation = math.sqrt(variance)
    if not 0.0 < deviation < _LONGEST:
        return None
    # What is left out may weigh e^-depth of the frequency 0, which a smooth law's delta is about (1 + theta) deviation below.
    depth = math.log((1.0 + theta) * (1.0 + deviation) / (0.02 * min(task.width, 0.1)))
    best = math.sqrt(2.0 * depth) / deviation
    up, down = _SLOPES * best, np.minimum(_SLOPES * best, theta * grid.step)
    moments = _log_moments(blocks, places, np.concatenate([up, -down]), centre)
    chernoff_up, chernoff_down = Chernoff(up, moments[:, : up.size]), Chernoff(down, moments[:, up.size :])
    length = max(chernoff_up.reach(depth), chernoff_down.reach(depth)) + _ROOM * deviation
    if not length < _LONGEST:
        return None
    seen = _seen(blocks, places, best, depth, length)
    if seen is None:
        return None
    values, doubt = _product(blocks, seen, centre)
    return Spectrum(
        step=grid.step,
        theta=theta,
        period=seen.period,
        nodes=seen.nodes,
        values=values,
        doubt=doubt,
        beyond=seen.beyond,
        up=chernoff_up,
        down=chernoff_down,
        origin=origin,
        anchors=(
            _anchor([one.spread.anchor for one in leaves], counts),
            _anchor([one.merged.anchor for one in leaves], counts),
        ),
        log_scale=log_scale,
        error=error,
        slack=math.fsum(count * one.slack for count, one in zip(counts, leaves, strict=True)) * (1.0 + 1e-9),
    )


def _no_gaps(places: Array) -> bool:
    """Whether the places, which increase, are neighbours."""
    return bool(places[-1] - places[0] == places.size - 1.0)


def _blocks(leaves: Sequence[Leaf], counts: Sequence[int], places: Array, begin: int) -> Iterator[_Block]:
    """Return the leaves side by side, as many in a block as fit."""
    most = max(1, _BLOCK_ENTRIES // (3 * places.size))
    for i in range(0, len(leaves), most):
        some = leaves[i : i + most]
        rows = np.zeros((3 * len(some), places.size))
        for j, one in enumerate(some):
            columns = slice(one.begin - begin, one.begin - begin + one.spread.size)
            rows[3 * j, columns] = one.spread.rows[0]
            rows[3 * j + 1 : 3 * j + 3, columns] = one.merged.rows
        yield _block(rows, np.array(counts[i : i + most], dtype=np.float64), places)


def _block(rows: Array, counts: Array, places: Array) -> _Block:
    means = rows @ places
    squares = rows @ (places * places) - means * means
    # rounding of the difference is at the size of its terms; a larger variance is sound
    wide = float(np.abs(places).max())
    variances = np.maximum(squares, 0.0) + 1e-9 + 64.0 * places.size * U * (means * means + wide * np.abs(means))
    return _Block(rows, padded(rows), counts, means, variances, (rows @ np.abs(places)) * (1.0 + 1e-9))


def _anchor(anchors: Sequence[float], counts: Sequence[int]) -> float:
    return math.fsum(count * anchor for count, anchor in zip(counts, anchors, strict=True))


def _certificate(leaves: Sequence[Leaf], counts: Sequence[int]) -> tuple[Array, Array]:
    """Return log Z and the L1 error of the composed rows: (1 + E1)^r1 (1 + E2)^r2 ... - 1, as in `tilted` (M7)."""
    r = np.array(counts, dtype=np.float64)
    errors = np.array([[one.spread.error[0], *one.merged.error] for one in leaves])
    scales = np.array([[one.spread.log_scale[0], *one.merged.log_scale] for one in leaves])
    doubts = r @ np.log1p(errors)
    total = 64.0 * U * math.fsum(counts)
    if float(doubts.max()) + total > 1.0:  # what is certified only up to its own mass is not worth composing
        raise TooWide
    error = math.exp(total) * np.expm1(doubts) * (1.0 + 1e-9)
    return r @ scales, error + (4.0 + len(leaves)) * U * (r @ np.abs(scales))


def _log_moments(blocks: Sequence[_Block], places: Array, slopes: Array, centre: int) -> Array:
    """Return log E e^{slope k} of the composition, k counted from the centre, kind by kind of row, rounded up."""
    total = np.zeros((3, slopes.size))
    exponent = np.multiply.outer(places, slopes)
    peak = exponent.max(axis=0)
    table = np.exp(exponent - peak)
    largest = np.abs(exponent).max(axis=0)
    moved = 0
    for block in blocks:
        # leaf by leaf about a whole number near the mean, so that little is left to multiply by the count
        near = np.round(block.means[::3])
        moved += sum(round(count) * round(place) for count, place in zip(block.counts.tolist(), near.tolist(), strict=True))
        moment = np.log(np.maximum(block.rows @ table, 1e-300)) + peak - np.repeat(np.multiply.outer(near, slopes), 3, 0)
        # the sum's length, and the roundings of the exponents at their size
        moment += U * (places.size + 64.0 + 16.0 * largest)
        total += block.total(moment)
    rest = float(centre - moved) * slopes
    return total - rest + 1e-12 * (1.0 + np.abs(total) + np.abs(rest))


@dataclass(frozen=True, slots=True)
class _Seen:
    """The nodes that may matter, and the transforms of each block there with their errors, in rows of equal length."""

    period: int
    nodes: Nodes
    transforms: list[tuple[Complex, Array]]
    beyond: Array  # bound on the modulus of the product at all other nodes, kind by kind of row


def _seen(blocks: Sequence[_Block], places: Array, best: float, depth: float, length: float) -> _Seen | None:
    """Return what there is to see of a period of at least `length` steps, or None if it is too much."""
    least = math.ceil(length)
    if least <= LONGEST_PERIOD and places.size <= least and _no_gaps(places):
        period = odd_length(least)
        return _kept(blocks, period, [whole_transform(block.rows, period) for block in blocks], depth)
    period = least | 1
    node = 2.0 * math.pi / period
    if (period // 2 + 1) * places.size <= _FEW_ENTRIES:
        at = even_turns(places, 0, period // 2 + 1, node)
        return _kept(blocks, period, _transforms(blocks, at), depth)
    found = _islands(blocks, places, best, depth, period)
    if found is None:
        return None
    islands, beyond = found
    size = sum(count for _, count in islands)
    if size > _MOST_NODES or size * places.size > _MOST_WORK:
        return None
    nodes = np.concatenate([np.arange(first, first + count) for first, count in islands])
    return _Seen(period, nodes, _transforms(blocks, some_turns(places, islands, node)), beyond)


def _transforms(blocks: Sequence[_Block], at: Turns) -> list[tuple[Complex, Array]]:
    return [transform(block.folded, block.mean_place, at) for block in blocks]


def _kept(blocks: Sequence[_Block], period: int, transforms: list[tuple[Complex, Array]], depth: float) -> _Seen:
    """Return the nodes that may matter, of transforms at every node."""
    log_modulus = np.zeros((3, period // 2 + 1))
    for block, (values, error) in zip(blocks, transforms, strict=True):
        logs = np.log(np.abs(values) * (1.0 + 1e-12) + error)
        log_modulus += block.total(logs)
    worth = np.maximum(np.maximum(log_modulus[0], log_modulus[1]), log_modulus[2]) > -depth
    worth[0] = True  # the sum counts its first node once
    kept = np.flatnonzero(worth)
    some = [
        (values[:, kept], error if error.shape[1] == 1 else error[:, kept]) for values, error in transforms
    ]  # one error may serve all nodes
    log_modulus[:, kept] = -math.inf
    beyond = log_modulus.max(axis=1)
    return _Seen(period, kept, some, np.exp(beyond * (1.0 - 1e-9)) * (1.0 + 1e-9))


def _islands(
    blocks: Sequence[_Block], places: Array, best: float, depth: float, period: int
) -> tuple[list[tuple[int, int]], Array] | None:
    """Return runs (first, count) of nodes that may matter, and a bound on the modulus at all others, kind by kind of row.

    None if there is too much to look at.
    """
    node = 2.0 * math.pi / period
    widest = math.sqrt(max(float(block.variances.max()) for block in blocks))
    core = _core(blocks, places) if places.size > _SHORT else None
    # Angles are close together where the modulus begins to fall, and then as far apart as the variance allows: first that
    # of all points, and beyond that of few of them, which shows that the modulus stays small.
    last = min(math.pi, 2.0 / core.deviation) if core else math.pi
    stride = (_STRIDE if core else _SHORT_STRIDE) / widest
    ladder = best * _LADDER
    ladder = ladder[ladder < min(2.0 * stride, 0.999 * last)]
    begin = float(ladder[-1]) if ladder.size else 0.0
    steps = math.ceil((last - begin) / stride)
    if steps * places.size > _MOST_WORK:
        return None
    stride = (last - begin) / steps
    at = joined([turns(places, ladder), shifted_turns(places, begin, steps, stride)])
    low = np.arange(at.angles.size - 1)
    lows, highs, bound = at.angles[:-1], at.angles[1:], _log_bound(blocks, at, low, low + 1)
    kept, beyond = [(0.0, float(at.angles[0]))], np.full(3, -math.inf)
    if core and last < math.pi:
        count = math.ceil((math.pi - last) * core.deviation / _STRIDE)
        edges: Array = last + (math.pi - last) / count * np.arange(count + 1, dtype=np.float64)
        edges[0] = at.angles[-1]  # no gap between the two
        lows, highs = np.concatenate([lows, edges[:-1]]), np.concatenate([highs, edges[1:]])
        bound = np.concatenate([bound, _core_bound(core, edges)], axis=1)
    for turn in range(_SPLITS + 1):
        small = bound.max(axis=0) <= -depth
        if small.any():
            beyond = np.maximum(beyond, bound[:, small].max(axis=1))
        lows, highs = lows[~small], highs[~small]
        # what failed is looked at more closely, unless it is as short as an island anyway
        split = highs - lows > max(0.5 * best, 8.0 * node)
        if turn == _SPLITS or not split.any() or 5 * np.count_nonzero(split) * places.size > _MOST_WORK:
            break
        kept += zip(lows[~split].tolist(), highs[~split].tolist(), strict=True)
        cuts = lows[split, None] + (highs - lows)[split, None] * (np.arange(5) / 4.0)
        lows, highs = cuts[:, :-1].ravel(), cuts[:, 1:].ravel()
        low = (5 * np.arange(cuts.shape[0])[:, None] + np.arange(4)).ravel()
        bound = _log_bound(blocks, turns(places, cuts.ravel()), low, low + 1)
    kept += zip(lows.tolist(), highs.tolist(), strict=True)
    return _runs(kept, node, period // 2), np.exp(beyond * (1.0 - 1e-9)) * (1.0 + 1e-9)


@dataclass(frozen=True, slots=True)
class _Core:
    """The laws given that k is one of few neighbouring points: weight * law is a part of each row."""

    places: Array
    blocks: list[tuple[_Block, Array]]  # conditional laws, and their weights
    deviation: float  # the largest


def _core(blocks: Sequence[_Block], places: Array) -> _Core:
    """Return the laws on the points around the peak."""
    peak = int(np.argmax(sum(block.counts @ block.rows[::3] for block in blocks)))
    size = _SHORT if places.size < 16 * _SHORT else 4 * _SHORT  # few points take many angles to get from, many to get to
    begin = max(0, min(peak - size // 2, places.size - size))
    few = slice(begin, begin + size)
    parts = []
    for block in blocks:
        weights = block.rows[:, few].sum(axis=1)
        rows = block.rows[:, few] / np.maximum(weights, 1e-300)[:, None]
        parts.append((_block(rows, block.counts, places[few]), weights * (1.0 - 1e-9)))
    return _Core(places[few], parts, math.sqrt(max(float(part.variances.max()) for part, _ in parts)))


def _core_bound(core: _Core, edges: Array) -> Array:
    """Return bounds on the log modulus of the product between neighbouring angles: |phi| <= 1 - w + w |phi_core|."""
    at, low = turns(core.places, edges), np.arange(edges.size - 1)
    log_modulus = np.zeros((3, low.size))
    for block, weights in core.blocks:
        modulus = np.sqrt(np.minimum(_square_bound(block, at, low, low + 1), 1.0))
        # a row sums to 1 up to 64 roundings
        logs = np.log1p(weights[:, None] * (modulus - 1.0) * (1.0 - 1e-9) + 128.0 * U)
        log_modulus += block.total(logs)
    return log_modulus


def _runs(intervals: list[tuple[float, float]], stride: float, last: int) -> list[tuple[int, int]]:
    """Return the nodes in the intervals as runs (first, count), the nodes at their ends included."""
    runs: list[tuple[int, int]] = []
    for low, high in sorted(intervals):
        first, end = max(0, math.floor(low / stride)), min(last, math.ceil(high / stride))
        if runs and first <= sum(runs[-1]):
            runs[-1] = (runs[-1][0], max(sum(runs[-1]), end + 1) - runs[-1][0])
        elif first <= end:
            runs.append((first, end + 1 - first))
    return runs


def _log_bound(blocks: Sequence[_Block], at: Turns, low: NDArray[np.intp], high: NDArray[np.intp]) -> Array:
    """Return bounds on the log modulus of the product between the angles `low` and `high` of those given, kind by kind."""
    log_modulus = np.zeros((3, low.size))
    for block in blocks:
        # rows sum to 1 up to 64 roundings
        logs = np.log(np.minimum(_square_bound(block, at, low, high), 1.0 + 256.0 * U))
        log_modulus += 0.5 * block.total(logs)
    return log_modulus


def _square_bound(block: _Block, at: Turns, low: NDArray[np.intp], high: NDArray[np.intp]) -> Array:
    """Return bounds on the squared modulus of each row between the angles `low` and `high` of those given.

    |phi|^2 = E cos u(X - X') has a second derivative of at most 2 Var X, so that between two angles it exceeds the larger
    of its values there by at most a quarter of the variance times the squared distance.
    """
    gaps = 0.25 * (at.angles[high] - at.angles[low]) ** 2 * (1.0 + 1e-9)
    values, error = transform(block.folded, block.mean_place, at)
    square = (np.abs(values) + error) ** 2 * (1.0 + 1e-12)
    bound: Array = np.maximum(square[:, low], square[:, high]) + np.multiply.outer(block.variances, gaps) + 1e-13
    return bound


def _product(blocks: Sequence[_Block], seen: _Seen, centre: int) -> tuple[Complex, Array]:
    """Return the product of all transforms, each raised to its count, turned to the centre, and a bound on its error."""
    log_modulus, argument, relative = (np.zeros((3, seen.nodes.size)) for _ in range(3))
    # of each logarithm, and of a sum over all leaves, whose terms may cancel
    rounding = 2.0 * U * (sum(block.counts.size for block in blocks) + len(blocks) + 12.0)
    for block, (values, error) in zip(blocks, seen.transforms, strict=True):
        modulus = np.maximum(np.abs(values), 1e-300)
        logs, angles = np.log(modulus), np.angle(values)
        terms = np.abs(logs) + np.abs(angles)
        log_modulus += block.total(logs)
        argument += block.total(angles)
        relative += block.total(error / np.maximum(modulus - error, 1e-300) + rounding * (1.0 + terms))
    # the exact value is at most this in modulus, and at most e (`_certificate`); one too doubtful is taken to be 0
    largest = np.exp(np.minimum(log_modulus + relative * (1.0 + 1e-9), 1.0))
    hopeless = relative > 1.0
    modulus = np.where(hopeless, 0.0, np.exp(np.minimum(log_modulus, 1.0)))
    argument += turned(centre, seen.nodes, seen.period)
    relative += 64.0 * U
    values = modulus * (np.cos(argument) + 1j * np.sin(argument))
    return values, largest * np.where(hopeless, 1.0, 1.01 * np.expm1(np.minimum(relative, 1.0)))
