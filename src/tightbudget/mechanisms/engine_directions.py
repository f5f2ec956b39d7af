"""Steps of mechanisms as the engine takes them: a pair for each in each direction, promises on moments added up."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tightbudget.engine.direction import OneDirection
from tightbudget.engine.steps import Steps, engine_steps
from tightbudget.pairs.base import Direction

if TYPE_CHECKING:
    from tightbudget.mechanisms.mechanism import Mechanism

    Parts = tuple[tuple[Mechanism, int], ...]


def steps_in_direction(parts: "Parts", direction: Direction) -> Steps:
    """Return the pairs of the steps in one direction, with their counts; promises on moments make one pair (M34)."""
    return _pairs_of(_promises_summed(parts), direction)


def directions_of(parts: "Parts", only: Direction | None) -> tuple[OneDirection, ...]:
    """Return the directions in which the steps differ, or only the one that is asked about."""
    return _one_or_both_directions(_promises_summed(parts), only)


def directions_with_promises_apart(parts: "Parts", only: Direction | None) -> tuple[OneDirection, ...] | None:
    """Return the same with a pair for each promise on a sample, if there are several: either way is sound (M34)."""
    apart = [part for part in parts if _is_sampled_promise(part[0])]
    if not apart or _has_one_promise(parts):
        return None
    return _one_or_both_directions([*apart, *_promises_summed(tuple(part for part in parts if part not in apart))], only)


def attains_pair(step: "Mechanism") -> bool:
    """Whether a single step attains its pair, and what it runs on a sample does too."""
    return step.attains_pair and (step.whole == step or attains_pair(step.whole))


def _one_or_both_directions(parts: "Iterable[tuple[Mechanism, int]]", only: Direction | None) -> tuple[OneDirection, ...]:
    if only is not None:
        return (OneDirection(_pairs_of(parts, only), only.value),)
    remove, add = (_pairs_of(parts, direction) for direction in Direction)
    if remove == add:
        return (OneDirection(remove, "both"),)
    return OneDirection(remove, Direction.REMOVE.value), OneDirection(add, Direction.ADD.value)


def _pairs_of(parts: "Iterable[tuple[Mechanism, int]]", direction: Direction) -> Steps:
    # a mechanism without a pair in a direction reveals nothing
    pairs = ((mechanism.pair(direction), count) for mechanism, count in parts)
    return engine_steps((pair, count) for pair, count in pairs if pair is not None)


def _is_sampled_promise(step: "Mechanism") -> bool:
    return step.subsamples and step.moment_promise is not None


def _has_one_promise(parts: "Parts") -> bool:
    return sum(count for step, count in parts if step.moment_promise is not None) == 1


def _promises_summed(parts: "Parts") -> "Iterable[tuple[Mechanism, int]]":
    """Return the steps with all promises on moments as one (M34); of a single one, the pair of its own is no worse."""
    block = [(step.moment_promise, count) for step, count in parts if step.moment_promise is not None]
    if not block or (_has_one_promise(parts) and any(_is_sampled_promise(step) for step, _ in parts)):
        return parts
    return [*(part for part in parts if part[0].moment_promise is None), (block[0][0].summed(block), 1)]
