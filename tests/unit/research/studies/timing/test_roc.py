"""Curves in exact fractions, against every test there is."""

import itertools
import math
import random
from fractions import Fraction

import pytest
from tests.support.lanes import mostly_slow

from tightbudget.pairs.base import Direction
from tightbudget.research.studies.timing import roc
from tightbudget.research.studies.timing.roc import CurvePair, lowest_roc, roc_curve, roc_hull

ONE, ZERO = Fraction(1), Fraction(0)


def masses(generator: random.Random, size: int, zeros: bool = True) -> list[Fraction]:
    weights = [generator.randrange(0 if zeros else 1, 9) for _ in range(size)]
    weights[generator.randrange(size)] += 1
    return [Fraction(weight, sum(weights)) for weight in weights]


def best(a: list[Fraction], b: list[Fraction], slope: Fraction) -> Fraction:
    """The largest a(S) - slope * b(S), by trying every set."""
    cells = range(len(a))
    sets = itertools.chain.from_iterable(itertools.combinations(cells, size) for size in range(len(a) + 1))
    return max(sum((a[i] - slope * b[i] for i in chosen), ZERO) for chosen in sets)


def best_on(points: list[roc.Point], slope: Fraction) -> Fraction:
    return max(alpha - slope * beta for beta, alpha in points)


SLOPES = [Fraction(n, 4) for n in range(40)] + [Fraction(100)]


@pytest.mark.parametrize("seed", range(20))
def test_the_curve_of_a_pair_knows_its_best_tests(seed: int):
    generator = random.Random(seed)
    a, b = masses(generator, 5), masses(generator, 5)
    points = roc_curve(b, a)
    assert points[-1] == (1, 1)
    for slope in SLOPES:
        assert best_on(points, slope) == best(a, b, slope)


@pytest.mark.slow
@pytest.mark.parametrize("seed", mostly_slow(range(20), every=5))
def test_the_lowest_curve_is_the_smallest_everywhere(seed: int):
    generator = random.Random(seed)
    curves = [
        roc_curve(
            masses(generator, 4),
            masses(generator, 4),
            start=(Fraction(-generator.randrange(3), 7), Fraction(generator.randrange(3), 9)),
        )
        for _ in range(3)
    ]
    found = lowest_roc(curves)
    assert found[0][0] == 0
    assert found[-1][0] == 1
    for place in [Fraction(n, 97) for n in range(98)] + [x for x, _ in found]:
        smallest = min(ONE, *(height(points, place) for points in curves))
        assert height(found, place) == smallest


def height(points: list[roc.Point], place: Fraction) -> Fraction:
    """The curve at a place: the best mixture of two of its points that weighs no more."""
    reached = [y for x, y in points if x <= place]
    mixtures = [
        y0 + (y1 - y0) * (place - x0) / (x1 - x0)
        for (x0, y0), (x1, y1) in itertools.combinations(points, 2)
        if x0 <= place <= x1 and x0 < x1
    ]
    return max(reached + mixtures)


@pytest.mark.parametrize("seed", range(20))
def test_the_hull_is_concave_and_above_the_points(seed: int):
    generator = random.Random(seed)
    points = [tuple(sorted((Fraction(generator.randrange(20), 19), Fraction(generator.randrange(20), 19)))) for _ in range(6)]
    found = roc_hull(points)
    assert found[-1] == (1, 1)
    assert set(found) <= {*points, (0, 0), (1, 1)}
    slopes = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in itertools.pairwise(found)]
    assert all(left > right for left, right in itertools.pairwise(slopes))
    for x, y in points:
        assert height(found, x) >= y


@pytest.mark.parametrize("seed", mostly_slow(range(10), every=5))
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 3.0])
def test_the_pair_of_a_curve_has_the_delta_of_the_pair_it_came_from(seed: int, epsilon: float):
    generator = random.Random(seed)
    a, b = masses(generator, 4), masses(generator, 4)
    start = sum((x for x, y in zip(a, b, strict=True) if not y), ZERO)
    points = [
        (ZERO, start),
        *roc_curve([y for y in b if y], [x for x, y in zip(a, b, strict=True) if y], start=(ZERO, start))[1:],
    ]
    found = (CurvePair(tuple(points)) * 3).delta(epsilon, rtol=1e-9)
    truth = max(threefold(a, b, epsilon), threefold(b, a, epsilon))
    assert found.lower * (1 - 1e-12) <= truth <= found.upper * (1 + 1e-12) + 1e-300


def threefold(a: list[Fraction], b: list[Fraction], epsilon: float) -> float:
    ratio = Fraction(math.exp(epsilon))
    total = ZERO
    for cells in itertools.product(range(len(a)), repeat=3):
        total += max(ZERO, math.prod(a[i] for i in cells) - ratio * math.prod(b[i] for i in cells))
    return float(total)


def test_a_curve_that_reveals_everything_and_one_that_reveals_nothing():
    assert CurvePair(((ZERO, ONE), (ONE, ONE))).delta(5.0).lower == 1.0
    assert CurvePair(((ZERO, ZERO), (ONE, ONE))).delta(0.0).upper == 0.0
    assert CurvePair(((ZERO, ZERO), (ONE, ONE))).pair(Direction.ADD) is None
