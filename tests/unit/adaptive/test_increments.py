"""What a step may declare, how it is written, and what each filter makes of it."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_filter import PLAIN
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.adaptive import prices
from tightbudget.filters import (
    RDP,
    ZCDP,
    AdvancedFilter,
    BasicFilter,
    Filter,
    GDPFilter,
    RDPFilter,
    ResidualFilter,
    SharpenedFilter,
    WhitehouseFilter,
    ZCDPFilter,
    from_state,
    parse_increment,
)
from tightbudget.pairs.base import Direction, Pair

amounts = st.one_of(st.floats(0, 1e6), st.fractions(0, 100), st.integers(0, 10**6))
orders = st.one_of(st.floats(1.01, 1e6), st.fractions(Fraction(101, 100), 100))
deltas = st.one_of(st.just(0), st.floats(0, 1), st.fractions(0, 1))


@given(amounts, deltas)
def test_zcdp_is_written_and_read_back_exactly(rho: object, delta: object) -> None:
    step = ZCDP(rho, delta)
    assert parse_increment(str(step)) == step


@given(st.lists(st.tuples(orders, amounts), min_size=1, max_size=4, unique_by=lambda pair: Fraction(str(pair[0]))), deltas)
def test_rdp_is_written_and_read_back_exactly(curve: list[tuple[object, object]], delta: object) -> None:
    step = RDP([order for order, _ in curve], [value for _, value in curve], delta)
    assert parse_increment(str(step)) == step


def test_mechanisms_are_read_as_everywhere() -> None:
    assert parse_increment("gaussian(sigma=2) * 3") == tb.Gaussian(2) * 3
    assert parse_increment("rdp(8, 0.02)") == RDP(8, "0.02") == RDP([8], [0.02])
    assert parse_increment("  zcdp(rho=1/8)") == ZCDP(0.125)


NO_STEP = """
zcdp()
zcdp
zcdp(rho=-1)
zcdp(rho=nan)
zcdp(rho=inf)
zcdp(rho=1, rho=2)
zcdp(1, 2, 3)
zcdp(rho=1, delta=2)
zcdp(rho=1) * 0.5
zcdp(rho=[1])
zcdp(rho=gaussian(2))
zcdp(**{})
zcdp(rho=().__class__)
zcdp(rho='x')
rdp(order=1, value=1)
rdp(order=2)
rdp(order=[2, 2], value=[1, 1])
rdp(order=[2, 3], value=1)
rdp(order=[[2]], value=1)
rdp(order=inf, value=1)
rdp(order=2, alpha=2, value=1)
rdp(order="two", value=1)
rdp(alpha=["2", [3]], epsilon=[1, 1])
exec('1')
"""


@pytest.mark.parametrize("text", ["", *NO_STEP.strip().splitlines()])
def test_what_is_no_step_is_named(text: str) -> None:
    with pytest.raises((tb.InvalidParameter, tb.NotationError)):
        parse_increment(text)


def test_a_curve_lies_below_its_chords() -> None:
    curve = RDP([2, 4], [0.1, 0.3])
    assert curve.at(Fraction(2)) == Fraction(1, 10)
    assert curve.at(Fraction(3, 2)) == Fraction(1, 10)  # the divergence grows with the order
    assert curve.at(Fraction(3)) == (Fraction(1, 10) + 3 * Fraction(3, 10)) / 2 / 2
    assert curve.at(Fraction(5)) is None
    gaussian = RDP([2, 10], [0.01, 0.05])  # that of a Gaussian step: 0.005 times the order
    assert all(gaussian.at(Fraction(a)) >= Fraction(a, 200) for a in range(2, 11))


ALL = [make() for make in PLAIN]


@pytest.mark.parametrize("budget", ALL, ids=lambda budget: budget.kind)
@pytest.mark.parametrize(
    "bad", mostly_slow([None, 0.1, b"pure_dp(epsilon=0.1)", -1, [tb.PureDP(0.1)], math.nan, object()], every=3)
)
def test_what_is_no_increment_spends_nothing(budget: Filter, bad: object) -> None:
    before = budget.state()
    for ask in (budget.quote, budget.spend, budget.remaining):
        with pytest.raises(tb.InvalidParameter):
            ask(bad)  # type: ignore[arg-type]
    assert budget.state() == before


@pytest.mark.parametrize("budget", ALL, ids=lambda budget: budget.kind)
@pytest.mark.parametrize(
    "step", [tb.PureDP(math.inf), tb.ApproximateDP(0.1, 1), tb.PureDP(1e308), tb.Laplace(1e-9), tb.PureDP(1e200) * 2**53]
)
def test_what_no_budget_can_pay_is_refused(budget: Filter, step: tb.Mechanism) -> None:
    before = budget.state()
    if isinstance(budget, ResidualFilter) and isinstance(step, tb.Composition):
        with pytest.raises(tb.InvalidParameter, match="1000 steps at once"):
            budget.spend(step)
        assert budget.state() == before
        return
    assert not budget.quote(step)
    assert budget.remaining(step) == 0
    with pytest.raises(tb.BudgetRefused) as refusal:
        budget.spend(step)
    assert not refusal.value.quote.accepted
    assert str(refusal.value) == refusal.value.quote.reason
    assert budget.state() == before


@pytest.mark.parametrize("budget", ALL, ids=lambda budget: budget.kind)
def test_what_costs_nothing_is_always_admitted(budget: Filter) -> None:
    before = budget.state()["spent"]
    budget.spend(tb.PureDP(0))
    budget.spend(tb.Composition())
    after = budget.state()["spent"]
    # a slot is taken even by a step that reveals nothing
    assert {**after, "pure_dp(epsilon=0.1)": None} == {**before, "pure_dp(epsilon=0.1)": None}


KINDS = {
    tb.Gaussian(100): {"zcdp", "rdp", "gdp", "residual", "slots"},
    tb.GaussianDP(0.01): {"zcdp", "rdp", "gdp", "residual", "slots"},
    ZCDP(1e-5): {"zcdp", "rdp", "residual", "slots"},
    RDP([4, 16], [1e-4, 1e-3]): {"rdp", "residual", "slots"},
    tb.Laplace(100): {budget.kind for budget in ALL},
    tb.ApproximateDP(0.01, 0): {budget.kind for budget in ALL},
    tb.Poisson(tb.Gaussian(5), 0.01): {"zcdp", "rdp", "gdp", "residual", "slots"},
}


@pytest.mark.parametrize("step", KINDS, ids=str)
@pytest.mark.parametrize("budget", ALL, ids=lambda budget: budget.kind)
def test_which_kinds_each_filter_takes(budget: Filter, step: tb.Mechanism) -> None:
    if budget.kind in KINDS[step]:
        assert str(step) in str(budget.quote(step))  # whether it fits or not
    else:
        with pytest.raises(tb.InvalidParameter, match="increment"):
            budget.quote(step)


def test_derived_prices_are_those_of_the_promise() -> None:
    rho = ZCDPFilter(1, 1e-6)
    rho.spend(tb.Gaussian(10))
    assert rho.spent["rho"] == Fraction(1, 200)
    mu = GDPFilter(1, 1e-6)
    mu.spend(tb.GaussianDP(0.1) * 2)
    assert mu.spent["squared mu"] == Fraction(2, 100)
    renyi = RDPFilter(4, 1e-6, orders=8)
    renyi.spend(RDP(8, 0.02))
    assert Fraction(2, 100) <= renyi.spent["order 8"] <= Fraction(2, 100) + Fraction(1, 2**399)


@pytest.mark.parametrize(
    "make",
    [
        lambda: BasicFilter(-1, 0),
        lambda: BasicFilter(1, 2),
        lambda: BasicFilter(math.nan, 0),
        lambda: WhitehouseFilter(1, 0),
        lambda: WhitehouseFilter(1, 1),
        lambda: WhitehouseFilter(0, 1e-6),
        lambda: WhitehouseFilter(1, 1e-6, delta_for_steps=1e-6),
        lambda: WhitehouseFilter(1, 1e-6, delta_for_steps=-1),
        lambda: WhitehouseFilter(1, 1e-6, or_basic=1),  # type: ignore[arg-type]
        lambda: AdvancedFilter(1, 0.4),
        lambda: SharpenedFilter(1, 1e-6, beta=0),
        lambda: RDPFilter(1, 1e-6, orders=1),
        lambda: RDPFilter(1, 1e-6, orders=[]),
        lambda: RDPFilter(1, 1e-6, orders=[2, 2]),
        lambda: RDPFilter(1, 1e-6, orders=[2, 3], weights=[0.6, 0.6]),
        lambda: RDPFilter(1, 1e-6, orders=[2, 3], weights=[1, 0]),
        lambda: RDPFilter(1, 1e-6, orders=[2, 3], weights=[1]),
        lambda: RDPFilter(1, 1e-6, orders="1e10"),
        lambda: from_state({}),
        lambda: from_state("x"),  # type: ignore[arg-type]
        lambda: from_state({**BasicFilter(1, 0).state(), "version": 1}),
        lambda: from_state({**BasicFilter(1, 0).state(), "version": 4}),
        lambda: from_state({**BasicFilter(1, 0).state(), "version": True}),
        lambda: from_state({**BasicFilter(1, 0).state(), "version": 2.0}),
        lambda: from_state({**BasicFilter(1, 0).state(), "kind": []}),
        lambda: from_state({**BasicFilter(1, 0).state(), "kind": {}}),
        lambda: from_state({**BasicFilter(1, 0).state(), "kind": "natural"}),
        lambda: from_state({**BasicFilter(1, 0).state(), "extra": 2}),
        lambda: from_state({**BasicFilter(1, 0).state(), "spent": {"epsilon": "-1", "delta": "0"}}),
        lambda: from_state({**RDPFilter(10, 1e-6, orders=4).state(), "spent": {"order 4": "-1 ticks", "delta": "0"}}),
        lambda: tb.filters.best(1, 1e-6, b"pure_dp(epsilon=0.1)"),  # type: ignore[arg-type]
    ],
)
def test_filters_that_cannot_be_made_say_why(make: object) -> None:
    with pytest.raises(tb.InvalidParameter):
        make()  # type: ignore[operator]


@pytest.mark.parametrize(
    "step",
    [
        ZCDP("1e500"),
        ZCDP("1e999"),
        RDP([2, 4], ["1e500", "1e600"]),
        tb.GaussianDP(1e300),
        tb.Gaussian(1e-300),
        tb.PureDP(1e300),
        tb.PureDP(1e300) * 2**50,
        tb.PureDP(1e308) * 2**53,
    ],
    ids=lambda step: str(step)[:40],
)
def test_steps_that_no_budget_pays_are_refused(step: Any) -> None:
    makers = [
        lambda: BasicFilter(10, 1e-6),
        lambda: AdvancedFilter(10, 1e-6, or_basic=True),
        lambda: SharpenedFilter(10, 1e-6, or_basic=True),
        lambda: WhitehouseFilter(10, 1e-6, or_basic=True),
        lambda: ZCDPFilter(10, 1e-6, or_basic=True),
        lambda: RDPFilter(10, 1e-6, orders=4),
        lambda: RDPFilter(10, 1e-6, orders=[2, 64], or_basic=True),
        lambda: GDPFilter(10, 1e-6),
    ]
    refused = 0
    for make in makers:
        budget = make()
        try:
            quote = budget.quote(step)
        except tb.InvalidParameter:  # the filter does not know its kind
            continue
        assert not quote
        assert "is refused" in quote.reason
        assert budget.remaining(step) == 0
        with pytest.raises(tb.BudgetRefused):
            budget.spend(step)
        refused += 1
    assert refused >= 2


def test_an_order_that_a_step_closes_for_good() -> None:
    budget = RDPFilter(10, 1e-6, orders=[8, 64])
    budget.spend(RDP([8, 64], ["0.1", "1e999"]))
    assert budget.spent["order 64"] == math.inf
    assert from_state(budget.state()) == budget


@pytest.mark.parametrize(
    "step", [ZCDP("1e500"), tb.GaussianDP(1e300), RDP([2, 4], ["1e500", "1e600"])], ids=lambda s: str(s)[:20]
)
def test_no_filter_is_best_for_a_step_that_none_admits(step: Any) -> None:
    assert all(row.count == 0 for row in tb.filters.best(10, 1e-6, step))


@pytest.mark.parametrize(("text", "meant"), [("ZCDP(0.1)", "zcdp"), ("zcpd(0.1)", "zcdp"), (" RDP(8, 0.1)", "rdp")])
def test_a_misspelt_promise_is_recognised(text: str, meant: str) -> None:
    with pytest.raises(tb.NotationError, match=f"did you mean '{meant}'"):
        tb.filters.parse_increment(text)


def test_a_misspelt_mechanism_is_still_one() -> None:
    with pytest.raises(tb.NotationError, match="did you mean 'pure_dp'"):
        tb.filters.parse_increment("puredp(0.1)")


@pytest.mark.parametrize(
    ("epsilon", "delta", "orders"), [(1, 1e-6, 8), (1, 1e-6, [2, 5, 11]), (0.1, 1e-9, 64), (3, 1e-300, 100)]
)
def test_orders_without_any_budget_are_refused_with_those_that_have_one(epsilon: float, delta: float, orders: Any) -> None:
    with pytest.raises(tb.InvalidParameter, match=r"at least .*, one of them: smaller ones have no budget") as refused:
        RDPFilter(epsilon, delta, orders=orders)
    least = float(re.search(r"at least ([\d.e+]+),", str(refused.value))[1])  # type: ignore[index]
    weight = 1 if isinstance(orders, int) else Fraction(1, len(orders))
    rest = mpmath.mpf(least) - 1
    # Canonne, Kamath and Steinke: the order leaves this delta at divergence 0; a little below it leaves too much
    for order, enough in ((rest, True), (rest * mpmath.mpf("0.99"), False)):
        log_delta = -order * epsilon + (order + 1) * mpmath.log(order / (order + 1)) - mpmath.log(order)
        assert (log_delta < mpmath.log(mpmath.mpf(delta) * weight.numerator / weight.denominator)) == enough
    RDPFilter(epsilon, delta, orders=[least, *([] if isinstance(orders, int) else orders[1:])])
    assert RDPFilter(epsilon, delta, orders=orders, or_basic=True).remaining(tb.PureDP(epsilon)) == 1


def test_where_no_order_has_a_budget_another_filter_is_named() -> None:
    with pytest.raises(tb.InvalidParameter, match="those of another filter"):
        RDPFilter("1e-12", 1e-12, orders=10**9)


@pytest.mark.parametrize("noise", [tb.Laplace(scale=math.inf), tb.Gaussian(sigma=math.inf), tb.Laplace(0, 0)], ids=str)
def test_what_reveals_nothing_is_free(noise: tb.Mechanism) -> None:
    for price in (prices.basic_price, prices.zcdp_price, prices.gdp_price, prices.squares_price):
        assert set(price(noise)) == {0}
    assert set(prices.renyi_price(noise, (Fraction(2), Fraction(8)))) == {0}


@dataclass(frozen=True)
class Survey(tb.Mechanism):
    """A mechanism that nobody has heard of."""

    name: ClassVar[str] = "survey"

    def pair(self, direction: Direction) -> Pair | None:
        return tb.RandomizedResponse(p=0.6, k=3).pair(direction)


def test_a_mechanism_that_nobody_has_heard_of_has_every_price() -> None:
    survey, known = Survey(), tb.RandomizedResponse(p=0.6, k=3)
    for price in (
        prices.basic_price,
        prices.zcdp_price,
        prices.gdp_price,
        prices.squares_price,
        prices.exact_drift,
        prices.printed_drift,
    ):
        assert price(survey) == price(known)
        assert price(survey)[0] > 0
    assert prices.renyi_price(survey, (Fraction(2), Fraction(8))) == prices.renyi_price(known, (Fraction(2), Fraction(8)))
