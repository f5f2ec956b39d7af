"""Lower ends of a class are asked in the direction that is the larger one."""

import pytest

import tightbudget as tb
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.with_replacement import SomeCopies
from tightbudget.mechanisms.without_replacement import OneBranch, PulledBatch
from tightbudget.pairs.base import Direction

NOISE = tb.Gaussian(1.5)


@pytest.mark.parametrize("count", [1, 3, 200])
@pytest.mark.parametrize(
    "step", [OneBranch(NOISE, 0.02), PulledBatch(0.6, 0.02), SomeCopies(NOISE, 20, 500), tb.Poisson(NOISE, 0.3)]
)
@pytest.mark.parametrize("delta", [1e-2, 1e-8])
def test_it_is_the_larger_one(step: Mechanism, count: int, delta: float) -> None:
    assert step.larger is Direction.REMOVE
    remove, add = ((step * count).epsilon(delta, direction=direction) for direction in ("remove", "add"))
    assert remove.upper >= add.lower


def test_of_other_noise_nothing_is_said() -> None:
    assert OneBranch(tb.Laplace(1.0), 0.1).larger is None
    assert tb.Poisson(NOISE, 0.1, relation="replace_one").larger is None
    assert NOISE.larger is None


@pytest.mark.parametrize("count", [1, 200])
@pytest.mark.parametrize(
    "step",
    [
        tb.WithReplacement(NOISE, 20, examples=500),
        tb.WithoutReplacement(NOISE, 20, examples=500, relation="zero_out"),
        tb.TruncatedPoisson(NOISE, 0.1, cap=60, examples=500),
    ],
)
def test_the_lower_end_is_that_of_both(step: Mechanism, count: int) -> None:
    composition = step * count
    answer = composition.epsilon(1e-6)
    assert {one.direction for one in answer.trace if one.direction.endswith("member")} == {"remove, one member"}
    member = composition._member
    assert member is not None
    both = member.epsilon(1e-6)
    assert both.lower <= answer.lower * (1.0 + 0.01) + 1e-12
    assert answer.lower <= both.upper


def test_with_an_effort_both_are_asked() -> None:
    answer = (tb.TruncatedPoisson(NOISE, 0.1, cap=60, examples=500) * 200).epsilon(1e-6, effort=1.0)
    assert "add, one member" in {one.direction for one in answer.trace}
