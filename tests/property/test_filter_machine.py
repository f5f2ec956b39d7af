"""No order of quoting, spending, writing and reading back changes a decision."""

import copy
import json
from collections.abc import Callable

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.support.every_filter import TIGHT

import tightbudget as tb
from tightbudget.filters import RDP, ZCDP, Filter, ResidualFilter, SlotFilter, from_state

STEPS = [
    tb.PureDP(0.1),
    tb.PureDP(0.03),
    tb.PureDP(0.3),
    tb.ApproximateDP(0.05, 3e-8),
    tb.PureDP(0.01) * 7 + tb.PureDP(0.02),
    tb.Laplace(9),
    tb.Gaussian(30),
    ZCDP(0.001, 1e-8),
    RDP([2.5, 8], [0.001, 0.01]),
    tb.PureDP(3),
]


class FilterMachine(RuleBasedStateMachine):
    """Two filters get the same steps: one is quoted, written and read back all the time, the other only spends."""

    @initialize(which=st.sampled_from(range(len(TIGHT))))
    def start(self, which: int) -> None:
        self.busy: Filter = TIGHT[which]()
        self.quiet: Filter = TIGHT[which]()

    @rule(step=st.sampled_from(STEPS))
    def spend(self, step: object) -> None:
        answers = [attempt(budget, step) for budget in (self.busy, self.quiet)]
        assert answers[0] == answers[1]

    @rule(step=st.sampled_from(STEPS))
    def quote(self, step: object) -> None:
        before = self.busy.state()
        try:
            accepted = self.busy.quote(step).accepted  # type: ignore[arg-type]
        except tb.InvalidParameter:
            accepted = None
        assert self.busy.state() == before
        # the quote is what spending would have said
        assert attempt(copy.deepcopy(self.busy), step) == accepted

    @rule(step=st.sampled_from(STEPS[:3]))
    def count(self, step: object) -> None:
        before = self.busy.state()
        count = self.busy.remaining(step)  # type: ignore[arg-type]
        assert self.busy.state() == before
        assert self.busy.quote(step).accepted == (count > 0)  # type: ignore[arg-type]

    @rule()
    def write_and_read(self) -> None:
        self.busy = from_state(json.loads(json.dumps(self.busy.state())))

    @invariant()
    def equal(self) -> None:
        if hasattr(self, "busy"):
            assert self.busy == self.quiet
            assert self.busy.spent == self.quiet.spent


def attempt(budget: Filter, step: object) -> bool | None:
    """Spend if it fits; whatever does not must leave no trace."""
    before = budget.state()
    try:
        return budget.spend(step).accepted  # type: ignore[arg-type]
    except (tb.BudgetRefused, tb.InvalidParameter) as problem:
        assert budget.state() == before
        return False if isinstance(problem, tb.BudgetRefused) else None


TestFilters = FilterMachine.TestCase


@pytest.mark.parametrize("make", [make for make in TIGHT if not isinstance(make(), ResidualFilter | SlotFilter)])
def test_the_order_of_steps_does_not_matter_for_sums(make: Callable[[], Filter]) -> None:
    budgets = [make(), make()]
    some = [tb.PureDP(0.01), tb.PureDP(0.1), tb.PureDP(0.007), tb.ApproximateDP(0.02, 1e-9)]
    for budget, steps in zip(budgets, (some, some[::-1]), strict=True):
        for step in steps:
            budget.spend(step)
    assert budgets[0] == budgets[1]
