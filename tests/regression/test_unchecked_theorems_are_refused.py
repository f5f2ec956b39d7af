"""Classic bounds, divergences and plans answered for the stronger clone, with no word on its unchecked theorem."""

from collections.abc import Callable
from typing import Any

import pytest

import tightbudget as tb
from tightbudget import classic, divergences
from tightbudget.research import published

UNCHECKED = tb.Shuffled(epsilon0=1.0, users=1000, clone="stronger")
CHECKED = tb.Shuffled(epsilon0=1.0, users=1000)
QUESTIONS: dict[str, Callable[[Any], Any]] = {
    **{f"{bound.name}, epsilon": (lambda c, bound=bound: bound.epsilon(c, 1e-6)) for bound in classic.ALL},
    **{f"{bound.name}, delta": (lambda c, bound=bound: bound.delta(c, 1.0)) for bound in classic.ALL},
    **{f"{bound.name}, curve": (lambda c, bound=bound: bound.curve(c, [1.0])) for bound in classic.ALL},
    "renyi": lambda c: divergences.renyi(c, 4.0),
    "zcdp": divergences.zcdp,
    "gdp": divergences.gdp,
    "pure_epsilon": divergences.pure_epsilon,
    "a plan of slots": lambda c: tb.filters.SlotFilter(3.0, 1e-3, plan=c),
    "a plan beside others": lambda c: tb.filters.SlotFilter(3.0, 1e-3, plan=c + tb.PureDP(0.1)),
    "published buckets": lambda c: published.embed(c, n=100),
    "comparison": lambda c: tb.compare(c, delta=1e-6),
    "risk": lambda c: tb.risk(c).advantage(),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_has_no_place_to_say_so_refuses(name: str) -> None:
    with pytest.raises(tb.InvalidParameter, match="proven here"):
        QUESTIONS[name](UNCHECKED)
    QUESTIONS[name](CHECKED)


def test_brackets_say_so() -> None:
    answer = UNCHECKED.epsilon(delta=1e-6)
    assert not answer.converged
    assert "stronger clone" in answer.reason
