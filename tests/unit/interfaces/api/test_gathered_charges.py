"""Charges that come while others are written are written together, and each client is told what became of its own."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.interfaces.api import budgets as module
from tightbudget.interfaces.api.budgets import Budgets
from tightbudget.ledger import Budget, Ledger, Receipt
from tightbudget.ledger.gathered import AskedCharge

STEP = "pure_dp(epsilon=0.1)"


@pytest.fixture
def budget(tmp_path: Path) -> Budget:
    return Ledger(tmp_path / "budget.db").create_budget("census", epsilon=2, delta=0, filter="basic")


def held(budget: Budget) -> Budgets:
    return Budgets(budget.ledger, None, 1.0)  # type: ignore[arg-type]


def all_at_once(budget: Budget, asked: list[AskedCharge]) -> list[Any]:
    async def ask() -> list[Any]:
        service = held(budget)
        found = await asyncio.gather(*(service.charged(budget, one) for one in asked), return_exceptions=True)
        assert not service._waiting
        return found

    return asyncio.run(ask())


def test_many_are_a_few_transactions_and_none_is_too_many(budget: Budget, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def counted(budget: Budget, asked: Any) -> Any:
        sizes.append(len(asked))
        return charged(budget, asked)

    charged = module._charged
    monkeypatch.setattr(module, "_charged", counted)
    found = all_at_once(budget, [AskedCharge(STEP, f"{place}", actor=f"client {place}") for place in range(50)])
    assert [isinstance(each, Receipt) for each in found] == [True] * 20 + [False] * 30
    assert {type(each) for each in found[20:]} == {tb.ChargeRefused}
    assert [each.key for each in found[:20]] == [f"{place}" for place in range(20)]
    assert (sum(sizes), max(sizes), len(sizes)) == (50, 32, 2)
    assert budget.ledger.verify().ok


def test_each_is_told_its_own_problem(budget: Budget) -> None:
    asked = [AskedCharge(STEP, "a"), AskedCharge("nonsense(", "b"), AskedCharge(STEP, "c"), AskedCharge(STEP, "")]
    found = all_at_once(budget, asked)
    assert [type(each) for each in found] == [Receipt, tb.NotationError, Receipt, tb.InvalidParameter]


def test_what_is_wrong_with_the_database_is_told_to_all(budget: Budget, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise tb.LedgerUnavailable("It is away.", "Try again.")

    with monkeypatch.context() as patch:
        patch.setattr(budget._book, "charge", away)
        patch.setattr(budget._book, "charge_each", away)
        found = all_at_once(budget, [AskedCharge(STEP, f"{place}") for place in range(3)])
    assert [type(each) for each in found] == [tb.LedgerUnavailable] * 3
    assert budget.charge(STEP, key="0").state == "committed"
    assert budget.status().charges == 1


def test_who_leaves_is_charged_and_disturbs_nobody(budget: Budget) -> None:
    async def ask() -> Receipt:
        service = held(budget)
        tasks = [asyncio.create_task(service.charged(budget, AskedCharge(STEP, f"{place}"))) for place in range(3)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        found = await tasks[2]
        with pytest.raises(asyncio.CancelledError):
            await tasks[1]
        return found

    assert asyncio.run(ask()).key == "2"
    assert budget.receipt("1").state == "committed"
    assert budget.status().charges == 3
