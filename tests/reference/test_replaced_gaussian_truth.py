"""Gaussian noise on Poisson samples in which a record is replaced, against independent truth (M27)."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.mixture_truth import Mixtures, delta_of_two

import tightbudget as tb
from tightbudget.pairs.base import Direction


def replaced(sigma: float, q: float) -> tb.Mechanism:
    return tb.Poisson(tb.Gaussian(sigma), q, relation="replace_one")


@pytest.mark.parametrize(
    ("sigma", "q", "epsilon", "delta"),
    [
        (1.0, 0.1, 0.0, "0.0682689492137086"),
        (1.0, 0.1, 0.5, "0.00334197179101381"),
        (1.0, 0.1, 1.0, "0.000327284406974536"),
        (0.8, 0.01, 1.0, "5.97487683974211e-7"),
    ],
)
def test_published_digits(sigma: float, q: float, epsilon: float, delta: str) -> None:
    answer = replaced(sigma, q).delta(epsilon, rtol=1e-9)
    assert answer.lower * (1 - 1e-14) <= mpf(delta) <= answer.upper * (1 + 1e-14)
    assert answer.upper - answer.lower <= 1e-9 * answer.upper


@pytest.mark.parametrize("seed", range(12))
def test_one_step_in_both_directions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sigma, q = 10.0 ** rng.uniform(-0.8, 2.0), 10.0 ** rng.uniform(-6.0, -0.001)
    epsilon = float(rng.uniform(0.0, 2.0) * q / sigma)
    with mpmath.workdps(60):
        m, rate = 1 / mpf(sigma), mpf(q)
        truth = Mixtures([(1 - rate, mpf(0)), (rate, m)], [(1 - rate, mpf(0)), (rate, -m)]).delta(mpf(epsilon))
    for direction in ("remove", "add"):
        answer = replaced(sigma, q).delta(epsilon, rtol=1e-9, direction=direction)
        assert mpf(answer.lower) <= truth * (1 + mpf(2) ** -50)
        assert truth * (1 - mpf(2) ** -50) <= mpf(answer.upper)
        assert answer.upper - answer.lower <= 1e-8 * answer.upper + 1e-11  # a difference of two masses near 1


@pytest.mark.parametrize(("sigma", "q", "epsilon"), [(1.0, 0.1, 0.5), (0.5, 0.3, 2.0)])
def test_two_steps(sigma: float, q: float, epsilon: float) -> None:
    a, b = ([(1.0 - q, 0.0), (q, sign / sigma)] for sign in (1.0, -1.0))
    truth = delta_of_two(a, b, epsilon)
    answer = (replaced(sigma, q) * 2).delta(epsilon, rtol=1e-6)
    assert answer.lower * (1 - 1e-9) <= truth <= answer.upper * (1 + 1e-9)
    assert answer.converged


def test_the_doubled_shift_is_no_stand_in() -> None:
    doubled = tb.Poisson(tb.Gaussian(1.0, 2.0), 0.1) * 100
    assert doubled.epsilon(1e-6).lower > (replaced(1.0, 0.1) * 100).epsilon(1e-6).upper
    with pytest.raises(tb.MixedRelations):
        tb.Poisson(tb.Gaussian(1.0, 2.0, relation="replace_one"), 0.1)


def test_the_ends_of_the_rates_and_of_the_noise() -> None:
    assert replaced(1.0, 0.0).reveals_nothing
    assert replaced(math.inf, 0.1).reveals_nothing
    assert replaced(1.0, 1.0).delta(1.0) == tb.Gaussian(1.0).delta(1.0, relation="replace_one")
    for sigma in (0.0, 1e-310, 1e-200, 1e-6):
        answer = replaced(sigma, 0.25).delta(1.0)
        assert answer.lower <= 0.25 <= answer.upper <= 0.2501
    tiny = replaced(1e300, 1e-5).delta(0.0)
    assert 0.0 <= tiny.lower <= tiny.upper < 1e-299


def test_under_a_relation() -> None:
    sampled = tb.Poisson(tb.Gaussian(1.0), 0.1)
    assert sampled.under("replace_one") == replaced(1.0, 0.1)
    assert (sampled * 10).epsilon(1e-6, relation="replace_one") == (replaced(1.0, 0.1) * 10).epsilon(1e-6)
    assert tb.parse(str(replaced(1.0, 0.1))) == replaced(1.0, 0.1)


def test_moments_are_above_the_truth() -> None:
    """D_2 of the pair by a sum over a fine grid."""
    x = np.linspace(-12.0, 14.0, 52001)
    a, b = (0.9 * np.exp(-0.5 * x * x) + 0.1 * np.exp(-0.5 * (x - c) ** 2) for c in (1.0, -1.0))
    truth = math.log(np.sum(a * a / b) * (x[1] - x[0]) / math.sqrt(2.0 * math.pi))
    found = replaced(1.0, 0.1).log_moment(Direction.REMOVE, np.array([2.0]))[0]
    assert truth <= found <= 1.01 * truth
