"""Ends of a class: which are asked again, how well, and that the least bound and all members are returned."""

import math

import pytest

import tightbudget as tb
from tightbudget.engine.closed.one_step import Ends
from tightbudget.engine.refine import ends_above, ends_below, epsilon_bracket
from tightbudget.mechanisms.class_bracket import Estimates, Looks, ends_of_class
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
    for end, share in ((answer, 1.1e-4), (lower, 1.1e-3)):
        assert end.upper - end.lower <= share * (answer.upper - lower.lower)
    assert min(way.asked + member.asked) > 1e-5
    ends_of_class([way], [member], 1e-9, pursue=True)
    assert way.asked[-1] == member.asked[-1] == 1e-9


def test_ends_that_may_meet_are_asked_as_well_as_wanted() -> None:
    way, member = Known(2.0), Known(2.0 - 1e-7)
    ends_of_class([way], [member], 1e-6, pursue=False)
    assert way.asked == [1e-3, 1e-6]
    assert member.asked == [0.03, 1e-3, 1e-6]


@pytest.mark.parametrize(("rtol", "share"), [(1e-3, 1e-2), (3e-4, 3e-3), (1e-6, 1e-3)])
def test_a_lower_end_far_below_is_known_to_a_share_of_the_distance(rtol: float, share: float) -> None:
    member = Known(0.01)
    _, (lower,) = ends_of_class([Known(1.0)], [member], rtol, pursue=False)
    assert member.asked == [0.03]  # a glance is enough
    member = Known(0.8)
    _, (lower,) = ends_of_class([Known(1.0)], [member], rtol, pursue=False)
    assert lower.upper - lower.lower <= share * (1.0 - lower.upper)
    assert member.asked[-1] > 0.2 * share


def test_a_narrower_bracket_asks_no_end_less_well() -> None:
    least = [math.inf, math.inf]
    for rtol in (1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-9):
        way, member = Known(1.0), Known(0.8)
        ends_of_class([way], [member], rtol, pursue=False)
        finest = [min(way.asked), min(member.asked)]
        assert finest[0] <= least[0]
        assert finest[1] <= least[1]
        least = finest


@pytest.mark.parametrize(("guess", "asked"), [(1.0, False), (1.45, True), (1.4999, False), (math.nan, True)])
def test_a_member_that_seems_smaller_or_as_large_as_another_is_not_asked(guess: float, asked: bool) -> None:
    small, large = Known(1.0), Known(1.5)
    about = Estimates(members=[lambda: guess, lambda: 1.5])
    _, found = ends_of_class([Known(2.0)], [small, large], 1e-3, pursue=False, estimates=about)
    assert max(one.upper for one in found) == pytest.approx(1.5, rel=0.01)
    assert bool(small.asked) == asked
    ends_of_class([Known(2.0)], [small, large], 1e-3, pursue=True, estimates=about)
    assert small.asked


def test_a_way_that_seems_much_worse_is_not_asked() -> None:
    better, worse, near = Known(2.0), Known(3.0), Known(2.1)
    about = Estimates(ways=[lambda: 2.0, lambda: 3.0, lambda: 2.1])
    answer, _ = ends_of_class([better, worse, near], [Known(1.0)], 1e-3, pursue=False, estimates=about)
    assert not worse.asked
    assert near.asked
    assert answer == better(1e-3)
    ends_of_class([better, worse], [Known(1.0)], 1e-3, pursue=True, estimates=about)
    assert worse.asked
    unknown = Known(1.8)
    answer, _ = ends_of_class(
        [better, unknown], [Known(1.0)], 1e-3, pursue=False, estimates=Estimates(ways=[lambda: 2.0, lambda: math.nan])
    )
    assert answer.upper < 1.9


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


def test_closed_forms_that_one_look_shows_to_be_worse_are_not_searched() -> None:
    ways, members = [Known(3.0), Known(4.0), Known(2.0)], [Known(1.0), Known(0.5), Known(1.5)]
    looks = Looks(
        [lambda least, one=one: one.value > least for one in ways], [lambda most, one=one: one.value < most for one in members]
    )
    answer, found = ends_of_class(ways, members, 1e-6, pursue=False, at_once=True, looks=looks)
    assert answer == ways[2](1e-6)
    assert max(one.lower for one in found) == members[2](1e-6).lower
    assert not ways[1].asked
    assert not members[1].asked


def test_a_look_at_a_closed_form_tells_on_which_side_its_ends_are() -> None:
    step = tb.parse("poisson(gaussian(sigma=1), q=0.01)")
    answer = step.epsilon(1e-6)
    for directions in (step._directions, step._directions[:1]):
        assert ends_above(directions, 1e-6, 0.99 * answer.lower)
        assert not ends_above(directions, 1e-6, answer.upper)
        assert ends_below(directions, 1e-6, 1.01 * answer.upper)
        assert not ends_below(directions, 1e-6, answer.lower)


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


@pytest.mark.parametrize(
    "text",
    [
        "without_replacement(gaussian(sigma=1, sensitivity=0.5), batch=100, examples=10000, relation='zero_out') * 2000",
        "truncated_poisson(gaussian(sigma=1), q=0.01, cap=128, examples=10000) * 100",
        "poisson(discrete_gaussian(sigma=1, sensitivity=2, dimension=8), q=0.01) * 2000",
        "poisson(zcdp(rho=1), q=0.01) * 10000",
    ],
)
def test_what_is_not_asked_makes_brackets_hardly_wider(text: str) -> None:
    found, pursued = tb.parse(text).epsilon(1e-6), tb.parse(text).epsilon(1e-6, effort=1.0)
    assert found.lower <= pursued.upper
    assert found.upper == pytest.approx(pursued.upper, rel=1e-3)
    assert found.lower >= pursued.lower - 0.011 * (pursued.upper - pursued.lower)


def test_a_lower_end_alone_is_that_of_the_larger_direction() -> None:
    member = tb.parse("poisson(gaussian(sigma=1), q=0.01) * 5000")
    both = epsilon_bracket(member._directions, 1e-6, 1e-3, 1e-300)
    alone = epsilon_bracket(member._directions, 1e-6, 1e-3, 1e-300, ends=Ends.LOWER)
    assert {one.direction for one in alone.trace} == {"remove"}
    assert alone.lower == both.lower
    # where the other one may be as large, it is looked at
    near = tb.parse("poisson(gaussian(sigma=50), q=0.5) * 5000")
    assert len({one.direction for one in epsilon_bracket(near._directions, 1e-6, 1e-3, 1e-300, ends=Ends.LOWER).trace}) == 2
