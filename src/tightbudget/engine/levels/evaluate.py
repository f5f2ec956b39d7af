"""Carrying out a plan: discretised pairs in, one composed pair of readings out."""

from collections.abc import Callable
from dataclasses import dataclass

from tightbudget.engine.discretisation.discretise import discretise
from tightbudget.engine.discretisation.merge import coarsen_merged, trim_merged
from tightbudget.engine.discretisation.spread import coarsen_spread, trim_spread
from tightbudget.engine.discretisation.tilted import TiltedPMF, composed_pmf, pmf_powers
from tightbudget.engine.levels.plan import LevelPlan
from tightbudget.numerics.rounding import GENEROUS, raised_by

Units = list[tuple[TiltedPMF, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Composed:
    """Both readings of a composition; true losses are at most `loss_shift` above those of the spread one."""

    spread: TiltedPMF
    merged: TiltedPMF
    step: float
    theta: float
    loss_shift: float


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """How one of the two readings is trimmed and made coarser."""

    trim: Callable[[TiltedPMF, float], TiltedPMF]
    coarsen: Callable[[TiltedPMF, float, float, int], TiltedPMF]


SPREAD, MERGED = Reading(trim_spread, coarsen_spread), Reading(trim_merged, coarsen_merged)


def evaluate_plan(plan: LevelPlan) -> Composed:
    """Return the composition that the plan describes."""
    spread: Units = []
    merged: Units = []
    loss_shift = 0.0
    last = len(plan.steps) - 1
    for j, step in enumerate(plan.steps):
        for pair, count, span in plan.entering[j]:
            alignment = pair.alignment
            anchor = alignment.anchor if alignment else 0.0
            entering = discretise(pair, span, step, plan.theta, anchor)
            loss_shift += count * entering.loss_shift
            spread.append((entering.spread, count))
            merged.append((entering.merged, count))
        if j < last:
            spread, merged = _composed_level(spread, SPREAD, plan, j), _composed_level(merged, MERGED, plan, j)
    tail = plan.tails[last]
    return Composed(
        trim_spread(composed_pmf(spread, tail), tail),
        trim_merged(composed_pmf(merged, tail), tail),
        plan.steps[last],
        plan.theta,
        raised_by(loss_shift, GENEROUS),
    )


def _composed_level(units: Units, reading: Reading, plan: LevelPlan, j: int) -> Units:
    """Compose units into blocks of about `branching`, powers of one unit and remainders together, and coarsen them."""
    branching, tail = plan.branching, plan.tails[j]
    whole = [(unit, count // branching) for unit, count in units if count >= branching]
    blocks = list(zip(pmf_powers([unit for unit, _ in whole], branching, tail), (count for _, count in whole), strict=True))
    blocks += [(composed_pmf(parts, tail), 1) for parts in _level_remainders(units, branching)]
    return [
        (reading.coarsen(reading.trim(block, tail), plan.steps[j], plan.theta, plan.factors[j]), count)
        for block, count in blocks
    ]


def _level_remainders(units: Units, branching: int) -> list[Units]:
    """Group what is left over of each unit into lists of at most `branching` in all."""
    groups: list[Units] = []
    room = 0
    for unit, count in units:
        left = count % branching
        if not left:
            continue
        if not groups or left > room:
            groups.append([])
            room = branching
        groups[-1].append((unit, left))
        room -= left
    return groups
