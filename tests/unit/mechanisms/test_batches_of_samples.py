"""How many records a sample holds is chance: nothing that is promised a number of them runs on it."""

from collections.abc import Callable

import pytest

import tightbudget as tb

NOISE = tb.Gaussian(sigma=1.0)
COUNTING = [
    tb.WithoutReplacement(NOISE, batch=5, examples=100),
    tb.WithReplacement(NOISE, batch=5, examples=100, relation="add_remove"),
    tb.TruncatedPoisson(NOISE, q=0.05, cap=8, examples=100),
]


def chosen(step: tb.Mechanism) -> tb.Mechanism:
    return tb.RepeatAndSelect(step * 3, mean=2)


@pytest.mark.parametrize("step", COUNTING, ids=lambda step: step.name)
@pytest.mark.parametrize("wrapped", [lambda step: step, chosen], ids=["itself", "the best of runs"])
def test_what_counts_examples_is_not_run_on_samples(
    step: tb.Mechanism, wrapped: Callable[[tb.Mechanism], tb.Mechanism]
) -> None:
    for sampled in (lambda inner: tb.Poisson(inner, 0.1), lambda inner: tb.RandomAllocation(inner, 10)):
        with pytest.raises(tb.InvalidParameter, match="takes any number of records"):
            sampled(wrapped(step))


def test_nobody_or_everybody_is_no_sample() -> None:
    step = COUNTING[0]
    assert tb.Poisson(step, 1).delta(1.0).upper == step.delta(1.0).upper
    assert tb.Poisson(step, 0).delta(1.0).upper == 0.0


def test_a_batch_of_a_batch_finds_what_it_is_promised() -> None:
    inner = tb.WithoutReplacement(NOISE, batch=5, examples=20)
    assert tb.WithoutReplacement(inner, batch=20, examples=100).delta(1.0).upper < inner.delta(1.0).upper
    with pytest.raises(tb.InvalidParameter, match="exactly 19 records"):
        tb.WithoutReplacement(inner, batch=19, examples=100)


@pytest.mark.parametrize("relation", ["add_remove", "replace_one"])
def test_a_batch_of_a_batch_is_a_smaller_batch(relation: str) -> None:
    noise = tb.Gaussian(sigma=2.0)
    nested = tb.WithoutReplacement(tb.WithoutReplacement(noise, 2, 3), 3, 6, relation=relation)
    at_once = tb.WithoutReplacement(noise, 2, 6, relation=relation)
    capped = tb.WithoutReplacement(tb.TruncatedPoisson(noise, q=1, cap=2, examples=3), 3, 6, relation=relation)
    for epsilon in (0.0, 0.4, 2.0):
        expected = at_once.delta(epsilon)
        for found in (nested.delta(epsilon), capped.delta(epsilon)):
            assert found.lower == pytest.approx(expected.lower, rel=1e-6)
            assert found.upper == pytest.approx(expected.upper, rel=1e-6)


def test_a_batch_of_selections_has_both_ends() -> None:
    answer = tb.WithoutReplacement(tb.RepeatAndSelect(tb.Gaussian(sigma=2.0), mean=3), 2, 6).delta(0.4)
    assert 0.0 < answer.lower < answer.upper < 1.0
