"""sigma = 0.03: dp_accounting overflows and says inf after 40 s; its own closed form says 713.07 at delta = 1e-6."""

import pytest
from tests.reference import truth
from tests.support.checked import contains_delta, contains_epsilon

import tightbudget as tb


@pytest.mark.parametrize("sigma", [0.03, 0.01, 1e-3])
@pytest.mark.parametrize("delta", [1e-6, 0.5, 1e-18])
def test_small_noise(sigma: float, delta: float):
    found = tb.Gaussian(sigma).epsilon(delta)
    assert contains_epsilon(found, delta, lambda epsilon: truth.gaussian([(sigma, 1, 1)], epsilon))
    assert found.converged


def test_the_reported_value():
    found = tb.Gaussian(0.03).epsilon(1e-6)
    assert found.lower <= 713.07 + 0.005
    assert found.upper >= 713.07 - 0.005


@pytest.mark.slow
def test_small_noise_repeated_beside_something_else():
    """With another mechanism beside it there is no closed form to fall back on; the truth is bracketed by the parts."""
    both = tb.compose([tb.Gaussian(0.03) * 3, tb.RandomizedResponse(0.6)], mix_relations=True)
    found, alone = both.delta(2000.0), truth.gaussian([(0.03, 1, 3)], 2000.0)
    assert found.converged
    assert not contains_delta(tb.Bracket(0.0, found.upper * 0.1), alone)  # delta of the whole is at least that of a part
    assert contains_delta(tb.Bracket(0.0, found.upper), alone)
