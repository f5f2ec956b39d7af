"""No noise: opacus raises OverflowError or ZeroDivisionError. The answer is that everything is revealed."""

import math

import pytest

import tightbudget as tb

BARE = [tb.Gaussian(0.0), tb.Laplace(0.0), tb.PureDP(math.inf), tb.ApproximateDP(0.0, 1.0), tb.RandomizedResponse(1.0)]


@pytest.mark.parametrize("mechanism", BARE, ids=str)
def test_everything_is_revealed(mechanism: tb.Mechanism):
    for composition in (mechanism, mechanism * 3, tb.compose([mechanism, tb.Laplace(1.0)], mix_relations=True)):
        assert composition.epsilon(1e-6).lower == math.inf
        assert composition.delta(5.0) == tb.Bracket(1.0, 1.0, relation=composition.relation)


@pytest.mark.parametrize("mechanism", BARE, ids=str)
def test_not_sampling_reveals_nothing(mechanism: tb.Mechanism):
    assert tb.Poisson(mechanism, 0.0, mix_relations=True).epsilon(0.0).upper == 0.0
    assert tb.Poisson(mechanism, 0.0, mix_relations=True).delta(0.0).upper == 0.0


@pytest.mark.parametrize("q", [1e-9, 0.1, 0.999])
def test_sampling_reveals_with_its_probability(q: float):
    sampled = tb.Poisson(tb.Gaussian(0.0), q)
    for epsilon in (0.0, 3.0):
        found = sampled.delta(epsilon)
        assert found.lower <= q <= found.upper
        assert found.upper <= q * (1.0 + 1e-3)
    assert sampled.epsilon(q / 2).lower == math.inf


def test_nothing_to_protect_needs_no_noise():
    assert tb.Gaussian(0.0, sensitivity=0.0).epsilon(0.0).upper == 0.0
