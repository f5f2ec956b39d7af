"""Pure epsilon, zCDP and GDP of mechanisms and compositions, against exact divergences and profiles."""

import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf
from tests.support.lanes import mostly_slow
from tests.support.renyi_truth import renyi_truth

import tightbudget as tb
from tightbudget.divergences import gdp, gdp_delta, pure_epsilon, renyi, zcdp
from tightbudget.pairs.base import Direction
from tightbudget.pairs.moments.concentrated import chord_peak

BOUNDED = [
    tb.Laplace(scale=0.4),
    tb.Laplace(scale=20.0),
    tb.PureDP(epsilon=0.7),
    tb.RandomizedResponse(p=0.9, k=4),
    tb.Histograms(a=(1.0, 5.0, 2.0, 0.5), b=(2.0, 1.0, 4.0, 0.25)),
    tb.DiscreteLaplace(scale=2.0, sensitivity=3),
    tb.ClampedLaplace(mean=3.0, scale=2.0, sensitivity=1.0),
    tb.Poisson(tb.RandomizedResponse(p=0.9), q=0.05, mix_relations=True),
]
CONCENTRATED = [
    tb.Gaussian(sigma=1.3),
    tb.GaussianDP(mu=0.2),
    tb.DiscreteGaussian(sigma=1.1, sensitivity=2),
    tb.ClampedGaussian(mean=5.0, sigma=3.0, sensitivity=2.0),
    tb.Poisson(tb.Gaussian(sigma=1.3), q=0.2),
    tb.Poisson(tb.DiscreteGaussian(sigma=1.3), q=0.2),
]
INFINITE = [
    tb.Gaussian(sigma=0.0),
    tb.TruncatedGaussian(sigma=1.0, bound=3.0),
    tb.TruncatedLaplace(scale=1.0, bound=3.0),
    tb.ApproximateDP(epsilon=1.0, delta=1e-10),
    tb.Histograms(a=(1.0, 1.0), b=(1.0, 0.0)),
    tb.Histograms(a=(1.0, 0.0), b=(1.0, 1.0)),
]
SLOPES = [1.0001, 1.01, 1.1, 1.5, 2.0, 4.0, 11.0, 25.0]


def slope(mechanism: tb.Mechanism) -> mpf:
    """The largest D_a / a seen."""
    return max(renyi_truth(mechanism, direction, order) / mpf(order) for direction in Direction for order in SLOPES)


def test_pure_epsilon() -> None:
    assert pure_epsilon(tb.compose([])) == 0.0
    assert pure_epsilon(tb.Laplace(scale=3.0) * 3) >= 1.0
    assert pure_epsilon(tb.Laplace(scale=3.0) * 3) <= 1.0 + 1e-15
    assert pure_epsilon(tb.PureDP(0.1) * 10 + tb.BoundedRange(0.5)) == pytest.approx(1.5, rel=1e-15)
    # directions are added up apart: 3 log 3 one way, log 3 the other
    skewed = tb.Histograms(a=(3.0, 1.0), b=(1.0, 1.0))
    assert pure_epsilon(skewed) == pytest.approx(math.log(2.0), rel=1e-12)
    mirrored = tb.Histograms(a=(1.0, 1.0), b=(3.0, 1.0))
    assert pure_epsilon(skewed + mirrored) == pytest.approx(math.log(2.0) + math.log(1.5), rel=1e-12)
    for mechanism in (*INFINITE, *CONCENTRATED):
        assert pure_epsilon(mechanism) == math.inf


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", mostly_slow(BOUNDED, every=8), ids=str)
def test_zcdp_of_bounded_losses_is_tight(mechanism: tb.Mechanism) -> None:
    truth, found = slope(mechanism), zcdp(mechanism)
    assert truth <= found <= truth * mpf("1.001")


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", mostly_slow(CONCENTRATED, every=8), ids=str)
def test_zcdp_of_normal_noise(mechanism: tb.Mechanism) -> None:
    assert slope(mechanism) <= zcdp(mechanism)
    assert renyi(mechanism, 1e5) / 1e5 == pytest.approx(zcdp(mechanism), rel=1e-3)


def test_zcdp_adds_up() -> None:
    c = tb.Gaussian(sigma=2.0) * 3 + tb.PureDP(epsilon=0.1) * 100
    exact = 3 / mpf(8) + 100 * mpf(0.1) * mpmath.tanh(mpf(0.1) / 2)
    assert exact <= zcdp(c) <= exact * (1 + mpf("1e-12"))
    assert zcdp(tb.compose([])) == 0.0
    for mechanism in INFINITE:
        assert zcdp(tb.Gaussian(sigma=2.0) + mechanism) == math.inf


@given(left=st.floats(1e-6, 50.0), ratio=st.floats(1.001, 40.0), first=st.floats(1e-9, 10.0), growth=st.floats(1.0, 50.0))
def test_peak_under_a_chord(left: float, ratio: float, first: float, growth: float) -> None:
    """Convex moments through 0 grow at least like theta; a thousand places between the ends show no more."""
    right = left * ratio
    at_left, at_right = first * left, first * growth * right
    theta = np.linspace(left, right, 1001)
    chord = at_left + (at_right - at_left) * (theta - left) / (right - left)
    seen = float(np.max(chord / (theta * (1.0 + theta))))
    one = [np.array([value]) for value in (left, right, at_left, at_right)]
    assert seen <= float(chord_peak(*one)[0]) * (1.0 + 1e-9)


@pytest.mark.parametrize("eta", [1e-4, 0.5, 3.0, 30.0])
@pytest.mark.parametrize("order", [1.001, 1.5, 4.0, 60.0])
def test_bounded_range_is_the_worst_of_its_class(eta: float, order: float) -> None:
    """Two losses t - eta and t, at any t; and nothing seen is above."""
    found = renyi(tb.BoundedRange(eta=eta), order)
    with mpmath.workdps(50):
        best = mpf(0)
        for k in range(1, 400):
            t = mpf(eta) * k / 400
            b = (1 - mpmath.exp(t - mpf(eta))) / (mpmath.exp(t) - mpmath.exp(t - mpf(eta)))
            moment = b * mpmath.exp(order * t) + (1 - b) * mpmath.exp(order * (t - mpf(eta)))
            best = max(best, mpmath.log(moment) / (mpf(order) - 1))
    assert best <= found <= best * mpf("1.002")
    assert zcdp(tb.BoundedRange(eta=eta)) <= eta * eta / 8.0 * (1.0 + 1e-12)
    assert found <= zcdp(tb.BoundedRange(eta=eta)) * order * (1.0 + 1e-5)


def test_exponential_mechanisms_are_below_bounded_range() -> None:
    """Scores of two neighbours differ by at most 1; the mechanism at parameter eta has range eta."""
    rng = random.Random(3)
    for _ in range(50):
        eta = 10.0 ** rng.uniform(-2, 1)
        scores = [rng.uniform(0, 5) for _ in range(rng.randint(2, 6))]
        other = [score + rng.uniform(-0.5, 0.5) for score in scores]
        c = tb.Histograms(a=tuple(math.exp(eta * score) for score in scores), b=tuple(math.exp(eta * score) for score in other))
        for order in (1.1, 3.0, 40.0):
            assert max(renyi_truth(c, direction, order) for direction in Direction) <= renyi(tb.BoundedRange(eta), order)


def test_gdp() -> None:
    assert gdp(tb.compose([])) == 0.0
    c = tb.Gaussian(sigma=3.0) * 9 + tb.GaussianDP(mu=2.0)
    assert mpmath.sqrt(5) <= gdp(c) <= mpmath.sqrt(5) * (1 + mpf("1e-13"))
    for mechanism in (*INFINITE, tb.DiscreteGaussian(sigma=1.0)):
        assert gdp(mechanism + tb.Gaussian(sigma=1.0)) == math.inf


@pytest.mark.parametrize("smallest", [10, 13, 17])
def test_gdp_of_denormal_quotients_is_rounded_up(smallest: int) -> None:
    for step in (tb.Gaussian(7, smallest * 5e-324), tb.ClampedGaussian(1, 7, smallest * 5e-324)):
        assert Fraction(gdp(step)) >= Fraction(smallest * 5e-324) / 7


@pytest.mark.parametrize("c", [*BOUNDED, *CONCENTRATED, tb.PureDP(0.5) * 3 + tb.Gaussian(sigma=2.0)], ids=str)
def test_gdp_is_above_the_profile(c: tb.Mechanism) -> None:
    """N(mu, 1) against N(0, 1) has the larger delta at every epsilon; in both directions, so for negative ones too."""
    mu = gdp(c)
    for epsilon in (0.0, 0.1, 0.4, 1.0, 3.0):
        assert mu == math.inf or c.delta(epsilon).lower <= gdp_delta(mu, epsilon)


def test_gdp_of_pure_dp_is_the_least() -> None:
    """At the corner of randomised response's trade-off a smaller mu fails: delta(0) = tanh(eps/2) = 2 Phi(mu/2) - 1."""
    for epsilon in (1e-3, 0.5, 4.0, 20.0):
        mu = gdp(tb.PureDP(epsilon))
        assert gdp_delta(mu * 0.999, 0.0) < math.tanh(epsilon / 2) <= gdp_delta(mu, 0.0) or epsilon == 20.0
        assert 2 * mpmath.ncdf(mpf(mu) / 2) - 1 >= mpmath.tanh(mpf(epsilon) / 2)
