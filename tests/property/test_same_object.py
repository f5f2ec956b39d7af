"""What is copied, sent elsewhere or written down and read again is equal and answers alike."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import compositions, deltas, epsilons, examples, mechanisms, together

import tightbudget as tb

anything = st.one_of(mechanisms, compositions(), st.just(tb.compose([])))


def written_and_read(c: Any) -> Any:
    return tb.parse(str(c), mix_relations=True)


@pytest.mark.parametrize("asked_before", [False, True])
@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c)), written_and_read],
    ids=["copy", "deepcopy", "pickle", "notation"],
)
@given(c=anything, epsilon=epsilons, delta=deltas)
@examples()
def test_duplicates_answer_alike(
    duplicate: Callable[[Any], Any], asked_before: bool, c: Any, epsilon: float, delta: float
) -> None:
    if asked_before:
        c.delta(epsilon)
    other = duplicate(c)
    assert type(other) is type(c)
    assert other == c
    assert hash(other) == hash(c)
    assert str(other) == str(c)
    assert other.delta(epsilon) == c.delta(epsilon)
    assert other.epsilon(delta) == c.epsilon(delta)


@given(anything, epsilons)
@examples()
def test_asking_does_not_change_what_is_asked(c: Any, epsilon: float) -> None:
    untouched, text = copy.deepcopy(c), str(c)
    c.delta(epsilon)
    assert (c, str(c), hash(c)) == (untouched, text, hash(untouched))


@given(compositions(), compositions(), st.integers(1, 50))
@examples()
def test_notation_composes_as_python_does(c: tb.Composition, d: tb.Composition, count: int) -> None:
    assert tb.parse(f"({c}) * {count} + {d}", mix_relations=True) == together(c * count, d)
