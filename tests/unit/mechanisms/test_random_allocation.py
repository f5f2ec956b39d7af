"""Random allocation as a mechanism: what it is at its ends, several times, and what is refused (M29)."""

import copy
import math
import pickle

import numpy as np
import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb

RESPONSE = tb.RandomizedResponse(p=math.e / (1 + math.e))


def test_one_batch_is_the_mechanism_itself():
    for mechanism in (tb.Gaussian(1.0), tb.Laplace(2.0), tb.Poisson(tb.Gaussian(1.0), q=0.2)):
        one = tb.RandomAllocation(mechanism, batches=1)
        assert one.delta(epsilon=0.5) == mechanism.delta(epsilon=0.5)


@pytest.mark.parametrize(("sigma", "batches"), [(1.0, 4), (0.1, 20), (30.0, 7)])
def test_all_batches_are_a_composition(sigma: float, batches: int):
    composed = tb.Gaussian(sigma) * batches
    epoch = tb.RandomAllocation(tb.Gaussian(sigma), batches=batches, times=batches)
    for epsilon in (0.5, 20.0):
        for direction in ("remove", "add"):
            exact, answer = (one.delta(epsilon, direction=direction) for one in (composed, epoch))
            assert answer.lower <= exact.upper
            assert exact.lower <= answer.upper
            assert answer.converged
    answer = tb.RandomAllocation(RESPONSE, batches=4, times=4, mix_relations=True).delta(0.5, direction="remove")
    exact = (RESPONSE * 4).delta(0.5, rtol=1e-9)
    assert answer.lower <= exact.upper
    assert exact.lower <= answer.upper <= 1.0001 * exact.upper


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("random_allocation(truncated_gaussian(sigma=1, bound=1), batches=40, times=4)", 1 - (1 - 0.5) ** 4),
        ("random_allocation(truncated_laplace(scale=1, bound=1), batches=2, times=2)", 1 - (1 - 0.5) ** 2),
        ("random_allocation(approximate_dp(epsilon=1, delta=0.4), batches=40, times=3)", 1 - (1 - 0.4) ** 3),
    ],
)
def test_any_of_several_batches_may_tell_all(text: str, told: float):
    """A record that is told in one of its batches is told, and with probability 1 - (1 - x)^k it is in one of k."""
    for epsilon in (0.0, 0.5):
        answer = tb.parse(text).delta(epsilon)
        assert told <= answer.upper <= 1.0
    answer = tb.parse(text).delta(50.0)
    assert told * (1 - 1e-8) <= answer.lower <= told * (1 + 1e-14)
    assert told * (1 - 1e-14) <= answer.upper <= told * (1 + 1e-8)


@pytest.mark.parametrize("times", [20, 39])
def test_batches_that_tell_apart_for_certain(times: int):
    """Ten sigmas twenty times: no float holds what is left, in either direction."""
    epoch = tb.RandomAllocation(tb.Gaussian(0.1), batches=39, times=times)
    for direction in ("remove", "add"):
        assert epoch.delta(1.0, direction=direction).upper >= 1.0 - 1e-12
        assert epoch.delta(1.0, direction=direction).lower <= 1.0


@pytest.mark.parametrize("sigma", [1e-4, 1e-100, 1e-150])
@pytest.mark.parametrize("times", [1, 2])
def test_next_to_no_noise_is_told_without_a_warning(sigma: float, times: int):
    assert tb.RandomAllocation(tb.Gaussian(sigma), 3, times).delta(0.5).upper > 0.999


def test_the_grid_is_named_where_it_keeps_the_ends_apart():
    epoch = tb.RandomAllocation(tb.Gaussian(1.1), batches=35)
    assert "grid of ratios" in epoch.epsilon(1e-6, rtol=1e-6).reason
    assert "class" in (epoch + tb.ZCDP(rho=0.01)).epsilon(1e-6, rtol=1e-6).reason
    assert "class" in tb.RandomAllocation(tb.Gaussian(1.1), batches=35, times=2).epsilon(1e-6).reason


def test_two_of_four_batches():
    """Exact 0.237934393404327, in blocks of two at most 0.288088659620305."""
    answer = tb.RandomAllocation(RESPONSE, batches=4, times=2, mix_relations=True).delta(epsilon=0.5, direction="remove")
    assert 0.2379343934 <= answer.lower <= 0.237934393404327
    assert 0.288088659620304 <= answer.upper <= 0.2880886597
    assert not answer.converged


@pytest.mark.slow
def test_several_batches_of_normal_noise_show_their_sum_and_more():
    several = tb.RandomAllocation(tb.Gaussian(1.0), batches=9, times=3)
    summed = tb.Gaussian(1.0, sensitivity=1.0)
    for epsilon in (0.5, 8.0):
        assert several.delta(epsilon=epsilon).lower >= summed.delta(epsilon=epsilon).lower * (1 - 1e-12)
    answer = several.delta(epsilon=0.5)
    assert 1.1 * summed.delta(epsilon=0.5).upper < answer.lower  # the counts of merged answers say more
    assert answer.lower < answer.upper < (tb.Gaussian(1.0) * 3).delta(epsilon=0.5).upper


@pytest.mark.slow
def test_the_better_of_two_lower_ends_counts():
    """Of many batches the sum says more than the counts of three answers; far out it says more anyway."""
    many = tb.RandomAllocation(tb.Gaussian(1.0), batches=100, times=10)
    answers = [member.delta(epsilon=0.5).lower for member in many.members()]
    assert len(answers) == 2
    assert many.delta(epsilon=0.5).lower == max(answers) == answers[1]


@pytest.mark.slow
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
        tb.RandomAllocation(tb.Poisson(tb.Gaussian(0.01), 0.5), batches=10, times=2).delta(epsilon=1.0)
    for mechanism in (tb.PureDP(1.0), tb.Histograms([1, 2], [2, 1]), RESPONSE):
        for relation in ("replace_one", "zero_out"):
            with pytest.raises(tb.TightBudgetError, match=relation):
                tb.RandomAllocation(mechanism, batches=3, mix_relations=True).under(relation)
            with pytest.raises(tb.TightBudgetError, match="relation"):
                tb.RandomAllocation(mechanism, batches=3, relation=relation)
    with pytest.raises(tb.InvalidParameter, match="relation"):
        tb.RandomAllocation(tb.Gaussian(1.0), batches=3, relation="swap")


@pytest.mark.slow
def test_a_zeroed_record_is_an_absent_one():
    for mechanism in (tb.Gaussian(1.0), tb.Laplace(2.0), tb.DiscreteLaplace(2.0)):
        epoch = tb.RandomAllocation(mechanism, batches=6, times=2)
        zeroed = epoch.delta(epsilon=0.3, relation="zero_out")
        assert (zeroed.lower, zeroed.upper) == (epoch.delta(epsilon=0.3).lower, epoch.delta(epsilon=0.3).upper)
        assert zeroed.relation == "zero_out"
    stated = tb.RandomAllocation(tb.Gaussian(1.0, relation="zero_out"), batches=6, relation="zero_out")
    assert stated.delta(epsilon=0.3).upper == tb.RandomAllocation(tb.Gaussian(1.0), batches=6).delta(epsilon=0.3).upper


@pytest.mark.slow
def test_notation_names_the_relation():
    written = "random_allocation(gaussian(sigma=2.0), batches=10, relation='replace_one') * 3"
    assert str(tb.parse(written)) == written
    assert (tb.RandomAllocation(tb.Gaussian(2.0), 10) * 3).under("replace_one").epsilon(1e-5) == tb.parse(written).epsilon(1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.3, 1.0, 2.0])
def test_normal_noise_replaced_in_one_of_two_batches(mu: float):
    """The worst pair is a mixture of N(-e_i) against one of N(e_i); for two batches its loss is that of the sum."""
    epoch = tb.RandomAllocation(tb.Gaussian(1.0, mu), batches=2, relation="replace_one")
    for epsilon in (0.0, 0.5, 2.0):
        exact = tb.Gaussian(1.0, math.sqrt(2.0) * mu).delta(epsilon)
        answer = epoch.delta(epsilon)
        assert exact.lower * (1 - 1e-12) <= answer.lower <= exact.upper  # attained
        assert exact.upper < answer.upper < tb.Gaussian(1.0, 2.0 * mu).delta(epsilon).lower
    twice = (epoch * 2).delta(0.5)
    assert twice.lower <= tb.Gaussian(1.0, 2.0 * mu).delta(0.5).upper < twice.upper


def replaced_laws(batches: int, scale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the laws of all outputs with one record, with its opposite and with neither: geometric noise."""
    x = np.arange(-45, 46)
    noise, less, more = (np.exp(-np.abs(x - shift) / scale) * math.tanh(0.5 / scale) for shift in (0, -1, 1))
    rows = []
    for moved in (less, more, noise):
        placed = [[moved if at == batch else noise for at in range(batches)] for batch in range(batches)]
        laws = [np.multiply.outer(one[0], one[1]) if batches == 2 else np.einsum("i,j,k->ijk", *one) for one in placed]
        rows.append(sum(law.ravel() for law in laws) / batches)
    return rows[0], rows[1], rows[2]


@pytest.mark.slow
@pytest.mark.parametrize(("batches", "scale"), [(2, 1.0), (2, 3.0), (3, 1.5)])
def test_geometric_noise_replaced(batches: int, scale: float):
    """All outputs within 45 of the query: one record replaced by its opposite, and by one that adds nothing."""
    one, opposite, nothing = replaced_laws(batches, scale)
    epoch = tb.RandomAllocation(tb.DiscreteLaplace(scale), batches=batches, relation="replace_one")
    for epsilon in (0.0, 0.2, 0.7):
        g = math.exp(epsilon)
        attained = [np.maximum(a - g * b, 0.0).sum() for a, b in ((one, opposite), (one, nothing), (nothing, one))]
        answer = epoch.delta(epsilon)
        assert max(attained) * (1 - 1e-9) <= answer.upper
        assert answer.lower <= max(attained) * (1 + 1e-9)
        assert answer.lower >= max(attained[1:]) * (1 - 1e-3)
        by_way = min(
            np.maximum(one - g**s * nothing, 0.0).sum() + g**s * np.maximum(nothing - g ** (1 - s) * opposite, 0.0).sum()
            for s in np.linspace(0.0, 1.0, 201)
        )
        assert answer.upper <= by_way * (1 + 5e-3) + 1e-200


@pytest.mark.slow
def test_two_epochs_with_a_record_replaced():
    one, opposite, _ = replaced_laws(2, 1.5)
    kept = one + opposite > 1e-12
    p, q = (np.multiply.outer(law[kept], law[kept]) for law in (one, opposite))
    epochs = tb.RandomAllocation(tb.DiscreteLaplace(1.5), batches=2, relation="replace_one") * 2
    for epsilon in (0.1, 0.8):
        assert np.maximum(p - math.exp(epsilon) * q, 0.0).sum() <= epochs.delta(epsilon).upper


def test_replaced_at_the_ends():
    for mechanism in (tb.Gaussian(1.0), tb.Laplace(2.0)):
        alone = mechanism.under("replace_one").delta(epsilon=0.5)
        one = tb.RandomAllocation(mechanism, batches=1, relation="replace_one").delta(epsilon=0.5)
        assert (one.lower, one.upper) == (alone.lower, alone.upper)
    every = tb.RandomAllocation(tb.Gaussian(1.0), batches=4, times=4, relation="replace_one").delta(epsilon=0.5)
    exact = (tb.Gaussian(1.0, 2.0) * 4).delta(epsilon=0.5)
    assert every.lower <= exact.upper
    assert exact.lower <= every.upper <= 1.001 * exact.upper
    for sigma in (1e9, 0.01, 0.0):  # no grid resolves these: the batch is told
        answer = tb.RandomAllocation(tb.Gaussian(sigma), batches=5, relation="replace_one").delta(epsilon=0.0)
        assert answer.lower <= answer.upper <= tb.Gaussian(sigma, 2.0).delta(epsilon=0.0).upper
    assert tb.RandomAllocation(tb.Gaussian(1.0, 0), batches=5, relation="replace_one").delta(epsilon=0.0).upper == 0.0


def test_only_several_of_the_batches_stand_for_a_class():
    """One batch is attained, but for the grid: there is nothing to note."""
    assert not tb.RandomAllocation(tb.Gaussian(1.0), batches=4).is_class
    assert not tb.RandomAllocation(tb.Gaussian(1.0), batches=4, times=4).is_class
    assert tb.RandomAllocation(tb.Gaussian(1.0), batches=4, times=2).is_class
    assert not tb.MatrixMechanism(1.0, [[1.0, 0.5], [0.0, 1.0]], participations=2).is_class
    assert tb.TreeAggregation(1.0, steps=7, participations=3, separation=3).is_class
    assert tb.ShuffledBatches(tb.Gaussian(1.0), batches=3).is_class


@pytest.mark.slow
def test_copies_and_pickles():
    epoch = tb.RandomAllocation(tb.Gaussian(2.0), batches=7)
    answer = epoch.epsilon(delta=1e-5)
    for other in (copy.deepcopy(epoch), pickle.loads(pickle.dumps(epoch))):
        assert other == epoch
        assert other.epsilon(delta=1e-5) == answer


@pytest.mark.parametrize(
    "mechanism", mostly_slow([tb.PureDP(1e-9), tb.Gaussian(1e9), tb.PureDP(900.0), tb.Laplace(1e9)], every=2), ids=str
)
def test_losses_too_close_together_or_too_far_apart_are_told(mechanism: tb.Mechanism) -> None:
    """In all batches it is the composition itself; in some at most as many releases, and at least one sampled."""
    for times in (2, 4):
        allocated = tb.RandomAllocation(mechanism, batches=4, times=times)
        releases = mechanism * times
        for epsilon in (0.0, 1e-9, 300.0):
            found = allocated.delta(epsilon)
            assert found.upper >= tb.Poisson(mechanism, times / 4).delta(epsilon).lower * (1.0 - 1e-9)
            if times == 4:
                assert found.upper >= releases.delta(epsilon).lower * (1.0 - 1e-9)
    assert allocated.delta(0.0).upper <= 3.0 * releases.delta(0.0).upper


def test_told_normal_noise_is_not_that_of_one_batch() -> None:
    found = tb.RandomAllocation(tb.Gaussian(1e9), batches=9, times=9).delta(0.0)
    assert found.upper == pytest.approx((tb.Gaussian(1e9) * 9).delta(0.0).upper, rel=1e-9)


def test_several_batches_of_other_losses_that_no_grid_resolves_are_refused() -> None:
    rare = tb.RandomAllocation(tb.Poisson(tb.Gaussian(1.0), q=1e-12), batches=4, times=2)
    with pytest.raises(tb.InvalidParameter, match="normal noise and bounded losses only"):
        rare.epsilon(1e-6)
