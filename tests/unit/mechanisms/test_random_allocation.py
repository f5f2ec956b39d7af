"""Random allocation as a mechanism: what it is at its ends, several times, and what is refused (M29)."""

import copy
import math
import pickle

import pytest

import tightbudget as tb

RESPONSE = tb.RandomizedResponse(p=math.e / (1 + math.e))


def test_one_batch_is_the_mechanism_itself():
    for mechanism in (tb.Gaussian(1.0), tb.Laplace(2.0), tb.Poisson(tb.Gaussian(1.0), q=0.2)):
        one = tb.RandomAllocation(mechanism, batches=1)
        assert one.delta(epsilon=0.5) == mechanism.delta(epsilon=0.5)


def test_all_batches_are_a_composition():
    exact = (tb.Gaussian(1.0) * 4).delta(epsilon=0.5)
    answer = tb.RandomAllocation(tb.Gaussian(1.0), batches=4, times=4).delta(epsilon=0.5)
    assert answer.lower <= exact.lower <= exact.upper <= answer.upper
    assert answer.upper - answer.lower < 1e-4


def test_two_of_four_batches():
    """Exact 0.237934393404327, in blocks of two at most 0.288088659620305, one batch alone at least a sample of 1/2."""
    answer = tb.RandomAllocation(RESPONSE, batches=4, times=2, mix_relations=True).delta(epsilon=0.5)
    assert answer.lower <= 0.237934393404327
    assert 0.288088659620304 <= answer.upper <= 0.2880886597
    assert answer.lower >= tb.Poisson(RESPONSE, q=0.5, mix_relations=True).delta(epsilon=0.5).lower
    assert not answer.converged


def test_several_batches_of_normal_noise_show_their_sum():
    answer = tb.RandomAllocation(tb.Gaussian(1.0), batches=9, times=3).delta(epsilon=0.5)
    assert answer.lower == pytest.approx(tb.Gaussian(1.0, sensitivity=1.0).delta(epsilon=0.5).lower, rel=1e-12)
    assert answer.lower < answer.upper < (tb.Gaussian(1.0) * 3).delta(epsilon=0.5).upper


def test_epochs_compose_and_are_narrow():
    epoch = tb.RandomAllocation(tb.Gaussian(sigma=1.0), batches=100)
    for epochs in (1, 10, 100):
        answer = (epoch * epochs).epsilon(delta=1e-6)
        assert answer.converged
        assert answer.upper - answer.lower <= 1e-3 * answer.upper


def test_poisson_sampling_is_no_bound():
    """At epsilon 1/2 two batches reveal more than two samples of rate 1/2: 0.149178 against 0.147920."""
    allocated = tb.RandomAllocation(tb.Gaussian(1.0), batches=2).delta(epsilon=0.5)
    sampled = (tb.Poisson(tb.Gaussian(1.0), q=0.5) * 2).delta(epsilon=0.5)
    assert sampled.upper < allocated.lower


def test_noise_beyond_the_grid_has_wide_brackets():
    for sigma in (1e9, 0.01, 1e-200, 0.0):
        whole = tb.Gaussian(sigma).delta(epsilon=0.0)
        answer = tb.RandomAllocation(tb.Gaussian(sigma), batches=5).delta(epsilon=0.0)
        assert answer.lower <= answer.upper <= whole.upper
        assert answer.upper > 0.0
    assert tb.RandomAllocation(tb.Gaussian(1.0, sensitivity=0), batches=5).epsilon(delta=0.0).upper == 0.0


def test_what_is_certain_to_be_told_stays_told():
    """A promise that fails with probability 0.001 fails in the one batch that the record is in."""
    answer = tb.RandomAllocation(tb.ApproximateDP(epsilon=0.1, delta=1e-3), batches=8).delta(epsilon=50.0)
    assert answer.lower <= 1e-3 <= answer.upper
    assert answer.upper < 1.0001e-3


def test_notation():
    written = "random_allocation(gaussian(sigma=2.0), batches=10, times=2) * 3"
    assert str(tb.parse(written)) == written
    assert tb.parse("random_allocation(gaussian(sigma=2), batches=10)") == tb.RandomAllocation(tb.Gaussian(2), 10)


@pytest.mark.parametrize(
    "arguments",
    [{"batches": 0}, {"batches": 2.5}, {"batches": math.nan}, {"batches": "x"}, {"batches": 10**7},
     {"batches": True}, {"batches": 4, "times": 5}, {"batches": 4, "times": 0}],
)  # fmt: skip
def test_bad_numbers(arguments: dict[str, object]):
    with pytest.raises(tb.InvalidParameter, match="whole number from 1"):
        tb.RandomAllocation(tb.Gaussian(1.0), **arguments)  # type: ignore[arg-type]


def test_other_relations_and_compositions_are_refused():
    with pytest.raises(tb.TightBudgetError, match="replace_one"):
        tb.RandomAllocation(RESPONSE, batches=3)
    with pytest.raises(tb.InvalidParameter, match="one mechanism"):
        tb.RandomAllocation(tb.Gaussian(1.0) * 2, batches=3)  # type: ignore[arg-type]
    with pytest.raises(tb.InvalidParameter, match="times"):
        tb.RandomAllocation(tb.Gaussian(0.01), batches=10, times=2).delta(epsilon=1.0)


def test_only_several_of_the_batches_stand_for_a_class():
    """One batch is attained, but for the grid: there is nothing to note."""
    assert not tb.RandomAllocation(tb.Gaussian(1.0), batches=4).is_class
    assert not tb.RandomAllocation(tb.Gaussian(1.0), batches=4, times=4).is_class
    assert tb.RandomAllocation(tb.Gaussian(1.0), batches=4, times=2).is_class
    assert not tb.MatrixMechanism(1.0, [[1.0, 0.5], [0.0, 1.0]], participations=2).is_class
    assert tb.TreeAggregation(1.0, steps=7, participations=3, separation=3).is_class
    assert tb.ShuffledBatches(tb.Gaussian(1.0), batches=3).is_class


def test_copies_and_pickles():
    epoch = tb.RandomAllocation(tb.Gaussian(2.0), batches=7)
    answer = epoch.epsilon(delta=1e-5)
    for other in (copy.deepcopy(epoch), pickle.loads(pickle.dumps(epoch))):
        assert other == epoch
        assert other.epsilon(delta=1e-5) == answer
