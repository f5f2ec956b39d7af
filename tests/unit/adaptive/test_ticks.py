"""Sums stay short, what is typed is counted exactly, and what is not is rounded to the safe side."""

import json
import math
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.adaptive.ticks import Tick, short_ticks
from tightbudget.filters import Filter

WHOLE = ["1602879437118960000001 ticks", "-5 ticks", "-0.25", "0"]
ODD = ["1/0 ticks", "1/12345678 ticks"]
SIZES = [Fraction(1), Fraction(1, 10**40), Fraction(1, 10**300), Fraction(10**40), Fraction(1, 3), Fraction(10**300)]


@pytest.mark.parametrize("size", SIZES)
def test_amounts_are_rounded_to_the_side_that_is_asked_by_less_than_1e30_of_the_size(size: Fraction) -> None:
    tick, source = Tick.beside(size), random.Random(1)
    assert tick.amount(1) <= size / 10**30
    for _ in range(100):
        amount = size * Fraction(source.random()) / source.randrange(1, 10**9)
        above, below = tick.amount(tick.up(amount)), tick.amount(tick.down(amount))
        assert below <= amount <= above <= below + tick.amount(1)
        assert below > amount - tick.amount(1)
        assert math.isclose(tick.in_float(tick.up(amount)), amount, rel_tol=1e-12)


@pytest.mark.parametrize("amount", ["0.1", "1e-6", "1/3", "1/7", "1/40", "0.0033333333333333335", "1e-30", "123456.789"])
def test_what_is_typed_is_a_whole_number_of_ticks(amount: str) -> None:
    tick = Tick.beside(Fraction(1))
    assert tick.amount(tick.up(Fraction(amount))) == Fraction(amount) == tick.amount(tick.down(Fraction(amount)))


@pytest.mark.parametrize(
    ("budget", "scale"),
    [("1", 7), ("1", 10), ("1", 41), ("1", 101), ("1", 365), ("2", 121), ("1/41", 410), ("3/101", 101), ("1e-40", 1e41)],
)
def test_a_budget_is_filled_to_the_last_step(budget: str, scale: float) -> None:
    made, step = tb.filters.BasicFilter(budget, 0), tb.Laplace(scale=scale)
    count = int(Fraction(budget) * int(scale) + Fraction(1, 2))
    assert made.remaining(step) == count
    made.spend(step * count)
    assert made.spent["epsilon"] == Fraction(budget)


@pytest.mark.parametrize(
    "text", ["0.1", "1/3", "inf", "1602879437118960000001 ticks", "16028794371189600000017/131 ticks", "-5 ticks", "-0.25", "0"]
)
def test_amounts_are_read_as_they_were_written(text: str) -> None:
    tick = Tick.beside(Fraction(1))
    amount = tick.read("spent", text)
    count = amount if isinstance(amount, float) else tick.shortly(amount)
    assert tick.amount(count) == amount
    assert tick.written(count) == text


@pytest.mark.parametrize("text", ["ticks", "1.5 ticks", *ODD, "1 tick", "--1", "١ ticks", "", None, "-inf", "nan"])
def test_what_is_no_amount_is_refused(text: object) -> None:
    with pytest.raises(tb.InvalidParameter):
        Tick.beside(Fraction(1)).read("spent", text)


def test_a_budget_far_above_epsilon_is_spent_whole() -> None:
    """At an order where delta alone leaves more than 10^12 times epsilon."""
    step = tb.filters.RDP([100], [0.0049565])
    budget = tb.filters.RDPFilter(1e-20, 0.5, orders=[100])
    count = budget.remaining(step)
    assert count > 5
    for _ in range(count):
        budget.spend(step)
    assert not budget.quote(step)
    assert tb.filters.from_state(budget.state()) == budget


def test_an_order_next_to_one_is_refused_with_a_sentence() -> None:
    with pytest.raises(tb.InvalidParameter, match="orders"):
        tb.filters.RDPFilter(1e6, 1e-3, orders=[1 + 1e-9])


def test_totals_are_numbers() -> None:
    with pytest.raises(tb.InvalidParameter, match="epsilon"):
        tb.filters.BasicFilter(1, 0).admits({"epsilon": np.array([1.0, 2.0]), "delta": 0})


def test_sums_of_many_fractions_are_rounded_up() -> None:
    """A part of a tick with a denominator above a million is not kept; what is kept is no less."""
    tick = Tick.beside(Fraction(1))
    first, second = tick.shortly(Fraction(1, 999983)), tick.shortly(Fraction(1, 999979))
    assert tick.amount(first) == Fraction(1, 999983)
    assert type(short_ticks(first + second)) is int
    assert short_ticks(first + second) - 1 < first + second < short_ticks(first + second)
    assert type(tick.shortly(Fraction(1, 10**7 + 19))) is int
    assert tick.amount(tick.shortly(Fraction(1, 10**7 + 19))) > Fraction(1, 10**7 + 19)


LARGE = (10**7, 1e-6)
MADE: dict[str, Callable[[], Filter]] = {
    "basic": lambda: tb.filters.BasicFilter(10**7, 0.9),
    "advanced": lambda: tb.filters.AdvancedFilter(*LARGE),
    "sharpened": lambda: tb.filters.SharpenedFilter(*LARGE, or_basic=True),
    "whitehouse": lambda: tb.filters.WhitehouseFilter(*LARGE, or_basic=True),
    "zcdp": lambda: tb.filters.ZCDPFilter(*LARGE),
    "rdp": lambda: tb.filters.RDPFilter(*LARGE, orders=[1.5, 7, 1000]),
    "gdp": lambda: tb.filters.GDPFilter(*LARGE),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", MADE)
def test_ten_thousand_unlike_steps_leave_a_short_state(kind: str) -> None:
    budget, source = MADE[kind](), random.Random(kind)
    few = 300 if kind == "gdp" else 10**4  # a mu takes a millisecond
    for _ in range(few):
        epsilon = 10 ** source.uniform(-6, 0)
        budget.spend(tb.PureDP(epsilon) if source.random() < 0.9 else tb.Laplace(scale=1 / epsilon))
    spent = budget.state()["spent"]
    assert max(map(len, spent.values())) < 100
    again = tb.filters.from_state(json.loads(json.dumps(budget.state())))
    assert again == budget
    assert again.sequence == few


def test_a_sum_that_is_of_no_use_to_its_limit_any_more_stays_short() -> None:
    budget = tb.filters.RDPFilter(10, 1e-6, orders=[8, 64])
    for _ in range(2):
        budget.spend(tb.filters.RDP([8, 64], [0.1, "1e200"]))
    assert budget.spent["order 64"] == math.inf
    assert max(map(len, budget.state()["spent"].values())) < 100
    quote = budget.quote(tb.filters.RDP([8, 64], [1000, "1e200"]))
    assert not quote.accepted
    assert tb.filters.from_state(budget.state()) == budget


@pytest.mark.parametrize("kind", ["residual", "slots"])
def test_deltas_of_steps_stay_short_too(kind: str) -> None:
    made: Filter = (
        tb.filters.ResidualFilter(1, 1e-6, delta_for_steps=5e-7)
        if kind == "residual"
        else tb.filters.SlotFilter(1, 1e-6, plan=tb.PureDP(0) * 10, delta_for_steps=5e-7)
    )
    for power in (9, 60, 150, 300):
        made.spend(tb.ApproximateDP(0, float(f"3e-{power}")))
    exactly = sum(Fraction(f"3e-{power}") for power in (9, 60, 150, 300))
    assert exactly <= made.spent["delta"] <= exactly + 4 * Tick.beside(Fraction("1e-6")).amount(1)
    assert len(made.state()["spent"]["delta"]) < 100
    assert tb.filters.from_state(json.loads(json.dumps(made.state()))) == made
    assert made.remaining(tb.ApproximateDP(0, 1e-7)) == 4
