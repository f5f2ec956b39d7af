"""Every filter keeps a budget in a ledger as it keeps one in memory: the same decisions, the same sums, a sound log."""

import json
import math
from contextlib import suppress

import pytest
from tests.support.every_filter import AMPLE, TIGHT, Maker

import tightbudget as tb
from tightbudget.adaptive.filters.registry import ALL
from tightbudget.ledger import Ledger
from tightbudget.ledger.rules import Rules

STEPS = ["pure_dp(epsilon=0.1)", "gaussian(sigma=30)", "laplace(scale=9)", "pure_dp(epsilon=0.05) * 2"]


@pytest.mark.parametrize("made", TIGHT, ids=[maker().kind for maker in TIGHT])
def test_it_decides_as_the_filter_does_in_memory(ledger: Ledger, made: Maker) -> None:
    alone = made()
    budget = ledger.create_budget("census", filter=made())
    refused = accepted = 0
    for round in range(3):
        for name in STEPS:
            step = tb.parse(name)
            try:
                expected = alone.quote(step)
            except tb.TightBudgetError as problem:  # it takes no such steps at all
                with pytest.raises(type(problem), match="must be a step with"):
                    budget.charge(step, key=f"{name} {round}")
                continue
            found = budget.quote(step)
            assert (found.accepted, found.asked, found.left) == (expected.accepted, expected.asked, expected.left)
            if expected.accepted:
                alone.spend(step)
                budget.charge(step, key=f"{name} {round}")
                accepted += 1
            else:
                with pytest.raises(tb.BudgetRefused):
                    budget.charge(step, key=f"{name} {round}")
                refused += 1
    assert accepted
    assert budget.status().spent == dict(alone.spent)
    stored = Rules(budget.terms.filter, "add_remove").sums(ledger._book.row(budget._place.id).spent)
    assert stored == dict(alone.spent)
    report = ledger.verify()
    assert report.ok, report
    assert report.charges == accepted


@pytest.mark.parametrize("kind", [filter.kind for filter in ALL])
def test_reservations_are_given_back_committed_and_refunded(ledger: Ledger, kind: str) -> None:
    settings = {"slots": {"plan": tb.PureDP(0.1) * 4}, "rdp": {"orders": [4, 16]}}.get(kind, {})
    budget = ledger.create_budget("census", epsilon=2, delta=1e-6, filter=kind, **settings)
    step = "pure_dp(epsilon=0.1)"
    start = budget.remaining(step)
    assert start >= 3
    budget.reserve(step, key="a")
    budget.abort("a")
    assert budget.remaining(step) == start
    budget.reserve(step, key="b")
    budget.commit("b")
    budget.refund("b", reason="the query never ran")
    assert budget.remaining(step) == start
    budget.reserve(step, key="c")
    budget.charge(step, key="d")
    left = budget.remaining(step)
    assert left == start - 2
    budget.abort("c")
    # filters without prices cannot take back what others were decided upon: it stays spent
    assert budget.remaining(step) == (left if kind in ("residual", "slots") else left + 1)
    assert ledger.verify().ok


def test_every_filter_of_the_package_is_tried() -> None:
    assert {maker().kind for maker in TIGHT} == {filter.kind for filter in ALL}
    assert len(ALL) == 9


def test_the_log_holds_the_filter_with_its_constants(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6, filter="rdp", orders=[4, 16])
    first = budget.history(oldest_first=True)[0]
    assert first.kind == "opened"
    state = json.loads(json.dumps(budget.terms.filter))
    assert state["constants"] == tb.filters.RDPFilter(1, 1e-6, orders=[4, 16]).state()["constants"]


@pytest.mark.parametrize("made", AMPLE, ids=lambda maker: maker().kind)
def test_sums_that_are_infinite_stay_so(ledger: Ledger, made: Maker) -> None:
    """Some filters admit what one of their sums cannot hold; what the rest of it was, nobody can tell any more."""
    budget = ledger.create_budget("census", filter=made())
    steps = [
        *STEPS,
        "approximate_dp(epsilon=0.1, delta=1e-9)",
        "pure_dp(epsilon=300)",
        "zcdp(rho=1e-9)",
        "gaussian(sigma=1e-9)",
    ]
    reserved = []
    for step in steps:
        for key in (f"{step} first", f"{step} second"):
            with suppress(tb.BudgetRefused, tb.InvalidParameter):
                budget.reserve(step, key=key)
                reserved.append(key)
    assert reserved
    status = budget.status()
    infinite = {name for name, amount in status.reserved.items() if amount == math.inf}
    assert infinite <= {name for name, amount in status.spent.items() if amount == math.inf}
    assert ledger.verify().ok
    for key in reserved[::2]:
        budget.abort(key)
    for key in reserved[1::2]:
        budget.commit(key)
    assert infinite <= {name for name, amount in budget.status().spent.items() if amount == math.inf}
    assert ledger.verify().ok, ledger.verify()
