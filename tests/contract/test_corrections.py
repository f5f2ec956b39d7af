"""Refunds, lowered limits, extensions and closings are entries of the log, never edits."""

from fractions import Fraction
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.adaptive.filters.registry import ALL
from tightbudget.ledger import Ledger
from tightbudget.ledger.budget import Budget

STEP = "pure_dp(epsilon=0.1)"


@pytest.fixture
def budget(ledger: Ledger) -> Budget:
    return ledger.create_budget("census", epsilon=1, delta=0, filter="basic")


def test_a_refund_says_why_and_is_final(ledger: Ledger, budget: Budget) -> None:
    budget.charge(STEP, key="a")
    for reason in ("", "   "):
        with pytest.raises(tb.InvalidParameter, match="reason"):
            budget.refund("a", reason=reason)
    receipt = budget.refund("a", reason="the database was down")
    assert (receipt.state, receipt.reason) == ("refunded", "the database was down")
    assert budget.refund("a", reason="another reason") == receipt
    assert budget.remaining(STEP) == 10
    for again in (lambda: budget.charge(STEP, key="a"), lambda: budget.reserve(STEP, key="a")):
        with pytest.raises(tb.KeyReused, match="refunded"):
            again()
    for kind in (budget.commit, budget.abort):
        with pytest.raises(tb.ChargeSettled):
            kind("a")
    with pytest.raises(tb.UnknownCharge):
        budget.refund("b", reason="never made")
    budget.reserve(STEP, key="c")
    with pytest.raises(tb.ChargeSettled):
        budget.refund("c", reason="it was not committed yet")
    assert budget.history(key="a", state="refunded")[0].reason == "the database was down"
    assert ledger.verify().ok


def test_a_lowered_limit_admits_less_and_is_never_raised(ledger: Ledger, budget: Budget) -> None:
    budget.charge_all([STEP] * 3)
    budget.lower(epsilon="0.5", reason="less was published")
    assert budget.remaining(STEP) == 2
    for more in ({"epsilon": "0.6"}, {"epsilon": 1}, {"delta": 1e-6}):
        with pytest.raises(tb.InvalidParameter, match="never raised"):
            budget.lower(**more)
    budget.lower(epsilon="0.4")
    budget.charge(STEP)
    with pytest.raises(tb.BudgetRefused):
        budget.charge(STEP)
    assert budget.terms.epsilon == "1"  # the promise stays what it was
    assert ledger.verify().ok


def test_a_limit_below_what_is_spent_stops_charges_and_nothing_else(ledger: Ledger, budget: Budget) -> None:
    budget.charge(STEP, key="a")
    budget.reserve(STEP, key="b")
    budget.reserve(STEP, key="c")
    budget.lower(epsilon="0.05")
    assert budget.status().spent["epsilon"] == Fraction(1, 10)
    assert budget.remaining(STEP) == 0
    assert not budget.quote(STEP).accepted
    with pytest.raises(tb.BudgetRefused):
        budget.charge(STEP)
    budget.abort("b")
    budget.commit("c")
    budget.refund("a", reason="it was never sent")
    assert budget.status().spent["epsilon"] == Fraction(1, 10)
    assert ledger.verify().ok, ledger.verify()


@pytest.mark.parametrize("kind", [filter.kind for filter in ALL if filter.kind not in ("residual", "slots")])
def test_every_filter_of_sums_can_be_lowered(ledger: Ledger, kind: str) -> None:
    settings = {"rdp": {"orders": [4, 16]}}.get(kind, {})
    budget = ledger.create_budget("census", epsilon=2, delta=1e-6, filter=kind, **settings)
    budget.charge(STEP, key="a")
    before = budget.remaining(STEP)
    budget.lower(epsilon="1.5")
    after = budget.remaining(STEP)
    assert 0 < after < before
    budget.lower(delta="1e-7", epsilon="1.4")
    assert 0 < budget.remaining(STEP) < after
    budget.charge(STEP, key="b")
    assert ledger.verify().ok, ledger.verify()


@pytest.mark.parametrize("kind", ["residual", "slots"])
def test_other_filters_cannot(ledger: Ledger, kind: str) -> None:
    settings = {"plan": tb.PureDP(0.1) * 4} if kind == "slots" else {}
    budget = ledger.create_budget("census", epsilon=2, delta=1e-6, filter=kind, **settings)
    with pytest.raises(tb.InvalidParameter, match="adds up prices"):
        budget.lower(epsilon=1)


def test_more_is_a_second_budget_beside_the_first(ledger: Ledger, budget: Budget) -> None:
    budget.charge("pure_dp(epsilon=1)")
    second = budget.extend("census, second round", epsilon="0.5", delta=0)
    assert second.terms.filter["kind"] == "basic"
    second.charge(STEP)
    assert "census, second round" in budget.statement()
    assert "1.5" in second.statement()
    assert budget.history(1)[0].kind == "extended"
    assert ledger.verify().ok


def test_what_is_closed_admits_nothing_and_settles_what_is_open(ledger: Ledger, budget: Budget) -> None:
    budget.reserve(STEP, key="a")
    budget.reserve(STEP, key="b")
    budget.close("done", actor="ana")
    budget.close("again")
    assert [entry.kind for entry in budget.history(1)] == ["closed"]
    for attempt in (budget.charge, budget.reserve, budget.quote, lambda step: budget.charge_all([step])):
        with pytest.raises(tb.BudgetClosed):
            attempt(STEP)
    assert budget.commit("a").state == "committed"
    assert budget.abort("b").state == "aborted"
    assert budget.refund("a", reason="nothing was sent").state == "refunded"
    assert budget.status().state == "closed"
    assert ledger.verify().ok


def test_a_retry_after_the_end_gets_its_receipt(ledger: Ledger, budget: Budget) -> None:
    receipt = budget.charge(STEP, key="a")
    budget.close()
    assert budget.charge(STEP, key="a") == receipt


def test_of_two_that_lower_at_once_the_lower_limit_stays(
    ledger: Ledger, budget: Budget, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = ledger._book.log_decided

    def another_first(*arguments: Any) -> Any:
        monkeypatch.setattr(ledger._book, "log_decided", log)
        budget.lower(epsilon="0.3")
        return log(*arguments)

    monkeypatch.setattr(ledger._book, "log_decided", another_first)
    with pytest.raises(tb.InvalidParameter, match="never raised"):
        budget.lower(epsilon="0.8")
    assert budget.remaining(STEP) == 3
    assert ledger.verify().ok
