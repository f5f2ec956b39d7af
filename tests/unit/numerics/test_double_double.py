"""Differences and quotients of twice the digits against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

from tightbudget.numerics import double_double


def random_numbers(seed: int) -> np.ndarray:
    source = np.random.default_rng(seed)
    return source.choice([-1.0, 1.0], 400) * np.exp(source.uniform(-600, 600, 400)) * source.uniform(0.5, 1.0, 400)


def exact(pair: double_double.Double, index: int) -> Fraction:
    return Fraction(float(pair.high[index])) + Fraction(float(pair.low[index]))


@pytest.mark.parametrize("seed", range(3))
def test_differences_are_exact(seed: int) -> None:
    x = random_numbers(seed)
    for y in (random_numbers(seed + 10), x * (1.0 + 1e-9), np.nextafter(x, 0.0)):
        made = double_double.double_difference(x, y)
        assert all(exact(made, i) == Fraction(float(x[i])) - Fraction(float(y[i])) for i in range(x.size))


@pytest.mark.parametrize("seed", range(3))
def test_quotients_are_as_good_as_stated(seed: int) -> None:
    source = np.random.default_rng(seed)
    x, y = (double_double.double_difference(source.random(400), source.random(400)) for _ in range(2))
    made = double_double.double_quotient(x, y)
    for i in range(400):
        true = exact(x, i) / exact(y, i)
        assert abs(exact(made, i) - true) <= Fraction(double_double.QUOTIENT_ERROR) * abs(true)


def test_sums_keep_what_a_float_would_lose() -> None:
    small = double_double.double_difference(np.array([1e-20]), np.array([0.0]))
    sum_ = double_double.double_plus(small, np.array([1.0]))
    assert exact(sum_, 0) == Fraction(1) + Fraction(1e-20)
    assert double_double.double_less(sum_, double_double.Double(np.ones(1), np.zeros(1)))[0] == 1e-20
