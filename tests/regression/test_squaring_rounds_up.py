"""Squaring must round losses up at negative indices too.

The public code of the paper pairs negative buckets as (-2, -1), (-4, -3), ..., which rounds them down. With losses
-0.01 and +0.04, one squaring and 256 steps, its "upper bound" at epsilon 0 is 5.2e-8. The truth is 0.127.
"""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from tightbudget.pairs.points import point_pair
from tightbudget.published import Leaf, Square, TreePair, power

STEP, LOW, HIGH, STEPS = 0.01, -1, 4, 256


def masses() -> tuple[mpf, mpf]:
    """Return the A-masses that make both A and B = A e^-loss sum to 1."""
    down, up = mpmath.exp(-LOW * mpf(STEP)), mpmath.exp(-HIGH * mpf(STEP))
    low = (1 - up) / (down - up)
    return low, 1 - low


def truth(epsilon: float, sign: int) -> mpf:
    """Return delta of the 256-fold composition by binomial sums; sign -1 swaps A and B."""
    low, high = masses()
    if sign < 0:
        low, high = low * mpmath.exp(-LOW * mpf(STEP)), high * mpmath.exp(-HIGH * mpf(STEP))
    total = mpf(0)
    for k in range(STEPS + 1):
        loss = sign * mpf(STEP) * (LOW * (STEPS - k) + HIGH * k)
        total += mpmath.binomial(STEPS, k) * low ** (STEPS - k) * high**k * max(mpf(0), 1 - mpmath.exp(epsilon - loss))
    return total


def leaf(sign: int) -> Leaf:
    losses = sign * STEP * np.array([LOW, HIGH])
    log_a = np.array([float(mpmath.log(mass)) for mass in masses()])
    log_b = log_a - STEP * np.array([LOW, HIGH])
    if sign < 0:
        log_a, log_b = log_b, log_a
    return Leaf(point_pair(("two losses", sign), losses, log_a, log_b, error=1e-14, loss_error=1e-15), STEP, 2000)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
def test_the_upper_bound_after_a_squaring_is_one(epsilon: float):
    with mpmath.workdps(40):
        exact = max(truth(epsilon, 1), truth(epsilon, -1))
    assert epsilon > 0.0 or math.isclose(float(exact), 0.127, rel_tol=5e-3)
    answer = TreePair(*(power(Square(leaf(sign)), STEPS) for sign in (1, -1))).delta(epsilon)
    assert answer.lower <= exact <= answer.upper


@pytest.mark.parametrize("index", range(-6, 7))
def test_an_index_is_halved_and_rounded_up(index: int):
    one = point_pair(("one", index), np.array([index * STEP]), np.zeros(1), np.array([-index * STEP]), error=0.0)
    squared = Square(Leaf(one, STEP, 6)).buckets
    assert squared.indices[squared.B > 0.5].tolist() == [math.ceil(index / 2)]
