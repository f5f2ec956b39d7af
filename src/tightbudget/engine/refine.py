"""Pick a route, try it, intersect, stop: brackets for delta and epsilon over both directions (M9).

What is computed, and in which order, depends on the question and the effort alone; the tolerance says only where to
stop. Each computation leaves a bracket inside the one before, so that asking for a narrower one never gives a wider
one.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tightbudget.engine.closed.one_step import Ends
from tightbudget.engine.direction import OneDirection
from tightbudget.engine.question import USUAL, DeltaQuestion, DirectionQuestion, EpsilonQuestion
from tightbudget.engine.reasons import ROUNDING
from tightbudget.engine.sharing.work import shared_direction
from tightbudget.engine.stage import Stage
from tightbudget.errors import Contradiction
from tightbudget.numerics.attempt import Attempt
from tightbudget.numerics.bracket import Bracket

_STAGES = tuple(10.0**-k for k in range(3, 16))  # tolerances, of which the first is the default
_LATTICE = 1e-5  # the first stage where fine is cheap: with it the answer is nearly as narrow as it gets
_TURNS = 24  # computations of a direction in one stage before we say that the bracket stays as it is
SURELY_LESS = 0.9
"""Of an answer: what is estimated below that, where estimates are to be trusted, is less."""

_MOST_POINTS = 2.0**19  # of all lists of a route, for each unit of effort: a second, and some 80 MB

PATIENT = 1e-4
"""Whoever asks for a narrower bracket than this is taken to allow four times the work, unless `effort` is given."""
_PATIENCE = 4.0  # times the work; then the longest lists are 2^21, which is what one transform may take


def delta_bracket(
    directions: Sequence[OneDirection], epsilon: float, rtol: float, atol: float, effort: float | None = None
) -> Bracket:
    """Return a bracket of delta(epsilon) = the larger of the two directions' deltas."""
    trace: list[Attempt] = []
    questions = [DeltaQuestion(shared_direction(direction), epsilon, trace) for direction in directions]
    return _refined_bracket(questions, rtol, atol, effort, trace)


def epsilon_bracket(
    directions: Sequence[OneDirection],
    delta: float,
    rtol: float,
    atol: float,
    effort: float | None = None,
    ends: Ends = Ends.BOTH,
) -> Bracket:
    """Return a bracket of the smallest epsilon >= 0 with delta(epsilon) <= delta.

    Where every direction has a closed form, only the ends that are asked for are found, the other says little. Else,
    if only the lower end is asked for, the upper one is that of a direction beside which the other seems to be smaller.
    """
    trace: list[Attempt] = []
    questions: list[EpsilonQuestion] = []
    lower_alone = ends is Ends.LOWER and not in_closed_form(directions)
    if not in_closed_form(directions):
        ends = Ends.BOTH
    for direction in directions:
        larger = max((question.estimate.answer for question in questions), default=0.0)
        # a direction that stays below this end of another does not matter
        known = (question.upper if ends is Ends.UPPER else question.lower for question in questions)
        questions.append(EpsilonQuestion(shared_direction(direction), delta, trace, larger, max(known, default=0.0), ends))
    if lower_alone:
        questions.sort(key=lambda question: -question.estimate.answer)
        answer = _refined_bracket(questions[:1], rtol, atol, effort, trace)
        if all(one.regular and one.estimate.answer < SURELY_LESS * answer.lower for one in questions[1:]):
            return answer
    answer = _refined_bracket(questions, rtol, atol, effort, trace)
    for question in questions:
        if question.upper < answer.lower:  # what is small beside the other direction is so for neighbours
            question.direction.learn_upper(delta, question.upper)
        elif answer.converged:
            question.learn(answer.width, max(rtol * answer.upper, atol))
    return answer


def epsilon_estimate(directions: Sequence[OneDirection], delta: float) -> float:
    """Return about what `epsilon_bracket` will, where that is to be trusted without any composition; else NaN."""
    questions = [EpsilonQuestion(shared_direction(direction), delta, []) for direction in directions]
    regular = all(question.settled or question.regular for question in questions)
    return max((question.estimate.answer for question in questions), default=0.0) if regular else math.nan


def ends_above(directions: Sequence[OneDirection], delta: float, epsilon: float) -> bool:
    """Whether one look at a closed form shows that the upper end of epsilon is above the one given."""
    found = (direction.exact(epsilon, Ends.UPPER) for direction in directions)
    return any(one is not None and one[1] > delta for one in found)


def ends_below(directions: Sequence[OneDirection], delta: float, epsilon: float) -> bool:
    """Whether one look at a closed form shows that the lower end of epsilon is below the one given."""
    found = (direction.exact(epsilon, Ends.LOWER) for direction in directions)
    return all(one is not None and one[0] < delta for one in found)


def in_closed_form(directions: Sequence[OneDirection]) -> bool:
    """Whether every direction has its profile in closed form."""
    return all(direction.closed_form for direction in directions)


class _RefinedEnds(NamedTuple):
    """A bracket of the larger direction's answer, and why it is not narrower."""

    lower: float
    upper: float
    reason: str


def _refined_bracket(
    questions: Sequence[DirectionQuestion], rtol: float, atol: float, effort: float | None, trace: list[Attempt]
) -> Bracket:
    """Bring the larger of the answers into a bracket as narrow as asked."""
    for found in _refining_brackets(questions, rtol, effort):
        if found.lower == found.upper or found.upper - found.lower <= max(rtol * found.upper, atol) < math.inf:
            return Bracket(found.lower, found.upper, trace=tuple(trace))
    reason = found.reason or ROUNDING
    if math.isinf(found.upper):  # and the lower end is not: no multiple of it is a width
        reason = next(one.without_end for one in questions if one.upper == found.upper)
    return Bracket(found.lower, found.upper, converged=False, reason=reason, trace=tuple(trace))


def _refining_brackets(questions: Sequence[DirectionQuestion], rtol: float, effort: float | None) -> Iterator[_RefinedEnds]:
    """Yield brackets, each inside the one before, with what holds them back; the tolerance only ends them."""
    stages: list[Stage] = []
    reached = True
    if all(question.settled for question in questions):
        yield _both_directions(questions)
        return
    first = min((_LATTICE if question.direction.fine_is_cheap else USUAL for question in questions), default=USUAL)
    for tolerance in _STAGES:
        # what was not reached is out of reach with the same work
        if tolerance > first or (not reached and tolerance >= PATIENT):
            continue
        most_points = _MOST_POINTS * (effort or (_PATIENCE if tolerance < PATIENT and stages else 1.0))
        before: Sequence[Stage | None] = stages or [None] * len(questions)
        stages = [Stage(one, tolerance, most_points, last) for one, last in zip(questions, before, strict=True)]
        yield from _first_round(stages, tolerance)
        for _ in range(_TURNS):
            lower, upper, _ = _both_directions(questions)
            wanted = tolerance * upper if math.isfinite(upper) else 0.0
            # those that keep the bracket wide: their upper end is too far above what is certain
            wide = [stage for stage in stages if stage.question.upper > lower + wanted]
            reached = upper - lower <= wanted
            if reached or not any([stage.advance(wanted, wanted) for stage in wide]):
                break
            yield _both_directions(questions, stages)
        if not reached:
            for stage in wide:
                stage.bound_cheaply()
            yield _both_directions(questions, stages)
        if tolerance <= rtol or (not reached and (tolerance < PATIENT or effort is not None)):
            return


def _first_round(stages: Sequence[Stage], tolerance: float) -> Iterator[_RefinedEnds]:
    """Ask the direction that seems larger, and the other one as well as it takes to see which is."""
    rough = max((stage.question.likely for stage in stages), default=0.0)
    certain = 0.0
    for stage in sorted(stages, key=lambda stage: -stage.question.likely):
        question = stage.question
        if not question.settled:
            if 0.0 < certain < question.upper and question.chernoff_may_show(certain):
                stage.bound_cheaply(certain)
            # A direction that is clearly the smaller one need only be known well enough to see that it is.
            if question.upper > certain:
                stage.advance(
                    max(tolerance * rough, question.direction.gap_share * (rough - question.likely)), tolerance * rough
                )
        certain = max(certain, question.lower)
    yield _both_directions([stage.question for stage in stages], stages)


def _both_directions(questions: Sequence[DirectionQuestion], stages: Sequence[Stage] = ()) -> _RefinedEnds:
    for one in questions:  # behind the other direction's larger answer a contradiction would not be seen
        if one.lower > one.upper:
            raise Contradiction(one.lower, one.upper)
    lower = max((question.lower for question in questions), default=0.0)
    upper = max((question.upper for question in questions), default=0.0)
    return _RefinedEnds(lower, upper, next((one.reason for one in stages if one.question.upper == upper and one.reason), ""))
