"""Binomial probabilities against fractions, with their stated errors."""

from fractions import Fraction
from math import comb

import mpmath
import pytest
from mpmath import mpf

from tightbudget.numerics.binomial import binomial, poisson_binomial


def exact(n: int, q: float, k: int) -> mpf:
    p = Fraction(q)
    value = comb(n, k) * p**k * (1 - p) ** (n - k)
    return mpf(value.numerator) / mpf(value.denominator)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "q"), [(1, 0.5), (3, 0.1), (19, 0.1), (40, 1e-9), (50, 1.0 - 2.0**-40), (700, 0.3), (300, 1e-300)]
)
def test_each_is_as_good_as_stated(n: int, q: float) -> None:
    found = binomial(n, q)
    with mpmath.workdps(60):
        for index in range(0, found.logs.size, max(1, found.logs.size // 40)):
            truth = mpmath.log(exact(n, q, found.first + index))
            assert abs(truth - mpf(found.logs[index])) <= found.errors[index], found.first + index
    assert found.errors[found.logs.argmax()] < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(("n", "q", "low", "high"), [(20, 0.1, 4, 20), (19, 0.1, 3, 19), (19, 0.1, 0, 2), (500, 0.02, 40, 500)])
def test_tails(n: int, q: float, low: int, high: int) -> None:
    log, error = binomial(n, q).log_between(low, high)
    with mpmath.workdps(60):
        truth = mpmath.log(sum(exact(n, q, k) for k in range(low, high + 1)))
        assert abs(truth - mpf(log)) <= error < 1e-11


def test_large_numbers() -> None:
    """Of 60,000 records at 256/60000, as mpmath has them from logs of factorials."""
    n, q = 60000, 256 / 60000
    found = binomial(n, q)
    with mpmath.workdps(60):
        p = mpf(q)
        for k in (100, 256, 300, 600):
            truth = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
            truth += k * mpmath.log(p) + (n - k) * mpmath.log(1 - p)
            assert abs(truth - mpf(found.logs[k - found.first])) <= found.errors[k - found.first] < 1e-9


def test_what_is_not_worth_a_term() -> None:
    log, _ = binomial(10**6, 1e-9).log_between(5000, 10**6)
    assert log == float("-inf")


@pytest.mark.parametrize(
    "rates",
    [[0.5], [0.1, 0.2, 0.3], [1e-300, 0.5, 5e-324], [1.0 - 2.0**-53] * 9, [0.01 * k for k in range(1, 100)], [1e-9] * 60],
)
def test_different_rates_against_fractions(rates: list[float]) -> None:
    law = [Fraction(1)]
    for q in map(Fraction, rates):
        law = [(1 - q) * stay + q * more for stay, more in zip([*law, Fraction(0)], [Fraction(0), *law], strict=True)]
    found = poisson_binomial(rates)
    assert found.first == 0
    assert found.logs.size == len(law)
    with mpmath.workdps(60):
        for k, exact in enumerate(law):
            truth = mpmath.log(mpf(exact.numerator) / mpf(exact.denominator))
            assert abs(truth - mpf(found.logs[k])) <= found.errors[k], k
    assert found.errors[found.logs.argmax()] < 1e-11
