"""Rényi divergences against sums and integrals with 50 digits, in both directions."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf
from tests.support.lanes import mostly_slow
from tests.support.renyi_truth import renyi_truth

import tightbudget as tb
from tightbudget.divergences import ORDERS, pure_epsilon, renyi
from tightbudget.pairs.base import Direction

EXACT = [
    tb.Gaussian(sigma=0.7),
    tb.Gaussian(sigma=300.0, sensitivity=2.0),
    tb.GaussianDP(mu=0.3),
    tb.Laplace(scale=0.5),
    tb.Laplace(scale=1.0),
    tb.Laplace(scale=400.0),
    tb.PureDP(epsilon=2.0),
    tb.PureDP(epsilon=1e-5),
    tb.RandomizedResponse(p=0.6),
    tb.RandomizedResponse(p=0.3, k=7),
    tb.Histograms(a=(1.0, 5.0, 2.0, 0.5), b=(2.0, 1.0, 4.0, 0.25)),
    tb.DiscreteLaplace(scale=1.5, sensitivity=3),
    tb.DiscreteGaussian(sigma=0.35),
    tb.DiscreteGaussian(sigma=2.0, sensitivity=3),
    tb.ClampedLaplace(mean=7.3, scale=2.0, sensitivity=2.0),
    tb.ClampedGaussian(mean=4.5, sigma=2.0, sensitivity=1.0),
    tb.Poisson(tb.RandomizedResponse(p=0.8), q=0.1, mix_relations=True),
    tb.Poisson(tb.Histograms(a=(1.0, 5.0, 2.0), b=(2.0, 1.0, 4.0)), q=0.01),
    tb.Poisson(tb.Poisson(tb.PureDP(epsilon=1.0), q=0.5), q=0.2),
    tb.Poisson(tb.DiscreteGaussian(sigma=1.5), q=0.2),
]
GRID = [
    tb.Poisson(tb.Laplace(scale=1.0), q=0.05),
    tb.Poisson(tb.Laplace(scale=30.0), q=0.3),
    tb.Poisson(tb.Gaussian(sigma=0.6), q=0.001),
    tb.Poisson(tb.Gaussian(sigma=1.0), q=0.01),
    tb.Poisson(tb.Gaussian(sigma=4.0), q=0.5),
    tb.Poisson(tb.Gaussian(sigma=1.0), q=0.999),
    tb.Poisson(tb.Gaussian(sigma=1000.0), q=0.01),
    tb.Poisson(tb.Poisson(tb.Gaussian(sigma=1.0), q=0.3), q=0.1),
]
SOME_ORDERS = [1.0001, 1.3, 2.0, 3.7, 12.0, 33.25]


def worst(mechanism: tb.Mechanism, order: float) -> mpf:
    return max(renyi_truth(mechanism, direction, order) for direction in Direction)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", mostly_slow(EXACT, every=8), ids=str)
def test_sums_and_closed_forms(mechanism: tb.Mechanism) -> None:
    for order in SOME_ORDERS:
        truth, found = worst(mechanism, order), renyi(mechanism, order)
        assert truth <= found <= truth * (1 + mpf("1e-6")) + mpf("1e-300"), (order, truth, found)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", mostly_slow(GRID, every=8), ids=str)
def test_grids(mechanism: tb.Mechanism) -> None:
    for order in SOME_ORDERS:
        truth, found = worst(mechanism, order), renyi(mechanism, order)
        assert truth <= found <= truth * mpf("1.005"), (order, truth, found)


@pytest.mark.parametrize("order", [2, 3, 17, 200])
def test_whole_orders_of_a_subsampled_gaussian(order: int) -> None:
    """The binomial sum, term by term."""
    with mpmath.workdps(60):
        m = 1 / mpf(0.8)
        q = mpf(0.02)
        total = mpmath.fsum(
            mpmath.binomial(order, k) * (1 - q) ** (order - k) * q**k * mpmath.exp(m * m * k * (k - 1) / 2)
            for k in range(order + 1)
        )
        truth = mpmath.log(total) / (order - 1)
    found = renyi(tb.Poisson(tb.Gaussian(sigma=0.8), q=0.02), order)
    assert truth <= found <= truth * (1 + mpf("1e-9"))


def test_steps_add_up_in_each_direction_apart() -> None:
    first = tb.Histograms(a=(8.0, 1.0, 1.0), b=(1.0, 1.0, 1.0))
    second = tb.Histograms(a=(1.0, 1.0, 1.0), b=(8.0, 1.0, 1.0))
    for order, counts in itertools.product((1.5, 4.0), ((3, 2), (2, 3))):
        sums = [
            counts[0] * renyi_truth(first, direction, order) + counts[1] * renyi_truth(second, direction, order)
            for direction in Direction
        ]
        found = renyi(first * counts[0] + second * counts[1], order)
        assert max(sums) <= found <= max(sums) * (1 + mpf("1e-9"))


def test_infinite() -> None:
    for mechanism in (tb.TruncatedGaussian(sigma=1.0, bound=4.0), tb.ApproximateDP(1.0, 1e-9), tb.Gaussian(sigma=0.0)):
        assert renyi(mechanism, 2.0) == math.inf
    assert renyi(tb.Gaussian(sigma=1.0), math.inf) == math.inf
    assert renyi(tb.Laplace(scale=2.0), math.inf) == pure_epsilon(tb.Laplace(scale=2.0)) == 0.5


def test_shapes() -> None:
    c = tb.Gaussian(sigma=1.0)
    assert isinstance(renyi(c, 2), float)
    assert renyi(c, [[2.0, 3.0]]).shape == (1, 2)
    assert renyi(tb.compose([]), 2.0) == 0.0
    assert np.all(np.diff(renyi(tb.Poisson(c, q=0.1), ORDERS)) > 0)


@pytest.mark.parametrize("order", [0.5, math.nan, "two", True, None, [2.0, 0.0]])
def test_illegal_orders(order: object) -> None:
    with pytest.raises(tb.InvalidParameter):
        renyi(tb.Gaussian(sigma=1.0), order)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sigma", "q", "order"), [(1.0, 0.01, 1e5), (0.01, 0.5, 1e5), (0.3, 1e-6, 1e4), (1e-3, 0.1, 1.5), (5.0, 0.9, 1e6)]
)
def test_large_moments_of_a_subsampled_gaussian(sigma: float, q: float, order: float) -> None:
    """One term of the mixture is a lower bound: (qA)^a against B; Minkowski's inequality gives an upper one."""
    with mpmath.workdps(50):
        m, a, p = 1 / mpf(sigma), mpf(order), mpf(q)
        lower = a * mpmath.log(p) / (a - 1) + a * m * m / 2
        upper = a / (a - 1) * mpmath.log(1 - p + p * mpmath.exp((a - 1) * m * m / 2))
    found = renyi(tb.Poisson(tb.Gaussian(sigma=sigma), q=q), order)
    assert lower <= found <= upper * mpf("1.005")


@pytest.mark.slow
@pytest.mark.parametrize("order", [1.0001, 1.5, 2.0, 2.5, 30.0])
@pytest.mark.parametrize(("sigma", "q"), [(1e3, 1e-9), (1e6, 1e-4), (2.0, 1e-12), (3.0, 1 - 1e-9), (1e8, 0.5)])
def test_small_moments_of_a_subsampled_gaussian(sigma: float, q: float, order: float) -> None:
    """Divergences down to 1e-36 are known as well as any: to second order they are a q^2 (e^{m^2} - 1) / 2."""
    found = renyi(tb.Poisson(tb.Gaussian(sigma=sigma), q=q), order)
    truth = worst(tb.Poisson(tb.Gaussian(sigma=sigma), q=q), order)
    assert truth <= found <= truth * mpf("1.03")


@pytest.mark.parametrize("sigma", [1e-30, 1e-3, 0.1, 0.5, 3.0])
@pytest.mark.parametrize("shift", [1, 2])
def test_discrete_gaussian_at_any_order(sigma: float, shift: int) -> None:
    for order in (1.01, 1.5, 1.75, 2.0, 7.5):
        with mpmath.workdps(60):
            s, a = mpf(sigma), mpf(order)
            centre = round(order * shift)
            # e^{a(a-1)shift^2/2s^2} S(a shift) / S(0); exponents taken together, as each alone may be astronomic
            reach = max(3, int(20 * sigma))
            logs = [
                (a * (a - 1) * shift**2 - (x - a * shift) ** 2) / (2 * s * s) for x in range(centre - reach, centre + reach + 1)
            ]
            top = max(logs)
            norm = mpmath.fsum(mpmath.exp(-(mpf(x) ** 2) / (2 * s * s)) for x in range(-reach, reach + 1))
            truth = (top + mpmath.log(mpmath.fsum(mpmath.exp(log - top) for log in logs) / norm)) / (a - 1)
        found = renyi(tb.DiscreteGaussian(sigma=sigma, sensitivity=shift), order)
        assert truth <= found <= truth * (1 + mpf("1e-9"))


@pytest.mark.slow
def test_extremes() -> None:
    assert 0.0 < renyi(tb.Gaussian(sigma=1e200), 2.0) <= 1e-300
    assert renyi(tb.Gaussian(sigma=1e-160), 2.0) == math.inf
    assert renyi(tb.Laplace(scale=1e-5), 1e5) == pytest.approx(1e5, rel=1e-9)
    assert 0.0 < renyi(tb.Poisson(tb.Gaussian(sigma=1e200), q=1e-200), 3.0) <= 1e-290
    assert renyi(tb.Poisson(tb.Gaussian(sigma=1e-5), q=0.5), 2.0) == pytest.approx(1e10, rel=1e-3)
    assert renyi(tb.Poisson(tb.Gaussian(sigma=2.0), q=1.0), 3.0) == renyi(tb.Gaussian(sigma=2.0), 3.0)
    assert renyi(tb.Poisson(tb.Gaussian(sigma=2.0), q=0.0), 3.0) == 0.0
    assert renyi(tb.Gaussian(sigma=1.0), 1.0) == pytest.approx(0.5, rel=1e-5)
    assert renyi(tb.PureDP(epsilon=1e-9), 1e300) == 1e-9
    whole = renyi(tb.ClampedGaussian(mean=0.0, sigma=20000.0, sensitivity=100.0), 5.0)
    assert whole <= renyi(tb.Gaussian(sigma=200.0), 5.0)


@given(
    weights=st.lists(st.tuples(st.floats(0.01, 1.0), st.floats(0.01, 1.0)), min_size=2, max_size=6),
    q=st.floats(0.001, 1.0),
    order=st.floats(-3, 2.5).map(lambda x: 1.0 + 10.0**x),
    count=st.integers(1, 50),
)
def test_any_histograms(weights: list[tuple[float, float]], q: float, order: float, count: int) -> None:
    mechanism = tb.Poisson(tb.Histograms(a=tuple(a for a, _ in weights), b=tuple(b for _, b in weights)), q=q)
    truth, found = count * worst(mechanism, order), renyi(mechanism * count, order)
    assert truth <= found <= truth * (1 + mpf("1e-5")) + mpf("1e-20")


@pytest.mark.slow
@given(
    sigma=st.floats(-0.5, 2).map(lambda x: 10.0**x), q=st.floats(-4, -0.01).map(lambda x: 10.0**x), order=st.floats(1.05, 40.0)
)
def test_any_subsampled_gaussian(sigma: float, q: float, order: float) -> None:
    mechanism = tb.Poisson(tb.Gaussian(sigma=sigma), q=q)
    truth, found = worst(mechanism, order), renyi(mechanism, order)
    assert truth <= found <= truth * mpf("1.002")


def test_long_lists_are_grouped() -> None:
    """More events than are summed one by one."""
    mechanism = tb.DiscreteLaplace(scale=4000.0, sensitivity=6000)
    for order in (1.5, 8.0):
        truth, found = renyi(tb.Laplace(scale=4000.0, sensitivity=6000.0), order), renyi(mechanism, order)
        assert found == pytest.approx(truth, rel=1e-3)
