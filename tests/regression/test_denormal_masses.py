"""Masses that only denormal floats hold were rounded to nearest: ends were off by up to 9 % when repeated, or
crossed.
"""

import math
from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf

import tightbudget as tb


def union(mass: mpf, count: int) -> mpf:
    return -mpmath.expm1(count * mpmath.log1p(-mass))


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 1000, 10**15])
def test_truncated_noise(count: int):
    with mpmath.workdps(400):
        cut = mpf(39.4)
        gaussian = (mpmath.ncdf(1 - cut) - mpmath.ncdf(-cut)) / (1 - 2 * mpmath.ncdf(-cut))
        laplace = mpmath.exp(1 - mpf(743.5)) * (1 - mpmath.exp(-1)) / 2 / (1 - mpmath.exp(-mpf(743.5)))
        for mechanism, mass in ((tb.TruncatedGaussian(1, 39.4), gaussian), (tb.TruncatedLaplace(1, 743.5), laplace)):
            found, true = (mechanism * count).delta(math.inf), union(mass, count)
            assert mpf(found.lower) <= true <= mpf(found.upper)
            assert mpf(found.upper) - mpf(found.lower) <= true * mpf(10) ** -8 + mpf(10) ** -322


@pytest.mark.parametrize(
    "weights", [([1, 1.5e-323], [1, 5e-324]), ([1, 5e-324], [1, 1.5e-323]), ([1, 1e-310, 2e-310], [1, 2e-310, 1e-310])]
)
@pytest.mark.parametrize("epsilon", [0.0, 0.25, 0.5, 1.0])
def test_histograms(weights: tuple[list[float], list[float]], epsilon: float):
    a, b = ([Fraction(x) / sum(map(Fraction, side)) for x in side] for side in weights)
    with mpmath.workdps(700):

        def hockey_stick(p: list[Fraction], q: list[Fraction]) -> mpf:
            pairs = [(mpf(x.numerator) / x.denominator, mpf(y.numerator) / y.denominator) for x, y in zip(p, q, strict=True)]
            return mpmath.fsum(max(mpf(0), x - mpmath.exp(epsilon) * y) for x, y in pairs)

        true = max(hockey_stick(a, b), hockey_stick(b, a))
        found = tb.Histograms(*weights).delta(epsilon)
        assert mpf(found.lower) <= true <= mpf(found.upper)


@pytest.mark.parametrize("away", [0.0, 1e-3, 0.05, 0.1, 0.15, 1.0])
def test_response_over_many_values(away: float):
    """The rarest answer has probability 1.1e-316, and its square none that a float holds."""
    p, k = 1.0 - 2.0**-53, 10**300
    epsilon = 1454.92 + away
    composition = tb.RandomizedResponse(p, k=k) * 2
    found = composition.delta(epsilon)
    truth, lie = Fraction(p), (1 - Fraction(p)) / (k - 1)
    with mpmath.workdps(800):
        events = [(truth, lie), (lie, truth), ((k - 2) * lie, (k - 2) * lie)]
        growth = mpmath.exp(mpf(epsilon))
        number = lambda x: mpf(x.numerator) / x.denominator  # noqa: E731
        true = mpmath.fsum(max(mpf(0), number(a * c) - growth * number(b * d)) for a, b in events for c, d in events)
        assert mpf(found.lower) <= true <= mpf(found.upper)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [5e-324, 1e-320, 1e-310])
@pytest.mark.parametrize(
    "composition",
    [
        tb.Poisson(tb.GaussianDP(10), q=0.001),
        tb.ClampedGaussian(5.5, 1, 0.5),
        tb.Gaussian(sigma=1e-6),
        tb.Laplace(scale=2) + tb.Laplace(scale=3),
    ],
    ids=str,
)
def test_epsilon_at_a_denormal_delta(composition: tb.Mechanism, delta: float):
    """No lower end lies where delta is certainly no larger."""
    found = composition.epsilon(delta)
    assert found.lower > 0.0
    assert composition.delta(found.lower * (1.0 - 1e-12)).upper >= delta


def test_many_faint_gaussians():
    """m is a denormal number, rounded once; repeated 10^15 times that is 1.5e7 times as much."""
    composition = tb.Gaussian(sigma=1e300, sensitivity=1e-20) * 10**15
    with mpmath.workdps(60):
        m = mpf(1e-20) / mpf(1e300) * mpmath.sqrt(mpf(10) ** 15)
        true = 2 * mpmath.ncdf(m / 2) - 1 if m > mpf(10) ** -50 else m / mpmath.sqrt(2 * mpmath.pi)
        found = composition.delta(0.0)
        assert mpf(found.lower) <= true <= mpf(found.upper)
        assert found.upper <= float(true) * 1.001
