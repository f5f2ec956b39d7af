"""Ends of a class: which are asked again, how well, and that the least bound and all members are returned."""

import pytest

import tightbudget as tb
from tightbudget.engine.refine import epsilon_bracket
from tightbudget.mechanisms.class_bracket import ends_of_class
from tightbudget.numerics.bracket import Bracket

ONE_STEP = [
    "truncated_poisson(gaussian(sigma=1), q=0.01, cap=128, examples=10000)",
    "truncated_poisson(gaussian(sigma=1), q=0.01, cap=128, examples=10000, relation='replace_one')",
    "truncated_poisson(gaussian(sigma=1), q=0.01, cap=128, examples=10000, relation='zero_out')",
    "with_replacement(gaussian(sigma=1, sensitivity=0.5), batch=100, examples=10000)",
    "without_replacement(gaussian(sigma=1, sensitivity=0.5), batch=100, examples=10000, relation='zero_out')",
    "poisson(zcdp(rho=1), q=0.01)",
]


class Known:
    """Something about `value` that is as well known as asked, and remembers what was asked."""

    def __init__(self, value: float) -> None:
        self.value, self.asked = value, list[float]()

    def __call__(self, rtol: float) -> Bracket:
        self.asked.append(rtol)
        return Bracket(self.value * (1.0 - 0.4 * rtol), self.value * (1.0 + 0.4 * rtol))


def test_one_way_without_members_is_asked_once() -> None:
    way = Known(2.0)
    assert ends_of_class([way], [], 1e-6, pursue=False)[0].upper == way(1e-6).upper
    assert way.asked == [1e-6, 1e-6]


@pytest.mark.parametrize("order", [1, -1])
def test_a_worse_way_is_left_and_the_better_one_counts(order: int) -> None:
    worse, better = Known(3.0), Known(2.0)
    answer, _ = ends_of_class([worse, better][::order], [Known(1.9999)], 1e-6, pursue=False)
    assert answer == better(1e-6)
    assert worse.asked == [1e-3]


def test_a_way_that_may_be_better_is_asked_again() -> None:
    first, second = Known(2.0), Known(2.0 - 1e-4)
    answer, _ = ends_of_class([first, second], [Known(1.9)], 1e-6, pursue=True)
    assert answer == second(1e-6)
    assert first.asked == [1e-3, 1e-6]


def test_far_ends_are_known_to_a_share_of_their_distance() -> None:
    way, member = Known(2.0), Known(1.0)
    answer, (lower,) = ends_of_class([way], [member], 1e-9, pursue=False)
    for end in (answer, lower):
        assert end.upper - end.lower <= 1.01e-4 * (answer.upper - lower.lower)
    assert min(way.asked + member.asked) > 1e-5
    ends_of_class([way], [member], 1e-9, pursue=True)
    assert way.asked[-1] == member.asked[-1] == 1e-9


def test_ends_that_may_meet_are_asked_as_well_as_wanted() -> None:
    way, member = Known(2.0), Known(2.0 - 1e-7)
    ends_of_class([way], [member], 1e-6, pursue=False)
    assert way.asked == member.asked == [1e-3, 1e-6]


def test_a_member_that_cannot_be_the_largest_is_asked_once() -> None:
    small, large = Known(1.0), Known(1.9)
    _, found = ends_of_class([Known(2.0)], [small, large], 1e-6, pursue=True)
    assert [member.upper for member in found] == [small(1e-3).upper, large(1e-6).upper]


def test_closed_forms_are_asked_once_each() -> None:
    worse, better, members = Known(3.0), Known(2.0), [Known(1.0), Known(1.5)]
    answer, found = ends_of_class([worse, better], members, 1e-6, pursue=False, at_once=True)
    assert answer == better(1e-6)
    assert [one.upper for one in found] == [member(1e-6).upper for member in members]
    assert worse.asked == [1e-6]


@pytest.mark.parametrize("text", ONE_STEP)
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-12])
def test_ends_of_one_step_are_those_of_brackets(text: str, delta: float) -> None:
    """Each end alone, where the whole bracket of the pair and of the member has it too."""
    step = tb.parse(text)
    found = step.epsilon(delta)
    whole = [epsilon_bracket(way, delta, 1e-9, 1e-300) for way in step._ways]
    members = [epsilon_bracket(member._directions, delta, 1e-9, 1e-300) for member in step._members]
    assert members
    assert found.upper == pytest.approx(min(way.upper for way in whole), rel=1e-9)
    assert found.lower == pytest.approx(max(member.lower for member in members), rel=1e-9)
    assert found.upper >= min(way.lower for way in whole)
    assert found.lower <= max(member.upper for member in members)


@pytest.mark.parametrize("text", ONE_STEP)
def test_each_end_of_one_step_is_searched_alone(text: str) -> None:
    trace = tb.parse(text).epsilon(1e-6).trace
    above = [attempt for attempt in trace if not attempt.direction.endswith("member")]
    assert above
    assert all(attempt.lower == 0.0 for attempt in above)
    assert len(trace) > len(above)
