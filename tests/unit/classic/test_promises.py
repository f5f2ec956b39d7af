"""Sums of promises, rounded up once; and lines through many choices of them."""

import math
from fractions import Fraction

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.classic import murtagh_vadhan, naive
from tightbudget.classic.promises import Promises, sums_up


def exact_sum(row: list[float], counts: list[int]) -> Fraction:
    return sum((Fraction(value) * count for value, count in zip(row, counts, strict=True)), start=Fraction(0))


@pytest.mark.slow
@pytest.mark.parametrize("largest", [1, 2, 1000, 2**26, 2**27 - 1, 2**27, 2**53])
@pytest.mark.parametrize("least", [-2, -200, -1070])
def test_sums_are_the_least_floats_that_are_no_smaller(largest: int, least: int) -> None:
    rng = np.random.default_rng(largest)
    for _ in range(200):
        steps = int(rng.integers(1, 9))
        rows = np.ldexp(rng.integers(0, 2**53, (3, steps)).astype(float), rng.integers(least - 53, -52, (3, steps)))
        counts = [int(count) for count in rng.integers(1, largest + 1, steps)]
        for row, found in zip(rows.tolist(), sums_up(rows, counts).tolist(), strict=True):
            exact = exact_sum(row, counts)
            assert Fraction(found) >= exact
            assert found == 0.0 or Fraction(math.nextafter(found, 0.0)) < exact


def test_sums_of_promises_that_are_infinite() -> None:
    assert sums_up(np.array([[1.0, math.inf], [1.0, 2.0]]), [1, 3]).tolist() == [math.inf, 7.0]


def test_a_curve_of_equal_steps_knows_the_even_share() -> None:
    step, count = tb.Gaussian(sigma=0.3), 3
    epsilons = np.linspace(1.0, 60.0, 40).tolist()
    for epsilon, found in zip(epsilons, naive.curve(step * count, epsilons), strict=True):
        share = count * step.delta(epsilon / count, rtol=1e-9).upper
        assert found <= min(1.0, share) * (1 + 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("expression", ["gaussian(sigma=20) * 100 + laplace(scale=30) * 50", "laplace(20) + laplace(21) * 3"])
def test_the_optimum_along_a_curve_is_as_good_as_at_its_points(expression: str) -> None:
    composition = tb.parse(expression)
    promises = Promises(composition)
    epsilons = np.linspace(0.0, 3.0 * composition.epsilon(1e-4).upper, 25).tolist()
    found = murtagh_vadhan.curve(promises, [*epsilons, math.inf])
    assert found[-1] == murtagh_vadhan.delta(promises, math.inf)
    for epsilon, delta in zip(epsilons, found, strict=False):
        assert delta >= composition.delta(epsilon).lower
        assert delta <= 1.15 * murtagh_vadhan.delta(promises, epsilon)
    assert murtagh_vadhan.curve(promises, [math.inf]) == found[-1:]
