"""Where dp_accounting's upper bounds lie below the truth, ours do not.

gaussian(sigma=100) * 10000 at epsilon = 7: 5.1301e-12 against 5.1676e-12, and negative at epsilon = 8.
poisson(gaussian(sigma=0.6), q=0.001) * 10^6 at delta = 1e-8: 29.150023 against 29.150995.
"""

import pytest
from tests.reference import truth
from tests.support import float_contour
from tests.support.checked import contains_delta, contains_epsilon

import tightbudget as tb


@pytest.mark.parametrize("epsilon", [7.0, 8.0, 12.0])
def test_gaussians(epsilon: float):
    found = (tb.Gaussian(100.0) * 10_000).delta(epsilon)
    assert contains_delta(found, truth.gaussian([(100, 1, 10_000)], epsilon))


def test_the_reported_value():
    found = (tb.Gaussian(100.0) * 10_000).delta(7.0)
    assert found.lower <= 5.1676e-12 * (1.0 + 1e-5)
    assert found.upper >= 5.1676e-12 * (1.0 - 1e-5)


@pytest.mark.parametrize("epsilon", [7.0, 8.0])
def test_gaussians_by_way_of_buckets(epsilon: float):
    """Noise cut off 40 deviations away differs from a Gaussian by less than 1e-300, but has no closed form."""
    found = (tb.TruncatedGaussian(100.0, bound=4000.0) * 10_000).delta(epsilon)
    assert contains_delta(found, truth.gaussian([(100, 1, 10_000)], epsilon))
    assert found.converged


@pytest.mark.slow
@pytest.mark.parametrize("rtol", [1e-3, 1e-5])
def test_a_million_steps(rtol: float):
    found = (tb.Poisson(tb.Gaussian(0.6), 0.001) * 10**6).epsilon(1e-8, rtol=rtol)
    assert found.lower <= 29.150996
    assert found.upper >= 29.150994
    part = (0.6, 0.001, 10**6)
    assert contains_epsilon(found, 1e-8, lambda epsilon: float_contour.delta([part], epsilon), margin=1e-6)
    assert found.converged
