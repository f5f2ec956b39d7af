"""The statement says whom it protects, how well, why, and what was assumed."""

from decimal import Decimal, localcontext

import pytest

import tightbudget as tb
from tightbudget.adaptive.filters.registry import BY_KIND
from tightbudget.ledger import Ledger
from tightbudget.ledger.statement import _THEOREMS, sections_of


def test_it_names_unit_relation_guarantee_and_theorem(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6, unit="household", description="the census of 2026")
    told = sections_of(budget)
    assert list(told) == ["Budget", "Unit and relation", "Guarantee", "How it is kept", "So far", "Assumptions"]
    assert told["Budget"] == "census: the census of 2026."
    assert "One household is protected" in told["Unit and relation"]
    assert "(1, 1e-06)-differentially private" in told["Guarantee"]
    assert "at most 2.72 times as likely, plus 1e-06" in told["Guarantee"]  # e = 2.718..., rounded up
    assert "zero-concentrated" in told["How it is kept"]
    assert told["So far"] == "Nothing was charged yet."
    assert all(f"{heading}. {text}" in budget.statement() for heading, text in told.items())


@pytest.mark.parametrize(("whole", "above"), [("10.2", "10.3"), ("20.1", "20.2"), ("102", "103")])
def test_how_many_times_as_likely_is_rounded_up(ledger: Ledger, whole: str, above: str) -> None:
    """Beside a logarithm on both sides: no float tells the two apart."""
    for beside, times in (("-1e-30", whole), ("1e-30", above)):
        with localcontext(prec=50):
            epsilon = Decimal(whole).ln() + Decimal(beside)
        budget = ledger.create_budget(f"{times} times", epsilon=str(epsilon), delta=0, filter="basic")
        assert f"at most {times} times as likely" in sections_of(budget)["Guarantee"]


def test_a_budget_of_nothing_makes_nothing_likelier(ledger: Ledger) -> None:
    told = sections_of(ledger.create_budget("census", epsilon=0, delta=0, filter="basic"))
    assert "at most 1 times as likely" in told["Guarantee"]


def test_every_filter_has_its_theorem() -> None:
    assert set(_THEOREMS) == set(BY_KIND)


def test_one_is_singular(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6, odometers=["renyi", "mixture"])
    budget.reserve("gaussian(sigma=50)")
    told = sections_of(budget)["So far"]
    assert told.startswith("1 charge was admitted; what stands uses 0.821 % of rho. 1 charge is only reserved")
    assert "By the renyi odometer, what was lost so far is at most epsilon 0.1" in told
    assert "The mixture odometer shows nothing: it cannot follow a step like gaussian(sigma=50)." in told
    budget.reserve("gaussian(sigma=50)")
    assert "2 charges were admitted" in sections_of(budget)["So far"]
    assert "2 charges are only reserved" in sections_of(budget)["So far"]


def test_budgets_opened_beside_each_other_add_up(ledger: Ledger) -> None:
    first = ledger.create_budget("first", epsilon="0.1", delta="1e-7")
    assert "Together" not in sections_of(first)
    second = first.extend("second", epsilon="0.2", delta="1e-7")
    third = second.extend("third", epsilon="1/3", delta=0, filter="basic")
    ledger.create_budget("alone", epsilon=5, delta=0, filter="basic")
    for budget in (first, second, third):
        told = sections_of(budget)["Together"]
        assert "'first', 'second' and 'third' together are (19/30, 2e-07)-differentially private" in told
    assert "Together" not in sections_of(ledger.budget("alone"))


@pytest.mark.parametrize("what", [{"relation": "replace_one"}, {"unit": "household"}])
def test_only_promises_about_the_same_change_are_added_up(ledger: Ledger, what: dict[str, str]) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6)
    with pytest.raises(tb.InvalidParameter, match=r"that of the budget it is beside"):
        budget.extend("more", epsilon=1, delta=1e-6, **what)
    if "unit" in what:
        with pytest.raises(tb.InvalidParameter, match=r"that of the budget it is part of"):
            budget.split("part", epsilon="0.5", delta=1e-6, **what)
    assert ledger.names() == ["census"]


def test_more_for_a_part_stays_within_the_whole(ledger: Ledger) -> None:
    whole = ledger.create_budget("whole", epsilon=1, delta=1e-6)
    part = whole.split("part", epsilon="0.5", delta=1e-6)
    more = part.extend("more", epsilon="0.5", delta=1e-6)
    assert more.parent == "whole"
    more.charge("gaussian(sigma=50)")
    assert whole.status().charges == 1
    told = sections_of(whole)
    assert "Charges to 'more' and 'part' are charged here too" in told["Parts"]
    assert "'whole', whose guarantee covers" in sections_of(part)["Part of"]
    assert "'more' and 'part' together" in sections_of(part)["Together"]


def test_a_lowered_limit_leaves_the_promise_as_it_was(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6)
    budget.lower(epsilon="0.5")
    told = sections_of(budget)
    assert "(1, 1e-06)" in told["Guarantee"]
    assert "beyond (0.5, 1e-06), and nothing that it would have refused" in told["Lowered"]
    budget.close()
    assert "was closed" in sections_of(budget)["So far"]
