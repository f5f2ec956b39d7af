"""A filter of sums is three methods; everything else follows from them."""

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from tests.support.every_filter import AMPLE, PLAIN, TIGHT, Maker

import tightbudget as tb
from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import Amount, show
from tightbudget.adaptive.filters.limits import Cap, Limits
from tightbudget.adaptive.filters.sum_filter import SumFilter
from tightbudget.filters import AdvancedFilter, Increment, Limit


class Half(SumFilter):
    """Keep half of epsilon in reserve."""

    kind: ClassVar[str] = "half"

    def _price(self, increment: Increment) -> Mapping[str, Amount]:
        epsilon, delta = prices.basic_price(increment)
        return {"epsilon": epsilon, "delta": delta}

    def _limits(self) -> Limits:
        return Limits(
            sums={"epsilon": self._epsilon, "delta": self._delta},
            needed=(Cap("delta", self._delta),),
            enough=(Cap("half of epsilon", self._epsilon / 2, of="epsilon", constant=True),),
        )

    def _settings(self) -> dict[str, Any]:
        return {"epsilon": show(self._epsilon), "delta": show(self._delta)}


def test_three_methods_make_a_filter() -> None:
    budget = Half(1, 1e-6)
    assert budget.remaining(tb.PureDP(0.1)) == 5
    quote = budget.spend(tb.ApproximateDP(0.3, 1e-7))
    assert "fits the half filter: it takes 0.3 of the 0.5 of half of epsilon that was left." in str(quote)
    assert tuple(quote.limits) == (
        Limit("delta", Fraction(1, 10**7), Fraction(1, 10**6)),
        Limit("half of epsilon", Fraction(3, 10), Fraction(1, 2)),
    )
    refused = budget.quote(tb.PureDP(0.3))
    assert (refused.accepted, refused.limit, refused.asked, refused.left) == (
        False,
        "half of epsilon",
        Fraction(3, 10),
        Fraction(1, 5),
    )
    with pytest.raises(tb.BudgetRefused, match="of delta"):
        budget.spend(tb.ApproximateDP(0.1, 1e-6))
    assert budget.spent == {"epsilon": Fraction(3, 10), "delta": Fraction(1, 10**7)}
    state = json.loads(json.dumps(budget.state()))
    assert state["sequence"] == 1
    assert state["constants"]["caps"] == {"half of epsilon": "0.5"}
    again = Half.from_state(state)
    assert again == budget
    assert again.remaining(tb.PureDP(0.1)) == 2
    with pytest.raises(tb.InvalidParameter, match="caps"):
        Half.from_state({**state, "constants": {**state["constants"], "caps": {"half of epsilon": "0.6"}}})


STEPS = [tb.PureDP(0.1), tb.ApproximateDP(0.05, 3e-8), tb.Laplace(7), tb.Gaussian(30), tb.PureDP(0.01) * 3, tb.PureDP(5)]


@pytest.mark.parametrize("make", [*PLAIN, *TIGHT, *AMPLE])
def test_prices_added_up_elsewhere_decide_alike(make: Maker) -> None:
    """As a ledger would do it: it keeps the sums, and the filter says what a step costs and whether totals fit."""
    budget = make()
    if not isinstance(budget, SumFilter):
        assert not hasattr(budget, "admits")
        return
    sums = budget.spent
    for step in STEPS * 3:
        try:
            price = budget.price(step)
        except tb.InvalidParameter:
            continue
        after = {name: total + price[name] for name, total in sums.items()}
        admitted = budget.admits(after)
        assert admitted == budget.quote(step).accepted
        if admitted:
            budget.spend(step)
            sums = after
        assert budget.spent == sums
    assert budget.admits(sums)


@pytest.mark.parametrize(
    "sums", [{}, {"epsilon": 0}, {"epsilon": 0, "delta": 0, "rho": 0}, None, [0, 0], {"epsilon": -1, "delta": 0}]
)
def test_totals_have_the_names_of_the_sums(sums: Any) -> None:
    with pytest.raises(tb.InvalidParameter):
        tb.filters.BasicFilter(1, 1e-6).admits(sums)


def test_no_total_is_admitted_that_lies_a_little_above() -> None:
    budget = tb.filters.BasicFilter(1, 1e-6)
    little = Fraction(1, 10**100)
    assert budget.admits({"epsilon": 1, "delta": 1e-6})
    assert not budget.admits({"epsilon": 1 + little, "delta": 0})
    assert not budget.admits({"epsilon": 0, "delta": Fraction(1, 10**6) + little})
    assert not budget.admits({"epsilon": float("inf"), "delta": 0})


@pytest.mark.parametrize("make", [*PLAIN, *TIGHT, *AMPLE])
def test_one_of_the_limits_of_a_quote_decides(make: Maker) -> None:
    budget = make()
    for step in (tb.PureDP(0.1), tb.ApproximateDP(0.01, 0.5), tb.PureDP(50)):
        quote = budget.quote(step)
        assert quote.decisive in quote.limits
        assert len(quote.before) == len(quote.limits)
        assert (quote.limit, quote.used, quote.cap) == (quote.decisive.name, quote.decisive.used, quote.decisive.cap)
        assert quote.decisive.exceeded == (not quote.accepted)
        assert quote.left == quote.before[quote.place].left


def test_a_state_of_another_kind_is_refused() -> None:
    state = tb.filters.ZCDPFilter(1, 1e-6).state()
    assert tb.filters.ZCDPFilter.from_state(state).remaining(tb.PureDP(0.01)) == 487
    with pytest.raises(tb.InvalidParameter, match="kind is 'zcdp', but must be one of gdp"):
        tb.filters.GDPFilter.from_state(state)


def test_limits_that_could_not_be_weighed_are_refused() -> None:
    measure = AdvancedFilter(1, 1e-6)._limits().enough[0]
    sums, delta = {"drift": Fraction(1), "squares": Fraction(1), "delta": Fraction(1)}, Cap("delta", Fraction(1))
    assert Limits(sums, (delta,), (measure,)).enough
    with pytest.raises(ValueError, match="one measure"):
        Limits(sums, (delta, measure), (measure,))
    with pytest.raises(ValueError, match="nothing is ever admitted"):
        Limits(sums, (delta,), ())
