"""An answer is a bracket, and depends on nothing but the question."""

import copy
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import compositions, deltas, epsilons, examples, mechanisms, overlap, questions

import tightbudget as tb

anything = st.one_of(mechanisms, compositions())


def ask(asked: Any, question: tuple[str, float]) -> tb.Bracket:
    name, value = question
    return getattr(asked, name)(value)


any_question = st.one_of(
    st.tuples(st.just("delta"), epsilons),
    st.tuples(st.just("epsilon"), st.one_of(deltas, st.sampled_from([0.0, 1.0]))),
)


@given(questions(anything))
@examples()
def test_delta_is_a_bracket_of_a_probability(question: tuple[Any, float]) -> None:
    asked, epsilon = question
    found = asked.delta(epsilon)
    assert 0.0 <= found.lower <= found.upper <= 1.0


@given(anything, st.one_of(deltas, st.sampled_from([0.0, 1.0])))
@examples()
def test_epsilon_is_a_bracket_from_0(asked: Any, delta: float) -> None:
    found = asked.epsilon(delta)
    assert 0.0 <= found.lower <= found.upper


@given(anything, any_question)
@examples()
def test_converged_brackets_are_as_narrow_as_asked(asked: Any, question: tuple[str, float]) -> None:
    found = ask(asked, question)
    assert found.width <= 1e-3 * found.upper or not found.converged or found.upper < 1e-300
    assert bool(found.reason) is not found.converged


@given(questions(anything), st.sampled_from([1.0, 0.1, 1e-2]), st.sampled_from([1e-4, 1e-5]))
@examples()
def test_a_narrower_bracket_is_of_the_same_delta(question: tuple[Any, float], wide: float, narrow: float) -> None:
    asked, epsilon = question
    assert overlap(asked.delta(epsilon, rtol=wide), asked.delta(epsilon, rtol=narrow))


@given(anything, deltas, st.sampled_from([1.0, 0.1, 1e-2]), st.sampled_from([1e-4, 1e-5]))
@examples()
def test_a_narrower_bracket_is_of_the_same_epsilon(asked: Any, delta: float, wide: float, narrow: float) -> None:
    assert overlap(asked.epsilon(delta, rtol=wide), asked.epsilon(delta, rtol=narrow))


@given(anything, any_question)
@examples()
def test_asking_again_gives_the_same_answer(asked: Any, question: tuple[str, float]) -> None:
    assert ask(asked, question) == ask(asked, question)


@given(anything, any_question, st.lists(any_question, min_size=1, max_size=4), st.sampled_from([1e-1, 1e-3, 1e-5]))
@examples()
def test_questions_asked_before_change_nothing(
    asked: Any, question: tuple[str, float], before: list[tuple[str, float]], rtol: float
) -> None:
    fresh, used = copy.deepcopy(asked), copy.deepcopy(asked)
    for name, value in before:
        getattr(used, name)(value, rtol=rtol)
    assert ask(used, question) == ask(fresh, question)


@given(anything, st.lists(epsilons, min_size=1, max_size=6))
@examples()
def test_arrays_of_epsilons_are_answered_one_by_one(asked: Any, values: list[float]) -> None:
    apart = [copy.deepcopy(asked).delta(value) for value in values]
    together = asked.delta(np.array(values))
    assert together.tolist() == apart
    assert together.lower.tolist() == [bracket.lower for bracket in apart]
    assert together.upper.tolist() == [bracket.upper for bracket in apart]
    curve = asked.curve(values)
    order = np.argsort(values, kind="stable")
    # delta falls: each bound holds on one side of its epsilon
    assert curve.upper[order].tolist() == np.minimum.accumulate(together.upper[order]).tolist()
    assert curve.lower[order].tolist() == np.maximum.accumulate(together.lower[order][::-1])[::-1].tolist()
    assert curve.converged == together.converged


@given(anything, st.lists(deltas, min_size=2, max_size=2), st.lists(deltas, min_size=2, max_size=2))
@examples()
def test_arrays_of_deltas_are_answered_one_by_one(asked: Any, first: list[float], second: list[float]) -> None:
    together = asked.epsilon(np.array([first, second]))
    assert together.tolist() == [[copy.deepcopy(asked).epsilon(value) for value in row] for row in (first, second)]
