"""Samples of noise that is cut off so far away that what the cut tells is less than floats hold: narrow brackets."""

import pytest

import tightbudget as tb


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_a_cut_beyond_floats_hides_as_none(direction: str):
    cut, whole = (tb.Poisson(noise, q=0.1) * 10 for noise in (tb.TruncatedGaussian(1.0, 1e160), tb.Gaussian(1.0)))
    for epsilon in (0.0, 1.0, 3.0):
        found, same = cut.delta(epsilon, direction=direction), whole.delta(epsilon, direction=direction)
        assert found.converged
        assert found.lower <= same.upper
        assert same.lower <= found.upper
    found, same = cut.epsilon(1e-6, direction=direction), whole.epsilon(1e-6, direction=direction)
    assert found.converged
    assert found.lower <= same.upper
    assert same.lower <= found.upper


def test_one_sample_of_it():
    found = tb.Poisson(tb.TruncatedGaussian(1.0, 1e160), q=0.5).delta(1.0)
    same = tb.Poisson(tb.Gaussian(1.0), q=0.5).delta(1.0)
    assert found.lower <= same.upper <= found.upper * (1.0 + 1e-9)
