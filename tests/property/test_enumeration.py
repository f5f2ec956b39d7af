"""Discrete mechanisms are what their probabilities say: every outcome counted in exact arithmetic."""

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

import mpmath
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import counts, deltas, discrete_laplaces, epsilons, examples, histograms, overlap, rates
from tests.support.outcomes import Outcomes, swapped, true_delta

import tightbudget as tb

small_histograms = histograms(most_cells=3)
repetitions = st.integers(1, 6)


def distributions(pair: tb.Histograms) -> Outcomes:
    total_a, total_b = (sum(map(Fraction, weights)) for weights in (pair.a, pair.b))
    return [(Fraction(x) / total_a, Fraction(y) / total_b) for x, y in zip(pair.a, pair.b, strict=True)]


def repeated(cells: Outcomes, count: int) -> Outcomes:
    """Return the probabilities of all outcomes of so many steps; those that differ in order only count as one."""
    found = []
    for outcome in combinations_with_replacement(range(len(cells)), count):
        times = Counter(outcome)
        ways = math.factorial(count)
        for n in times.values():
            ways //= math.factorial(n)
        a, b = Fraction(ways), Fraction(ways)
        for cell, n in times.items():
            a, b = a * cells[cell][0] ** n, b * cells[cell][1] ** n
        found.append((a, b))
    return found


def check(asked: tb.Mechanism | tb.Composition, directions: list[Outcomes], epsilon: float, delta: float) -> None:
    """Check the brackets of both questions against the enumerated outcomes."""
    found = asked.delta(epsilon)
    least, most = true_delta(directions, epsilon)
    assert Fraction(found.lower) <= most
    assert Fraction(found.upper) >= least
    answer = asked.epsilon(delta)
    if answer.upper < math.inf:
        assert true_delta(directions, answer.upper)[0] <= Fraction(delta)
    if answer.lower == math.inf:
        assert max(sum((a for a, b in outcomes if not b), start=Fraction(0)) for outcomes in directions) >= Fraction(delta)
    elif answer.lower > 0.0:
        assert true_delta(directions, math.nextafter(answer.lower, 0.0))[1] >= Fraction(delta)


@given(small_histograms, repetitions, epsilons, deltas)
@examples(6)
def test_repeated_histograms(pair: tb.Histograms, count: int, epsilon: float, delta: float) -> None:
    outcomes = repeated(distributions(pair), count)
    check(pair * count, [outcomes, swapped(outcomes)], epsilon, delta)


@given(small_histograms, repetitions, st.data(), deltas)
@examples()
def test_epsilon_at_a_loss_itself(pair: tb.Histograms, count: int, data: st.DataObject, delta: float) -> None:
    """Where the curve has its corners: at the float nearest to the loss of an outcome."""
    outcomes = repeated(distributions(pair), count)
    losses = [abs(math.log(a / b)) for a, b in outcomes if a and b]
    epsilon = data.draw(st.sampled_from(losses or [1.0]))
    check(pair * count, [outcomes, swapped(outcomes)], epsilon, delta)


@given(small_histograms, small_histograms, st.integers(1, 3), st.integers(1, 3), epsilons, deltas)
@examples()
def test_different_histograms(
    one: tb.Histograms, other: tb.Histograms, first: int, second: int, epsilon: float, delta: float
) -> None:
    left, right = repeated(distributions(one), first), repeated(distributions(other), second)
    outcomes = [(a * c, b * d) for a, b in left for c, d in right]
    check(one * first + other * second, [outcomes, swapped(outcomes)], epsilon, delta)


@given(small_histograms, rates, st.integers(1, 4), epsilons, deltas)
@examples()
def test_subsampled_histograms(pair: tb.Histograms, rate: float, count: int, epsilon: float, delta: float) -> None:
    """The first list is what comes out with the record, the second without."""
    q = Fraction(rate)
    cells = distributions(pair)
    remove = [(q * a + (1 - q) * b, b) for a, b in cells]
    add = [(b, q * a + (1 - q) * b) for a, b in cells]
    check(tb.Poisson(pair, rate) * count, [repeated(one, count) for one in (remove, add)], epsilon, delta)


@given(histograms(), st.randoms(use_true_random=False), st.integers(-20, 20), counts, deltas)
@examples()
def test_names_of_cells_and_units_do_not_matter(
    pair: tb.Histograms, shuffler: random.Random, power: int, count: int, delta: float
) -> None:
    places = list(range(len(pair.a)))
    shuffler.shuffle(places)
    moved = tb.Histograms([pair.b[i] * 2.0**power for i in places], [pair.a[i] for i in places])
    assert overlap((pair * count).epsilon(delta), (moved * count).epsilon(delta))


@given(st.integers(1, 2**10 - 1), st.integers(2, 6), counts, epsilons, deltas)
@examples()
def test_randomized_response_is_its_histograms(truths: int, k: int, count: int, epsilon: float, delta: float) -> None:
    response = tb.RandomizedResponse(truths / 2**10, k)
    truth, lie = truths * (k - 1), 2**10 - truths  # in units that make all of them whole
    same = tb.Histograms([truth, lie] + [lie] * (k - 2), [lie, truth] + [lie] * (k - 2))
    assert overlap(response.delta(epsilon), same.delta(epsilon))
    assert overlap((response * count).delta(epsilon), (same * count).delta(epsilon))
    assert overlap((response * count).epsilon(delta), (same * count).epsilon(delta))


def probabilities(noise: tb.DiscreteLaplace, centre: int, reach: int) -> list[float]:
    """Return the probabilities of the integers round the centres 0 and sensitivity; the last cells hold the tails."""
    with mpmath.workdps(60):
        a = mpmath.exp(-1 / mpmath.mpf(noise.scale))
        integers = range(-reach, noise.sensitivity + reach + 1)
        masses = [(1 - a) / (1 + a) * a ** abs(x - centre) for x in integers]
        masses[0], masses[-1] = (mass / (1 - a) for mass in (masses[0], masses[-1]))
        return [float(mass) for mass in masses]


@given(discrete_laplaces.filter(lambda noise: noise.scale < 20.0), st.integers(0, 3), st.integers(1, 100), epsilons, deltas)
@examples()
def test_discrete_laplace_is_its_histograms(
    noise: tb.DiscreteLaplace, reach: int, count: int, epsilon: float, delta: float
) -> None:
    """The cells are rounded to floats: each by at most 1e-15 of itself, so 100 steps move losses and masses by
    1e-12.
    """
    cells = tb.Histograms(probabilities(noise, 0, reach), probabilities(noise, noise.sensitivity, reach)) * count
    laplace, little = noise * count, 1e-9
    assert laplace.delta(epsilon + little).lower <= cells.delta(epsilon).upper * (1.0 + little)
    assert cells.delta(epsilon + little).lower <= laplace.delta(epsilon).upper * (1.0 + little)
    near = laplace.epsilon(delta)
    assert cells.epsilon(delta * (1.0 + little)).lower <= near.upper + little
    assert cells.epsilon(delta * (1.0 - little)).upper >= near.lower - little
