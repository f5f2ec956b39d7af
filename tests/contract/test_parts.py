"""Budgets that are parts of others: what they spend must pass every filter above them."""

import pytest

import tightbudget as tb
from tightbudget.ledger import Ledger
from tightbudget.ledger.budget import Budget

STEP = "pure_dp(epsilon=0.1)"


@pytest.fixture
def nested(ledger: Ledger) -> tuple[Budget, Budget, Budget]:
    whole = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    part = whole.split("region", epsilon="0.5", delta=0)
    return whole, part, part.split("town", epsilon="0.4", delta=0)


def test_a_charge_is_in_the_logs_of_all_above(ledger: Ledger, nested: tuple[Budget, Budget, Budget]) -> None:
    whole, part, town = nested
    assert (town.parent, part.parent, whole.parent) == ("region", "census", None)
    town.charge(STEP, key="a")
    part.charge(STEP, key="a")  # a key is of the budget it is given to
    whole.charge(STEP, key="a")
    assert [budget.remaining(STEP) for budget in nested] == [7, 3, 3]
    assert [entry.budget for entry in whole.history(state="committed")] == ["census", "region", "town"]
    assert whole.receipt("a").sequence != town.receipt("a").sequence
    assert ledger.verify().ok
    assert ledger.verify(budget="town").ok


def test_the_outer_budget_refuses_and_nothing_is_spent_anywhere(ledger: Ledger, nested: tuple[Budget, Budget, Budget]) -> None:
    whole, part, town = nested
    whole.charge("pure_dp(epsilon=0.95)", key="most")
    assert not town.quote(STEP).accepted
    with pytest.raises(tb.BudgetRefused, match="'census'") as told:
        town.charge(STEP, key="a")
    assert told.value.budget == "census"
    assert [budget.status().spent["epsilon"] for budget in (part, town)] == [0, 0]
    assert town.history(1)[0].state == "refused"
    assert len(whole.history()) == 2  # what was refused is in the log of the budget that was asked
    assert ledger.verify().ok


def test_a_part_refuses_what_the_whole_would_admit(nested: tuple[Budget, Budget, Budget]) -> None:
    whole, _, town = nested
    town.charge_all([STEP] * 4)
    with pytest.raises(tb.BudgetRefused, match="'town'"):
        town.charge(STEP)
    assert whole.remaining(STEP) == 6


def test_settling_reaches_all_above(ledger: Ledger, nested: tuple[Budget, Budget, Budget]) -> None:
    _, part, town = nested
    town.reserve(STEP, key="a")
    town.reserve(STEP, key="b")
    assert [len(budget.status().held) for budget in nested] == [2, 2, 2]
    town.abort("a")
    assert [budget.remaining(STEP) for budget in nested] == [9, 4, 3]
    town.commit("b")
    assert [len(budget.status().held) for budget in nested] == [0, 0, 0]
    town.refund("b", reason="the query was never sent")
    assert [budget.remaining(STEP) for budget in nested] == [10, 5, 4]
    with pytest.raises(tb.LedgerError, match="No charge on 'region'"):
        part.commit("a")  # it is the town's
    assert ledger.verify().ok


def test_a_closed_whole_closes_its_parts(nested: tuple[Budget, Budget, Budget]) -> None:
    whole, part, town = nested
    town.reserve(STEP, key="a")
    whole.close("the study is over")
    for budget in (part, town):
        with pytest.raises(tb.LedgerError, match="'census' was closed"):
            budget.charge(STEP)
        with pytest.raises(tb.LedgerError, match="'census' was closed"):
            budget.quote(STEP)
    assert town.commit("a").state == "committed"


@pytest.mark.parametrize("kind", ["residual", "zcdp"])
def test_parts_may_have_filters_of_other_kinds(ledger: Ledger, kind: str) -> None:
    whole = ledger.create_budget("census", epsilon=1, delta=1e-6, filter=kind)
    part = whole.split("region", epsilon=1, delta=1e-6, filter="gdp")
    part.reserve("gaussian(sigma=20)", key="a")
    whole.charge("gaussian(sigma=20)", key="b")
    part.abort("a")
    part.charge("gaussian(sigma=30)", key="c")
    assert ledger.verify().ok


def test_a_part_is_of_the_relation_of_the_whole(ledger: Ledger) -> None:
    whole = ledger.create_budget("census", epsilon=1, delta=1e-6)
    with pytest.raises(tb.InvalidParameter, match="relation"):
        ledger.create_budget("region", epsilon=1, delta=1e-6, relation="replace_one", parent=whole)
    with pytest.raises(tb.UnknownBudget):
        ledger.create_budget("region", epsilon=1, delta=1e-6, parent="nobody")
    assert ledger.names() == ["census"]
