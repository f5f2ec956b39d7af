"""Ends of a class: which are asked again, how well, and that the least bound and all members are returned."""

import pytest

from tightbudget.mechanisms.class_bracket import ends_of_class
from tightbudget.numerics.bracket import Bracket


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
