"""Charges of several clients in one transaction: each is decided as if it had come alone."""

import threading
import time

import pytest

import tightbudget as tb
from tightbudget.ledger import Ledger, Receipt
from tightbudget.ledger.gathered import AskedCharge, charge_each

STEP, HALF = "pure_dp(epsilon=0.1)", "pure_dp(epsilon=0.5)"


def test_each_is_decided_by_itself_and_in_its_order(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    before = budget.charge(STEP, key="before", purpose="p")
    budget.abort(budget.reserve(STEP, key="given back").key)
    asked = [
        AskedCharge(HALF, "a", actor="x", purpose="y", metadata={"z": 1}),
        AskedCharge(HALF, "too much"),
        AskedCharge(STEP, "before", purpose="p"),
        AskedCharge(STEP, "before", purpose="another"),
        AskedCharge("nonsense(", "b"),
        AskedCharge(STEP, ""),
        AskedCharge(STEP, "given back"),
        AskedCharge(STEP, "c"),
        AskedCharge(STEP, "c"),
    ]
    found = charge_each(budget, asked)
    kinds = [
        "Receipt",
        "ChargeRefused",
        "Receipt",
        "KeyReused",
        "NotationError",
        "InvalidParameter",
        "KeyReused",
        "Receipt",
        "Receipt",
    ]
    assert [type(each).__name__ for each in found] == kinds
    assert found[0] == budget.receipt("a")
    assert found[2] == before
    assert found[7] == found[8] == budget.receipt("c")
    assert str(budget.status().spent["epsilon"]) == "7/10"
    states = {entry.key: (entry.actor, entry.purpose) for entry in budget.history() if entry.is_charge}
    assert states["a"] == ("x", "y")
    refusals = [entry for entry in budget.history() if entry.kind in ("refused", "denied")]
    assert len(refusals) == 5  # a refusal, a used key twice, two that cannot be read
    assert ledger.verify().ok


def test_a_part_and_the_whole_both_decide(ledger: Ledger) -> None:
    whole = ledger.create_budget("census", epsilon="0.3", delta=0, filter="basic")
    part = whole.split("part", epsilon=1, delta=0)
    found = charge_each(part, [AskedCharge(STEP, f"{place}") for place in range(5)])
    assert [isinstance(each, Receipt) for each in found] == [True, True, True, False, False]
    assert (whole.remaining(STEP), part.status().charges, whole.status().charges) == (0, 3, 3)
    assert ledger.verify().ok


def test_reserved_charges_are_committed(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    budget.reserve(STEP, key="a")
    assert [each.state for each in charge_each(budget, [AskedCharge(STEP, "a")])] == ["committed"]  # type: ignore[union-attr]
    assert ledger.verify().ok


def test_a_closed_budget_refuses_them_all(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    budget.close()
    found = charge_each(budget, [AskedCharge(STEP, "a"), AskedCharge(STEP, "b")])
    assert [type(each) for each in found] == [tb.BudgetClosed] * 2
    assert budget.status().charges == 0


def test_groups_and_single_charges_mix(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=10, delta=0, filter="basic")
    done: list[object] = []

    def work(number: int) -> None:
        for place in range(5):
            if number % 2:
                done.extend(charge_each(budget, [AskedCharge(STEP, f"{number} {place} {each}") for each in range(5)]))
            else:
                try:
                    done.append(budget.charge(STEP, key=f"{number} {place}"))
                except tb.BudgetRefused as problem:
                    done.append(problem)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(done) == 4 * 25 + 4 * 5
    assert sum(isinstance(each, Receipt) for each in done) == 100
    assert budget.remaining(STEP) == 0
    assert ledger.verify().ok


def test_what_is_wrong_with_the_database_is_raised(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")

    def broken(*_: object, **__: object) -> None:
        raise tb.LedgerCorrupt("torn", "restore it")

    with monkeypatch.context() as patch:
        patch.setattr(ledger._book, "_move", broken)
        with pytest.raises(tb.LedgerCorrupt):
            charge_each(budget, [AskedCharge(STEP, "a"), AskedCharge(STEP, "b")])
    assert budget.status().charges == 0
    assert ledger.verify().ok


def test_a_clock_that_goes_back_for_one_of_them_charges_none(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    now = time.time()
    readings = iter([now - 3600.0])
    with monkeypatch.context() as patch:
        patch.setattr(ledger._book, "clock", lambda: next(readings, now))
        with pytest.raises(tb.ClockWentBack):
            charge_each(budget, [AskedCharge(STEP, "a"), AskedCharge(STEP, "b")])
    assert budget.status().charges == 0
    charge_each(budget, [AskedCharge(STEP, "a"), AskedCharge(STEP, "b")])
    assert str(budget.status().spent["epsilon"]) == "1/5"
    assert ledger.verify().ok
