"""A curve without a range: from 0 until δ is negligible or flat, dense where it falls, and right everywhere."""

import math

import mpmath
import numpy as np
import pytest

import tightbudget as tb
from tightbudget.mechanisms.answers import joined_curves
from tightbudget.mechanisms.whole_range import NEGLIGIBLE, end_of_range, epsilons_between


def normal(epsilon: float, mu: float) -> float:
    with mpmath.workdps(60):
        mu, epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
        return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("mu", [1e-12, 1e-3, 1.0, 30.0])
def test_a_normal_curve_ends_where_delta_is_negligible(mu: float) -> None:
    end = end_of_range(tb.GaussianDP(mu))
    assert normal(end, mu) <= NEGLIGIBLE * normal(0.0, mu)
    assert normal(0.9 * end, mu) > NEGLIGIBLE * normal(0.0, mu)


@pytest.mark.parametrize(
    ("expression", "end"),
    [
        ("pure_dp(epsilon=2)", 2.0),
        ("randomized_response(p=0.75) * 20", 22.0),  # 20 ln 3 = 21.97
        ("approximate_dp(epsilon=1, delta=1e-5) * 3", 3.75),  # flat from 3 on
        ("approximate_dp(epsilon=0, delta=1e-6)", 1.0),  # flat from the start
        ("nothing", 1.0),
        ("gaussian(sigma=0)", 1.0),
        ("pure_dp(epsilon=0)", 1.0),
        ("laplace(scale=1e9)", 1e-9),
    ],
)
def test_other_curves_end_where_nothing_more_happens(expression: str, end: float) -> None:
    assert end_of_range(tb.parse(expression)) == end


@pytest.mark.parametrize("low", [0.0, 0.5, 7.0, 1e17, 1e300, 1.7e308])
@pytest.mark.parametrize("expression", ["gaussian(sigma=1)", "nothing", "gaussian(sigma=0)", "pure_dp(epsilon=1)"])
def test_there_is_always_something_above(expression: str, low: float) -> None:
    assert low < end_of_range(tb.parse(expression), low) < math.inf


@pytest.mark.parametrize("mu", [1e-3, 1.0, 100.0])
def test_a_curve_without_epsilons_holds_and_is_dense(mu: float) -> None:
    curve = tb.GaussianDP(mu).curve()
    assert curve.epsilons[0] == 0.0
    assert curve.epsilons[-1] == end_of_range(tb.GaussianDP(mu))
    assert (np.diff(curve.epsilons) > 0.0).all()
    assert (curve.upper[:-1] / curve.upper[1:]).max() < 4.0
    assert curve.epsilons.size <= 101 + 120
    for epsilon, lower, upper in zip(curve.epsilons.tolist(), curve.lower.tolist(), curve.upper.tolist(), strict=True):
        assert lower <= normal(epsilon, mu) <= upper
    assert curve.expression == str(tb.GaussianDP(mu))


def test_points_are_put_where_delta_falls() -> None:
    assert epsilons_between(tb.Gaussian(sigma=0).curve([0.0, 1.0])).size == 0
    assert epsilons_between(tb.Composition().curve([0.0, 1.0])).size == 0
    assert epsilons_between(tb.Gaussian(sigma=1).curve([1.0])).size == 0
    steep = epsilons_between(tb.Gaussian(sigma=0.01).curve(np.linspace(0.0, 5700.0, 101)))
    assert 20 < steep.size <= 120
    assert steep.min() > 4500.0  # before, it is 1


def test_joined_curves_hold() -> None:
    """Where one of them knows less, the bounds of the other, on their side, still hold."""
    wide = tb.Curve(np.array([1.0, 3.0]), np.array([0.2, 0.1]), np.array([0.8, 0.7]), True, "add_remove")
    narrow = tb.Curve(np.array([2.0]), np.array([0.3]), np.array([0.4]), False, "add_remove")
    both = joined_curves(wide, narrow)
    assert both.epsilons.tolist() == [1.0, 2.0, 3.0]
    assert both.lower.tolist() == [0.3, 0.3, 0.1]
    assert both.upper.tolist() == [0.8, 0.4, 0.4]
    assert not both.converged
