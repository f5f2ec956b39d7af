"""Which frequencies of a characteristic function matter, and a bound on its modulus at all others (M19).

The bounds between two frequencies are in `modulus.py`.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.spectral.blocks import Block, no_gaps
from tightbudget.engine.spectral.modulus import (
    Transforms,
    between_angles_bound,
    core_bound,
    core_on,
    exp_up,
    law_core,
    log_bound,
)
from tightbudget.numerics.characteristic import (
    LONGEST_PERIOD,
    JoinedTurns,
    Nodes,
    Turning,
    Turns,
    even_turns,
    from_to,
    joined_turns,
    odd_length,
    shifted_turns,
    some_turns,
    transform,
    turns,
    whole_transform,
    wrapped_rows,
)
from tightbudget.numerics.rounding import AMPLE, GENEROUS, raised_by

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
# where the modulus is looked at: with larger steps intervals are not ruled out, and have to be looked at once more
_LADDER = np.array([0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.5, *(8.0 * 1.5 ** np.arange(90))])
_STRIDE = 1.4  # distance of further such angles, in units of 1 / standard deviation
_SHORT, _SHORT_STRIDE = 64, 0.5  # where many angles are looked at in one go
_SHORTEST = 0.55  # times where a normal law falls: an island is no shorter, and no step of the ladder up to 3 is longer
_SAME = 1e-6  # lengths of intervals, relatively: those differ by a factor, or by rounding
_PIECES, _SPLITS = 2, 8  # of an interval that is looked at more closely, and times that it is
_MOST_NODES = 8192  # to be summed over, and intervals to be looked at; with more, levels are tried
_MOST_WORK = 2**22  # points times angles: what a table of turns may hold
_FEW_ENTRIES = 2**15  # of the table of all turns, for which it is quicker to look at every node
_SHORT_PERIOD = 2**14  # for which one transform is quicker than to look where nodes matter
_MANY = 512  # intervals that no bound rules out, or nodes: then all frequencies leave less in doubt, at about the cost
_SHORT_TRANSFORMS = 150_000  # entries of all rows, likewise, where places have gaps
_NEAR_PLACES, _SHORT_NEAR = 16.0, 2**15  # a period so many times as long as places reach has few nodes that matter
_DEEPER = 5.0  # for nodes that a transform of the period has shown anyway: what is left out then weighs next to nothing
_PATIENCE = 64  # intervals to be looked at more closely, where a transform of the period would do
_AS_DEAR, _TABLE_AS_DEAR = 16, 2  # terms of sums, and entries of tables, take as long as one of a period transformed


class Outlook(NamedTuple):
    """Where was looked: the intervals that were ruled out and those in which nodes are kept reach from 0 to pi.

    Intervals go by the number of the angle they begin at; those of `first` are numbered on into `far`.
    """

    first: Turning
    small: list[NDArray[np.intp]]  # intervals that were ruled out, at first and each time they were cut
    cuts: list[Turning]
    far: Turns | None  # angles at which only the core was looked at
    few: slice | None  # points of the core
    nodes: Turning


class ChosenNodes(NamedTuple):
    """The nodes that may matter, and the transforms there."""

    period: int
    nodes: Nodes
    transforms: Transforms
    beyond: Array  # bound on the modulus of the product at all other nodes, kind by kind of row
    outlook: Outlook | None = None


def choose_nodes(
    blocks: Sequence[Block],
    places: Array,
    best: float,
    depth: float,
    length: float,
    most_work: int = _MOST_WORK,
    to_follow: bool = False,
) -> ChosenNodes | None:
    """Return what there is to see of a period of at least `length` steps, or None if it is too much.

    A node matters if the product may be larger than e^-depth there; `best` is about where a normal law falls below
    that. A table may have `most_work` entries. A choice that others are to follow is one of angles to look at.
    """
    least, rows = math.ceil(length), sum(int(block.rows.shape[0]) for block in blocks)
    # where two places are a period apart, their masses would have to be added up first
    whole = max(least, int(places[-1] - places[0]) + 1)
    transformable = whole <= LONGEST_PERIOD and rows * whole <= most_work
    # where all places are near one another, beside the period, the modulus falls early and few nodes matter
    short = _SHORT_TRANSFORMS if _NEAR_PLACES * float(places[-1] - places[0]) > whole else _SHORT_NEAR
    if transformable and (least <= _SHORT_PERIOD if no_gaps(places) else rows * whole <= short and not to_follow):
        # sums over few places are quicker than any transform, and show as much
        few = None
        if places.size <= _SHORT and not no_gaps(places):
            few = _some_nodes(blocks, places, best, depth + _DEEPER, odd_length(least), _PATIENCE, whole, most_work, to_follow)
        return _all_by_transform(blocks, places, depth, whole) if few is None else few
    if (least // 2 + 1) * places.size <= _FEW_ENTRIES:
        return _kept_nodes(
            blocks,
            least | 1,
            _block_transforms(blocks, even_turns(places, 0, least // 2 + 1, _frequency_node(least | 1))),
            depth,
        )
    patience = (_PATIENCE if no_gaps(places) else _MANY) if transformable else _MOST_NODES
    instead = (_TABLE_AS_DEAR if to_follow else _AS_DEAR) * whole if transformable else None
    found = _some_nodes(blocks, places, best, depth, odd_length(least), patience, instead, most_work, to_follow)
    return _all_by_transform(blocks, places, depth, whole) if found is None and transformable else found


def _frequency_node(period: int) -> float:
    return 2.0 * math.pi / period


def _turning(at: Turning, to_follow: bool) -> Turning:
    """Return the turns as a table if others are to follow, who will need it; for sums alone none is made."""
    return at.table() if to_follow else at


def _block_transforms(blocks: Sequence[Block], at: Turning) -> Transforms:
    if len(blocks) > 1:  # each would make the same table
        at = at.table()
    return [transform(block.folded, block.mean_place, at) for block in blocks]


def _all_by_transform(blocks: Sequence[Block], places: Array, depth: float, least: int) -> ChosenNodes:
    period = odd_length(least)
    rows = (block.rows if no_gaps(places) else wrapped_rows(block.rows, places, period) for block in blocks)
    return _kept_nodes(blocks, period, [whole_transform(each, period) for each in rows], depth + _DEEPER)


def _kept_nodes(blocks: Sequence[Block], period: int, transforms: Transforms, depth: float) -> ChosenNodes:
    """Return the nodes that may matter, of transforms at every node."""
    heights, power = _heights(blocks, transforms)
    least, nothing = (math.exp(-depth / power), 0.0) if power else (-depth, -math.inf)
    worth = np.maximum(np.maximum(heights[0], heights[1]), heights[2]) > least
    worth[0] = True  # the sum counts its first node once
    kept = np.flatnonzero(worth)
    some = [(values[:, kept], error if error.shape[1] == 1 else error[:, kept]) for values, error in transforms]
    heights[:, kept] = nothing
    highest = heights.max(axis=1)
    with np.errstate(divide="ignore"):  # where every node is kept nothing is beyond
        return ChosenNodes(period, kept, some, exp_up(power * np.log(highest) if power else highest))


def _heights(blocks: Sequence[Block], transforms: Transforms) -> tuple[Array, float]:
    """Return upper bounds on the modulus of the product at each node, kind by kind of row, as logs.

    Of one pair alone, its modulus and the power to which it is raised: thousands of logs would take as long as all
    else.
    """
    if len(blocks) == 1 and blocks[0].counts.size == 1:
        values, error = transforms[0]
        return raised_by(np.abs(values), AMPLE) + error, float(blocks[0].counts[0])
    log_modulus = np.zeros((3, transforms[0][0].shape[1]))
    for block, (values, error) in zip(blocks, transforms, strict=True):
        log_modulus += block.total(np.log(raised_by(np.abs(values), AMPLE) + error))
    return log_modulus, 0.0


def _some_nodes(
    blocks: Sequence[Block],
    places: Array,
    best: float,
    depth: float,
    period: int,
    patience: int,
    instead: int | None,
    most_work: int,
    to_follow: bool,
) -> ChosenNodes | None:
    """Return the nodes in those intervals of angles that no bound rules out; None if they are too many.

    `patience` is how many intervals may be looked at more closely. What can be had `instead` takes as long as so many
    entries of tables: half of that may be spent on intervals, and as much as that on nodes.
    """
    looked = _first_look(blocks, places, best, most_work, to_follow)
    if looked is None or not looked.lows.size:
        return None
    short = max(_SHORTEST * best, 8.0 * _frequency_node(period))
    closer = min(math.inf if instead is None else 0.5 * instead, math.inf if most_work >= _MOST_WORK else most_work)
    found = _frequency_islands(blocks, places, looked, depth, short, patience, closer, to_follow)
    if found is None:
        return None
    intervals, beyond, small, cuts = found
    runs = _node_runs([(0.0, float(looked.lows[0])), *intervals], _frequency_node(period), period // 2)
    size = sum(count for _, count in runs)
    if size > (_MOST_NODES if instead is None else _MANY) or size * places.size > min(most_work, instead or most_work):
        return None
    nodes = np.concatenate([np.arange(first, first + count, dtype=np.int64) for first, count in runs])
    at = _turning(some_turns(places, runs, _frequency_node(period)), to_follow)
    outlook = None if looked.at is None else Outlook(looked.at, small, cuts, looked.far, looked.few, at)
    return ChosenNodes(period, nodes, _block_transforms(blocks, at), beyond, outlook)


class Look(NamedTuple):
    """Intervals of angles that follow one another up to pi, and bounds on the log modulus there."""

    lows: Array
    highs: Array
    bound: Array
    at: Turning | None = None  # angles between which they lie, unless a transform was taken at all angles
    far: Turns | None = None  # angles between which the last ones lie, seen by the core alone
    few: slice | None = None  # points of the core


def _first_look(blocks: Sequence[Block], places: Array, best: float, most_work: int, to_follow: bool) -> Look | None:
    """Return a first look at the modulus from about `best` on, or None if that takes too long."""
    widest = math.sqrt(max(float(block.variances.max()) for block in blocks))
    if no_gaps(places):
        return _look_everywhere(blocks, places, best, widest, most_work)
    # Angles are close together where the modulus begins to fall, and then as far apart as the variance allows: first
    # that of all points, and beyond that of few of them, which shows that the modulus stays small.
    core = law_core(blocks, places) if places.size > _SHORT else None
    last = min(math.pi, 2.0 / core.deviation) if core else math.pi
    stride = (_STRIDE if core else _SHORT_STRIDE) / widest
    ladder = best * _LADDER
    ladder = ladder[ladder < min(2.0 * stride, 0.999 * last)]
    begin = float(ladder[-1]) if ladder.size else 0.0
    steps = math.ceil((last - begin) / stride)
    if steps * places.size > most_work:
        return None
    at = _turning(joined_turns(places, [ladder, shifted_turns(places, begin, steps, (last - begin) / steps)]), to_follow)
    lows, highs, bound = at.angles[:-1], at.angles[1:], between_angles_bound(blocks, at.angles, _block_transforms(blocks, at))
    if not core or not last < math.pi:
        return Look(lows, highs, bound, at)
    count = math.ceil((math.pi - last) * core.deviation / _STRIDE)
    if count * core.places.size > most_work:
        return None
    far = from_to(core.places, float(at.angles[-1]), math.pi, count).table()  # no gap between the two
    lows, highs = np.concatenate([lows, far.angles[:-1]]), np.concatenate([highs, far.angles[1:]])
    bound = np.concatenate([bound, core_bound(core, far, np.arange(count))], axis=1)
    return Look(lows, highs, bound, at, far, core.few)


def _look_everywhere(blocks: Sequence[Block], places: Array, best: float, widest: float, most_work: int) -> Look | None:
    """Return a look at angles as close together as the variance asks for, by transforms of places without gaps."""
    least = max(places.size, math.ceil(2.0 * math.pi * widest / _SHORT_STRIDE))
    if least > LONGEST_PERIOD or sum(int(block.rows.shape[0]) for block in blocks) * least > most_work:
        return None
    period = odd_length(least)
    node = _frequency_node(period)
    ladder = best * _LADDER
    ladder = ladder[ladder < 2.0 * node]
    first = math.floor(raised_by(float(ladder[-1]) / node, GENEROUS)) + 1 if ladder.size else 1
    # the last node is half a node below pi; the one beyond is its mirror image
    angles = np.concatenate([ladder, node * np.arange(first, period // 2 + 2, dtype=np.float64)])
    transforms = []
    for block, (near, near_error) in zip(blocks, _block_transforms(blocks, turns(places, ladder)), strict=True):
        values, error = whole_transform(block.rows, period)
        far = np.concatenate([values[:, first:], np.conj(values[:, -1:])], axis=1)
        errors = np.concatenate([near_error, np.broadcast_to(error, far.shape)], axis=1)
        transforms.append((np.concatenate([near, far], axis=1), errors))
    return Look(angles[:-1], angles[1:], between_angles_bound(blocks, angles, transforms))


def _frequency_islands(
    blocks: Sequence[Block],
    places: Array,
    look: Look,
    depth: float,
    short: float,
    patience: int,
    most_work: float,
    to_follow: bool,
) -> tuple[list[tuple[float, float]], Array, list[NDArray[np.intp]], list[Turning]] | None:
    """Return intervals that may hold more than e^-depth, a bound on all others, kind by kind of row, and their numbers.

    None if too many have to be looked at more closely, or if that takes tables of more entries than `most_work`.
    """
    lows, highs, bound = look.lows, look.highs, look.bound
    kept: list[tuple[float, float]] = []
    beyond = np.full(3, -math.inf)
    low, ruled_out = np.arange(lows.size), []
    closer: list[Turning] = []
    for turn in range(_SPLITS + 1):
        small = bound.max(axis=0) <= -depth
        ruled_out.append(low[small])
        if small.any():
            beyond = np.maximum(beyond, bound[:, small].max(axis=1))
        lows, highs = lows[~small], highs[~small]
        if lows.size > patience:
            return None
        # what failed is looked at more closely, unless it is as short as an island anyway
        split = highs - lows > short
        work = (_PIECES + 1) * int(np.count_nonzero(split)) * places.size
        if turn == _SPLITS or not work or work > _MOST_WORK:
            break
        most_work -= work
        if most_work < 0.0:
            return None
        kept += zip(lows[~split].tolist(), highs[~split].tolist(), strict=True)
        pieces, low = _cut_intervals(places, lows[split], highs[split])
        at = _turning(pieces, to_follow)
        closer.append(at)
        angles = at.angles
        lows, highs = angles[low], angles[low + 1]
        bound = log_bound(blocks, angles, _block_transforms(blocks, at), low)
    kept += zip(lows.tolist(), highs.tolist(), strict=True)
    return kept, exp_up(beyond), ruled_out, closer


def _cut_intervals(places: Array, lows: Array, highs: Array) -> tuple[Turning, NDArray[np.intp]]:
    """Return the turns at the ends of pieces of the intervals, and the numbers of the angles that pieces begin at.

    Intervals of one length that follow one another are cut together, at angles of one distance.
    """
    lengths = highs - lows
    begins = (lows[1:] != highs[:-1]) | (np.abs(lengths[1:] - lengths[:-1]) > _SAME * lengths[1:])
    first = np.concatenate([[0], np.flatnonzero(begins) + 1])
    after = np.concatenate([first[1:], [lows.size]])
    counts, ends = _PIECES * (after - first), highs[after - 1]
    parts = [
        from_to(places, begin, end, count)
        for begin, end, count in zip(lows[first].tolist(), ends.tolist(), counts.tolist(), strict=True)
    ]
    # every part has one angle more than pieces
    return joined_turns(places, parts), np.arange(int(counts.sum())) + np.repeat(np.arange(first.size), counts)


def _node_runs(intervals: list[tuple[float, float]], stride: float, last: int) -> list[tuple[int, int]]:
    """Return the nodes in the intervals as runs (first, count), the nodes at their ends included."""
    runs: list[tuple[int, int]] = []
    for low, high in sorted(intervals):
        first, end = max(0, math.floor(low / stride)), min(last, math.ceil(high / stride))
        if runs and first <= sum(runs[-1]):
            runs[-1] = (runs[-1][0], max(sum(runs[-1]), end + 1) - runs[-1][0])
        elif first <= end:
            runs.append((first, end + 1 - first))
    return runs


class FrequencyPlan(NamedTuple):
    """Angles to look at again, for the neighbours of a composition; whatever is seen there is certified anew (M19).

    Between `near` and `far` intervals and the nodes nothing up to pi is left out, so the modulus at any other node is
    at most the largest of the bounds on the intervals.
    """

    period: int
    nodes: Nodes
    at: Turns  # the ends of intervals, and last those of the nodes
    near: NDArray[np.intp]  # intervals, by the number of the angle they begin at
    few: slice | None  # points of the core, which has to rule out the far intervals
    far_at: Turns | None
    far: NDArray[np.intp]

    @staticmethod
    def of(chosen: ChosenNodes) -> "FrequencyPlan | None":
        """Return the plan by which the nodes were chosen, if it can be followed."""
        seen = chosen.outlook
        if seen is None:
            return None
        last = seen.first.angles.size - 1
        parts, numbers = [seen.first, *seen.cuts], [seen.small[0][seen.small[0] < last], *seen.small[1:]]
        starts = np.cumsum([0, *(part.angles.size for part in parts)]).tolist()
        near = np.concatenate([start + low for start, low in zip(starts[:-1], numbers, strict=True)])
        far = seen.small[0][seen.small[0] >= last] - last
        at = JoinedTurns([*parts, seen.nodes]).table()
        return FrequencyPlan(chosen.period, chosen.nodes, at, near, seen.few, seen.far, far)

    @property
    def nbytes(self) -> int:
        return 2 * self.at.cosines.nbytes + (2 * self.far_at.cosines.nbytes if self.far_at else 0)

    def follow(self, blocks: Sequence[Block], places: Array) -> ChosenNodes:
        """Return the nodes, with a bound on all others that holds for these blocks."""
        transforms = _block_transforms(blocks, self.at)
        bounds = [np.full((3, 1), -math.inf)]
        if self.near.size:
            bounds.append(log_bound(blocks, self.at.angles, transforms, self.near))
        if self.far_at is not None and self.few is not None and self.far.size:
            bounds.append(core_bound(core_on(blocks, places, self.few), self.far_at, self.far))
        kept = slice(self.at.angles.size - self.nodes.size, None)
        some = [(values[:, kept], error[:, kept]) for values, error in transforms]
        return ChosenNodes(self.period, self.nodes, some, exp_up(np.concatenate(bounds, axis=1).max(axis=1)))
