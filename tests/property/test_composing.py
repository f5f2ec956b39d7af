"""Counting is repeating, order does not matter, and nothing changes nothing."""

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import (
    compositions,
    counts,
    deltas,
    epsilons,
    examples,
    gaussians,
    mechanisms,
    overlap,
    questions,
    together,
)

import tightbudget as tb

nothing = tb.compose([])


@given(questions(compositions(most_items=3)))
@examples()
def test_counting_is_repeating(question: tuple[tb.Composition, float]) -> None:
    c, epsilon = question
    assert overlap((c * 3).delta(epsilon), (c + c + c).delta(epsilon))


@given(mechanisms, st.integers(1, 40), deltas)
@examples()
def test_a_count_is_a_list(mechanism: tb.Mechanism, count: int, delta: float) -> None:
    assert overlap((mechanism * count).epsilon(delta), tb.compose([mechanism] * count).epsilon(delta))


@given(compositions(most_items=3), deltas)
@examples()
def test_repeating_repetitions_multiplies(c: tb.Composition, delta: float) -> None:
    assert (c * 2) * 3 == c * 6 == 6 * c
    assert overlap(((c * 2) * 3).epsilon(delta), (c * 6).epsilon(delta))


@given(mechanisms, mechanisms, counts, counts, deltas)
@examples()
def test_a_count_may_be_split(one: tb.Mechanism, between: tb.Mechanism, first: int, second: int, delta: float) -> None:
    split = together(one * first, between, one * second)
    assert overlap(split.epsilon(delta), together(one * (first + second), between).epsilon(delta))


@given(questions(compositions()), st.randoms(use_true_random=False))
@examples()
def test_order_does_not_matter(question: tuple[tb.Composition, float], shuffler: random.Random) -> None:
    c, epsilon = question
    items = list(c.items)
    shuffler.shuffle(items)
    assert overlap(c.delta(epsilon), tb.Composition(tuple(items), mix_relations=True).delta(epsilon))


@given(compositions(most_items=2), compositions(most_items=2), deltas)
@examples()
def test_sums_commute(c: tb.Composition, d: tb.Composition, delta: float) -> None:
    assert overlap(together(c, d).epsilon(delta), together(d, c).epsilon(delta))


@given(st.one_of(mechanisms, compositions()), epsilons, deltas)
@examples()
def test_nothing_changes_nothing(c: Any, epsilon: float, delta: float) -> None:
    for same in (c + nothing, nothing + c, c * 1, c + c * 0, c + tb.PureDP(0.0) * 0):
        assert same.delta(epsilon) == c.delta(epsilon)
        assert same.epsilon(delta) == c.epsilon(delta)


@given(
    questions(compositions()),
    st.sampled_from(
        [
            tb.PureDP(0.0),
            tb.Gaussian(2.0, sensitivity=0.0),
            tb.Laplace(float("inf")),
            tb.RandomizedResponse(0.25, k=4),
            tb.Histograms([1, 2, 3], [1, 2, 3]),
            tb.Poisson(tb.Gaussian(1.0), q=0.0),
        ]
    ),
    counts,
)
@examples()
def test_what_reveals_nothing_changes_no_number(question: tuple[tb.Composition, float], idle: tb.Mechanism, count: int) -> None:
    c, epsilon = question
    alone, beside = c.delta(epsilon), together(c, idle * count).delta(epsilon)
    assert (beside.lower, beside.upper) == (alone.lower, alone.upper)


@given(questions(compositions(most_items=3)), mechanisms, counts)
@examples()
def test_another_mechanism_never_lowers_delta(
    question: tuple[tb.Composition, float], mechanism: tb.Mechanism, count: int
) -> None:
    c, epsilon = question
    assert together(c, mechanism * count).delta(epsilon).upper >= c.delta(epsilon).lower


@given(compositions(most_items=3), mechanisms, counts, deltas)
@examples()
def test_another_mechanism_never_lowers_epsilon(c: tb.Composition, mechanism: tb.Mechanism, count: int, delta: float) -> None:
    assert together(c, mechanism * count).epsilon(delta).upper >= c.epsilon(delta).lower


@given(gaussians, st.integers(0, 5), compositions(most_items=2), deltas)
@examples()
def test_four_gaussians_are_one_of_half_the_noise(one: tb.Gaussian, power: int, rest: tb.Composition, delta: float) -> None:
    louder = tb.Gaussian(one.sigma / 2**power, one.sensitivity)  # exact: a power of two
    assert overlap((one * 4**power).epsilon(delta), louder.epsilon(delta))
    assert overlap(together(one * 4**power, rest).epsilon(delta), together(rest, louder).epsilon(delta))
