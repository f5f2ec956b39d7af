"""Ask, look at the width, refine: brackets for delta and epsilon over both directions (M9).

What is computed, and in which order, depends on the question alone; the tolerance says only where to stop. Each
computation leaves a bracket inside the one before, so that asking for a narrower one never gives a wider one.
"""

import math
from collections.abc import Iterator, Sequence

from tightbudget.engine.direction import OneDirection
from tightbudget.engine.question import PATIENT, Asker, DeltaAsker, EpsilonAsker
from tightbudget.engine.route import ROUNDING
from tightbudget.errors import Contradiction
from tightbudget.numerics.bracket import Bracket

_STAGES = tuple(10.0**-k for k in range(3, 16))  # tolerances, of which the first is the default
_TURNS = 24  # computations of a direction in one stage before we say that the bracket stays as it is


def delta_bracket(directions: Sequence[OneDirection], epsilon: float, rtol: float, atol: float) -> Bracket:
    """Return a bracket of delta(epsilon) = the larger of the two directions' deltas."""
    return _refined([DeltaAsker(direction, epsilon) for direction in directions], rtol, atol)


def epsilon_bracket(directions: Sequence[OneDirection], delta: float, rtol: float, atol: float) -> Bracket:
    """Return a bracket of the smallest epsilon >= 0 with delta(epsilon) <= delta."""
    return _refined([EpsilonAsker(direction, delta) for direction in directions], rtol, atol)


def _refined(askers: Sequence[Asker], rtol: float, atol: float) -> Bracket:
    """Bring the larger of the askers' answers into a bracket as narrow as asked."""
    for lower, upper in _brackets(askers, rtol):
        if lower > upper:
            raise Contradiction(lower, upper)
        if lower == upper or upper - lower <= max(rtol * upper, atol) < math.inf:
            return Bracket(lower, upper)
    if math.isinf(upper):  # and lower is not: no multiple of it is a width
        return Bracket(lower, upper, converged=False, reason=next(one.without_end for one in askers if one.upper == upper))
    reason = next((asker.reason for asker in askers if asker.upper == upper and asker.reason), ROUNDING)
    return Bracket(lower, upper, converged=False, reason=reason)


def _brackets(askers: Sequence[Asker], rtol: float) -> Iterator[tuple[float, float]]:
    """Yield brackets, each inside the one before. Of the tolerance depends only after which stage they end."""
    first = min((asker.first_stage for asker in askers), default=_STAGES[0])
    reached = True
    for stage in _STAGES:
        # what was not reached is out of reach with the same work
        if stage > first or (not reached and stage >= PATIENT):
            continue
        for asker in askers:
            asker.aim(stage)
        yield from _first_round(askers, stage)
        for _ in range(_TURNS):
            lower, upper = _both(askers)
            wanted = stage * upper if math.isfinite(upper) else 0.0
            # those that keep the bracket wide: their upper end is too far above what is certain
            wide = [asker for asker in askers if asker.upper > lower + wanted]
            reached = upper - lower <= wanted
            if reached or not any([asker.advance(wanted, wanted) for asker in wide]):
                break
            yield _both(askers)
        if not reached:
            for asker in wide:
                asker.cheapen()
            yield _both(askers)
        if stage <= rtol or (not reached and stage < PATIENT):
            return


def _first_round(askers: Sequence[Asker], stage: float) -> Iterator[tuple[float, float]]:
    """Ask the direction that seems larger, and the other one as well as it takes to see which is."""
    ordered = sorted(askers, key=lambda asker: -asker.estimate)
    rough = max((asker.estimate for asker in askers), default=0.0)
    certain = 0.0
    for asker in ordered:
        if not asker.settled:
            if 0.0 < certain < asker.upper:
                asker.cheapen()
            # A direction that is clearly the smaller one need only be known well enough to see that it is.
            if asker.upper > certain:
                asker.advance(max(stage * rough, 0.3 * (rough - asker.estimate)), stage * rough)
        certain = max(certain, asker.lower)
    yield _both(askers)


def _both(askers: Sequence[Asker]) -> tuple[float, float]:
    lower = max((asker.lower for asker in askers), default=0.0)
    upper = max((asker.upper for asker in askers), default=0.0)
    return lower, upper
