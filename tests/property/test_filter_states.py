"""A filter that was written down and read back is the same filter, also where one of its sums is infinite."""

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_filter import AMPLE, PLAIN, TIGHT, Maker

import tightbudget as tb
from tightbudget.adaptive.filters.registry import ALL
from tightbudget.filters import RDP, ZCDP, AdvancedFilter, Filter, RDPFilter, ZCDPFilter, from_state

STEPS = [
    tb.PureDP(0.1),
    tb.PureDP(0.1) * 3,
    tb.PureDP(800),
    tb.ApproximateDP(0.1, 1e-8),
    tb.Gaussian(20),
    tb.GaussianDP(0.01),
    tb.Laplace(scale=3),
    RDP([2, 4], [0.1, 0.2]),
    ZCDP("1/3", 1e-8),
]


def _try(budget: Filter, step: object) -> None:
    with contextlib.suppress(tb.BudgetRefused, tb.InvalidParameter):
        budget.spend(step)  # type: ignore[arg-type]


def _answer(budget: Filter, step: object) -> object:
    try:
        quote = budget.quote(step)  # type: ignore[arg-type]
    except tb.InvalidParameter as problem:
        return str(problem)
    return quote.accepted, quote.limit, quote.used


@pytest.mark.parametrize("makers", [PLAIN, TIGHT, AMPLE], ids=["plain", "tight", "ample"])
def test_every_filter_is_tried(makers: list[Maker]) -> None:
    assert {type(make()) for make in makers} == set(ALL)


@pytest.mark.parametrize("make", AMPLE)
@given(asked=st.lists(st.sampled_from(STEPS), max_size=5))
def test_states_come_back(make: Maker, asked: list[object]) -> None:
    budget = make()
    for step in asked:
        _try(budget, step)
    again = from_state(json.loads(json.dumps(budget.state())))
    assert again == budget
    assert again.spent == budget.spent
    for step in STEPS:
        assert _answer(again, step) == _answer(budget, step)


@pytest.mark.parametrize(
    ("make", "step"),
    [
        (lambda: RDPFilter(10, 1e-6, orders=[2, 4, 8]), RDP([2, 4], [0.1, 0.2])),  # nothing is known about order 8
        (lambda: AdvancedFilter(1000, 1e-6, or_basic=True), tb.PureDP(800)),  # e^800 is no float
        (lambda: ZCDPFilter(1000, 1e-6, or_basic=True), tb.Gaussian(20)),  # no epsilon
    ],
)
def test_infinite_sums_come_back(make: Maker, step: object) -> None:
    budget = make()
    budget.spend(step)  # type: ignore[arg-type]
    assert math.inf in budget.spent.values()
    again = from_state(json.loads(json.dumps(budget.state())))
    assert again == budget
    assert again.quote(tb.PureDP(0.1)).accepted == budget.quote(tb.PureDP(0.1)).accepted
