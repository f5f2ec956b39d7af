"""The questions: epsilon, delta and the curve of whatever is composed, answered by brackets over both directions."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from tightbudget.engine.closed.one_step import Ends
from tightbudget.engine.direction import OneDirection
from tightbudget.engine.reasons import NOT_PROVEN_HERE, OF_A_CLASS
from tightbudget.engine.refine import delta_bracket, ends_above, ends_below, epsilon_bracket, epsilon_estimate, in_closed_form
from tightbudget.errors import Contradiction, InvalidParameter
from tightbudget.keywords import says_its_arguments
from tightbudget.mechanisms.answers import Curve, joined_curves
from tightbudget.mechanisms.arrays import ask_each, float_array
from tightbudget.mechanisms.below_zero import delta_below_zero
from tightbudget.mechanisms.checks import any_epsilon_asked, asked_width, delta_asked
from tightbudget.mechanisms.class_bracket import NO_ESTIMATES, NO_LOOKS, Estimates, Looks, ends_of_class
from tightbudget.mechanisms.moment_bound import epsilon_by_moments
from tightbudget.mechanisms.whole_range import end_of_range, epsilons_between
from tightbudget.numerics.bracket import Bracket
from tightbudget.pairs.base import Direction
from tightbudget.pairs.choosing_analyst import ChoosingAnalyst

if TYPE_CHECKING:
    from tightbudget.mechanisms.composition import Composable
    from tightbudget.mechanisms.mechanism import Mechanism

NEGLIGIBLE_WIDTH = 1e-300
USUAL_POINTS = 101
_OTHER = {Direction.REMOVE: Direction.ADD.value, Direction.ADD: Direction.REMOVE.value}


class Questions:
    """What can be asked of anything composed; `Composable` says what it is composed of."""

    _only: Direction | None = None  # the one direction that is asked about; None for both

    @overload
    def delta(
        self, epsilon: float, rtol: float = ..., atol: float = ..., effort: float | None = ..., *,
        relation: str | None = ..., direction: str | None = ...,
    ) -> Bracket: ...  # fmt: skip
    @overload
    def delta(
        self, epsilon: ArrayLike, rtol: float = ..., atol: float = ..., effort: float | None = ..., *,
        relation: str | None = ..., direction: str | None = ...,
    ) -> Any: ...  # fmt: skip
    @says_its_arguments
    def delta(
        self, epsilon: Any, rtol: float = 1e-3, atol: float = NEGLIGIBLE_WIDTH, effort: float | None = None, *,
        relation: str | None = None, direction: str | None = None,
    ) -> Any:  # fmt: skip
        """Return a bracket of delta(epsilon), for arrays an array of brackets.

        Guarantee: lower <= sup_S A(S) - e^epsilon B(S) <= upper for the larger of both directions, rounding included;
        epsilon may be negative. `rtol` (relative to the upper end) and `atol` say how narrow the bracket should be;
        `converged` whether it is, and `trace` how it was made. `effort` limits the lists that are made: one unit is
        half a million points for each route, which take a second or so. By default it is 1, and 4 where `rtol` is below
        1e-4; and ends of a class of cases that are sure to stay apart are known to a part of their distance only,
        unless an effort is given: the upper one to 1e-4, the lower one to ten times `rtol`, from 1e-3 to 1e-2.

        `relation` is the neighbouring relation to ask about, by default the one that the steps state. With `direction`
        "remove" or "add" only that direction counts: A is the output with the record, or without it.
        """
        width = asked_width(rtol, atol, effort)
        asked = self.asked(relation, direction)
        return ask_each(epsilon, lambda value: asked._delta(any_epsilon_asked(value), *width))

    @overload
    def epsilon(
        self, delta: float, rtol: float = ..., atol: float = ..., effort: float | None = ..., *,
        relation: str | None = ..., direction: str | None = ...,
    ) -> Bracket: ...  # fmt: skip
    @overload
    def epsilon(
        self, delta: ArrayLike, rtol: float = ..., atol: float = ..., effort: float | None = ..., *,
        relation: str | None = ..., direction: str | None = ...,
    ) -> Any: ...  # fmt: skip
    @says_its_arguments
    def epsilon(
        self, delta: Any, rtol: float = 1e-3, atol: float = NEGLIGIBLE_WIDTH, effort: float | None = None, *,
        relation: str | None = None, direction: str | None = None,
    ) -> Any:  # fmt: skip
        """Return a bracket of the smallest epsilon >= 0 with at most the delta given; the rest as in `delta`."""
        width = asked_width(rtol, atol, effort)
        asked = self.asked(relation, direction)
        return ask_each(delta, lambda value: asked._epsilon(delta_asked(value), *width))

    def curve(
        self,
        epsilons: "ArrayLike | None" = None,
        rtol: float = 1e-3,
        atol: float = NEGLIGIBLE_WIDTH,
        effort: float | None = None,
        *,
        relation: str | None = None,
        direction: str | None = None,
    ) -> Curve:
        """Return lower and upper bounds of delta at each of the epsilons; `relation` and `direction` as in `delta`.

        Without epsilons, 101 of them from 0 to where delta is negligible, 1e-10 of what it is at 0, or no longer falls,
        and more where it falls steeply. delta falls as epsilon rises, so each bound also holds for the epsilons on one
        side of its own.
        """
        composition = self.asked(relation, direction)
        if composition is not self:
            return composition.curve(epsilons, rtol, atol, effort)
        self.check_proven()
        if epsilons is None:
            even = self.curve(np.linspace(0.0, end_of_range(composition), USUAL_POINTS), rtol, atol, effort)
            return joined_curves(even, self.curve(epsilons_between(even), rtol, atol, effort))
        values = np.atleast_1d(float_array(epsilons))
        brackets = [self.delta(value, rtol, atol, effort) for value in values.ravel().tolist()]
        order = np.argsort(values, axis=None, kind="stable")
        lower, upper = np.empty(values.size), np.empty(values.size)
        upper[order] = np.minimum.accumulate(np.array([brackets[i].upper for i in order]))
        lower[order] = np.maximum.accumulate(np.array([brackets[i].lower for i in order])[::-1])[::-1]
        converged = all(bracket.converged for bracket in brackets)
        ends = lower.reshape(values.shape), upper.reshape(values.shape)
        return Curve(values, *ends, converged, self.answers_for, str(self), composition)

    def _delta(self, epsilon: float, rtol: float, atol: float, effort: float | None) -> Bracket:
        if epsilon < 0.0:
            other = self if self._only is None else self.asked(None, _OTHER[self._only])
            return delta_below_zero(epsilon, other._delta(-epsilon, rtol, atol, effort))
        answer, members = ends_of_class(
            [partial(delta_bracket, way, epsilon, atol=atol, effort=effort) for way in self._ways],
            [partial(member._delta, epsilon, atol=atol, effort=effort) for member in self._members],
            rtol,
            pursue=effort is not None,
        )
        if members and self._analyst:
            members.append(Bracket(self._analyst.delta(epsilon), 1.0))
        return self._labelled(self._of_a_class(answer, members, rtol, atol) if members else answer)

    def _epsilon(self, delta: float, rtol: float, atol: float, effort: float | None, ends: Ends = Ends.BOTH) -> Bracket:
        """Return the bracket; where all has a closed form, with the ends that are asked for alone."""
        # of each direction the lower end is one: where one is larger, the other is asked only if no effort is spared
        members = tuple(one._larger_alone for one in self._members) if effort is None else self._members
        at_once = bool(members) and all(map(in_closed_form, self._ways)) and all(map(Questions._one_closed_form, members))
        above = Ends.UPPER if at_once else ends
        below = [Ends.LOWER if at_once or (effort is None and one._composed_alone) else Ends.BOTH for one in members]
        # the quick ones first; of one step alone the steps apart, which then are the better way
        ways = self._ways[::-1] if at_once else sorted(self._ways, key=lambda way: not in_closed_form(way))
        answer, found = ends_of_class(
            [partial(epsilon_bracket, way, delta, atol=atol, effort=effort, ends=above) for way in ways],
            [
                partial(member._epsilon, delta, atol=atol, effort=effort, ends=end)
                for member, end in zip(members, below, strict=True)
            ],
            rtol,
            pursue=effort is not None,
            at_once=at_once,
            estimates=_estimates(ways, members, delta) if not at_once else NO_ESTIMATES,
            looks=_looks(ways, members, delta) if at_once else NO_LOOKS,
        )
        if math.isinf(answer.upper) and found:
            by_moments = epsilon_by_moments(self._parts, self._only, delta)
            answer = Bracket(min(answer.lower, by_moments), by_moments, False, answer.reason, trace=answer.trace)
        if found and self._analyst:
            found.append(Bracket(self._analyst.epsilon(delta), math.inf))
        return self._labelled(self._of_a_class(answer, found, rtol, atol) if found else answer)

    def _one_closed_form(self) -> bool:
        """Whether it is no class, and has its profile in closed form."""
        return not self._members and len(self._ways) == 1 and in_closed_form(self._directions)

    @property
    def _composed_alone(self) -> bool:
        """Whether it is no class, and has to be composed: then its upper end tells how well the lower one is known."""
        return not self._members and len(self._ways) == 1 and not in_closed_form(self._directions)

    @property
    def _ways(self) -> tuple[tuple[OneDirection, ...], ...]:
        """The ways to bound the composition from above, of which the least bound counts."""
        return (self._directions,) if self._directions_apart is None else (self._directions, self._directions_apart)

    def _labelled(self, answer: Bracket) -> Bracket:
        if self.rests_on and answer.upper > answer.lower:
            reason = NOT_PROVEN_HERE.format(self.rests_on)
            return Bracket(answer.lower, answer.upper, False, reason, self.answers_for, answer.trace)
        return Bracket(answer.lower, answer.upper, answer.converged, answer.reason, self.answers_for, answer.trace)

    def check_proven(self) -> None:
        """Raise InvalidParameter if upper ends rest on what is not proven here: only single brackets say so."""
        if self.rests_on:
            hint = (
                f"{self.rests_on[0].upper()}{self.rests_on[1:]} has not been checked: ask for epsilon or delta, which say so."
            )
            raise InvalidParameter("composition", str(self), "one whose bounds are proven here", hint)

    def _of_a_class(self, answer: Bracket, members: list[Bracket], rtol: float, atol: float) -> Bracket:
        """Return the upper end of the pairs that dominate a class with the largest lower end of its members."""
        steps = [step for step, _ in self._parts]
        reasons = [step.class_reason for step in steps if step.is_class] or [step.class_reason for step in steps]
        reason = next((reason for reason in reasons if reason != OF_A_CLASS), OF_A_CLASS)
        return _answer_with_member(answer, max(members, key=lambda member: member.lower), rtol, atol, reason)

    def asked(self, relation: str | None = None, direction: str | Direction | None = None) -> "Composable":
        """Return what a question under a relation, or about one direction, is about."""
        raise NotImplementedError

    @property
    def answers_for(self) -> str:
        """The neighbouring relation the answers are for: several joined by + where steps were mixed on purpose."""
        raise NotImplementedError

    @property
    def rests_on(self) -> str:
        """Theorems that upper ends rest on and whose proofs have not been checked here; nothing of almost all steps."""
        raise NotImplementedError

    @property
    def _parts(self) -> "tuple[tuple[Mechanism, int], ...]":
        """The steps with their counts, where they may be added up."""
        raise NotImplementedError

    @property
    def _directions(self) -> tuple[OneDirection, ...]:
        """The steps as the engine takes them, in each direction that counts."""
        raise NotImplementedError

    @property
    def _directions_apart(self) -> tuple[OneDirection, ...] | None:
        """The same in another sound way, if there is one: the smaller upper end counts."""
        raise NotImplementedError

    @property
    def _members(self) -> "tuple[Questions, ...]":
        """Compositions that can occur, where the pairs here dominate a class and no member attains them all."""
        raise NotImplementedError

    @property
    def _larger_alone(self) -> "Questions":
        """The same in the direction that is known to be the larger one; in both if none is."""
        raise NotImplementedError

    @property
    def _analyst(self) -> ChoosingAnalyst | None:
        """Who chooses, after each answer, which of several members the next step is; None if we know of nobody."""
        raise NotImplementedError


Directions = tuple[OneDirection, ...]


def _estimates(ways: Sequence[Directions], members: Sequence[Questions], delta: float) -> Estimates:
    """Return estimates of epsilon, where all members have to be composed."""
    if not all(one._composed_alone for one in members):
        return NO_ESTIMATES
    return Estimates(
        [partial(epsilon_estimate, way, delta) for way in ways],
        [partial(epsilon_estimate, one._directions, delta) for one in members],
    )


def _looks(ways: Sequence[Directions], members: Sequence[Questions], delta: float) -> Looks:
    """Return looks at closed forms: whether they have more than delta above an epsilon, or less."""
    return Looks(
        [partial(ends_above, way, delta) for way in ways], [partial(ends_below, one._directions, delta) for one in members]
    )


def _answer_with_member(answer: Bracket, member: Bracket, rtol: float, atol: float, reason: str) -> Bracket:
    """Return the upper end of an answer with the lower end of a member."""
    if member.lower > answer.upper:
        raise Contradiction(member.lower, answer.upper)
    trace = (*answer.trace, *(replace(one, direction=f"{one.direction}, one member") for one in member.trace))
    wanted = max(rtol * answer.upper, atol) if math.isfinite(answer.upper) else 0.0  # no end is near an infinite one
    if answer.upper == member.lower or answer.upper - member.lower <= wanted:
        return Bracket(member.lower, answer.upper, trace=trace)
    return Bracket(member.lower, answer.upper, converged=False, reason=reason, trace=trace)
