"""Batches are all or nothing, also over several budgets."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.ledger import Ledger

STEP = "pure_dp(epsilon=0.3)"


def test_all_or_none(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    receipts = budget.charge_all([STEP, "pure_dp(epsilon=0.1)"], keys=["a", "b"], actor="ana", purpose="report")
    assert [(each.key, each.state) for each in receipts] == [("a", "committed"), ("b", "committed")]
    entries = len(budget.history())
    with pytest.raises(tb.BudgetRefused):
        budget.charge_all([STEP] * 3, keys=["c", "d", "e"])
    assert budget.status().spent["epsilon"] == Fraction(2, 5)
    assert [entry.state for entry in budget.history()][: len(budget.history()) - entries] == ["refused"]
    assert budget.charge_all([STEP, STEP], keys=["c", "d"])[1].state == "committed"  # a refusal binds no key
    assert budget.remaining(STEP) == 0
    assert ledger.verify().ok


def test_over_several_budgets_in_any_order(ledger: Ledger) -> None:
    names = ["c", "a", "b"]
    budgets = [ledger.create_budget(name, epsilon=1, delta=0, filter="basic") for name in names]
    budgets.append(budgets[0].split("part of c", epsilon=1, delta=0))
    wanted = [(budget, STEP, f"key {place}") for place, budget in enumerate(budgets)]
    receipts = ledger.charge_all(reversed(wanted))
    assert [receipt.budget for receipt in receipts] == ["part of c", "b", "a", "c"]
    assert [budget.remaining(STEP) for budget in budgets] == [1, 2, 2, 1]
    again = ledger.charge_all(wanted)
    assert [receipt.hash for receipt in again] == [receipt.hash for receipt in reversed(receipts)]
    with pytest.raises(tb.BudgetRefused, match="'c'"):
        ledger.charge_all([(budgets[1], STEP, "x"), (budgets[0], STEP, "y"), (budgets[3], STEP, "z")])
    assert [budget.remaining(STEP) for budget in budgets] == [1, 2, 2, 1]
    assert ledger.verify().ok


def test_budgets_of_another_ledger_are_not_charged_here(ledger: Ledger, tmp_path: Path) -> None:
    own = ledger.create_budget("own", epsilon=1, delta=0, filter="basic")
    with Ledger(tmp_path / "other.db") as elsewhere:
        other = elsewhere.create_budget("other", epsilon=1, delta=0, filter="basic")
        for wrong in (
            lambda: ledger.charge_all([(own, STEP, "a"), (other, STEP, "b")]),
            lambda: ledger.create_budget("part", epsilon="0.5", delta=0, filter="basic", parent=other),
            lambda: ledger.create_beside(
                "more", other, epsilon=1, delta=0, filter="basic", relation="add_remove", unit="person"
            ),
        ):
            with pytest.raises(tb.InvalidParameter, match="of this ledger"):
                wrong()
    assert own.remaining(STEP) == 3
    assert ledger.names() == ["own"]


def test_a_key_is_used_once_in_a_batch_and_keeps_its_charge(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    with pytest.raises(tb.InvalidParameter, match="used twice"):
        budget.charge_all([STEP, STEP], keys=["a", "a"])
    budget.charge(STEP, key="a")
    with pytest.raises(tb.KeyReused):
        budget.charge_all(["pure_dp(epsilon=0.1)", STEP], keys=["b", "a"], purpose="another")
    with pytest.raises(tb.InvalidParameter, match="one for each"):
        budget.charge_all([STEP], keys=["b", "c"])
    assert budget.charge_all([]) == []
    assert budget.remaining(STEP) == 2
    assert {entry.state for entry in budget.history()} == {"opened", "committed", "denied"}


def test_what_is_reserved_is_committed_by_a_batch(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    budget.reserve(STEP, key="a")
    assert [each.state for each in budget.charge_all([STEP, STEP], keys=["a", "b"])] == ["committed", "committed"]
    assert not budget.status().held
    assert ledger.verify().ok


@pytest.mark.parametrize("kind", ["residual", "slots"])
def test_filters_without_prices_go_from_step_to_step(ledger: Ledger, kind: str) -> None:
    settings = {"plan": tb.PureDP(0.1) * 4} if kind == "slots" else {}
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6, filter=kind, **settings)
    budget.charge_all(["pure_dp(epsilon=0.1)"] * 3)
    with pytest.raises(tb.BudgetRefused):
        budget.charge_all(["pure_dp(epsilon=0.1)", "pure_dp(epsilon=1)"])
    budget.charge("pure_dp(epsilon=0.1)")
    assert ledger.verify().ok


def test_rows_are_locked_in_one_order_the_outermost_first(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = (ledger.create_budget(name, epsilon=100, delta=0, filter="basic") for name in ("a", "b"))
    part = a.split("part", epsilon=100, delta=0)
    locked: list[int] = []
    one = ledger._book._one

    def watched(tx: Any, statement: Any, **values: Any) -> Any:
        if statement in (ledger._book.statements.lock, ledger._book.statements.lock_with_key):
            locked.append(values["id"])
        return one(tx, statement, **values)

    monkeypatch.setattr(ledger._book, "_one", watched)
    order = [each._place.id for each in (a, b, part)]
    assert order == sorted(order)
    ledger.charge_all([(part, STEP, "1"), (b, STEP, "2"), (a, STEP, "3")])
    assert locked == order
    for work in (lambda: part.charge(STEP, key="4"), lambda: part.reserve(STEP, key="5"), lambda: part.commit("5")):
        locked.clear()
        work()
        assert locked == [a._place.id, part._place.id]
