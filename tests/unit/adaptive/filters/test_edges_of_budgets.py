"""Budgets at the edge of what is allowed: an answer or InvalidParameter, never anything else."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.filters import Filter

MADE: dict[str, Callable[[Any, Any, Any], Filter]] = {
    "basic": lambda e, d, s: tb.filters.BasicFilter(e, d),
    "advanced": lambda e, d, s: tb.filters.AdvancedFilter(e, d),
    "sharpened": lambda e, d, s: tb.filters.SharpenedFilter(e, d, delta_for_steps=s),
    "whitehouse": lambda e, d, s: tb.filters.WhitehouseFilter(e, d, delta_for_steps=s),
    "zcdp": lambda e, d, s: tb.filters.ZCDPFilter(e, d, delta_for_steps=s),
    "rdp": lambda e, d, s: tb.filters.RDPFilter(e, d, orders=[2, 8], delta_for_steps=s),
    "gdp": lambda e, d, s: tb.filters.GDPFilter(e, d, delta_for_steps=s),
    "residual": lambda e, d, s: tb.filters.ResidualFilter(e, d, delta_for_steps=s),
    "slots": lambda e, d, s: tb.filters.SlotFilter(e, d, plan="pure_dp(0.01)", delta_for_steps=s),
}
EPSILONS = (0, 1e-300, 1e-40, 1, 1e4, 1e40, 1e300, math.inf, -1, math.nan, "1/3", "x", None)
DELTAS = (0, 1e-320, 1e-300, 1e-6, 0.5, 1, 1.5, -1, math.nan, None)
SHARES = (0, 1e-6, 1, 2, -1, None)


@pytest.mark.parametrize("kind", mostly_slow(MADE, every=3))
def test_a_filter_is_made_or_refused_in_words(kind: str) -> None:
    made = 0
    for epsilon in EPSILONS:
        for delta in DELTAS:
            for share in SHARES:
                try:
                    made += MADE[kind](epsilon, delta, share).quote(tb.PureDP(epsilon=0.001)).asked >= 0
                except tb.InvalidParameter:
                    continue
    assert made


def test_without_delta_only_the_plain_sum_admits_the_whole_budget() -> None:
    rows = {row.name: row for row in tb.filters.best(epsilon=1, delta=0, expected=tb.PureDP(epsilon=0.1))}
    assert rows.pop("basic").count == 10
    assert rows.pop("slots").count >= 9  # a float of ten tenths may lie above 1
    assert all(row.filter is None and row.note == "needs delta above 0" for row in rows.values())


@pytest.mark.parametrize("share", [1e-6, "2e-6", 1])
def test_the_share_of_steps_is_below_delta(share: object) -> None:
    with pytest.raises(tb.InvalidParameter, match="must be below delta, which is 1e-06"):
        tb.filters.best(1, 1e-6, tb.ApproximateDP(0.01, 1e-9), share)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0, 1e-50, 1, 1e40])
@pytest.mark.parametrize("delta", [0, 1e-320, 0.5, 1])
def test_best_has_an_answer_for_every_budget(epsilon: float, delta: float) -> None:
    assert len(tb.filters.best(epsilon, delta, tb.filters.ZCDP(0.01))) == 10


def test_a_step_that_the_grid_cannot_resolve_is_refused() -> None:
    assert not tb.filters.ResidualFilter(1e-40, 1e-300).quote(tb.Gaussian(sigma=50))
