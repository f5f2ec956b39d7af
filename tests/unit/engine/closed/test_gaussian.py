"""The Gaussian profile against 60 digits."""

import math

import mpmath
import pytest
from mpmath import mpf

from tightbudget.engine.closed.gaussian import gaussian_delta

MEANS = [1e-8, 1e-3, 0.1, 1.0, 3.0, 20.0, 200.0]


def exact(m: mpf, epsilon: float) -> mpf:
    with mpmath.workdps(60):
        m, e = mpf(m), mpf(epsilon)
        # differences of tails that may agree in 30 digits and be as small as 1e-300
        with mpmath.workdps(400):
            return mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)


@pytest.mark.parametrize("m", MEANS)
@pytest.mark.parametrize("depth", [-2.0, 0.0, 0.5, 3.0, 10.0, 25.0])
def test_the_truth_lies_inside(m: float, depth: float):
    """`depth` is how many deviations epsilon lies above the mean loss."""
    epsilon = max(0.0, m * (depth + 0.5 * m))
    lower, upper = gaussian_delta(m, epsilon, 0.0)
    true = exact(mpf(m), epsilon)
    assert mpf(lower) <= true <= mpf(upper)
    # the two tails nearly cancel when m is small; that much of the width is the price of the closed form
    assert upper - lower <= (1e-9 + 1e-13 * (1.0 + depth * depth) / m) * upper + 1e-300


@pytest.mark.parametrize("m", [0.3, 5.0])
@pytest.mark.parametrize("sign", [-1, 1])
def test_an_uncertain_mean_widens(m: float, sign: int):
    """A mean good to 10 % may be 9.99 % larger or smaller."""
    lower, upper = gaussian_delta(m, 1.0, 0.1)
    true = exact(mpf(m) * (1 + sign * mpf("0.0999")), 1.0)
    assert mpf(lower) <= true <= mpf(upper)


def test_the_ends_of_the_scale():
    lower, upper = gaussian_delta(math.inf, 1.0, 0.0)
    assert 1.0 - 1e-12 <= lower <= upper == 1.0
    assert gaussian_delta(1.0, math.inf, 0.0)[1] <= 5e-324
    lower, upper = gaussian_delta(5e-324, 1.0, 0.0)
    assert lower == 0.0 <= upper <= 1e-300
