"""1/3 as a float is a little less than a third, so delta there is not zero: it is 9.25e-18."""

import math

import mpmath
import pytest
from mpmath import mpf

import tightbudget as tb


@pytest.mark.parametrize("scale", [3.0, 0.7, 49.0, 1e-3])
@pytest.mark.parametrize("make", [tb.Laplace, lambda scale: tb.TruncatedLaplace(scale, 1000.0 * max(1.0, scale))])
def test_at_the_rounded_largest_loss(make, scale: float):
    with mpmath.workdps(60):
        for epsilon in (1.0 / scale, math.nextafter(1.0 / scale, 0.0), math.nextafter(1.0 / scale, math.inf)):
            true = max(mpf(0), -mpmath.expm1((mpf(epsilon) - 1 / mpf(scale)) / 2))
            found = make(scale).delta(epsilon)
            assert mpf(found.lower) <= true <= mpf(found.upper) + mpf(10) ** -400  # cut off 1000 scales away: 1e-434


def test_without_delta_epsilon_is_not_below_the_loss():
    with mpmath.workdps(60):
        assert mpf(tb.Laplace(3.0).epsilon(0.0).upper) >= mpf(1) / 3
        assert mpf((tb.Laplace(3.0) * 7).epsilon(0.0).upper) >= mpf(7) / 3
