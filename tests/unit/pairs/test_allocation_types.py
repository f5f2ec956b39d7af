"""In k of t batches against sums over all outputs, in fractions; both directions (M29)."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.engine.direction import OneDirection
from tightbudget.engine.refine import delta_bracket
from tightbudget.engine.steps import engine_steps
from tightbudget.pairs.allocation_types import pair_of_types
from tightbudget.pairs.base import Direction, Pair

REMOVE, ADD = Direction.REMOVE, Direction.ADD
RESPONSE = tb.RandomizedResponse(p=math.e / (1 + math.e))


def asked(pair: Pair | None, epsilon: float, count: int = 1) -> tb.Bracket:
    assert pair is not None
    return delta_bracket((OneDirection(engine_steps([(pair, count)]), "one"),), epsilon, 1e-9, 1e-300, None)


def of_types(mechanism: tb.Mechanism, batches: int, times: int, direction: Direction) -> Pair | None:
    base = mechanism.pair(REMOVE)
    assert base is not None
    return pair_of_types(base, batches, times, direction)


def outputs(a: list[int], b: list[int], batches: int, times: int) -> list[tuple[Fraction, Fraction]]:
    """Return the masses of all outputs of an epoch, with and without the record, by their definition."""
    p, q = ([Fraction(x, sum(side)) for x in side] for side in (a, b))
    subsets = list(itertools.combinations(range(batches), times))
    found = []
    for cells in itertools.product(range(len(a)), repeat=batches):
        mixed = sum(math.prod(p[i] if k in chosen else q[i] for k, i in enumerate(cells)) for chosen in subsets)
        found.append((Fraction(mixed) / len(subsets), math.prod((q[i] for i in cells), start=Fraction(1))))
    return found


def exact_delta(found: list[tuple[Fraction, Fraction]], direction: Direction, epsilon: float) -> mpf:
    with mpmath.workdps(40):
        g = mpmath.exp(epsilon)
        total = mpf(0)
        for x, y in found:
            p, q = mpf(x.numerator) / x.denominator, mpf(y.numerator) / y.denominator
            total += max((p - g * q) if direction is REMOVE else (q - g * p), mpf(0))
        return total


def test_digits_of_two_in_four():
    answer = asked(of_types(RESPONSE, 4, 2, REMOVE), 0.5)
    assert answer.lower <= 0.237934393404327 <= answer.upper
    assert answer.upper - answer.lower <= 1e-10


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(("batches", "times"), [(2, 1), (4, 2), (5, 3), (5, 5), (3, 2)])
@pytest.mark.parametrize(
    ("a", "b"), [([5, 3, 2], [2, 3, 5]), ([4, 3, 0], [0, 3, 4]), ([1, 9, 90], [0, 20, 80]), ([1, 999], [10, 990])]
)
def test_finite_mechanisms_are_exact(a: list[int], b: list[int], batches: int, times: int, direction: Direction):
    found = outputs(a, b, batches, times)
    pair = of_types(tb.Histograms(a, b), batches, times, direction)
    for epsilon in (0.0, 0.2, 1.0, 3.0):
        exact, answer = exact_delta(found, direction, epsilon), asked(pair, epsilon)
        assert answer.lower <= exact <= answer.upper
        assert answer.upper - answer.lower <= 1e-9 * answer.upper + 1e-300


def test_merged_answers_reveal_less():
    """One of two and of three batches of normal noise, whose digits are known, from 64 answers."""
    for batches, direction, epsilon, exact in (
        (2, REMOVE, 0.5, 0.1491775231355202),
        (2, ADD, 1.0, 0.05019766236948824),
        (3, REMOVE, 0.5, 0.1068405757),
    ):
        answer = asked(of_types(tb.Gaussian(1.0), batches, 1, direction), epsilon)
        assert 0.997 * exact <= answer.lower <= exact


@pytest.mark.slow
@pytest.mark.parametrize("direction", Direction)
def test_merged_points_reveal_less(direction: Direction):
    rng = np.random.default_rng(7)
    a, b = (rng.integers(1, 100, 90).tolist() for _ in range(2))
    found = outputs(a, b, 2, 1)
    pair = of_types(tb.Histograms(a, b), 2, 1, direction)
    for epsilon in (0.0, 0.5, 1.5):
        exact = exact_delta(found, direction, epsilon)
        assert 0.9 * exact <= asked(pair, epsilon).lower <= exact


def test_masses_add_up():
    for batches, times in ((4, 2), (30, 2), (100, 10)):
        pair = of_types(tb.Gaussian(1.0), batches, times, REMOVE)
        assert pair is not None
        points = pair.points()
        for log_mass in (points.log_a, points.log_b):
            assert np.exp(log_mass).sum() == pytest.approx(1.0, rel=1e-9)


def test_too_many_counts_are_not_listed():
    assert of_types(RESPONSE, 401, 2, REMOVE) is None
    assert of_types(tb.Histograms([1, 10**9], [2, 10**9]), 300, 2, REMOVE) is None  # products would be denormal
    assert of_types(RESPONSE, 300, 2, REMOVE) is not None
