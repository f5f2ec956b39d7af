"""sigma = 0.3, q = 0.5, 5000 steps: opacus's PRV accountant needs more than 11 GB; targets in the hundreds hang others.

Also Safe-Synthesizer#204, which aims at epsilon = 1000.
"""

import pytest
from tests.support import float_contour
from tests.support.checked import contains_delta, contains_epsilon

import tightbudget as tb


@pytest.mark.slow
def test_epsilon_in_the_ten_thousands():
    part = (0.3, 0.5, 5000)
    found = (tb.Poisson(tb.Gaussian(0.3), 0.5) * 5000).epsilon(1e-6)
    assert contains_epsilon(found, 1e-6, lambda epsilon: float_contour.delta([part], epsilon), margin=1e-6)
    assert found.converged
    assert found.upper < 14694.0  # what Renyi accounting proves


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [100.0, 300.0, 1000.0])
def test_targets_in_the_hundreds(epsilon: float):
    count = int(epsilon)
    found = (tb.Poisson(tb.Gaussian(0.5), 0.3) * count).delta(epsilon)
    assert contains_delta(found, float_contour.delta([(0.5, 0.3, count)], epsilon), margin=1e-6)
    assert found.converged
