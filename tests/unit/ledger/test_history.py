"""History: the filters by which a person finds an entry."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.ledger import Budget, Ledger, history

STEP = "gaussian(sigma=50)"


@pytest.fixture
def budget(ledger: Ledger, clock: Any) -> Budget:
    """Five charges an hour apart, by two people, one of each state; a refusal and a slip."""
    made = ledger.create_budget("census", epsilon=1, delta=1e-6)
    for number, key in enumerate("abcde"):
        clock.move(3600.0)
        made.reserve(STEP, key=key, actor="ana" if number % 2 else "bo", ttl=10**6)
    made.commit("b")
    made.abort("c")
    made.commit("d")
    made.refund("d", "never ran")
    with pytest.raises(tb.BudgetRefused):
        made.charge("gaussian(sigma=1)", key="f", actor="ana")
    with pytest.raises(tb.NotationError):
        made.charge("gaussian(", key="g", actor="bo")
    return made


def keys(found: list[history.Entry]) -> str:
    return "".join(entry.key for entry in found)


def test_filters(budget: Budget) -> None:
    assert keys(budget.history()) == "gfedcba"
    assert keys(budget.history(oldest_first=True)) == "abcdefg"
    assert keys(budget.history(3)) == "gfe"
    assert budget.history(0) == []
    for state, expected in {
        "reserved": "ea", "committed": "b", "aborted": "c", "refunded": "d", "refused": "f", "denied": "g", "opened": "",
    }.items():  # fmt: skip
        assert keys(budget.history(state=state)) == expected
    assert keys(budget.history(actor="ana")) == "fdb"
    assert keys(budget.history(key="f")) == "f"
    assert keys(budget.history(1, state="reserved")) == "e"
    assert keys(budget.history(before=budget.history(3)[-1].sequence)) == "dcba"


def test_times(budget: Budget) -> None:
    start = datetime.fromtimestamp(1_800_000_000, UTC)
    assert keys(budget.history(since=start + timedelta(hours=4))) == "gfed"
    assert keys(budget.history(until=start + timedelta(hours=2))) == "ba"
    plain = (start + timedelta(hours=4)).replace(tzinfo=None)  # is taken for UTC
    assert keys(budget.history(since=plain, until=plain)) == "d"
    assert keys(budget.history(since=plain, oldest_first=True)) == "defg"


def test_a_state_that_does_not_exist_is_refused(budget: Budget) -> None:
    with pytest.raises(tb.InvalidParameter, match="reserved, committed"):
        budget.history(state="spent")
    with pytest.raises(tb.InvalidParameter):
        budget.history(-1)


def test_more_than_a_page(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "_PAGE", 3)
    made = ledger.create_budget("census", epsilon=1, delta=1e-6)
    made.charge_all([STEP] * 10, keys=list("abcdefghij"))
    assert keys(made.history()) == "jihgfedcba"
    assert keys(made.history(state="committed", oldest_first=True)) == "abcdefghij"
    assert keys(history.standing_charges(made, 4)) == "jihg"
