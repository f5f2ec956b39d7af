"""A composition as one mechanism: its profile is bounded from above, at every loss and composed (M32, M39)."""

import math

import mpmath
import pytest
from mpmath import mpf
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.mechanisms.one_run import OneRun


def gaussian_delta(mu: mpf, epsilon: float) -> mpf:
    return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("epsilon", mostly_slow([0.0, 0.3, 1.7, 4.0, 8.0], every=2))
def test_its_profile_lies_above_that_of_the_composition(epsilon: float) -> None:
    run = OneRun(tb.Gaussian(sigma=2.0) * 4)
    with mpmath.workdps(30):
        for count in (1, 3):
            upper, true = (run * count).delta(epsilon).upper, gaussian_delta(mpmath.sqrt(count), epsilon)
            assert true <= upper <= true * (1.02 if count == 1 else 1.04)


def test_directions_are_not_exchanged() -> None:
    sampled = tb.Poisson(tb.Gaussian(sigma=0.8), q=0.05) * 20
    run = OneRun(sampled)
    for direction in ("remove", "add"):
        for epsilon in (0.2, 0.5):
            upper, true = (one.delta(epsilon, direction=direction) for one in (run, sampled))
            assert true.lower <= upper.upper <= 1.1 * true.upper
    assert run.delta(0.5, direction="remove").upper > 1.5 * run.delta(0.5, direction="add").upper


def test_the_best_of_training_runs() -> None:
    training = tb.Poisson(tb.Gaussian(sigma=1.0), q=0.01) * 200
    best = tb.RepeatAndSelect(training, mean=10)
    assert str(best) == "repeat_and_select(poisson(gaussian(sigma=1.0), q=0.01) * 200, mean=10)"
    assert tb.parse(str(best)) == best
    answer, once = best.epsilon(delta=1e-6), training.epsilon(delta=1e-6)
    # one of the scores is a coin, which makes it a single run
    assert once.lower <= answer.upper < (training * 10).epsilon(delta=1e-6).upper
    assert 0.99 * once.lower <= answer.lower <= once.upper
    once, found = (tb.risk(one).tpr(fpr=0.01) for one in (training, best))
    assert 0.99 * once.lower <= found.lower <= once.upper <= found.upper
    assert best.under("replace_one").delta(1.0).upper > best.delta(1.0).upper


def test_lower_ends_are_those_of_one_run() -> None:
    noise = tb.Gaussian(sigma=2.0) * 4  # of a profile that is known to 30 digits
    best = tb.RepeatAndSelect(OneRun(noise), mean=10)
    with mpmath.workdps(30):
        for epsilon in (0.3, 2.0):
            for count in (1, 3):
                true = gaussian_delta(mpmath.sqrt(count), epsilon)
                found = (best * count).delta(epsilon)
                assert 0.99 * true <= found.lower <= true
                assert 0.99 * true <= (OneRun(noise) * count).delta(epsilon).lower <= true
    beside = (best + tb.Laplace(scale=1.0)).delta(1.0).lower
    assert best.delta(1.0).lower < beside <= (noise + tb.Laplace(scale=1.0)).delta(1.0).upper


@pytest.mark.parametrize("law", [{"runs": "poisson", "mean": 3}, {"runs": "binomial", "trials": 4, "p": 0.5}])
def test_where_there_may_be_no_run_nothing_is_revealed_at_least(law: dict[str, float]) -> None:
    best = tb.RepeatAndSelect(tb.Poisson(tb.Gaussian(sigma=1.0), q=0.05) * 20, **law)
    assert best.delta(0.1).lower == 0.0


def test_a_run_of_a_class_counts_by_its_member() -> None:
    promised = tb.ZCDP(rho=0.1) + tb.Laplace(scale=3.0)
    found, once = tb.RepeatAndSelect(promised, mean=2).delta(0.5), promised.delta(0.5)
    assert 0.0 < found.lower <= once.lower * 1.01 < once.upper


def test_the_best_run_by_its_profile_is_that_by_its_pair() -> None:
    noise = tb.Gaussian(sigma=2.0) * 4
    by_profile, by_pair = (tb.RepeatAndSelect(one, mean=10) for one in (OneRun(noise), noise))
    for epsilon in (2.0, 4.0, 8.0):
        upper, true = by_profile.delta(epsilon).upper, by_pair.delta(epsilon).upper
        assert 0.999 * true <= upper <= 1.03 * true


def test_of_a_class_the_upper_end_counts() -> None:
    promised = tb.ZCDP(rho=0.1) + tb.Laplace(scale=3.0)
    for epsilon in (0.5, 1.5):
        assert OneRun(promised).delta(epsilon).upper >= 0.999 * promised.delta(epsilon).upper


def test_what_may_reveal_everything() -> None:
    some = tb.RepeatAndSelect(tb.ApproximateDP(0.1, 1e-3) * 2 + tb.Laplace(scale=3.0), mean=2)
    assert 1e-3 < some.delta(40.0).upper < 0.01
    assert tb.RepeatAndSelect(tb.Gaussian(sigma=0.0) + tb.Laplace(scale=1.0), mean=2).epsilon(delta=0.1).upper == math.inf


def test_steps_for_several_relations_are_refused() -> None:
    with pytest.raises(tb.MixedRelations):
        tb.RepeatAndSelect(tb.Poisson(tb.Gaussian(sigma=1.0), q=0.1) + tb.RandomizedResponse(p=0.6) * 20, mean=2)


def test_more_repetitions_than_can_be_counted_are_answered_for() -> None:
    best = tb.RepeatAndSelect(tb.Laplace(scale=3.0) * 20 + tb.Gaussian(sigma=3.0), mean=10)
    assert (best * 2**52).delta(1.0).upper == 1.0
    step = tb.Poisson(tb.Gaussian(sigma=50.0), q=0.001)
    runs = tb.RepeatAndSelect(step * 1000, mean=3)
    for several in (runs * 2**50 + step, runs * 2**44 + tb.RepeatAndSelect(step * 1000, mean=4) * 2**44):
        assert several.delta(1.0).lower <= several.delta(1.0).upper == 1.0
    nothing = tb.SparseVector(1e-9, 1.0) * 2**53 + tb.SparseVector(1e-9, 2.0)  # each of them has nothing for a member
    assert nothing.delta(1.0).lower == 0.0


def test_one_direction_of_a_run_is_all_of_it() -> None:
    """A run that is asked about one direction alone is selected from in both: a tenth of B is not in A at all."""
    steps = tb.Histograms([1, 0], [9, 1]) + tb.Gaussian(sigma=1.0)
    chosen = tb.RepeatAndSelect(steps.asked(direction="remove"), mean=2)
    assert chosen.delta(20.0, direction="add").upper >= 0.1
    assert chosen.mechanism == OneRun(steps)
    assert chosen.delta(20.0, direction="add").upper == tb.RepeatAndSelect(steps, mean=2).delta(20.0, direction="add").upper
