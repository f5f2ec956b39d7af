"""A step that says nothing of the relation of a budget: what is said leads to a budget that takes it."""

import pytest

import tightbudget as tb
from tightbudget.ledger import Ledger


@pytest.mark.parametrize(
    ("step", "known"),
    [
        ("randomized_response(p=0.6)", "replace_one"),
        ("randomized_response(p=0.6, relation='zero_out') * 2", "replace_one"),
        ("gaussian(sigma=5, relation='replace_one')", "replace_one"),
    ],
)
def test_the_hint_names_a_budget_that_takes_the_step(ledger: Ledger, step: str, known: str) -> None:
    budget = ledger.create_budget("health", epsilon=9, delta=1e-6, filter="zcdp")
    with pytest.raises(tb.UnknownRelation) as caught:
        budget.charge(step)
    said = str(caught.value)
    assert said.startswith("The relation of this budget is 'add_remove', but must be ")
    assert f"Or charge a budget made with relation={known!r}, on the command line --relation {known}." in said
    assert "state relation='zero_out'" not in said  # that was said to whoever had stated it
    ledger.create_budget("other", epsilon=9, delta=1e-6, filter="zcdp", relation=known).charge(step)


def test_a_record_without_a_value_can_be_stated_where_that_helps(ledger: Ledger) -> None:
    budget = ledger.create_budget("health", epsilon=9, delta=1e-6, filter="zcdp", relation="zero_out")
    with pytest.raises(tb.UnknownRelation, match="state relation='zero_out'"):
        budget.charge("randomized_response(p=0.6)")
    budget.charge("randomized_response(p=0.6, relation='zero_out')")
