"""Ten randomised responses cost ten times one: dp_accounting forgets the count and says 1.0987 for 10.987."""

import math

import pytest
from tests.reference import truth
from tests.support.checked import contains_delta, contains_epsilon

import tightbudget as tb

# Its event (0.5, 2) is uniform noise with probability 1/2, so the truth is told with probability 3/4.
RESPONSE = tb.RandomizedResponse(0.75)


def test_without_delta_losses_add_up():
    found = (RESPONSE * 10).epsilon(0.0)
    assert found.lower <= 10.0 * math.log(3.0) <= found.upper
    assert found.width <= 1e-12 * found.upper


def test_ten_are_ten_single_ones():
    repeated, listed = RESPONSE * 10, tb.compose([RESPONSE] * 10)
    assert repeated == listed
    one_by_one = sum([RESPONSE] * 10)
    assert one_by_one.epsilon(1e-5) == repeated.epsilon(1e-5)


@pytest.mark.parametrize("delta", [1e-5, 1e-2])
def test_with_delta(delta: float):
    found = (RESPONSE * 10).epsilon(delta)
    assert contains_epsilon(found, delta, lambda epsilon: truth.randomized_response(0.75, 2, 10, epsilon))


def test_other_counts_and_alphabets():
    found = (tb.RandomizedResponse(0.6, k=5) * 7).delta(3.0)
    assert contains_delta(found, truth.randomized_response(0.6, 5, 7, 3.0))
