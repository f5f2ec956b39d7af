"""A lowered budget admits nothing that was refused before: what a filter fixed in advance stays fixed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.ledger import Ledger
from tightbudget.ledger import budget as budget_module

STEP = tb.PureDP(5.05)


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/budget.db"


@pytest.fixture
def ledger(address: str) -> Iterator[Ledger]:
    with Ledger(address) as made:
        yield made


@pytest.mark.parametrize("lower", [{"delta": 1e-6}, {"delta": "1/1000"}, {"delta": 1e-6, "epsilon": "565.9"}])
def test_a_step_that_was_refused_stays_refused(ledger: Ledger, lower: dict[str, Any]) -> None:
    budget = ledger.create_budget("a", epsilon=566, delta=0.364, filter="advanced")
    assert budget.remaining(STEP) == 0
    budget.lower(**lower)
    assert budget.remaining(STEP) == 0
    with pytest.raises(tb.BudgetRefused):
        budget.charge(STEP)
    assert ledger.verify().ok


def test_a_fresh_filter_of_the_lower_limits_would_have_admitted_it() -> None:
    """So it is no matter of a smaller limit: what was fixed in advance differs."""
    fresh = tb.filters.AdvancedFilter(epsilon=566, delta=1e-6)
    assert fresh.quote(STEP).accepted
    assert not tb.filters.AdvancedFilter(epsilon=566, delta=0.364).quote(STEP).accepted


def lowered_as_it_was(old: dict[str, Any], epsilon: Any, delta: Any) -> dict[str, Any]:
    """Return a lowering as it was written once, with everything computed anew from the lower limits."""
    fresh = tb.filters.AdvancedFilter(old["epsilon"], delta).state()
    return {**fresh, "constants": {**fresh["constants"], "ticks": old["constants"]["ticks"]}}


def test_a_log_with_parameters_computed_anew_is_read_with_those_fixed_in_advance(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(address) as ledger:
        budget = ledger.create_budget("a", epsilon=566, delta=0.364, filter="advanced")
        budget.charge(tb.PureDP(0.1))
        with monkeypatch.context() as patched:
            patched.setattr(budget_module, "lowered", lowered_as_it_was)
            budget.lower(delta=0.01)
        assert budget.remaining(STEP) == 0
        assert budget.remaining(tb.PureDP(0.1)) > 0
    with Ledger(address) as again:
        assert again.budget("a").remaining(STEP) == 0
        again.budget("a").charge(tb.PureDP(0.1))
        assert again.verify().ok


def test_what_such_a_log_admitted_too_much_is_found(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tightbudget.ledger import book

    with Ledger(address) as ledger:
        budget = ledger.create_budget("a", epsilon=566, delta=0.364, filter="advanced")
        with monkeypatch.context() as patched:
            patched.setattr(budget_module, "lowered", lowered_as_it_was)
            patched.setattr(book, "in_force", lambda old, new: new)
            budget.lower(delta=0.01)
            budget.charge(STEP)
        assert not ledger.verify().ok


@pytest.mark.parametrize("kind", ["whitehouse", "zcdp", "gdp", "rdp", "sharpened", "advanced"])
def test_limits_can_be_lowered_by_less_than_constants_are_known(ledger: Ledger, kind: str) -> None:
    settings = {"orders": [16]} if kind == "rdp" else {}
    budget = ledger.create_budget("a", epsilon=1, delta="1e-6", filter=kind, **settings)
    before = budget.remaining(tb.PureDP(0.01))
    budget.lower(epsilon="0." + 50 * "9", delta="9." + 50 * "9" + "e-7")
    assert before - 1 <= budget.remaining(tb.PureDP(0.01)) <= before
    assert ledger.verify().ok


@pytest.mark.parametrize(
    ("kind", "settings", "lower"),
    [
        ("rdp", {"orders": [1.5]}, {"epsilon": 0.01, "delta": 1e-200}),
        ("zcdp", {"delta_for_steps": 0.05}, {"delta": 0.04}),
        ("sharpened", {"delta_for_steps": 0.05}, {"delta": 0.05}),
        ("zcdp", {}, {"delta": 0}),
        ("residual", {}, {"epsilon": 1}),
        ("slots", {"plan": tb.PureDP(0.1) * 4}, {"epsilon": 1}),
    ],
)
def test_what_cannot_be_lowered_says_what_to_do(ledger: Ledger, kind: str, settings: dict[str, Any], lower: Any) -> None:
    budget = ledger.create_budget("a", epsilon=30, delta=0.1, filter=kind, **settings)
    before = budget.remaining(tb.PureDP(0.1))
    with pytest.raises(tb.InvalidParameter) as refused:
        budget.lower(**lower)
    assert "Close the budget" in " ".join([str(refused.value), *getattr(refused.value, "__notes__", [])])
    assert budget.remaining(tb.PureDP(0.1)) == before
    assert ledger.verify().ok


@pytest.mark.parametrize(
    ("kind", "settings", "change"),
    [
        ("zcdp", {}, {"or_basic": True}),
        ("zcdp", {}, {"kind": "sharpened"}),
        ("zcdp", {}, {"delta_for_steps": "5e-7"}),
        ("zcdp", {}, {"epsilon": "1.1"}),
        ("rdp", {"orders": [16, 32], "weights": [0.25, 0.25]}, {"weights": ["0.5", "0.5"]}),
        ("sharpened", {"beta": "0.01"}, {"beta": "0.02"}),
    ],
)
def test_a_written_lowering_that_is_more_than_that_is_found(
    address: str, monkeypatch: pytest.MonkeyPatch, kind: str, settings: dict[str, Any], change: dict[str, Any]
) -> None:
    honest = budget_module.lowered
    with Ledger(address) as ledger:
        budget = ledger.create_budget("a", epsilon=1, delta=1e-6, filter=kind, **settings)
        budget.lower(epsilon=0.9)
        budget.charge(tb.PureDP(0.01))
        assert ledger.verify().ok
        with monkeypatch.context() as patched:
            patched.setattr(budget_module, "lowered", lambda old, epsilon, delta: {**honest(old, epsilon, delta), **change})
            budget.lower(epsilon=0.8)
        assert not ledger.verify().ok
        with pytest.raises(tb.TightBudgetError):
            budget.charge(tb.PureDP(0.01))


def test_no_cap_rises_above_one_that_another_machine_computed_lower(ledger: Ledger) -> None:
    state = tb.filters.ZCDPFilter(1, 1e-6).state()
    cap = state["constants"]["caps"]["rho"].removesuffix(" ticks")
    state["constants"]["caps"]["rho"] = f"{int(cap) * 9 // 10} ticks"  # less is always safe
    budget = ledger.create_budget("a", epsilon=None, delta=None, filter=tb.filters.from_state(state))
    before = budget.remaining(tb.ZCDP(1e-4))
    assert before < ledger.create_budget("b", epsilon=1, delta=1e-6, filter="zcdp").remaining(tb.ZCDP(1e-4))
    budget.lower(epsilon="0.999")
    assert budget.remaining(tb.ZCDP(1e-4)) == before
    budget.lower(epsilon="0.5")
    assert budget.remaining(tb.ZCDP(1e-4)) < before
    assert ledger.verify().ok
