"""Shifts of vectors of integers against enumeration, and their pairs against 40-digit sums (M38)."""

import itertools
import math
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.engine.direction import OneDirection
from tightbudget.engine.refine import delta_bracket
from tightbudget.engine.steps import engine_steps
from tightbudget.pairs.base import Pair
from tightbudget.pairs.integer_shifts import can_be_listed, dominating_pair, known_shifts, maximal_shifts, shift_pair

DIGITS = 40


def asked(pair: Pair, epsilon: float, count: int = 1, rtol: float = 1e-9) -> tb.Bracket:
    return delta_bracket((OneDirection(engine_steps([(pair, count)]), "both"),), epsilon, rtol, 1e-300, None)


def all_shifts(square: int, dimension: int) -> list[tuple[int, ...]]:
    """Every multiset of at most `dimension` positive integers with squares up to `square`, the plain way."""
    entries = range(1, math.isqrt(square) + 1)
    sizes = range(1, min(dimension, square) + 1)
    found = (rows for size in sizes for rows in itertools.combinations_with_replacement(entries, size))
    return [tuple(sorted(rows, reverse=True)) for rows in found if sum(x * x for x in rows) <= square]


@cache
def law(sigma: float, shift: tuple[int, ...]) -> dict[int, mpf]:
    """Return the probabilities of <v, X>, summed over all of the noise within 16 sigma."""
    with mpmath.workdps(DIGITS):
        reach = math.ceil(16 * sigma) + 4
        noise = {x: mpmath.exp(-(mpf(x) ** 2) / (2 * mpf(sigma) ** 2)) for x in range(-reach, reach + 1)}
        norm = mpmath.fsum(noise.values())
        masses = {0: mpf(1)}
        for entry in shift:
            longer: dict[int, mpf] = {}
            for (k, mass), (x, more) in itertools.product(masses.items(), noise.items()):
                longer[k + entry * x] = longer.get(k + entry * x, mpf(0)) + mass * more / norm
            masses = longer
        return masses


def truth(sigma: float, shift: tuple[int, ...], epsilon: float, count: int = 1) -> mpf:
    """Return delta of one shift, or of two steps of it."""
    with mpmath.workdps(DIGITS):
        square, twice = sum(x * x for x in shift), 2 * mpf(sigma) ** 2
        masses = law(sigma, shift)
        if count == 2:
            both: dict[int, mpf] = {}
            for (k, mass), (j, more) in itertools.product(masses.items(), repeat=2):
                both[k + j] = both.get(k + j, mpf(0)) + mass * more
            masses = both
        losses = ((count * square - 2 * k) / twice - mpf(epsilon) for k in masses)
        return mpmath.fsum(-mass * mpmath.expm1(-x) for mass, x in zip(masses.values(), losses, strict=True) if x > 0)


@pytest.mark.parametrize(("square", "dimension"), [(1, 1), (2, 5), (4, 2), (4, 4), (9, 3), (17, 2), (17, 4), (20, 20)])
def test_maximal_shifts_exceed_all_others(square: int, dimension: int):
    found, every = maximal_shifts(square, dimension), all_shifts(square, dimension)
    assert found is not None
    assert set(found) <= set(every)

    def below(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
        return len(small) <= len(large) and all(a <= b for a, b in zip(small, large, strict=False))

    assert all(any(below(shift, top) for top in found) for shift in every)
    assert not any(below(one, other) for one, other in itertools.permutations(found, 2))


def test_too_many_shifts():
    assert maximal_shifts(400, 400) is None
    assert maximal_shifts(10**12, 2) is None
    assert known_shifts(1.0, 900 * 4, 1) is None  # 60 sigma: next to all is revealed
    assert known_shifts(1e6, 4, 4) is None  # no list is that long


@pytest.mark.parametrize(
    ("sigma", "shift"),
    [
        (1.0, (1, 1, 1, 1)),
        (1.0, (2,)),
        (0.6, (2, 1)),
        (2.5, (3, 2, 1)),
        (0.3, (3, 2)),
        (1.7, (4, 2)),
        (0.9, (5, 3)),
        (1.0, (20,)),
    ],
)
def test_one_shift_has_its_masses(sigma: float, shift: tuple[int, ...]):
    pair, square = shift_pair(sigma, shift), sum(x * x for x in shift)
    masses = law(sigma, shift)
    places = [Fraction(square, 2) - Fraction(loss) * Fraction(sigma) ** 2 for loss in pair.losses.tolist()]
    checked = 0
    with mpmath.workdps(DIGITS):
        for k, log_a, log_b, error in zip(map(round, places), pair.log_a, pair.log_b, pair.error, strict=True):
            for at, log_mass in ((k, log_a), (k - square, log_b)):
                if abs(at) < 10 * sigma * math.sqrt(square):  # the truth has all of the noise there, and none beyond
                    assert abs(mpmath.log(masses[at]) - mpf(log_mass)) <= error
                    checked += 1
        assert checked > 10
        assert float(pair.error.max()) < 1e-11
    assert mpmath.fsum(np.exp(pair.log_a).tolist()) == pytest.approx(1.0, rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "square", "dimension"), [(1.0, 4, 4), (0.7, 5, 3), (2.0, 9, 4), (1.3, 6, 6)])
def test_no_shift_exceeds_the_pair_of_all(sigma: float, square: int, dimension: int):
    shifts = known_shifts(sigma, square, dimension)
    assert shifts is not None
    pair = dominating_pair(sigma, shifts)
    for epsilon in (0.0, 0.3, 0.5, 1.0, 1.7, 4.0, 9.5):
        exact = max(truth(sigma, shift, epsilon) for shift in all_shifts(square, dimension))
        answer = asked(pair, epsilon)
        assert exact <= answer.upper * (1 + mpf(10) ** -15)
        assert answer.upper <= exact * (1 + mpf(10) ** -9)


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "square"), [(1.0, 4), (1.5, 5)])
def test_two_steps_of_any_shift(sigma: float, square: int):
    shifts = known_shifts(sigma, square, square)
    assert shifts is not None
    pair = dominating_pair(sigma, shifts)
    for epsilon in (0.2, 1.0, 3.0):
        exact = {shift: truth(sigma, shift, epsilon, 2) for shift in all_shifts(square, square)}
        assert max(exact.values()) <= asked(pair, epsilon, 2, 1e-6).upper
        for shift in shifts:
            alone = asked(shift_pair(sigma, shift), epsilon, 2)
            assert alone.lower <= exact[shift] <= alone.upper
            assert alone.upper - alone.lower <= 1e-8 * alone.upper


@pytest.mark.slow
def test_moments_of_the_tail_are_bounded():
    """E_A e^{(a-1) L} over K < -R, summed at once, for the order at which the tail is all there is."""
    pair = shift_pair(1.0, (1, 1))
    assert pair.tail is not None
    with mpmath.workdps(DIGITS):
        norm = mpmath.fsum(mpmath.exp(-(mpf(x) ** 2) / 2) for x in range(-50, 51)) ** 2
        end = -math.floor(float(pair.losses[-1]) - 1)  # loss (2 - 2k)/2 = 1 - k
        for order in (1.5, 20.0, 80.0):
            total = mpf(0)
            for k in range(end - 400, end):
                centre = k // 2
                rows = range(centre - 40, centre + 41)
                inner = mpmath.fsum(mpmath.exp(-(mpf(x) ** 2 + mpf(k - x) ** 2) / 2) for x in rows)
                total += inner / norm * mpmath.exp((mpf(order) - 1) * (1 - k))
            assert mpmath.log(total) <= pair.tail.log_moment(np.array([order]))[0]


def test_sums_without_digits_are_refused():
    assert not can_be_listed(0.03, (2, 1))
    assert can_be_listed(0.2, (3, 2))
    assert not can_be_listed(1e5, (1, 1))
