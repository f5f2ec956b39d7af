"""A component told at sight takes its share of delta, and leaves the others a smaller epsilon.

Normal noise around 0 with probability 1 - w, else so far away that it is told at sight, has against normal noise around
0 the loss ln(1 - w), or one beyond all that matters. With k such steps delta(epsilon) is 1 - (1 - w)^k, and (1 - w)^k
times what the other steps have at epsilon - k ln(1 - w). That holds for whatever the others are made of.
"""

import math
import random

import pytest

import tightbudget as tb

_LARGE = [tb.Laplace(1 / 40), tb.Gaussian(1 / 40), tb.Laplace(1 / 15)]
_SMALL = [tb.Gaussian(20), tb.Gaussian(5), tb.Gaussian(1), tb.Laplace(3.0)]


def _others(rng: random.Random) -> tb.Composition:
    large = tb.Poisson(rng.choice(_LARGE), q=rng.choice([0.3, 0.1, 1e-2])) * rng.choice([1, 1, 3])
    return large + tb.Poisson(rng.choice(_SMALL), q=rng.choice([0.1, 0.01])) * rng.choice([3, 30, 300])


@pytest.mark.parametrize("seed", range(8))
def test_what_is_told_at_sight_adds_to_the_others(seed: int):
    rng = random.Random(seed)
    w, count = rng.choice([0.3, 0.1, 1e-3]), rng.choice([1, 2])
    others = _others(rng)
    told, shift = -math.expm1(count * math.log1p(-w)), -count * math.log1p(-w)
    steps = tb.MixtureOfGaussians(1, [0, 20_000], [1 - w, w]) * count + others
    for epsilon in (0.5, 5.0):
        found, rest = (one.delta(at, direction="remove") for one, at in ((steps, epsilon), (others, epsilon + shift)))
        assert found.lower <= (told + (1 - told) * rest.upper) * (1 + 1e-9)
        assert found.upper >= (told + (1 - told) * rest.lower) * (1 - 1e-9)
    delta = min(0.99, told + (1 - told) * rest.upper * 1.5 + 1e-3)
    answer = steps.epsilon(delta, direction="remove")
    if answer.lower > 0.0:  # delta is larger below it
        below = others.delta(answer.lower * (1 - 1e-9) + shift, direction="remove")
        assert told + (1 - told) * below.upper >= delta * (1 - 1e-9)
