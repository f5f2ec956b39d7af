"""The course of a budget as a page draws it: steps under a limit, in a square of 100."""

from datetime import UTC, datetime, timedelta

from tightbudget.interfaces.web.budget_view import course_of
from tightbudget.ledger.timeline import Point, Timeline

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(hours: int) -> datetime:
    return START + timedelta(hours=hours)


def test_what_was_used_is_drawn_as_steps_from_below() -> None:
    points = (Point(at(0), 0.0, 0.0, 2.0), Point(at(1), 0.5, 1.0, 2.0), Point(at(2), 1.0, 1.0, 2.0))
    course = course_of(Timeline("rho", points, ((at(4), 1.0),), None))
    assert course is not None
    assert course.spent == "M0,100.00H25.00V75.00H50.00V50.00H100V100H0Z"
    assert course.used == "M0,100.00H25.00V50.00H50.00V50.00H100V100H0Z"
    assert course.cap == "M0,0.00H25.00V0.00H50.00V0.00H100"
    assert course.refusals == (("100.00%", "50.00%", "2026-01-01 04:00:00: refused"),)
    assert (course.limit, course.top, course.first, course.last) == ("rho", "2", at(0), at(4))


def test_a_limit_that_was_lowered_stays_in_the_picture() -> None:
    course = course_of(Timeline("rho", (Point(at(0), 0.0, 0.0, 2.0), Point(at(1), 0.0, 0.0, 0.5)), (), None))
    assert course is not None
    assert course.cap == "M0,0.00H100.00V75.00H100"


def test_nothing_is_drawn_where_there_is_nothing_to_see() -> None:
    moment = Point(at(0), 0.0, 0.0, 2.0)
    assert course_of(Timeline("rho", (moment,), (), None)) is None
    for cap in (0.0, float("inf")):
        assert course_of(Timeline("rho", (Point(at(0), 0.0, 0.0, cap), Point(at(1), 0.0, 0.0, cap)), (), None)) is None
