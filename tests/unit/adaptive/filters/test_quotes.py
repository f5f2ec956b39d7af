"""What a filter answers can be read: as a sentence when it is printed, as a few figures when it is shown."""

import math
import re
from fractions import Fraction

import pytest
from tests.support.every_filter import PLAIN, Maker

import tightbudget as tb
from tightbudget.filters import Filter, Limit, Quote

ACCEPTED = {"advanced": tb.PureDP(1e-6), "basic": tb.PureDP(1e-6), "rdp": tb.PureDP(1e-3), "slots": tb.PureDP(0.1)}


@pytest.mark.parametrize("make", PLAIN)
def test_what_spend_returns_prints_as_the_sentence(make: Maker) -> None:
    budget: Filter = make()
    quote = budget.spend(ACCEPTED.get(budget.kind, tb.PureDP(1e-3)))
    assert str(quote) == quote.reason
    assert "fits" in str(quote)
    refused = budget.quote(tb.PureDP(50))
    assert str(refused) == refused.reason
    assert "is refused" in str(refused)


@pytest.mark.parametrize("make", PLAIN)
def test_the_repr_of_a_quote_is_short_and_has_no_fractions(make: Maker) -> None:
    budget: Filter = make()
    for step in (ACCEPTED.get(budget.kind, tb.PureDP(1e-3)), tb.PureDP(50)):
        shown = repr(budget.quote(step))
        assert shown.startswith("<quote: ")
        assert str(step) in shown
        assert len(shown) < 160
        assert not re.search(r"Fraction|\d{12}|\d/\d", shown)


AMOUNTS = [
    Fraction(1),
    Fraction(1, 3),
    Fraction(10**12, 3),
    Fraction(2, 3) * 10**400,
    Fraction(1, 7 * 10**400),
    Fraction(10**15 + 1),
]


def figures(accepted: bool, asked: Fraction, left: Fraction) -> tuple[Fraction, Fraction]:
    before, after = Limit("epsilon", Fraction(0), left), Limit("epsilon", asked, left)
    quote = Quote(accepted, tb.PureDP(0.1), "basic", [before], [after])
    first, second = re.findall(r"(?:takes|for|the|but) ([\d.]+(?:e[+-]\d+)?) ", quote.reason)
    assert "/" not in repr(quote)
    return Fraction(first), Fraction(second)


@pytest.mark.parametrize("amount", AMOUNTS)
def test_figures_say_why_a_step_is_refused(amount: Fraction) -> None:
    """An excess of one part in 10^20 is seen: what is asked is rounded up and what is left down."""
    asked, left = figures(False, amount * (1 + Fraction(1, 10**20)), amount)
    assert left <= amount < asked
    assert asked - left <= amount / 10**4


@pytest.mark.parametrize("amount", AMOUNTS)
def test_figures_do_not_contradict_an_acceptance(amount: Fraction) -> None:
    """A step that takes all there is does not seem to take more."""
    asked, left = figures(True, amount, amount)
    assert asked <= left <= amount
    assert amount - asked <= amount / 10**4


def test_the_sentence_says_what_was_left_before_the_step() -> None:
    budget = tb.filters.BasicFilter(1, 1e-6)
    assert str(budget.spend(tb.PureDP(0.25))) == (
        "pure_dp(epsilon=0.25) fits the basic filter: it takes 0.25 of the 1 of epsilon that was left."
    )
    assert "takes 0.25 of the 0.75 of epsilon" in str(budget.spend(tb.PureDP(0.25)))


def test_what_no_budget_can_pay_is_infinite() -> None:
    """Also where so much was admitted already by another limit."""
    limit = Limit("rho", math.inf, Fraction(1))
    quote = Quote(False, tb.PureDP(900), "zcdp", [limit], [limit])
    assert "asks for inf of rho, but 0 is left" in str(quote)
