"""delta near 1e-18: FFT accountants stop ("floating point errors will dominate"), jump, or return inf.

prv_accountant#17 jumps from 0.056 to 3.8 between delta = 1.10e-18 and 1.13e-18; dp_accounting says 9.34 and inf at
1e-14 and 1e-16 where Renyi accounting alone proves 4.98 and 5.59.
"""

import pytest
from tests.support import float_contour
from tests.support.checked import contains_epsilon

import tightbudget as tb


@pytest.mark.slow
@pytest.mark.parametrize("delta", [1.10e-18, 1.13e-18, 1e-18, 1e-25])
def test_prv_17(delta: float):
    found = (tb.Poisson(tb.Gaussian(4.0), 0.00033) * 10_000).epsilon(delta)
    part = (4.0, 0.00033, 10_000)
    assert contains_epsilon(found, delta, lambda epsilon: float_contour.delta([part], epsilon), margin=1e-5)
    assert found.converged


def test_no_jump():
    composition = tb.Poisson(tb.Gaussian(4.0), 0.00033) * 10_000
    left, right = composition.epsilon(1.10e-18), composition.epsilon(1.13e-18)
    assert right.lower <= left.upper
    assert left.upper - right.lower <= 3e-3 * left.upper


@pytest.mark.slow
@pytest.mark.parametrize(("delta", "renyi"), [(1e-14, 4.98), (1e-16, 5.59)])
def test_no_floor(delta: float, renyi: float):
    found = (tb.Poisson(tb.Gaussian(1.0), 0.01) * 1000).epsilon(delta)
    part = (1.0, 0.01, 1000)
    assert contains_epsilon(found, delta, lambda epsilon: float_contour.delta([part], epsilon), margin=1e-6)
    assert found.upper < renyi


@pytest.mark.slow
@pytest.mark.parametrize("text", ["poisson(gaussian(sigma=1), q=0.01) * 1000", "laplace(1) * 3 + gaussian(3) * 4"])
def test_no_finite_upper_end_is_no_convergence(text: str):
    """At 1e-300 what lies beyond the reach of the grid is as large as delta: a bracket up to infinity, and it
    says so.
    """
    found = tb.parse(text).epsilon(1e-300)
    assert found.lower > 0.0
    assert found.upper == float("inf")
    assert not found.converged
    assert "smallest numbers" in found.reason
