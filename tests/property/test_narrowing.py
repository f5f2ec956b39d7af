"""Asking for a narrower bracket never gives a wider one: what a coarser question finds lies on the way to a finer
answer.
"""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import compositions, deltas, examples, mechanisms, questions

import tightbudget as tb

anything = st.one_of(mechanisms, compositions())
tolerances = st.lists(
    st.one_of(st.sampled_from([1.0, 0.1, 1e-2, 1e-3, 7e-4, 1e-4]), st.floats(-5.0, -1.0).map(lambda x: 10.0**x)),
    min_size=2,
    max_size=5,
).map(lambda chosen: sorted(chosen, reverse=True))


def assert_nested(found: list[tb.Bracket]) -> None:
    for wide, narrow in pairwise(found):
        assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper


@given(questions(anything), tolerances)
@examples()
def test_brackets_of_delta_are_nested(question: tuple[Any, float], ladder: list[float]) -> None:
    asked, epsilon = question
    assert_nested([asked.delta(epsilon, rtol=rtol) for rtol in ladder])


@given(anything, deltas, tolerances)
@examples()
def test_brackets_of_epsilon_are_nested(asked: Any, delta: float, ladder: list[float]) -> None:
    assert_nested([asked.epsilon(delta, rtol=rtol) for rtol in ladder])


@given(
    st.floats(-1.0, 2.0).map(lambda x: 10.0**x),
    st.floats(-5.0, -0.01).map(lambda x: 10.0**x),
    st.integers(1, 10**5),
    st.floats(-15.0, -5.0).map(lambda x: 10.0**x),
    tolerances,
)
@examples()
def test_brackets_of_training_runs_are_nested(sigma: float, q: float, steps: int, delta: float, ladder: list[float]) -> None:
    run = tb.Poisson(tb.Gaussian(sigma), q) * steps
    assert_nested([run.epsilon(delta, rtol=rtol) for rtol in ladder])


@pytest.mark.parametrize(
    ("text", "delta"),
    [
        ("poisson(gaussian(1.02376), 0.163832) * 165755", 7.645e-09),
        ("poisson(gaussian(0.42154), 1.46497e-05) * 16", 2.48e-15),
        ("poisson(gaussian(4.08971), 0.00899546) * 2", 3.344e-13),
        ("poisson(gaussian(0.615142), 0.506851) * 13927", 4.631e-06),
        ("poisson(gaussian(4.1588), 0.16765) * 1", 7.54e-08),
    ],
)
def test_runs_whose_brackets_were_not_nested(text: str, delta: float) -> None:
    """A tolerance of 7e-4 gave brackets up to seven times as wide as 1e-3 did."""
    asked = tb.parse(text)
    assert_nested([asked.epsilon(delta, rtol=rtol) for rtol in (0.1, 1e-2, 1e-3, 7e-4, 1e-4, 1e-6)])
