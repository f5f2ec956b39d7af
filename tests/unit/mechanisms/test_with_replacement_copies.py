"""Batches drawn with replacement in which a record comes or goes: digits of others, small data sets, edges."""

import itertools
import math

import numpy as np
import pytest

import tightbudget as tb

NOISE = tb.Gaussian(2.0)


def test_published_digits() -> None:
    step = tb.WithReplacement(NOISE, 3, 10, relation="add_remove")
    for epsilon, delta in ((0.5, 0.0353962909075436), (1.0, 0.0133868274048543)):
        answer = step.delta(epsilon, rtol=1e-9, direction="remove")
        assert answer.lower * (1 - 1e-14) <= delta <= answer.upper * (1 + 1e-14)
        assert answer.upper - answer.lower <= 1e-9 * answer.upper


def law(records: list[float], batch: int) -> np.ndarray:
    x = np.linspace(-30.0, 30.0, 60001)
    return sum(np.exp(-0.125 * (x - sum(drawn)) ** 2) for drawn in itertools.product(records, repeat=batch)) / (
        len(records) ** batch * math.sqrt(8.0 * math.pi) / (x[1] - x[0])
    )


@pytest.mark.parametrize(("batch", "examples"), [(1, 2), (2, 3), (3, 3), (3, 2)])
def test_no_data_set_exceeds_it(batch: int, examples: int) -> None:
    rng = np.random.default_rng(batch)
    step = tb.WithReplacement(NOISE, batch, examples, relation="add_remove")
    for epsilon in (0.0, 0.3, 1.0):
        attained = []
        for others in ([-1.0] * (examples - 1), rng.uniform(-1.0, 1.0, examples - 1).tolist()):
            here, there = law([1.0, *others], batch), law(others, batch)
            attained.append(max(np.maximum(a - math.exp(epsilon) * b, 0.0).sum() for a, b in ((here, there), (there, here))))
        answer = step.delta(epsilon, rtol=1e-6)
        assert max(attained) <= answer.upper * (1 + 1e-5)
        assert attained[0] >= answer.lower * (1 - 1e-5)  # all others opposite


def test_edges() -> None:
    replaced = tb.WithReplacement(NOISE, 3, 10)
    assert replaced.relation == "replace_one"
    assert replaced.under("add_remove") == tb.WithReplacement(NOISE, 3, 10, relation="add_remove")
    assert replaced.under("add_remove").under("replace_one") == replaced
    assert tb.WithReplacement(NOISE, 0, 10, relation="add_remove").reveals_nothing
    lone = tb.WithReplacement(NOISE, 3, 1, relation="add_remove").delta(1.0)
    assert lone.upper == pytest.approx(tb.Gaussian(2.0, 6.0).delta(1.0).upper, rel=1e-12)
    many = tb.WithReplacement(tb.Gaussian(4.0), 256, 60000, relation="add_remove") * 1000
    assert many.epsilon(1e-6).converged
    assert many.epsilon(1e-6).upper <= (tb.WithReplacement(tb.Gaussian(4.0), 256, 60000) * 1000).epsilon(1e-6).upper
    for step in (replaced, tb.WithReplacement(NOISE, 3, 10, relation="add_remove")):
        assert tb.parse(str(step)) == step


def test_what_is_refused() -> None:
    with pytest.raises(tb.InvalidParameter, match="zero_out"):
        tb.WithReplacement(NOISE, 3, 10, relation="zero_out")


@pytest.mark.parametrize(
    ("noise", "batch", "says"),
    [(NOISE, 1001, "a batch may have at most 1000 examples"), (tb.Gaussian(0.0), 3, "sigma must be above 0")],
)
def test_the_limits_of_add_remove_are_said_wherever_it_is_asked(noise: tb.Gaussian, batch: int, says: str) -> None:
    with pytest.raises(tb.UnknownRelation, match=says):
        tb.WithReplacement(noise, batch, 10, relation="add_remove")
    with pytest.raises(tb.UnknownRelation, match=says):
        tb.WithReplacement(noise, batch, 10).delta(1.0, relation="add_remove")
