"""From a tolerance to steps, levels and windows (M9).

A level takes units (bucket lists with counts) on one step, composes them into blocks of about `branching` units each,
and hands the blocks on to the next level at a coarser step. Discretising a unit at step h widens log delta by h^2
t(1+t)/8 (a sixth of h^2 of variance above, a twelfth below, times t(1+t)/2), so the steps can be solved for. As with
the tilt, nothing here needs to be right for the bracket to be valid.
"""

import math
from dataclasses import dataclass

from tightbudget.engine.discretisation.window import Window
from tightbudget.engine.steps import Steps
from tightbudget.engine.target import PlanTarget, aligned_step
from tightbudget.numerics.rounding import GENEROUS, raised_by
from tightbudget.pairs.base import Alignment, Pair

Entry = tuple[Pair, int, Window]

_MAX_LEVELS = 8  # of a plan, unless low powers take more; any number is sound
_LOW_POWER = 64  # units of a block up to which short lists are multiplied without transforms
_LIKE_WHOLE = 1e-9  # a quotient or root of whole numbers this little above a whole number is taken for it
_OVERHEAD = 30_000.0  # of one composition, in units of points transformed
_DEVIATIONS = 7.0  # half-width of a block's window, in standard deviations, for the estimate of cost


@dataclass(frozen=True, slots=True)
class LevelPlan:
    """What to do: at level j the step is steps[j]; pairs entering there are entering[j]; tails are cut at tails[j]."""

    theta: float
    branching: int
    steps: tuple[float, ...]
    factors: tuple[int, ...]  # steps[j+1] = factors[j] * steps[j]
    tails: tuple[float, ...]
    entering: tuple[tuple[Entry, ...], ...]
    points: float  # estimated length of the longest list


def plan_levels(target: PlanTarget) -> LevelPlan:
    """Return a plan for a bracket about as wide as the target asks."""
    steps = target.steps
    total = steps.total
    # Lists of a few points are composed without transforms, and so without their noise, while powers are low.
    few = any(pair.alignment is not None for pair, _ in steps.items)
    fewest = math.ceil(math.log(total) / math.log(_LOW_POWER) - _LIKE_WHOLE) if few and total > 1 else 1
    best: tuple[float, LevelPlan] | None = None
    for levels in range(fewest, max(fewest, _MAX_LEVELS) + 1):
        candidate = _with_levels(target, levels)
        if best is None or candidate[0] < best[0]:
            best = candidate
        if candidate[1].branching <= 4 or candidate[0] > 1.3 * best[0]:
            break
    assert best is not None
    return best[1]


def _with_levels(target: PlanTarget, levels: int) -> tuple[float, LevelPlan]:
    """Return the plan with so many levels, and roughly what it costs."""
    steps, theta, deviation = target.steps, target.tilt.theta, target.tilt.deviation
    total = steps.total
    branching = _plan_branching(total, levels, len(steps.items))
    factor = 2 ** max(0, round(0.5 * math.log2(branching)))  # powers of two keep coarse grids on the points of fine ones
    entering, at = _entering_levels(target, branching, levels)
    units = _units_by_level(entering, branching)
    alignment = _point_mass_alignment(steps, at)
    off_lattice = alignment.off_lattice if alignment and alignment.off_lattice > 0.0 else 1.0
    # sum_j units_j h_j^2 share_j = variance with h_j = h_0 factor^j, where share_j of a block's mass is off the grid
    share = [min(1.0, off_lattice * total / unit) for unit in units]
    base = math.sqrt(
        target.variance / sum(u * s * float(factor) ** (2 * j) for j, (u, s) in enumerate(zip(units, share, strict=True)))
    )
    wanted = [min(base * float(factor) ** j, target.widest) for j in range(levels)]
    grid, factors = [aligned_step(wanted[0], alignment)], []
    for j in range(1, levels):
        room = raised_by(wanted[j] / grid[-1], GENEROUS)
        factors.append(2 ** math.floor(math.log2(room)) if room >= 2.0 else 1)
        grid.append(grid[-1] * factors[-1])
    tails = tuple(max(target.error / (4.0 * levels * max(1.0, unit / branching)), 1e-30) for unit in units)

    cost, longest = 0.0, 0.0
    for j in range(levels):
        window_span = max(
            (span.high - span.low for span, level in zip(target.windows, at, strict=True) if level <= j), default=0.0
        )
        block = deviation * math.sqrt(min(1.0, branching / units[j]))
        points = 2.0 * (window_span + 2.0 * _DEVIATIONS * block) / grid[j] + 64.0
        made = sum(1 for level in at if level <= j) + 1.0
        cost += made * (points * math.log2(points) + _OVERHEAD)
        longest = max(longest, points)
    return cost, LevelPlan(theta, branching, tuple(grid), tuple(factors), tails, entering, longest)


def _entering_levels(target: PlanTarget, branching: int, levels: int) -> tuple[tuple[tuple[Entry, ...], ...], list[int]]:
    """Return the items by the level at which they enter: rare ones late, where there are as few units as they are."""
    entries = [(pair, count, span) for (pair, count), span in zip(target.steps.items, target.windows, strict=True)]
    order = sorted(range(len(entries)), key=lambda i: entries[i][1])
    at, seen = [0] * len(order), 0
    for i in order:
        seen += entries[i][1]
        # the last level with room for all counts so far
        at[i] = max(0, levels - max(1, math.ceil(math.log(seen) / math.log(branching) - _LIKE_WHOLE)))
    groups = tuple(tuple(entry for entry, level in zip(entries, at, strict=True) if level == j) for j in range(levels))
    return groups, at


def _plan_branching(total: int, levels: int, items: int) -> int:
    """Return how many units make a block; for one repeated item preferably a divisor, which leaves no remainder."""
    least: int = max(2, math.ceil(total ** (1.0 / levels) - _LIKE_WHOLE))
    if items == 1 and levels > 1:
        divisors = (b for b in range(least, least + min(least, 256) + 1) if total % b == 0)
        return next(divisors, least)
    return least


def _units_by_level(entering: tuple[tuple[Entry, ...], ...], branching: int) -> list[int]:
    """Return how many units each level has to compose."""
    units, counts = [], list[int]()
    for items in entering:
        counts += [count for _, count, _ in items]
        units.append(max(1, sum(counts)))
        wholes = [count // branching for count in counts if count >= branching]
        left = sum(count % branching for count in counts)
        counts = wholes + [1] * -(-left // branching)
    return units


def _point_mass_alignment(steps: Steps, at: list[int]) -> Alignment | None:
    """Return where the point masses of the most frequent pair lie; among several pairs no grid is exact for all."""
    first = max(range(len(at)), key=lambda i: steps.items[i][1])
    alignment = steps.items[first][0].alignment if at[first] == 0 else None
    if alignment is not None and len(at) > 1:
        return Alignment(alignment.anchor, alignment.period, 1.0)
    return alignment
