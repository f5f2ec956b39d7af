"""Gaussian mixtures against independent truth: published digits, mpmath for one and two steps, and the lemma itself."""

import math
import random

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.lanes import mostly_slow
from tests.support.mixture_truth import Mixtures, delta_of_two, mirrored

import tightbudget as tb
from tightbudget.numerics.bracket import Bracket
from tightbudget.pairs.base import Direction

BINOMIAL = [0.729, 0.243, 0.027, 0.001]


def assert_holds(answer: Bracket, truth: mpf, rtol: float) -> None:
    assert mpf(answer.lower) <= truth <= mpf(answer.upper)
    assert answer.upper - answer.lower <= rtol * answer.upper


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.5, "0.0353962909075436"), (1.0, "0.0133868274048543"), (2.0, "0.00238733046560881")]
)
def test_three_records_at_a_tenth(epsilon: float, delta: str) -> None:
    """Computed by others, 15 digits; the weights here are decimals rounded to floats."""
    answer = tb.MixtureOfGaussians(1.0, range(4), BINOMIAL).delta(epsilon, rtol=1e-9)
    assert_holds(answer, mpf(delta), 1e-9)


def random_case(seed: int) -> tuple[tb.MixtureOfGaussians, list[tuple[mpf, mpf]], float]:
    choice = random.Random(seed)
    count = choice.randint(2, 6)
    sigma = 10.0 ** choice.uniform(-0.7, 2)
    centres = [choice.choice([0.0, choice.uniform(0.0, 3.0)]) for _ in range(count)]
    centres[0], weights = choice.uniform(0.1, 3.0), [choice.random() ** 4 for _ in range(count)]
    mechanism = tb.MixtureOfGaussians(sigma, centres, [w / math.fsum(weights) for w in weights])
    parts = [(mpf(s.numerator) / s.denominator, mpf(c) / mpf(sigma)) for c, s in mechanism._shares.items()]
    return mechanism, parts, choice.uniform(0.0, 1.5) * max(centres) / sigma


@pytest.mark.parametrize("seed", mostly_slow(list(range(24)), every=4))
def test_one_step(seed: int) -> None:
    with mpmath.workdps(60):
        mechanism, parts, epsilon = random_case(seed)
        zero = [(mpf(1), mpf(0))]
        ways = (Mixtures(parts, zero), Mixtures(zero, mirrored(parts)))
        truth = max(way.delta(mpf(epsilon)) for way in ways)
    answer = mechanism.delta(epsilon, rtol=1e-9)
    assert mpf(answer.lower) <= truth <= mpf(answer.upper)
    assert answer.upper - answer.lower <= 1e-9 * answer.upper or not answer.converged


@pytest.mark.parametrize(
    ("sigma", "centres", "probabilities", "epsilon"),
    [(1.0, [0, 1, 2, 3], BINOMIAL, 0.5), (2.0, [0, 1, 4], [0.75, 0.125, 0.125], 1.0)],
)
def test_two_steps(sigma: float, centres: list[float], probabilities: list[float], epsilon: float) -> None:
    mechanism = tb.MixtureOfGaussians(sigma, centres, probabilities)
    parts = [(w, c / sigma) for w, c in zip(probabilities, centres, strict=True)]
    zero, below = [(1.0, 0.0)], [(w, -c) for w, c in parts]
    truth = max(delta_of_two(parts, zero, epsilon), delta_of_two(zero, below, epsilon))
    answer = (mechanism * 2).delta(epsilon, rtol=1e-6)
    assert answer.lower * (1 - 1e-9) <= truth <= answer.upper * (1 + 1e-9)
    assert answer.converged


@pytest.mark.parametrize("seed", range(6))
def test_vectors_of_the_same_lengths_are_dominated(seed: int) -> None:
    """The lemma in the plane, by a fine grid: its error is some 1e-6 of delta."""
    rng = np.random.default_rng(seed)
    n = 3
    p = rng.dirichlet(np.ones(n))
    radii, angles = rng.uniform(0.0, 2.0, n), rng.uniform(0.0, 2.0 * math.pi, n)
    x = np.linspace(-9.0, 9.0, 721)
    gx, gy = np.meshgrid(x, x)

    def law(cx: float, cy: float) -> np.ndarray:
        return np.exp(-0.5 * ((gx - cx) ** 2 + (gy - cy) ** 2)) / (2.0 * math.pi) * (x[1] - x[0]) ** 2

    a = sum(w * law(r * math.cos(t), r * math.sin(t)) for w, r, t in zip(p, radii, angles, strict=True))
    b = law(0.0, 0.0)
    mechanism = tb.MixtureOfGaussians(1.0, radii, [*p[:-1], 1.0 - p[:-1].sum()])
    for epsilon in (0.0, 0.3, 1.0):
        bound = mechanism.delta(epsilon).upper
        for first, second in ((a, b), (b, a)):
            assert np.maximum(first - math.exp(epsilon) * second, 0.0).sum() <= bound * (1 + 1e-5)
    assert {direction: mechanism.pair(direction) is not None for direction in Direction} == dict.fromkeys(Direction, True)
