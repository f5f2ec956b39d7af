"""What a status says: how full, how long it will do, and what was lost."""

import json
from datetime import timedelta
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.ledger import Ledger
from tightbudget.ledger.terms import new_odometer
from tightbudget.ledger.verify import verify

STEP = "gaussian(sigma=50)"


@pytest.mark.parametrize(
    ("kind", "settings"), [("zcdp", {}), ("gdp", {}), ("rdp", {"orders": [2, 8, 32]}), ("whitehouse", {}), ("basic", {})]
)
def test_spent_reserved_and_free_are_parts_of_one_limit(ledger: Ledger, kind: str, settings: dict[str, Any]) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6, filter=kind, **settings)
    step = "pure_dp(epsilon=0.01)"
    assert budget.status().free == 1.0
    budget.charge(step)
    alone = budget.status()
    assert 0.0 < alone.used == alone.committed
    assert alone.held_part == 0.0
    budget.reserve(step, key="a")
    both = budget.status()
    assert both.committed == alone.committed
    assert both.held_part == pytest.approx(both.used - alone.used)
    assert both.used + both.free == 1.0
    assert [held.key for held in both.held] == ["a"]
    budget.abort("a")
    assert budget.status().used == alone.used


def test_a_budget_is_as_full_as_the_emptiest_of_the_limits_of_which_one_is_enough(ledger: Ledger) -> None:
    """An rdp filter admits what stays within at one order; the fullest order says nothing about what is left."""
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6, filter="rdp", orders=[24, 96])
    while budget.quote("gaussian(sigma=40)").accepted:
        budget.charge("gaussian(sigma=40)")
        shown = budget.status()
        parts = [float(limit.used / limit.cap) for limit in shown.limits if limit.cap]
        assert shown.used == pytest.approx(min(parts))
    assert len(parts) == 2
    assert 0.9 < min(parts) <= 1.0 < max(parts)  # what is left was never a matter of the fullest


def test_or_basic_does_not_make_a_budget_look_full(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6, filter="zcdp", or_basic=True)
    budget.charge("pure_dp(epsilon=0.5)")  # most of rho, half of epsilon
    assert budget.status().used == pytest.approx(0.5)
    assert budget.status().limit.name != "rho"


def test_the_end_is_projected_from_the_pace_of_the_last_charges(ledger: Ledger, clock: Any) -> None:
    for kind in ("gdp", "residual"):  # with prices, and without
        budget = ledger.create_budget(kind, epsilon=1, delta=1e-6, filter=kind)
        assert budget.status().exhausted_at is None
        for _ in range(5):
            budget.charge(STEP)
            clock.move(3600.0)
        status = budget.status()
        # four more charges since the first one, in five hours
        each = (status.used - 0.0) / 5
        expected = status.time + timedelta(hours=status.free / (4 * each) * 5)
        assert status.exhausted_at is not None
        assert abs(status.exhausted_at - expected) < timedelta(hours=5 if kind == "residual" else 0.01)
        budget.close()
        assert budget.status().exhausted_at is None


def test_a_burst_has_no_pace(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6)
    for _ in range(3):
        budget.charge(STEP)
    assert budget.status().exhausted_at is None


def test_what_is_reserved_counts_for_odometers_and_for_the_fixed_plan(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6, odometers=["renyi"])
    budget.charge(STEP)
    budget.reserve(STEP, key="a")
    status = budget.status()
    twice = (tb.Gaussian(sigma=50) * 2).epsilon(delta=1e-6, rtol=1e-3)
    assert status.tally == {STEP: 1}
    assert status.fixed_plan.lower <= twice.upper
    assert status.fixed_plan.upper >= twice.lower
    odometer = tb.odometers.RenyiOdometer(delta=1e-6)
    for _ in range(2):
        odometer.spend(tb.Gaussian(sigma=50))
    assert status.running[0].epsilon == odometer.epsilon
    once = tb.Gaussian(sigma=50).epsilon(delta=5e-7)
    assert 2 * once.lower <= status.naive <= 2.03 * once.upper
    budget.abort("a")
    assert budget.status().fixed_plan.upper < twice.lower


@pytest.mark.parametrize("kind", ["renyi", "mixture"])
def test_the_running_loss_is_that_of_the_odometer_in_memory(ledger: Ledger, kind: str) -> None:
    steps = [("pure_dp(epsilon=0.01)", 7), ("pure_dp(epsilon=0.02)", 3), ("approximate_dp(epsilon=0.01, delta=1e-12)", 2)]
    terms: dict[str, Any] = {"filter": "basic"}
    if kind == "renyi":
        terms = {"filter": "rdp", "orders": [2, 8]}
        steps = [("gaussian(sigma=50)", 5), ("poisson(gaussian(sigma=2), q=0.01) * 10", 2), ("laplace(scale=30)", 4)]
    odometer = new_odometer(kind, 1e-6)
    budget = ledger.create_budget("census", epsilon=5, delta=1e-5, odometers=[odometer], **terms)
    expected = new_odometer(kind, 1e-6)
    for text, count in steps:
        for place in range(count):
            budget.charge(text, key=f"{text} {place}")
            expected.spend(tb.parse(text))
        budget.abort(budget.reserve(text, key=f"{text} aborted").key)
        budget.refund(budget.charge(text, key=f"{text} refunded").key, "nothing was released")
        (running,) = budget.status().running
        assert running.odometer == kind
        assert 0.0 < running.epsilon == pytest.approx(expected.epsilon, rel=1e-12)
        assert running.delta == expected.delta


def test_an_odometer_that_cannot_follow_says_so_in_a_few_words(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6, odometers=["mixture"])
    budget.charge("pure_dp(epsilon=0.01)")
    assert budget.status().running[0].note == ""
    budget.charge(STEP)
    (shown,) = budget.status().running
    assert shown.epsilon == float("inf")
    assert shown.note == f"it cannot follow a step like {STEP}"


def test_about_how_many_more_of_the_last_step(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6)
    assert budget.status().more_of_last is None
    budget.charge(STEP)
    budget.charge("gaussian(sigma=20)", key="later")
    status = budget.status()
    assert status.last.increment == "gaussian(sigma=20)"
    assert status.more_of_last == budget.remaining("gaussian(sigma=20)") > 0
    budget.refund("later", "it never ran")
    assert budget.status().last.increment == STEP


def test_json_has_exact_amounts_and_short_ones(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6, odometers=["renyi"])
    budget.charge("laplace(scale=100)")
    told = json.loads(json.dumps(budget.status().as_json()))
    limits = {limit["name"]: limit for limit in told["limits"]}
    assert "/" in limits["rho"]["cap"]
    assert limits["rho"]["short"] == str(budget.status().limit)
    assert limits["rho"]["part"] == told["used"] == pytest.approx(1.0 - told["free"])
    assert told["fixed_plan_is_a_guarantee"] is False
    assert told["running"][0]["odometer"] == "renyi"


def test_one_charge_is_one_charge(ledger: Ledger) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=1e-6)
    budget.charge(STEP)
    assert "% used, 1 charge admitted (open)" in str(budget.status())
    assert "rho" in budget.status()._repr_html_()


def test_a_report_says_whose_entries_were_read(ledger: Ledger) -> None:
    assert str(ledger.verify()).startswith("Sound: 1 entry of the ledger itself replays ")
    ledger.create_budget("census", epsilon=1, delta=1e-6, filter="zcdp").charge(STEP)
    report = ledger.verify()
    assert (report.entries, report.own, report.budgets) == (4, 2, 1)
    assert str(report).startswith("Sound: 4 entries, 2 of 1 budget and 2 of the ledger itself, replay ")
    assert str(verify(ledger, "census")).startswith("Sound: 2 entries of 1 budget replay ")
