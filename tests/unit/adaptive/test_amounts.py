"""What a person typed is what is counted."""

import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.adaptive.amounts import exact, float_up, show
from tightbudget.filters import ZCDP, BasicFilter, WhitehouseFilter, ZCDPFilter
from tightbudget.numerics.rounding import float_below


def test_ten_tenths_fit_one_and_the_eleventh_is_refused() -> None:
    budget = BasicFilter(1.0, 0)
    for _ in range(10):
        assert budget.spend(tb.PureDP(0.1))
    assert budget.spent == {"epsilon": 1, "delta": 0}
    with pytest.raises(tb.BudgetRefused) as refusal:
        budget.spend(tb.PureDP(0.1))
    assert refusal.value.quote.left == 0
    assert budget.spent == {"epsilon": 1, "delta": 0}


def test_a_tenth_and_nine_tenths_fit_one() -> None:
    budget = BasicFilter("1.0", 0)
    budget.spend(tb.PureDP(0.1))
    budget.spend(tb.PureDP(0.9))
    assert not budget.quote(tb.PureDP(5e-324))


def test_laplace_noise_of_scale_ten_is_a_tenth() -> None:
    assert BasicFilter(1, 0).remaining(tb.Laplace(scale=10)) == 10
    assert BasicFilter(1, 0).remaining(tb.BoundedRange(0.1)) == 10


def test_derived_amounts_round_up() -> None:
    # ln(0.75/0.25) is irrational, so its float may be below it
    step = tb.RandomizedResponse(0.75)
    spent = BasicFilter(10, 0)
    spent.spend(step)
    assert Fraction("1.098612288668109691395") < spent.spent["epsilon"] < Fraction("1.0986122886682")


@pytest.mark.parametrize(
    ("given", "number"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (Decimal("0.10"), Fraction(1, 10)),
        (Fraction(2, 7), Fraction(2, 7)),
        (3, Fraction(3)),
        (np.float64(0.3), Fraction(3, 10)),
        (np.int64(3), Fraction(3)),
        (1e-300, Fraction(1, 10**300)),
        (0, Fraction(0)),
    ],
)
def test_numbers_of_all_kinds_are_taken_as_written(given: object, number: Fraction) -> None:
    assert exact("epsilon", given) == number
    assert exact("epsilon", show(number)) == number


@pytest.mark.parametrize(
    "bad", [-1, -0.1, "-1/3", math.nan, math.inf, "inf", "nan", "x", "", "1/0", "1e999999999", None, True, 1j, [1], b"1"]
)
def test_what_is_no_amount_is_refused(bad: object) -> None:
    with pytest.raises(tb.InvalidParameter):
        exact("epsilon", bad)


def test_floats_are_rounded_to_the_side_that_is_asked() -> None:
    for part in (Fraction(1, 3), Fraction(2, 3)):  # the nearest float of one is below it, of the other above
        assert Fraction(float_below(part)) < part < Fraction(Decimal(repr(float_up(part))))
    assert float_up(Fraction(1, 10)) == 0.1


def test_the_guarantee_is_read_back_as_typed() -> None:
    budget = WhitehouseFilter("0.1", 1e-6)
    assert (budget.epsilon, budget.delta) == (0.1, 1e-6)


def test_rho_is_summed_exactly() -> None:
    budget = ZCDPFilter(10, 1e-6)
    for _ in range(3):
        budget.spend(ZCDP(0.1))
    assert budget.spent["rho"] == Fraction(3, 10)


def test_many_unlike_fractions_can_be_written_down_and_read_back():
    """1/2 + 1/3 + 1/5 + ... has an ever longer denominator; the sum kept is short, and no smaller than the true one."""
    primes = [p for p in range(2, 3000) if all(p % q for q in range(2, math.isqrt(p) + 1))]
    budget = tb.filters.ZCDPFilter(100, "1e-6")
    for p in primes:
        budget.spend(tb.filters.ZCDP(Fraction(1, 10 * p)))
    again = tb.filters.from_state(json.loads(json.dumps(budget.state())))
    assert again == budget
    true = sum(Fraction(1, 10 * p) for p in primes)
    (kept, _) = budget.spent.values()
    assert true <= kept <= true * (1 + Fraction(1, 10**50))
