"""Sums in the database are exact: no float is added to another."""

from fractions import Fraction

import pytest

import tightbudget as tb
from tightbudget.ledger import Ledger


@pytest.mark.parametrize(("step", "times", "epsilon"), [("pure_dp(epsilon=0.1)", 10, 1), ("laplace(scale=365)", 365, 1)])
def test_parts_of_one_add_up_to_it(ledger: Ledger, step: str, times: int, epsilon: int) -> None:
    budget = ledger.create_budget("census", epsilon=epsilon, delta=0, filter="basic")
    budget.charge_all([step] * (times - 1))
    budget.charge(step)
    assert budget.status().spent["epsilon"] == 1
    with pytest.raises(tb.BudgetRefused, match="Nothing is left"):
        budget.charge("pure_dp(epsilon=1e-300)")
    assert ledger.verify().ok


def test_giving_back_leaves_nothing_behind(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    for step in ("laplace(scale=3)", "pure_dp(epsilon=0.1)", "laplace(scale=7)"):
        budget.reserve(step, key=step)
    assert budget.status().reserved["epsilon"] == Fraction(1, 3) + Fraction(1, 10) + Fraction(1, 7)
    for step in ("pure_dp(epsilon=0.1)", "laplace(scale=3)", "laplace(scale=7)"):
        budget.abort(step)
    assert budget.status().reserved["epsilon"] == budget.status().spent["epsilon"] == 0
    assert budget.charge("pure_dp(epsilon=1)").state == "committed"
