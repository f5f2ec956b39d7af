"""Batches without replacement: published figures, an analyst who chooses the other records, rounding, bad input."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.pairs.base import Direction

SIGMA_2 = tb.WithoutReplacement(tb.Gaussian(sigma=2), batch=1, examples=10)


def profile(mu: mpf, g: mpf) -> mpf:
    return mpmath.ncdf(mu / 2 - mpmath.log(g) / mu) - g * mpmath.ncdf(-mu / 2 - mpmath.log(g) / mu)


@pytest.mark.parametrize("relation", ["add_remove", "replace_one"])
@pytest.mark.parametrize(
    ("epsilon", "value"), [(0.0, 0.0382924922548026), (0.5, 0.00203253692034036), (1.0, 0.000207121486021392)]
)
def test_the_figures_for_a_tenth_of_the_records(relation: str, epsilon: float, value: float) -> None:
    answer = SIGMA_2.delta(epsilon, rtol=1e-9, relation=relation)
    assert answer.converged
    assert answer.lower <= value * (1 + 1e-14)
    assert answer.upper >= value * (1 - 1e-14)


def test_zeroed_records_are_worse_than_under_poisson_sampling() -> None:
    answer = SIGMA_2.delta(0.1, relation="zero_out")
    poisson = tb.Poisson(tb.Gaussian(sigma=2), q=0.1).delta(0.1)
    assert poisson.upper < 0.0023643
    assert 0.999 * 0.00727983962314721 <= answer.lower <= 0.00727983962314721 <= answer.upper  # attained, others at -1


X = np.linspace(-12.0, 16.0, 400001)


def density(x: np.ndarray, q: float, shift: float) -> np.ndarray:
    return ((1.0 - q) * np.exp(-0.5 * x**2) + q * np.exp(-0.5 * (x - shift) ** 2)) / math.sqrt(2.0 * math.pi)


def attained(q: float, sigma: float, epsilon: float, direction: str = "remove") -> float:
    """H_g of a record at 1 or zeroed, the others at -1, by a sum over a fine grid: good to 1e-7."""
    here, there = (2.0, 1.0) if direction == "remove" else (1.0, 2.0)
    excess = density(X, q, here / sigma) - math.exp(epsilon) * density(X, q, there / sigma)
    return float(np.maximum(excess, 0.0).sum() * (X[1] - X[0]))


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize(("sigma", "batch"), [(0.6, 1), (1.0, 8), (1.0, 63), (2.0, 2), (5.0, 40), (30.0, 3)])
def test_other_records_that_pull_one_way_are_the_lower_end_of_a_zeroed_one(sigma: float, batch: int, direction: str) -> None:
    step = tb.WithoutReplacement(tb.Gaussian(sigma), batch, 64, relation="zero_out")
    for epsilon in (0.0, 0.01, 0.3):
        true = attained(batch / 64, sigma, epsilon, direction)
        if true > 1e-9:
            lower = step.delta(epsilon, direction=direction).lower
            assert (1.0 - 3e-3) * true <= lower <= true * (1 + 1e-6)


def test_two_batches_that_are_pulled_one_way() -> None:
    q, sigma, g = 0.125, 1.0, math.exp(0.5)
    x = np.linspace(-9.0, 11.0, 2001)
    far, near = (density(x, q, shift / sigma) for shift in (2.0, 1.0))
    true = np.maximum(np.outer(far, far) - g * np.outer(near, near), 0.0).sum() * (x[1] - x[0]) ** 2
    twice = tb.WithoutReplacement(tb.Gaussian(sigma), 8, 64, relation="zero_out") * 2
    assert 0.999 * true <= twice.delta(0.5).lower <= true * (1 + 1e-5)


@pytest.mark.parametrize(
    ("sigma", "batch", "examples"), [(1.0, 1, 10**6), (5.0, 30, 10**6), (1e-3, 10, 100), (1e5, 10, 100), (1.0, 1, 10**12)]
)
def test_zeros_are_no_worse_a_lower_end_where_a_pull_is_seen_badly(sigma: float, batch: int, examples: int) -> None:
    steps = tb.WithoutReplacement(tb.Gaussian(sigma), batch, examples, relation="zero_out") * 20
    poisson = tb.Poisson(tb.Gaussian(sigma), q=batch / examples) * 20
    for delta in (1e-20, 1e-9, 1e-5):
        zeros = poisson.epsilon(delta)
        assert 0.99 * zeros.lower <= steps.epsilon(delta).lower or zeros.lower < 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_the_zeroed_bound_is_the_formula(seed: int) -> None:
    source = np.random.default_rng(seed)
    sigma, batch = float(np.exp(source.uniform(-0.5, 2))), int(source.integers(1, 40))
    step = tb.WithoutReplacement(tb.Gaussian(sigma), batch, 64, relation="zero_out")  # a share that a float holds
    with mpmath.workdps(40):
        q, one = mpf(batch) / 64, 1 / mpf(sigma)
        for epsilon in (0.01, 0.3, 1.0):
            g = mpmath.exp(mpf(epsilon))
            inner, beta = 1 + (g - 1) / q, g * q / (g - 1 + q)
            removed = q * ((1 - beta) * profile(2 * one, inner) + beta * profile(one, inner))
            added = q * profile(one, inner)
            upper = step.delta(epsilon, direction="remove").upper
            # both are at most their bounds, and less where the hull with the other's lies below
            assert removed < 1e-12 or upper <= removed * (1 + 1e-3)
            assert attained(batch / 64, sigma, epsilon) <= upper * (1 + 1e-7)
            assert added < 1e-12 or step.delta(epsilon, direction="add").upper <= added * (1 + 1e-3)


@pytest.mark.parametrize(("epsilon", "attained"), [(0.5, 0.153777507924229), (1.0, 0.0742066738335428)])
def test_an_analyst_who_follows_the_answers_stays_in_the_bracket(epsilon: float, attained: float) -> None:
    answer = (tb.WithoutReplacement(tb.Gaussian(sigma=2), 1, 2, relation="replace_one") * 2).delta(epsilon, rtol=1e-6)
    assert 0.9999 * attained <= answer.lower <= attained <= answer.upper
    assert not answer.converged
    assert "class" in answer.reason


@pytest.mark.slow
def test_the_lower_end_of_several_steps_is_that_of_an_analyst_who_chooses() -> None:
    step = tb.WithoutReplacement(tb.Gaussian(sigma=2), 1, 2, relation="replace_one")
    for count in (2, 5, 32):
        composed, alone = step * count, step.member() * count
        assert composed.delta(0.5).lower > alone.delta(0.5).upper
        assert composed.epsilon(0.05).lower > alone.epsilon(0.05).upper
        for direction in ("remove", "add"):
            assert composed.delta(0.5, direction=direction).lower == composed.delta(0.5).lower
    many = (step * 33).delta(0.5)
    assert many.lower == pytest.approx((step.member() * 33).delta(0.5).lower, rel=1e-12)
    assert step.choosing_analyst(1) is None
    assert (step + tb.Gaussian(10.0, relation="replace_one")).delta(0.5).lower > 0.0
    assert tb.WithoutReplacement(tb.Gaussian(sigma=2), 1, 2).choosing_analyst(2) is None  # add_remove attains its pair


def test_shares_that_no_float_holds_are_rounded_outwards() -> None:
    thirds = tb.WithoutReplacement(tb.Gaussian(sigma=1), 1, 3)
    pair, member = thirds.pair(Direction.REMOVE), thirds.member()
    assert Fraction(member.q) < Fraction(1, 3) < Fraction(pair.q)
    with mpmath.workdps(50):
        true = profile(mpf(2), 1 + (mpmath.exp(mpf(0.25)) - 1) * 3) / 3
        answer = thirds.delta(0.25, rtol=1e-12)
        assert answer.lower <= true <= answer.upper


def test_whole_and_empty_batches() -> None:
    noise = tb.Gaussian(sigma=2)
    for relation in ("add_remove", "replace_one"):
        whole = tb.WithoutReplacement(noise, 7, 7, relation=relation).delta(1.0)
        assert whole.upper == pytest.approx(noise.delta(1.0, relation="replace_one").upper, rel=1e-3)
    zeroed = tb.WithoutReplacement(noise, 7, 7, relation="zero_out").delta(1.0)
    assert zeroed.upper == pytest.approx(noise.delta(1.0).upper, rel=1e-3)
    assert tb.WithoutReplacement(noise, 0, 7).delta(0.0).upper == 0.0


@pytest.mark.slow
def test_small_shares_are_like_poisson_samples_of_twice_the_shift() -> None:
    few = (tb.WithoutReplacement(tb.Gaussian(sigma=4), 1, 10**6) * 1000).delta(0.001)
    poisson = (tb.Poisson(tb.Gaussian(sigma=4, sensitivity=2), q=1e-6) * 1000).delta(0.001)
    assert few.upper == pytest.approx(poisson.upper, rel=2e-3)


def test_other_noise_and_finite_mechanisms() -> None:
    for mechanism in (tb.Laplace(scale=2), tb.DiscreteLaplace(scale=2), tb.RandomizedResponse(p=0.7)):
        answer = (tb.WithoutReplacement(mechanism, 1, 4, relation="replace_one") * 3).delta(0.1)
        assert 0.0 < answer.lower <= answer.upper < 1.0
    total = tb.WithoutReplacement(tb.RandomizedResponse(p=0.75), 1, 4, relation="replace_one").delta(0.0, rtol=1e-9)
    assert total.upper == pytest.approx(0.25 * 0.5, rel=1e-8)  # q TV


@pytest.mark.parametrize(
    "arguments",
    [
        {"batch": 11, "examples": 10},
        {"batch": -1, "examples": 10},
        {"batch": 1.5, "examples": 10},
        {"batch": 1, "examples": 0},
        {"batch": math.nan, "examples": 10},
        {"batch": "one", "examples": 10},
        {"batch": 1, "examples": 10, "relation": "swap"},
    ],
)
def test_bad_input_is_refused(arguments: dict) -> None:
    with pytest.raises(tb.InvalidParameter):
        tb.WithoutReplacement(tb.Gaussian(sigma=1), **arguments)


def test_a_composition_or_a_mechanism_that_says_nothing_of_replacement_is_refused() -> None:
    with pytest.raises(tb.InvalidParameter, match="one mechanism"):
        tb.WithoutReplacement(tb.Gaussian(sigma=1) * 2, 1, 10)
    with pytest.raises(tb.TightBudgetError, match="zero_out"):
        tb.WithoutReplacement(tb.RandomizedResponse(p=0.7), 1, 10, relation="zero_out")


@pytest.mark.parametrize("epsilon", [1e-30, 1e-100, 1e-300])
def test_promises_of_next_to_nothing_make_no_warning(epsilon: float) -> None:
    """Their profile falls to nothing at once: relative to what is left of it, its bend is beyond all floats."""
    answer = tb.WithoutReplacement(tb.PureDP(epsilon), 1, 2, relation="zero_out").delta(0.0)
    assert answer.upper >= 0.249 * epsilon


@pytest.mark.parametrize("mechanism", [tb.PermuteAndFlip(1.0), tb.ReportNoisyMax(1.0)], ids=str)
def test_classes_without_a_member_for_zeroed_records_are_refused_at_once(mechanism: tb.Mechanism) -> None:
    with pytest.raises(tb.UnknownRelation, match="none is known for zeroed records"):
        tb.WithoutReplacement(mechanism, 10, 100, relation="zero_out")
    step = tb.WithoutReplacement(mechanism, 10, 100)
    assert step.known_relations == {"add_remove", "replace_one"}
    with pytest.raises(tb.UnknownRelation):
        step.epsilon(1e-6, relation="zero_out")
