"""What a budget in a ledger promises, on every database."""

import pytest

import tightbudget as tb
from tightbudget.ledger import Ledger

STEP = "gaussian(sigma=50)"


def test_a_charge_is_in_the_log_and_counts(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6)
    before = budget.remaining(STEP)
    receipt = budget.charge(STEP, key="a", actor="ana", purpose="report")
    assert (receipt.state, receipt.key, receipt.increment) == ("committed", "a", STEP)
    assert budget.remaining(STEP) == before - 1
    (entry, _) = budget.history()
    assert (entry.key, entry.state, entry.increment, entry.actor, entry.purpose) == ("a", "committed", STEP, "ana", "report")
    assert ledger.verify().ok


def test_a_retry_gets_the_same_receipt_and_spends_nothing(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6)
    first = budget.charge(STEP, key="a")
    left = budget.remaining(STEP)
    assert budget.charge(tb.Gaussian(sigma=50), key="a") == first
    assert budget.remaining(STEP) == left
    with pytest.raises(tb.KeyReused, match="stands for another charge"):
        budget.charge("gaussian(sigma=51)", key="a")
    with pytest.raises(tb.KeyReused, match="another charge, of gaussian"):
        budget.charge("gaussian(sigma=51)", key="a", actor="bo")
    with pytest.raises(tb.KeyReused, match="of the same step, for no purpose, not 'another one'"):
        budget.charge(STEP, key="a", purpose="another one")
    with pytest.raises(tb.KeyReused, match="of the same step, with other metadata"):
        budget.charge(STEP, key="a", metadata={"n": 1})
    budget.charge(STEP, key="b", actor="ana")
    left = budget.remaining(STEP)
    with pytest.raises(tb.KeyReused, match="of the same step, by 'ana', not 'bo'"):
        budget.charge(STEP, key="b", actor="bo", purpose="another one")
    assert budget.remaining(STEP) == left


def test_a_refusal_spends_nothing_says_why_and_is_logged(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6)
    left = budget.remaining(STEP)
    with pytest.raises(
        tb.BudgetRefused, match=r"'census'.*asks for 0\.0555556 of rho, but 0\.0243559 is left.*would fit"
    ) as told:
        budget.charge("gaussian(sigma=3)", key="b")
    assert isinstance(told.value, tb.LedgerError)
    assert not told.value.quote.accepted
    assert budget.remaining(STEP) == left
    assert [entry.state for entry in budget.history()] == ["refused", "opened"]
    assert budget.charge(STEP, key="b").state == "committed"  # a refusal binds no key


@pytest.mark.parametrize("kind", ["zcdp", "basic", "gdp", "residual"])
def test_what_is_reserved_counts_and_can_be_given_back(ledger: Ledger, kind: str) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6, filter=kind)
    step = "laplace(scale=20)"
    left = budget.remaining(step)
    budget.reserve(step, key="a")
    assert budget.remaining(step) == left - 1
    assert budget.reserve(step, key="a").state == "reserved"
    assert budget.abort("a").state == "aborted"
    assert budget.abort("a").state == "aborted"
    assert budget.remaining(step) == left
    with pytest.raises(tb.ChargeSettled):
        budget.commit("a")
    with pytest.raises(tb.KeyReused, match="aborted"):
        budget.charge(step, key="a")
    budget.reserve(step, key="b")
    committed = budget.commit("b")
    assert budget.commit("b") == committed
    with pytest.raises(tb.ChargeSettled, match="refund"):
        budget.abort("b")
    assert budget.remaining(step) == left - 1
    assert ledger.verify().ok


def test_a_refusal_names_filters_that_see_subsampling(ledger: Ledger) -> None:
    run = "poisson(gaussian(sigma=1.1), q=0.004) * 4688"
    with pytest.raises(tb.BudgetRefused, match="rdp and slots filters see subsampling"):
        ledger.create_budget("blind", epsilon=3, delta="1e-5").charge(run)
    with pytest.raises(tb.BudgetRefused) as refusal:
        ledger.create_budget("seeing", epsilon="0.1", delta="1e-5", filter="rdp", orders=80).charge(run)
    assert "subsampling" not in str(refusal.value)
    assert "rdp and slots filters see subsampling" in ledger.budget("blind").note(run)
    assert (ledger.budget("blind").note(STEP), ledger.budget("seeing").note(run)) == ("", "")
    part = ledger.budget("blind").split("part", epsilon=1, delta="1e-5", filter="rdp", orders=80)
    assert "rdp and slots filters see subsampling" in part.note(run)  # the whole that it is part of does not
