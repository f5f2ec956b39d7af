"""Rényi divergences against sums and integrals with 40 digits, in both directions."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from renyi_truth import renyi_truth

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
    tb.Poisson(tb.RandomizedResponse(p=0.8), q=0.1),
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


@pytest.mark.parametrize("mechanism", EXACT, ids=str)
def test_sums_and_closed_forms(mechanism: tb.Mechanism) -> None:
    for order in SOME_ORDERS:
        truth, found = worst(mechanism, order), renyi(mechanism, order)
        assert truth <= found <= truth * (1 + mpf("1e-6")) + mpf("1e-300"), (order, truth, found)


@pytest.mark.parametrize("mechanism", GRID, ids=str)
def test_grids(mechanism: tb.Mechanism) -> None:
    for order in SOME_ORDERS:
        truth, found = worst(mechanism, order), renyi(mechanism, order)
        assert truth <= found <= truth * mpf("1.005"), (order, truth, found)


@pytest.mark.parametrize("order", [2, 3, 17, 200])
def test_whole_orders_of_a_subsampled_gaussian(order: int) -> None:
    """The binomial sum in exact arithmetic."""
    sigma, q = mpf("0.8"), mpf("0.02")
    with mpmath.workdps(60):
        m = 1 / mpf(0.8)
        q = mpf(0.02)
        total = mpmath.fsum(
            mpmath.binomial(order, k) * (1 - q) ** (order - k) * q**k * mpmath.exp(m * m * k * (k - 1) / 2)
            for k in range(order + 1)
        )
        truth = mpmath.log(total) / (order - 1)
    assert sigma > 0
    found = renyi(tb.Poisson(tb.Gaussian(sigma=0.8), q=0.02), order)
    assert truth <= found <= truth * (1 + mpf("1e-9"))


def test_steps_add_up_in_each_direction_apart() -> None:
    first = tb.Histograms(a=(8.0, 1.0, 1.0), b=(1.0, 1.0, 1.0))
    second = tb.Histograms(a=(1.0, 1.0, 1.0), b=(8.0, 1.0, 1.0))
    for order in (1.5, 4.0):
        sums = [3 * renyi_truth(first, direction, order) + 2 * renyi_truth(second, direction, order) for direction in Direction]
        found = renyi(first * 3 + second * 2, order)
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
