"""Slots: what is admitted is what a matching of the same steps would admit, where one may be used; `remaining` is
exact.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching
from tests.property.strategies import examples

import tightbudget as tb
from tightbudget.adaptive.filters.domination import dominates
from tightbudget.adaptive.filters.slot_matching import Shortage, assigned_slots
from tightbudget.filters import SlotFilter

AMPLE = {"epsilon": 1000, "delta": 0.5}


def matched(needs: list[int], choices: list[list[int]], free: list[int]) -> bool:
    """Whether all units fit, by SciPy's matching of single units to single slots."""
    units = [part for part, need in enumerate(needs) for _ in range(need)]
    slots = [kind for kind, count in enumerate(free) for _ in range(count)]
    if not units or not slots:
        return not units
    edges = np.array([[kind in choices[part] for kind in slots] for part in units], dtype=int)
    return bool((maximum_bipartite_matching(csr_array(edges), perm_type="column") >= 0).all())


KINDS = 4
lists_of_choices = st.lists(
    st.permutations(range(KINDS)).flatmap(lambda kinds: st.integers(0, KINDS).map(lambda n: kinds[:n])), max_size=5
)


@given(lists_of_choices, st.data(), st.lists(st.integers(0, 5), min_size=KINDS, max_size=KINDS))
@examples(10)
def test_parts_are_refused_only_if_no_assignment_exists(choices: list[list[int]], data: st.DataObject, free: list[int]) -> None:
    needs = data.draw(st.lists(st.integers(1, 5), min_size=len(choices), max_size=len(choices)))
    found = assigned_slots(needs, choices, free)
    if isinstance(found, Shortage):
        assert not matched(needs, choices, free)
        # Hall's condition fails for the parts that are named
        assert {kind for part in found.parts for kind in choices[part]} == set(found.kinds)
        assert sum(needs[part] for part in found.parts) > sum(free[kind] for kind in found.kinds)
    else:
        assert sum(found) == sum(needs)
        assert all(0 <= taken <= have for taken, have in zip(found, free, strict=True))
        assert matched(needs, choices, found)  # each unit has one of its own kinds


@pytest.mark.parametrize("plan", list(product((10, 20, 30), repeat=3)), ids=str)
def test_in_a_chain_any_order_is_as_good_as_a_matching(plan: tuple[int, ...]) -> None:
    """Of Gaussian slots one always dominates the other: every step is admitted that could be matched with those
    before.
    """
    budget = SlotFilter(**AMPLE, plan=tb.compose(tb.Gaussian(sigma) for sigma in plan))
    fresh = budget._sums
    for asked in product((10, 15, 25, 40), repeat=4):
        budget._sums = fresh
        admitted: list[int] = []
        for step in asked:
            choices = [[kind for kind, slot in enumerate(plan) if slot <= sigma] for sigma in (*admitted, step)]
            fits = matched([1] * len(choices), choices, [1] * len(plan))
            assert bool(budget.quote(tb.Gaussian(step))) == fits
            if not fits:
                break
            budget.spend(tb.Gaussian(step))
            admitted.append(step)


steps = st.sampled_from(
    [
        tb.PureDP(0.1),
        tb.PureDP(0.2),
        tb.Laplace(9),
        tb.Laplace(10),
        tb.Laplace(4),
        tb.Gaussian(5),
        tb.Gaussian(20),
        tb.ApproximateDP(0.1, 1e-3),
        tb.ApproximateDP(0.05, 1e-4),
        tb.Gaussian(1, sensitivity=0),
        tb.BoundedRange(0.1),
    ]
)
several = st.lists(st.tuples(steps, st.integers(1, 4)), min_size=1, max_size=4).map(tb.Composition)


@given(several, several, several)
@examples(5)
def test_remaining_is_what_is_admitted_one_after_the_other(
    plan: tb.Composition, before: tb.Composition, step: tb.Composition
) -> None:
    budget = SlotFilter(**AMPLE, plan=plan * 3, delta_for_steps=2e-3)
    if budget.quote(before):
        budget.spend(before)
    counted, free = budget.remaining(step), sum(budget._counts)
    taken = budget.state()
    for _ in range(min(counted, 200)):
        budget.spend(step)
    if counted < 200:
        with pytest.raises(tb.BudgetRefused):
            budget.spend(step)
    else:
        assert budget.spent["delta"] == tb.filters.from_state(taken).spent["delta"]
        assert all(one == tb.Gaussian(1, sensitivity=0) for one, _ in step.items)
    assert sum(budget._sums[:-1]) <= free


@given(several, several)
@examples(5)
def test_a_refusal_says_what_is_short(plan: tb.Composition, step: tb.Composition) -> None:
    quote = SlotFilter(**AMPLE, plan=plan, delta_for_steps=2e-3).quote(step)
    if not quote:
        assert quote.asked > quote.left


def test_remaining_counts_kinds_that_run_out_one_after_another() -> None:
    plan = tb.PureDP(0.2) * 3 + tb.Laplace(9) * 3
    assert SlotFilter(**AMPLE, plan=plan).remaining(tb.PureDP(0.1) + tb.Laplace(10)) == 3
    # laplace(4) slots serve both parts; the last step takes one for each
    plan = tb.Laplace(4) * 10**6 + tb.Laplace(9) * (10**5 + 1)
    budget = SlotFilter(1e9, 0.5, plan=plan)
    assert budget.remaining(tb.Laplace(5) * 2 + tb.Laplace(10)) == (10**6 + 10**5 + 1) // 3
    assert budget.remaining(tb.Laplace(5)) == 10**6


def test_the_tightest_slot_is_taken() -> None:
    budget = SlotFilter(**AMPLE, plan="gaussian(sigma=1) + gaussian(sigma=10) * 2 + gaussian(sigma=5)")
    budget.spend(tb.Gaussian(11))
    assert budget.spent["gaussian(sigma=10)"] == 1
    budget.spend(tb.Gaussian(10) + tb.Gaussian(10))
    assert budget.spent == {"gaussian(sigma=1)": 0, "gaussian(sigma=10)": 2, "gaussian(sigma=5)": 1, "delta": 0}
    assert budget.remaining(tb.Gaussian(1)) == 1


def test_parts_of_one_step_make_room_for_each_other() -> None:
    """The first part is dominated by both slots and likes the one that alone would do for the second."""
    slots = (tb.PureDP(0.1), tb.Laplace(1))
    first, second = tb.Laplace(15), tb.PureDP(0.1)
    assert [dominates(slot, first) for slot in slots] == [True, True]
    assert [dominates(slot, second) for slot in slots] == [True, False]
    for step in (first + second, second + first):
        budget = SlotFilter(**AMPLE, plan=tb.compose(slots))
        budget.spend(step)
        assert budget.remaining(tb.Laplace(100)) == 0


@pytest.mark.parametrize(
    "nothing", [tb.PureDP(0), tb.Gaussian(1, sensitivity=0), tb.Laplace(float("inf")), tb.Poisson(tb.Gaussian(1), 0)]
)
def test_what_reveals_nothing_takes_no_slot(nothing: tb.Mechanism) -> None:
    budget = SlotFilter(1, 1e-6, plan="pure_dp(epsilon=0.1) * 2")
    budget.spend(nothing * 10)
    assert budget.spent["pure_dp(epsilon=0.1)"] == 0
    assert budget.remaining(nothing) == 2**53
    assert budget.remaining(tb.PureDP(0.1) + nothing) == 2
