"""Discrete Gaussian noise on vectors: published digits, promises, relations, and what is refused (M38)."""

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf

import tightbudget as tb
from tightbudget.engine.reasons import TOO_MANY_SHIFTS
from tightbudget.pairs.base import Direction


@pytest.mark.parametrize(("epsilon", "exact"), [(0.5, 0.605543863257316), (1.0, 0.540293617672484), (2.0, 0.315348240753259)])
def test_no_single_shift_is_the_worst(epsilon: float, exact: float):
    """v = (2) is the worst at epsilon 1, v = (1, 1, 1, 1) at 1/2 and 2; normal noise has less at 1/2 and 1."""
    answer = tb.DiscreteGaussian(sigma=1.0, sensitivity=2, dimension=4).delta(epsilon=epsilon, rtol=1e-9)
    assert answer.lower <= exact * (1 + 1e-14)
    assert exact <= answer.upper * (1 + 1e-14)
    assert answer.converged


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("sigma", ["1", "1.5", "4"])
def test_where_one_of_several_shifts_is_the_worst_everywhere_it_is_attained_and_no_more(sigma: str, dimension: int):
    """For a length of 2 that is (2); the pair of all shifts is rounded up, and no lower end may come from it."""
    with mp.workdps(40):
        noise = mpf(sigma)
        masses = [mp.exp(-(mpf(x) ** 2) / (2 * noise**2)) for x in range(-60, 61)]
        total = mp.fsum(masses)
        for epsilon in (0.0, 1.0, 3.0):
            moved = zip(masses[2:], masses, strict=False)
            truth = mp.fsum(max(mpf(0), here - mp.exp(epsilon) * there) for here, there in moved) / total
            answer = tb.DiscreteGaussian(float(sigma), 2, dimension=dimension).delta(epsilon=epsilon, rtol=1e-9)
            assert mpf(answer.lower) <= truth <= mpf(answer.upper)


def test_one_dimension_is_what_it_was():
    assert (
        tb.DiscreteGaussian(3.0, 2, 1) == tb.DiscreteGaussian(3.0, 2) == tb.parse("discrete_gaussian(sigma=3, sensitivity=2)")
    )
    assert str(tb.DiscreteGaussian(3.0, 2, dimension=1)) == "discrete_gaussian(sigma=3.0, sensitivity=2)"
    with pytest.raises(tb.InvalidParameter, match="whole number"):
        tb.DiscreteGaussian(3.0, 1.5)


def test_a_sensitivity_of_one_is_noise_on_one_entry():
    one, many = tb.DiscreteGaussian(2.0), tb.DiscreteGaussian(2.0, 1, dimension=1000)
    for count in (1, 30):
        first, second = ((step * count).delta(epsilon=1.0, rtol=1e-9) for step in (one, many))
        assert max(first.lower, second.lower) <= min(first.upper, second.upper)
        assert second.converged


def test_a_rounded_root_is_the_root():
    """The float nearest to the root of 3 is below it; what was meant is three entries of 1."""
    rounded = tb.DiscreteGaussian(2.0, math.sqrt(3.0), dimension=3)
    assert Fraction(rounded.sensitivity) ** 2 < 3
    meant = (tb.DiscreteGaussian(2.0) * 3).delta(epsilon=1.0)
    answer = rounded.delta(epsilon=1.0)
    assert max(meant.lower, answer.lower) <= min(meant.upper, answer.upper)
    # 1.73 is not: no more than two entries change
    less = tb.DiscreteGaussian(2.0, 1.73, dimension=3).delta(epsilon=1.0)
    two = (tb.DiscreteGaussian(2.0) * 2).delta(epsilon=1.0)
    assert max(less.lower, two.lower) <= min(less.upper, two.upper)


def test_normal_noise_is_no_stand_in():
    """At epsilon 1 the vectors exceed normal noise with the same sensitivity."""
    normal = tb.Gaussian(1.0, sensitivity=2.0).delta(epsilon=1.0)
    assert tb.DiscreteGaussian(1.0, 2, dimension=4).delta(epsilon=1.0).lower > normal.upper


def test_compositions_and_samples_are_brackets_of_a_class():
    step = tb.DiscreteGaussian(3.0, 2, dimension=4)
    composed = (step * 20).delta(epsilon=2.0)
    assert 0.99 * composed.upper < composed.lower < composed.upper
    members = [(member * 20).delta(epsilon=2.0) for member in step.members()]
    assert composed.lower == max(member.lower for member in members)
    sampled = tb.Poisson(step, q=0.1) * 20
    assert 0.97 * sampled.delta(epsilon=1.0).upper < sampled.delta(epsilon=1.0).lower
    assert sampled.delta(epsilon=1.0).upper < (step * 20).delta(epsilon=1.0).lower


def test_shifts_that_are_too_many_have_their_promise():
    step = tb.DiscreteGaussian(200.0, 30, dimension=10_000)
    answer = (step * 10).delta(epsilon=2.0)
    promised = (tb.ZCDP(rho=0.5 * 0.15**2) * 10).delta(epsilon=2.0)
    assert answer.upper == pytest.approx(promised.upper, rel=1e-9)  # promises add up before they get a pair
    assert answer.upper < 1.1 * promised.upper
    assert (tb.DiscreteGaussian(200.0, 30) * 10).delta(epsilon=2.0).lower <= answer.lower < answer.upper
    assert not answer.converged
    assert answer.reason == TOO_MANY_SHIFTS
    both = (step * 10 + tb.ZCDP(rho=0.1)).delta(epsilon=2.0)
    assert both.upper == pytest.approx(tb.ZCDP(rho=0.1 + 5.0 * 0.15**2).delta(epsilon=2.0).upper, rel=1e-9)


def test_whatever_the_noise_there_is_an_answer():
    for sigma in (1e-300, 1e-3, 1e5, 1e300):
        answer = (tb.DiscreteGaussian(sigma, 2.5, dimension=6) * 3).delta(epsilon=0.5)
        assert 0.0 <= answer.lower <= answer.upper <= 1.0
    assert tb.DiscreteGaussian(1.0, 1e300, dimension=6).delta(epsilon=1.0).upper == 1.0
    assert tb.DiscreteGaussian(1.0, 0, dimension=6).delta(epsilon=0.0).upper == 0.0


def test_relations_and_groups():
    step = tb.DiscreteGaussian(4.0, math.sqrt(2.0), dimension=8)
    assert step.under("replace_one") == tb.DiscreteGaussian(4.0, 2.0 * math.sqrt(2.0), 8, relation="replace_one")
    assert step.under("zero_out").sensitivity == step.sensitivity
    assert step._vectors is not None
    for k in (2, 3, 5, 7):
        group = step.group(k)
        assert isinstance(group, tb.DiscreteGaussian)
        assert group._vectors is not None
        assert group._vectors.square == 2 * k * k
    batch = tb.WithoutReplacement(tb.DiscreteGaussian(4.0, 2, dimension=4), 10, examples=100)
    answer = (batch * 5).delta(epsilon=0.5)
    assert 0.0 < answer.lower < answer.upper < 0.1
    with pytest.raises(tb.TightBudgetError, match="replace_one"):
        tb.Poisson(step, q=0.1).under("replace_one")


def test_moments_and_domination():
    step = tb.DiscreteGaussian(4.0, 2, dimension=4)
    assert step.zcdp_rho(Direction.REMOVE) == 0.125
    assert step.log_moment(Direction.ADD, np.array([3.0]))[0] == pytest.approx(3.0 * 2.0 * 0.125, rel=1e-12)
    assert tb.filters.ZCDPFilter(epsilon=4, delta=1e-6).remaining(step) >= 1
    assert step.dominates(tb.DiscreteGaussian(4.0, 1.5, dimension=4))
    assert not step.dominates(tb.DiscreteGaussian(4.0, 2, dimension=5))


def test_notation_copies_and_pickles():
    written = "discrete_gaussian(sigma=3.0, sensitivity=2.5, dimension=7) * 4"
    assert str(tb.parse(written)) == written
    step = tb.DiscreteGaussian(3.0, 2.5, 7)
    assert tb.DiscreteGaussian(np.float64(3.0), Fraction(5, 2), np.int64(7)) == step
    for other in (copy.deepcopy(step), pickle.loads(pickle.dumps(step))):
        assert other == step
        assert other.delta(epsilon=1.0) == step.delta(epsilon=1.0)


@pytest.mark.parametrize("dimension", [0, -1, 1.5, math.nan, math.inf, "x", True, 2**60, None])
def test_bad_dimensions(dimension: object):
    with pytest.raises(tb.InvalidParameter, match="dimension"):
        tb.DiscreteGaussian(1.0, 2, dimension=dimension)  # type: ignore[arg-type]


@pytest.mark.parametrize("sensitivity", [0.5, -1, math.nan, math.inf, "x", True])
def test_bad_sensitivities_of_vectors(sensitivity: object):
    with pytest.raises(tb.InvalidParameter, match="sensitivity"):
        tb.DiscreteGaussian(1.0, sensitivity, dimension=3)  # type: ignore[arg-type]
