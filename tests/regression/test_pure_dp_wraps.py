"""pure_dp(10) * 10 at delta = 1e-6: prv_accountant certifies [-47.1, -46.9], because its FFT wraps around."""

import math
from fractions import Fraction

import pytest
from tests.reference import truth
from tests.support.checked import contains_delta, contains_epsilon

import tightbudget as tb


@pytest.mark.parametrize(("epsilon", "count"), [(10.0, 10), (5.0, 10), (0.1, 10), (30.0, 3)])
@pytest.mark.parametrize("delta", [1e-6, 1e-18, 0.1])
def test_the_truth_is_inside(epsilon: float, count: int, delta: float):
    found = (tb.PureDP(epsilon) * count).epsilon(delta)
    assert contains_epsilon(found, delta, lambda value: truth.promise(epsilon, 0, count, value))
    # never above naive composition: the sum, or the float next above it where it is none
    assert Fraction(math.nextafter(found.upper, 0.0)) < Fraction(epsilon) * count


def test_delta_at_half_the_sum():
    found = (tb.PureDP(10.0) * 10).delta(50.0)
    assert contains_delta(found, truth.promise(10.0, 0, 10, 50.0))
    assert found.converged
