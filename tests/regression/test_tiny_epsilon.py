"""Small epsilons deserve digits: opacus answers -0.68 where the truth is 0, and 0.103 or 0.0100 where it is far
smaller.
"""

import pytest
from flint import arb
from tests.reference import truth, truth_steps
from tests.support.checked import contains_epsilon

import tightbudget as tb


def single(sigma: float, q: float, epsilon: float) -> arb:
    base = truth_steps.gaussian_step(sigma)
    ways = [truth.one(truth.subsampled(base, q, remove=remove), epsilon) for remove in (True, False)]
    return ways[0].max(ways[1])


def test_never_negative():
    """opacus#585: sigma = 10, q = 0.001, one step, delta = 0.5."""
    found = tb.Poisson(tb.Gaussian(10.0), 0.001).epsilon(0.5)
    assert (found.lower, found.upper) == (0.0, 0.0)


@pytest.mark.parametrize("delta", [1e-5, 1e-6, 1e-9])
def test_one_rare_step(delta: float):
    """sigma = 50, q = 1e-4, one step."""
    found = tb.Poisson(tb.Gaussian(50.0), 1e-4).epsilon(delta)
    assert contains_epsilon(found, delta, lambda epsilon: single(50.0, 1e-4, epsilon))
    assert found.upper < 1e-3


@pytest.mark.parametrize("sigma", [400.0, 500.0])
def test_targets_of_a_hundredth(sigma: float):
    """dpsynth#71 aims at epsilon = 0.01, delta = 1e-5; its accountant took 45 minutes and 75 GB."""
    found = tb.Gaussian(sigma).epsilon(1e-5)
    assert contains_epsilon(found, 1e-5, lambda epsilon: truth.gaussian([(sigma, 1, 1)], epsilon))
    assert found.converged


def test_epsilon_zero_is_a_question_like_any_other():
    """Safe-Synthesizer#367 turns a target of 0 into infinity. delta(0) is the total variation distance."""
    found = tb.RandomizedResponse(0.75).delta(0.0)
    assert found.lower <= 0.5 <= found.upper
    assert found.width <= 1e-9
