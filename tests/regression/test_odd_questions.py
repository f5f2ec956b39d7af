"""Questions that were answered with a bare error, or with [0, inf] or [0, 1] and a wrong reason."""

import math
from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf

import tightbudget as tb


@pytest.mark.parametrize("delta", [1e-320, 5e-324, 1e-300])
@pytest.mark.parametrize("sigma", [1e-6, 1e-3, 1.0, 1e6])
def test_gaussians_at_denormal_deltas(sigma: float, delta: float):
    found = tb.Gaussian(sigma).epsilon(delta)
    with mpmath.workdps(60):
        m = 1 / mpf(sigma)

        def exact(epsilon: mpf) -> mpf:
            return mpmath.ncdf(m / 2 - epsilon / m) - mpmath.exp(epsilon) * mpmath.ncdf(-m / 2 - epsilon / m)

        assert found.lower == 0.0 or exact(mpf(found.lower)) >= mpf(delta)
        assert found.upper == math.inf or exact(mpf(found.upper)) <= mpf(delta)


@pytest.mark.parametrize("rtol", [1e-320, 5e-324])
def test_tolerances_that_nothing_meets(rtol: float):
    for composition in (tb.Gaussian(1.0), tb.Laplace(2.0), tb.Laplace(2.0) * 3):
        usual = composition.epsilon(1e-5)
        found = composition.epsilon(1e-5, rtol=rtol)
        assert usual.lower <= found.upper
        assert found.lower <= usual.upper
        assert composition.delta(0.5, rtol=rtol).upper <= composition.delta(0.5).upper


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parts", "decimal"),
    [
        ([(1.0, 0.1, 1), (2.0, 0.2, 1)], 0.28),
        ([(1.0, 1e-5, 2)], 2e-5 - 1e-10),
        ([(0.5, 0.25, 2)], 0.4375),
        ([(3.0, 1e-9, 40)], 4e-8),
    ],
)
def test_delta_near_the_infinite_mass(parts: list[tuple[float, float, int]], decimal: float):
    """Below it no epsilon will do; at it, the largest loss; above it, whatever finite losses leave."""
    composition = tb.compose([tb.ApproximateDP(epsilon, delta) * count for epsilon, delta, count in parts])
    mass = 1 - math.prod((1 - Fraction(delta)) ** count for _, delta, count in parts)
    largest = math.fsum(epsilon * count for epsilon, _, count in parts)
    near = [decimal]
    for _ in range(4):
        near = [math.nextafter(near[0], 0.0), *near, math.nextafter(near[-1], 1.0)]
    for delta in near:
        found = composition.epsilon(delta)
        if delta < mass:
            assert (found.lower, found.upper) == (math.inf, math.inf)
        else:
            assert 0.99 * largest <= found.lower <= found.upper <= largest


@pytest.mark.slow
def test_delta_near_an_infinite_mass_that_is_no_fraction():
    mechanism = tb.TruncatedGaussian(1.0, 3.0) * 4
    mass = mechanism.delta(math.inf)
    found = mechanism.epsilon(0.5 * (mass.lower + mass.upper))
    assert found.lower > 5.0
    assert found.converged or "revealed" in found.reason
    assert mechanism.epsilon(mass.upper * (1 + 1e-9)).upper < math.inf
    assert mechanism.epsilon(mass.lower * (1 - 1e-9)).lower == math.inf


@pytest.mark.parametrize(
    "weights", [([1, 2, 3], [2, 4, 6]), ([0.1, 0.3], [0.2, 0.6]), ([1e300, 3e300], [1e-300, 3e-300]), ([3, 0, 6], [1, 0, 2])]
)
def test_proportional_histograms(weights: tuple[list[float], list[float]]):
    a, b = ([Fraction(x) / sum(map(Fraction, side)) for x in side] for side in weights)
    true = sum(
        max(Fraction(0), x - y) for x, y in zip(a, b, strict=True)
    )  # not 0 where decimals are not proportional as floats
    for count in (1, 2, 1000):
        found = (tb.Histograms(*weights) * count).delta(0.0)
        assert Fraction(found.lower) <= count * true
        assert Fraction(found.upper) <= 10 * count * true + Fraction(1, 10**28)
        if true == 0:
            assert (found.lower, found.upper) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("composition", "delta"),
    [
        (tb.Poisson(tb.Gaussian(0.5074993917663068), q=0.10547235306853933) * 2, 0.12019611016017519),
        (tb.Poisson(tb.Laplace(1.5503620525955597), q=0.04813979487354397) * 2, 0.01784500207221652),
    ],
)
def test_epsilons_that_are_nearly_0(composition: tb.Composition, delta: float):
    """What a stage made of its plan was divided by an upper end of 0."""
    found = composition.epsilon(delta)
    assert composition.delta(found.upper).lower <= delta
    assert found.lower == 0.0 or composition.delta(found.lower).upper >= delta
