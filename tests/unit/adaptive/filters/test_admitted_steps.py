"""How many equal steps each filter admits: the table every change of a filter has to answer to."""

from fractions import Fraction

import numpy as np
import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.filters import (
    AdvancedFilter,
    BasicFilter,
    Filter,
    GDPFilter,
    RDPFilter,
    ResidualFilter,
    SharpenedFilter,
    WhitehouseFilter,
    ZCDPFilter,
)

CASES = [(0.01, 1), (0.1, 4), (0.5, 8)]

# delta 1e-6; from 50-digit evaluations of the theorems (published for the first five rows of the first column)
TABLE = {
    "basic": (BasicFilter, (100, 40, 16)),
    "advanced": (AdvancedFilter, (147, 22, 3)),
    "sharpened": (SharpenedFilter, (296, 43, 6)),
    "whitehouse": (WhitehouseFilter, (349, 50, 7)),
    "zcdp": (ZCDPFilter, (487, 62, 8)),
    "rdp": (lambda e, d: RDPFilter(e, d, orders=np.geomspace(1.5, 64, 32).tolist()), (375, 55, 15)),
    "gdp": (GDPFilter, (356, 44, 6)),
}


@pytest.mark.parametrize("kind", TABLE)
@pytest.mark.parametrize("column", range(3))
def test_as_many_steps_as_the_theorem_says(kind: str, column: int) -> None:
    make, counts = TABLE[kind]
    step, epsilon = CASES[column]
    assert make(epsilon, 1e-6).remaining(tb.PureDP(step)) == counts[column]


@pytest.mark.parametrize(("column", "count"), mostly_slow([(0, 490), (1, 66), (2, 16)], every=3, first=2))
def test_one_order_chosen_for_the_steps_to_come(column: int, count: int) -> None:
    step, epsilon = CASES[column]
    rows = {row.name: row for row in tb.filters.best(epsilon, 1e-6, tb.PureDP(step))}
    assert rows["rdp, one order"].count == count


@pytest.mark.parametrize(
    ("column", "least", "optimum"), mostly_slow([(0, 557, 562), (1, 68, 74), (2, 8, 16)], every=3, first=2)
)
def test_residual_comes_close_to_the_optimum_for_a_plan(column: int, least: int, optimum: int) -> None:
    step, epsilon = CASES[column]
    count = ResidualFilter(epsilon, 1e-6).remaining(tb.PureDP(step))
    assert least <= count <= optimum
    # the optimum for steps fixed in advance bounds every filter
    assert (tb.PureDP(step) * optimum).delta(epsilon).upper <= 1e-6 < (tb.PureDP(step) * (optimum + 1)).delta(epsilon).lower


@pytest.mark.parametrize("kind", TABLE)
def test_counting_agrees_with_spending(kind: str) -> None:
    budget: Filter = TABLE[kind][0](4, 1e-6)
    expected = budget.remaining(tb.PureDP(0.1))
    for _ in range(expected):
        budget.spend(tb.PureDP(0.1))
    assert budget.remaining(tb.PureDP(0.1)) == 0
    with pytest.raises(tb.BudgetRefused):
        budget.spend(tb.PureDP(0.1))


@pytest.mark.parametrize("make", [AdvancedFilter, SharpenedFilter, WhitehouseFilter, ZCDPFilter])
def test_basic_beside_it_admits_what_either_would(make: type[Filter]) -> None:
    step = tb.PureDP(0.5)
    both, alone = make(8, 1e-6, or_basic=True), make(8, 1e-6)  # type: ignore[call-arg]
    assert both.remaining(step) == max(alone.remaining(step), BasicFilter(8, 1e-6).remaining(step)) == 16
    small = tb.PureDP(0.01)
    assert both.remaining(small) == alone.remaining(small) > BasicFilter(8, 1e-6).remaining(small)


def test_half_a_delta_for_steps_leaves_half_for_the_tail() -> None:
    step = tb.ApproximateDP(0.01, 1e-9)
    split = ZCDPFilter(1, 2e-6, delta_for_steps=1e-6)
    assert split.remaining(tb.PureDP(0.01)) == 487
    assert split.remaining(step) == 487
    assert split.remaining(tb.ApproximateDP(0.01, 1e-8)) == 100


def test_delta_of_steps_counts_exactly() -> None:
    budget = BasicFilter(100, Fraction(1, 10))
    assert budget.remaining(tb.ApproximateDP(0.1, 0.01)) == 10
    budget = WhitehouseFilter(100, 0.5, delta_for_steps=0.1)
    assert budget.remaining(tb.ApproximateDP(0.1, 0.01)) == 10
    assert "the delta of steps" in budget.quote(tb.ApproximateDP(0.1, 0.2)).reason
