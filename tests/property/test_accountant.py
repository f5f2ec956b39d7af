"""An accountant beside a plain list of everything that it was told."""

import json
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

import tightbudget as tb

MECHANISMS = [
    tb.Poisson(tb.Gaussian(1.1), q=0.01),
    tb.Poisson(tb.Gaussian(1.1), q=0.02),
    tb.Gaussian(2),
    tb.Gaussian(2.0, sensitivity=0.5),
    tb.PureDP(0.125),
    tb.Laplace(3.0),
]
one = st.sampled_from(MECHANISMS)
parts = st.lists(st.tuples(one, st.integers(0, 5)), max_size=4).map(lambda items: tb.Composition(tuple(items)))
told = st.tuples(st.one_of(one, parts), st.integers(0, 3), st.booleans())


@given(st.lists(told, max_size=12))
def test_it_knows_what_it_was_told(steps: list[tuple[tb.Mechanism | tb.Composition, int, bool]]) -> None:
    accountant, listed = tb.Accountant(), Counter[tb.Mechanism]()
    for step, count, in_words in steps:
        accountant.step(str(step) if in_words else step, count=count)
        for mechanism, times in [(step, 1)] if isinstance(step, tb.Mechanism) else step.items:
            listed[mechanism] += times * count
    listed += Counter()  # without those counted 0 times
    assert dict(accountant.composition.items) == dict(listed)
    assert accountant.steps == listed.total()
    again = tb.Accountant.from_state(json.loads(json.dumps(accountant.state())))
    assert again == accountant
    assert again.composition == accountant.composition


@given(st.lists(st.tuples(one, st.integers(1, 4)), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_any_order_costs_the_same(steps: list[tuple[tb.Mechanism, int]], random) -> None:
    """They are brackets of one truth, so that they overlap."""
    forward, shuffled = tb.Accountant(), tb.Accountant()
    singly = [mechanism for mechanism, count in steps for _ in range(count)]
    for mechanism, count in steps:
        forward.step(mechanism, count=count)
    random.shuffle(singly)
    for mechanism in singly:
        shuffled.step(mechanism)
    assert forward == shuffled
    first, second = forward.epsilon(1e-5, rtol=0.01), shuffled.epsilon(1e-5, rtol=0.01)
    assert first.lower <= second.upper
    assert second.lower <= first.upper
