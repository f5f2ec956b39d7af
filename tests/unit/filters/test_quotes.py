"""What a filter answers can be read: as a sentence when it is printed, as a few figures when it is shown."""

import re
from fractions import Fraction

import pytest
from every_filter import PLAIN, Maker

import tightbudget as tb
from tightbudget.filters import Filter, Quote

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


def test_figures_say_why_a_step_is_refused() -> None:
    """An excess of one part in 10^20 is seen: what is asked is rounded up and what is left down."""
    just_above = Quote(
        False, tb.PureDP(0.1), "basic", "epsilon", used=1 + Fraction(1, 10**20), used_before=Fraction(0), cap=Fraction(1)
    )
    asked, left = re.findall(r"[\d.]+(?= of epsilon| is left)", just_above.reason)
    assert Fraction(asked) > 1 >= Fraction(left)


@pytest.mark.parametrize(
    "amount", [Fraction(10**12, 3), Fraction(2, 3) * 10**400, Fraction(1, 7 * 10**400), Fraction(10**15 + 1)]
)
def test_figures_are_rounded_against_the_step(amount: Fraction) -> None:
    quote = Quote(True, tb.PureDP(0.1), "basic", "epsilon", used=amount, used_before=Fraction(0), cap=amount)
    asked, left = re.findall(r"[\d.e+-]+(?= of epsilon| is left)", quote.reason)
    assert Fraction(left) <= amount <= Fraction(asked)
    assert Fraction(asked) - Fraction(left) <= amount / 10**4
