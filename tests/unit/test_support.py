"""The truths made for these tests agree with each other; a wrong yardstick would measure nothing."""

import pytest
from tests.reference import truth
from tests.support import float_contour
from tests.support.checked import contains_delta, contains_epsilon

from tightbudget import Bracket


@pytest.mark.slow
@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize(
    ("sigma", "q", "count", "epsilon"), [(0.9, 0.05, 200, 2.0), (1.1, 0.01, 200, 0.93), (4.0, 0.01, 5000, 0.9)]
)
def test_the_float_contour_agrees_with_the_rigorous_one(sigma: float, q: float, count: int, epsilon: float, remove: bool):
    law = truth.SubsampledGaussianLaw(sigma, q, remove=remove)
    low, high = truth.ends(truth.contour([(law, count)], epsilon, digits=10))
    found = float_contour.delta([(sigma, q, count)], epsilon, remove=remove)
    assert float(low) * (1.0 - 1e-6) <= found <= float(high) * (1.0 + 1e-6)


def test_a_bracket_beside_the_truth_is_noticed():
    def delta_at(epsilon: float):
        return truth.gaussian([(1, 1, 4)], epsilon)

    exact = 11.0  # some epsilon, and its delta
    delta = float(truth.ends(delta_at(exact))[0])
    assert contains_epsilon(Bracket(exact - 1e-6, exact + 1e-6), delta, delta_at)
    assert not contains_epsilon(Bracket(exact - 2e-6, exact - 1e-6), delta, delta_at)
    assert not contains_epsilon(Bracket(exact + 1e-6, exact + 2e-6), delta, delta_at)
    assert contains_delta(Bracket(delta * 0.999, delta * 1.001), delta_at(exact))
    assert not contains_delta(Bracket(delta * 0.99, delta * 0.999), delta_at(exact))
    assert not contains_delta(Bracket(delta * 1.001, delta * 1.01), delta_at(exact))
