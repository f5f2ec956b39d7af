"""Random allocation against digits, sums over all batches, and integrals; both directions (M29)."""

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
from tightbudget.pairs.allocation import allocated_pair
from tightbudget.pairs.base import Direction, Pair

REMOVE, ADD = Direction.REMOVE, Direction.ADD
RESPONSE = tb.RandomizedResponse(p=math.e / (1 + math.e))


def asked(pair: Pair | None, epsilon: float, count: int = 1) -> tb.Bracket:
    assert pair is not None
    return delta_bracket((OneDirection(engine_steps([(pair, count)]), "one"),), epsilon, 1e-9, 1e-300, None)


def ends(mechanism: tb.Mechanism, batches: int, direction: Direction, epsilon: float, count: int = 1) -> tuple[float, float]:
    """Return the lower end of what is merged and the upper end of what is split."""
    base = mechanism.pair(REMOVE)
    assert base is not None
    below, above = (allocated_pair(base, batches, 1, direction, above=side) for side in (False, True))
    return asked(below, epsilon, count).lower, asked(above, epsilon, count).upper


@pytest.mark.parametrize(
    ("batches", "direction", "epsilon", "exact"),
    [
        (2, REMOVE, 0.0, 0.297762225193562),
        (2, ADD, 0.0, 0.297762225193562),
        (2, REMOVE, 0.5, 0.1491775231355202),
        (2, REMOVE, 1.0, 0.05920650108589265),
        (2, ADD, 0.5, 0.1426869658237432),
        (2, ADD, 1.0, 0.05019766236948824),
        (3, REMOVE, 0.5, 0.1068405757),
    ],
)
def test_digits_of_normal_noise(batches: int, direction: Direction, epsilon: float, exact: float):
    lower, upper = ends(tb.Gaussian(sigma=1.0), batches, direction, epsilon)
    assert lower <= exact <= upper
    assert upper - lower <= 1.5e-4 * upper


@pytest.mark.parametrize(
    ("direction", "epsilon", "exact"),
    [
        (REMOVE, 0.2, 0.142287278806075),
        (REMOVE, 0.5, 0.0661888282542017),
        (ADD, 0.2, 0.215153674353153),
        (ADD, 0.5, 0.153733116128808),
    ],
)
def test_digits_of_randomized_response(direction: Direction, epsilon: float, exact: float):
    lower, upper = ends(RESPONSE, 3, direction, epsilon)
    assert lower <= exact <= upper
    assert upper - lower <= 1e-9 * upper


def allocation(a: list[Fraction], b: list[Fraction], batches: int) -> list[tuple[Fraction, Fraction]]:
    """Return the masses of all outputs of an epoch, with and without the record."""
    outputs = []
    for cells in itertools.product(range(len(a)), repeat=batches):
        without = math.prod(b[i] for i in cells)
        mixed = sum(math.prod(a[i] if k == at else b[i] for k, i in enumerate(cells)) for at in range(batches))
        outputs.append((Fraction(mixed, batches), without))
    return outputs


def exact_delta(outputs: list[tuple[Fraction, Fraction]], direction: Direction, epsilon: float, count: int = 1) -> mpf:
    with mpmath.workdps(40):
        g = mpmath.exp(epsilon)
        pairs = [(mpf(x.numerator) / x.denominator, mpf(y.numerator) / y.denominator) for x, y in outputs]
        pairs = [pair if direction is REMOVE else pair[::-1] for pair in pairs]
        some = [(math.prod(p for p, _ in row), math.prod(q for _, q in row)) for row in itertools.product(pairs, repeat=count)]
        return sum(max(p - g * q, mpf(0)) for p, q in some)


FINITE = {
    "plain": ([5, 3, 2], [2, 3, 5]),
    "lopsided": ([1, 8, 1], [30, 60, 10]),
    "one side alone": ([4, 3, 0], [0, 3, 4]),
    "only with": ([1, 9, 90], [0, 20, 80]),
    "rare": ([1, 999999], [1000, 999000]),
}


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("batches", [2, 3, 5])
@pytest.mark.parametrize("name", FINITE)
def test_sums_over_all_outputs(name: str, batches: int, direction: Direction):
    a, b = ([Fraction(x, sum(side)) for x in side] for side in FINITE[name])
    outputs = allocation(a, b, batches)
    mechanism = tb.Histograms(*FINITE[name])
    for epsilon in (0.0, 0.1, 0.5, 1.5):
        exact = exact_delta(outputs, direction, epsilon)
        lower, upper = ends(mechanism, batches, direction, epsilon)
        assert lower <= exact <= upper
        assert upper - lower <= 5e-3 * upper + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("name", FINITE)
def test_two_epochs(name: str, direction: Direction):
    a, b = ([Fraction(x, sum(side)) for x in side] for side in FINITE[name])
    outputs = allocation(a, b, 3)
    for epsilon in (0.2, 1.0):
        exact = exact_delta(outputs, direction, epsilon, 2)
        lower, upper = ends(tb.Histograms(*FINITE[name]), 3, direction, epsilon, 2)
        assert lower <= exact <= upper


FAR = {
    **FINITE,
    "far apart": ([10**60, 0, 3], [1, 0, 10**17]),
    "both ways": ([10**70, 10**35, 1], [1, 10**35, 10**70]),
    "mostly told": ([1, 3, 0], [0, 2, 5]),
    "told by one": ([7, 3], [0, 1]),
    "hardly anything": ([10**110, 1], [1, 10**110]),
}


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(("batches", "blocks"), [(1, 2), (1, 6), pytest.param(2, 3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FAR)
def test_blocks_of_ratios_that_are_far_apart(name: str, batches: int, blocks: int, direction: Direction):
    weights = FAR[name]
    a, b = ([Fraction(x, sum(side)) for x in side] for side in weights)
    base = tb.Histograms(*([x / sum(side) for x in side] for side in weights)).pair(REMOVE)
    assert base is not None
    below, above = (allocated_pair(base, batches, blocks, direction, above=side) for side in (False, True))
    for epsilon in (0.0, 0.5, 5.0, 100.0):
        exact = exact_delta(allocation(a, b, batches), direction, epsilon, blocks)
        answers = asked(below, epsilon), asked(above, epsilon)
        assert answers[0].lower <= exact * (1 + mpf(10) ** -12)
        assert exact * (1 - mpf(10) ** -12) <= answers[1].upper <= 1.0
        if name in FINITE and epsilon < 1.0:
            assert answers[1].upper - answers[0].lower <= 5e-3 * answers[1].upper + 1e-12


def normal_profile(m: float, c: mpf) -> mpf:
    """E_Q (r - c)_+ of N(m, 1) against N(0, 1), at every real c."""
    if c <= 0:
        return 1 - c
    x = mpmath.log(c)
    return mpmath.ncdf(mpf(m) / 2 - x / m) - c * mpmath.ncdf(-mpf(m) / 2 - x / m)


def excess_of_two(m: float, g: mpf, z: mpf) -> mpf:
    """E (R - g)_+ given the noise z of the first batch, times its density."""
    return normal_profile(m, 2 * g - mpmath.exp(m * z - mpf(m) ** 2 / 2)) * mpmath.npdf(z) / 2


@pytest.mark.slow
@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("m", [0.05, 0.4, 2.5])
def test_two_batches_of_normal_noise(m: float, direction: Direction):
    for factor in (0.0, 0.3, 1.5):
        epsilon = factor * m
        with mpmath.workdps(20):
            g = mpmath.exp(epsilon if direction is REMOVE else -epsilon)
            edge = mpmath.log(2 * g) / m + mpf(m) / 2
            parts = sorted([-9, -4, -1, 1, 4, 9, min(max(edge, -8), 8)])
            excess = mpmath.quad(lambda z, g=g: excess_of_two(m, g, z), parts)
            exact = excess if direction is REMOVE else excess / g - (1 / g - 1)  # (1 - R/g)_+ = (R - g)_+ / g + 1 - R/g
        lower, upper = ends(tb.Gaussian(1.0, m), 2, direction, epsilon)
        assert lower <= exact * (1 + mpf(10) ** -8)
        assert upper >= exact * (1 - mpf(10) ** -8)
        assert upper - lower <= 2e-3 * upper


def test_both_directions_agree_at_epsilon_0():
    for batches in (7, 64):
        removed, added = (ends(tb.Laplace(2.0), batches, direction, 0.0) for direction in Direction)
        assert max(removed[0], added[0]) <= min(removed[1], added[1])
        assert removed[1] == pytest.approx(added[1], rel=1e-6)


@pytest.mark.slow
def test_a_hundred_batches_lie_in_what_was_computed_elsewhere():
    """3000 points for 12 decades, by another program: REMOVE [9.6743e-4, 9.7250e-4], ADD [3.510e-4, 3.558e-4]."""
    for direction, low, high in ((REMOVE, 9.6743e-4, 9.7250e-4), (ADD, 3.510e-4, 3.558e-4)):
        lower, upper = ends(tb.Gaussian(1.0), 100, direction, 0.3)
        assert low <= lower <= upper <= high


@pytest.mark.slow
def test_masses_add_up():
    base = tb.Gaussian(0.7).pair(REMOVE)
    assert base is not None
    for above in (False, True):
        for batches in (2, 13):
            pair = allocated_pair(base, batches, 1, REMOVE, above)
            for log_mass, rest in ((pair.log_a, pair.infinity), (pair.log_b, pair.minus_infinity)):
                assert np.exp(log_mass).sum() + rest.upper == pytest.approx(1.0, rel=1e-4 if above else 1e-9)
