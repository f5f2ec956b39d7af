"""The context and the decorator: whatever leaves them was paid for."""

import pytest

import tightbudget as tb
from tightbudget.ledger import Ledger
from tightbudget.ledger.budget import Budget

STEP = "pure_dp(epsilon=0.1)"


@pytest.fixture
def budget(ledger: Ledger) -> Budget:
    return ledger.create_budget("census", epsilon=1, delta=0, filter="basic")


def test_it_reserves_and_commits(budget: Budget) -> None:
    with budget.spend(STEP, key="a", actor="ana", purpose="report") as charge:
        assert budget.receipt("a").state == "reserved"
    assert charge.receipt is not None
    assert (charge.receipt.state, budget.receipt("a").state) == ("committed", "committed")
    assert budget.history(1)[0].actor == "ana"


def test_an_error_commits_since_it_may_tell_something(budget: Budget) -> None:
    with pytest.raises(ZeroDivisionError), budget.spend(STEP, key="a"):
        raise ZeroDivisionError
    with pytest.raises(KeyboardInterrupt), budget.spend(STEP, key="b"):
        raise KeyboardInterrupt
    assert budget.receipt("a").state == budget.receipt("b").state == "committed"
    assert budget.remaining(STEP) == 8


def test_only_a_declaration_gives_back(budget: Budget) -> None:
    with budget.spend(STEP, key="a") as charge:
        charge.nothing_released()
    assert budget.receipt("a").state == "aborted"
    with pytest.raises(ZeroDivisionError), budget.spend(STEP, key="b") as charge:  # noqa: PT012
        charge.nothing_released()
        raise ZeroDivisionError
    assert budget.receipt("b").state == "aborted"
    assert budget.remaining(STEP) == 10


def test_a_key_is_entered_once(budget: Budget) -> None:
    context = budget.spend(STEP, key="a")
    with context:
        with pytest.raises(tb.KeyReused, match="begun before"), budget.spend(STEP, key="a"):
            pytest.fail("two results would leave for one charge")
        with pytest.raises(tb.KeyReused), context:
            pytest.fail("two results would leave for one charge")
    with pytest.raises(tb.KeyReused), context:
        pytest.fail("two results would leave for one charge")
    with pytest.raises(tb.KeyReused, match="begun before"), budget.spend(STEP, key="a"):
        pytest.fail("two results would leave for one charge")
    assert budget.remaining(STEP) == 9


def test_a_refusal_keeps_the_body_from_running(budget: Budget) -> None:
    with pytest.raises(tb.BudgetRefused), budget.spend("pure_dp(epsilon=2)"):
        pytest.fail("the query was run")
    assert budget.remaining(STEP) == 10


def test_as_a_decorator_each_call_is_a_charge(budget: Budget) -> None:
    @budget.spend(STEP, purpose="mean")
    def mean(of: list[float]) -> float:
        """Return the mean."""
        return sum(of) / len(of)

    assert mean.__doc__ == "Return the mean."
    assert mean([1.0, 3.0]) == 2.0
    with pytest.raises(ZeroDivisionError):
        mean([])
    assert budget.remaining(STEP) == 8
    for _ in range(8):
        mean([1.0])
    with pytest.raises(tb.BudgetRefused):
        mean([1.0])
    with pytest.raises(tb.InvalidParameter, match="key"):
        budget.spend(STEP, key="a")(mean)


def test_a_body_that_outlives_its_reservation_is_paid_for(url: str) -> None:
    now = [1e9]
    with Ledger(url, clock=lambda: now[0]) as ledger:
        budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
        with budget.spend(STEP, key="a", ttl=10):
            now[0] += 11
        assert budget.receipt("a").reason == "expired"
        with pytest.raises(tb.ChargeSettled, match="expired"), budget.spend(STEP, key="b", ttl=10) as charge:  # noqa: PT012
            charge.nothing_released()
            now[0] += 11
        assert budget.receipt("b").state == "committed"
        assert budget.remaining(STEP) == 8
