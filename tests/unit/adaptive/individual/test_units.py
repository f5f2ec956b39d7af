"""What an amount costs in units, against exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.adaptive.individual.units import GUARANTEED, MOST, Units

BUDGETS = [Fraction(1), Fraction(1, 10), Fraction(1, 3), Fraction("1e-12"), Fraction("7.25e11"), Fraction("1e15")]
SQUARED = [Fraction(1), Fraction(1, 10), Fraction(5, 3), Fraction("1e-6"), Fraction("3e7")]
CASES = [(budget, False) for budget in BUDGETS] + [(budget, True) for budget in SQUARED]


def amounts_around(budget: Fraction) -> np.ndarray:
    """Random amounts of all sizes, typed decimals and their neighbours, the budget, and the smallest floats."""
    rng = np.random.default_rng(7)
    b = float(budget)
    random = b * np.concatenate([rng.uniform(0.0, 1.2, 2000), 10.0 ** rng.uniform(-17.0, 0.0, 2000)])
    typed = np.array([float(f"{x:.{digits}g}") for digits in (1, 2, 5, 12) for x in random[::40]])
    whole = np.concatenate([random, typed, [b, b / 2, b / 10, 0.1, 0.5, 1e-310, 1e-320]])
    return np.concatenate([whole, np.nextafter(whole, np.inf), np.nextafter(whole, 0.0)])


@pytest.mark.slow
@pytest.mark.parametrize(("budget", "squares"), mostly_slow(CASES, every=4))
def test_costs_of_arrays(budget: Fraction, squares: bool) -> None:
    """n units are enough up to the allowance, and n - 1 are not."""
    units = Units(budget, squares)
    power = 10**units.digits
    assert units.limit == math.floor(units.total * power) <= MOST
    assert units.digits == 22 or units.total * power * 10 > MOST
    amounts = amounts_around(budget)
    costs = units.of_array(amounts, float(power))
    assert costs.min() >= 1.0  # all amounts are above 0
    for x, cost in zip(amounts.tolist(), costs.tolist(), strict=True):
        exact = Fraction(x) ** 2 if squares else Fraction(x)
        assert cost == int(cost)
        assert cost == 2.0 * MOST or Fraction(cost) / power * GUARANTEED >= exact
        assert cost == 1.0 or Fraction(cost - 1) / power < exact * GUARANTEED


@pytest.mark.parametrize(("budget", "squares"), CASES)
def test_typed_decimals_cost_what_was_typed(budget: Fraction, squares: bool) -> None:
    units = Units(budget, squares)
    power = 10**units.digits
    tried = 0
    for text in ("0.1", "0.2", "0.3", "0.7", "1.1", "0.123", "1e-5", "3e-7", "4e-13", "0.25", "5", "123.5", "8e10"):
        exact = Fraction(text) ** (2 if squares else 1)
        if exact <= units.total and (exact * power).denominator == 1:
            tried += 1
            assert units.of_array(np.array([float(text)]), float(power))[0] == units.of_number(Fraction(text)) == exact * power
    assert tried


@pytest.mark.parametrize(("budget", "squares"), CASES)
def test_one_number(budget: Fraction, squares: bool) -> None:
    units = Units(budget, squares)
    for share in (Fraction(1), Fraction(1, 3), Fraction(1, 10**30), Fraction(10**6), Fraction(0)):
        exact = (budget * share) ** 2 if squares else budget * share
        assert units.of_number(budget * share) == min(math.ceil(exact * 10**units.digits), 2 * MOST)


@pytest.mark.parametrize(
    ("budget", "squares"),
    [
        (Fraction(0), False),
        (Fraction("1e-13"), False),
        (Fraction("2e15"), False),
        (Fraction("1e-7"), True),
        (Fraction("4e7"), True),
    ],
)
def test_budgets_out_of_range(budget: Fraction, squares: bool) -> None:
    with pytest.raises(tb.InvalidParameter):
        Units(budget, squares)
