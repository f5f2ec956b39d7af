"""Pairs of noise on the integers were remembered by number: sixteen of the longest took 2 GB until the program
ended.
"""

import gc

import pytest

import tightbudget as tb
from tightbudget.pairs.points import REMEMBERED, PointPair

FIRST_SIGMA, COUNT = 3000, 50


def pinned() -> int:
    """Return the bytes of all pairs of the test that are still alive, whoever holds them."""
    gc.collect()
    pairs = [found for found in gc.get_objects() if isinstance(found, PointPair) and found.key[0] == "discrete_gaussian"]
    return sum(pair.nbytes for pair in pairs if pair.key[1] >= FIRST_SIGMA)


@pytest.mark.slow
def test_fifty_large_discrete_gaussians_are_not_all_kept() -> None:
    made = 0
    for k in range(COUNT):
        mechanism = tb.DiscreteGaussian(sigma=FIRST_SIGMA + k)
        assert mechanism.delta(epsilon=1e-4).converged
        made += sum(direction.steps.items[0][0].nbytes for direction in mechanism._directions)
        del mechanism
        assert REMEMBERED.nbytes <= REMEMBERED.most_bytes
    assert made > 1.5 * REMEMBERED.most_bytes  # else nothing is tested
    assert pinned() <= REMEMBERED.most_bytes


@pytest.mark.slow
def test_prices_do_not_hold_what_was_priced() -> None:
    budget = tb.filters.ZCDPFilter(epsilon=1, delta=1e-6)
    for k in range(COUNT):
        mechanism = tb.DiscreteGaussian(sigma=FIRST_SIGMA + k)
        assert mechanism.delta(epsilon=1e-4).converged  # it keeps its pairs for the next question
        assert budget.quote(mechanism).accepted
        del mechanism
    assert pinned() <= REMEMBERED.most_bytes


def test_what_was_asked_last_is_still_there() -> None:
    def pair(sigma: float) -> PointPair:
        (direction,) = tb.DiscreteGaussian(sigma)._directions
        (((found, _),),) = (direction.steps.items,)
        assert isinstance(found, PointPair)
        return found

    assert pair(FIRST_SIGMA + COUNT) is pair(FIRST_SIGMA + COUNT)
