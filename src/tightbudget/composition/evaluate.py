"""Carrying out a plan: leaves in, one composed pair of readings out."""

from collections.abc import Callable
from dataclasses import dataclass

from tightbudget.buckets.leaf import leaf
from tightbudget.buckets.merge import coarsen_merged, compose_merged
from tightbudget.buckets.spread import coarsen_spread, compose_spread
from tightbudget.buckets.tilted import Tilted
from tightbudget.composition.plan import Plan

Units = list[tuple[Tilted, int]]


@dataclass(frozen=True, slots=True)
class Composed:
    """Both readings of a composition; true losses are at most `slack` above those of the spread one."""

    spread: Tilted
    merged: Tilted
    step: float
    theta: float
    slack: float


def evaluate(plan: Plan) -> Composed:
    """Return the composition that the plan describes."""
    spread: Units = []
    merged: Units = []
    slack = 0.0
    last = len(plan.steps) - 1
    for j, step in enumerate(plan.steps):
        for pair, count in plan.entering[j]:
            alignment = pair.alignment
            entering = leaf(pair, step, plan.theta, alignment.anchor if alignment else 0.0, plan.leaf_tail, plan.log_cap)
            slack += count * entering.slack
            spread.append((entering.spread, count))
            merged.append((entering.merged, count))
        tail = plan.tails[j]
        if j == last:
            return Composed(compose_spread(spread, tail), compose_merged(merged, tail), step, plan.theta, slack * (1.0 + 1e-9))
        factor = plan.factors[j]
        spread = [
            (coarsen_spread(block, step, plan.theta, factor), count)
            for block, count in _blocks(spread, plan.branching, tail, compose_spread)
        ]
        merged = [
            (coarsen_merged(block, step, plan.theta, factor), count)
            for block, count in _blocks(merged, plan.branching, tail, compose_merged)
        ]
    raise AssertionError("a plan has at least one level")


def _blocks(units: Units, branching: int, tail: float, compose: Callable[[Units, float], Tilted]) -> Units:
    """Compose units into blocks of about `branching` each: powers of one unit first, then the remainders together."""
    blocks: Units = []
    rest: Units = []
    room = 0
    for unit, count in units:
        whole, left = divmod(count, branching)
        if whole:
            blocks.append((compose([(unit, branching)], tail), whole))
        if not left:
            continue
        if rest and left > room:
            blocks.append((compose(rest, tail), 1))
            rest = []
        if not rest:
            room = branching
        rest.append((unit, left))
        room -= left
    if rest:
        blocks.append((compose(rest, tail), 1))
    return blocks
