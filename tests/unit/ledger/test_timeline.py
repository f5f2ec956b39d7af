"""The course of a budget ends where its status is, whatever happened on the way."""

from typing import Any

import pytest

import tightbudget as tb
from tightbudget.ledger import Ledger, timeline
from tightbudget.ledger.timeline import timeline_of

STEP = "laplace(scale=40)"


@pytest.mark.parametrize("kind", ["zcdp", "gdp", "basic", "whitehouse", "residual"])
def test_it_ends_where_the_status_is(ledger: Ledger, clock: Any, kind: str) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6, filter=kind)
    used = []
    for key in "abcd":
        clock.move(60.0)
        budget.reserve(STEP, key=key)
        used.append(budget.status().used)
    budget.commit("a")
    budget.abort("d")
    budget.refund("a", "never ran")
    with pytest.raises(tb.BudgetRefused):
        budget.charge("laplace(scale=0.1)")
    course, status = timeline_of(budget), budget.status()
    last = course.points[-1]
    assert course.limit == status.limit.name
    assert last.used / last.cap == pytest.approx(status.used)
    assert last.committed / last.cap == pytest.approx(status.committed)
    assert [point.used / point.cap for point in course.points[1:5]] == pytest.approx(used)
    assert course.points[0].used == 0.0
    assert [time for time, _ in course.refusals] == [status.time]
    assert course.refusals[0][1] == pytest.approx(last.used)
    assert course.closed is None


def test_a_lowered_cap_and_the_end_are_seen(ledger: Ledger, clock: Any) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6)
    budget.charge(STEP)
    budget.lower(epsilon="0.5")
    clock.move(5.0)
    budget.close()
    course = timeline_of(budget)
    assert course.points[1].cap > course.points[2].cap
    assert course.closed == budget.status().time


def test_long_logs_are_thinned(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "MOST_POINTS", 8)
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6)
    for _ in range(5):
        budget.charge_all(["gaussian(sigma=500)"] * 20)
    course, status = timeline_of(budget), budget.status()
    assert 8 < len(course.points) <= 17
    assert course.points[-1].used / course.points[-1].cap == pytest.approx(status.used)
    assert [point.used for point in course.points] == sorted(point.used for point in course.points)
