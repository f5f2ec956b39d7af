"""Slots: a step takes the place of one that reveals at least as much."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.adaptive.filters.domination import dominates
from tightbudget.filters import SlotFilter, from_state

POISSON = tb.Poisson(tb.Gaussian(2), 0.1)

DOMINATED = [
    (tb.Gaussian(2), tb.Gaussian(3)),
    (tb.Gaussian(2, sensitivity=2), tb.Gaussian(1)),
    (tb.Gaussian(2), tb.GaussianDP(0.4)),
    (tb.GaussianDP(0.5), tb.Gaussian(2.001)),
    (tb.GaussianDP(1.3), tb.PureDP(1.0)),
    (tb.Laplace(2), tb.Laplace(3)),
    (tb.PureDP(0.5), tb.Laplace(2)),
    (tb.PureDP(0.5), tb.BoundedRange(0.5)),
    (tb.PureDP(1.2), tb.RandomizedResponse(0.75)),
    (tb.ApproximateDP(1, 1e-5), tb.PureDP(1)),
    (tb.ApproximateDP(1, 1e-5), tb.Gaussian(5)),
    (tb.TruncatedLaplace(1, 9, 2), tb.TruncatedLaplace(1, 9, 1)),
    (tb.DiscreteGaussian(3, 2), tb.DiscreteGaussian(3, 1)),
    (POISSON, tb.Poisson(tb.Gaussian(3), 0.05)),
    (tb.Gaussian(2), POISSON),
    (tb.Gaussian(0), tb.Gaussian(1)),
    (tb.Laplace(2), tb.Laplace(2)),
]
NOT = [
    (tb.Gaussian(3), tb.Gaussian(2)),
    (tb.Laplace(3), tb.Laplace(2)),
    (tb.Laplace(2), tb.PureDP(0.5)),
    (tb.PureDP(0.5), tb.Gaussian(100)),
    (tb.PureDP(1), tb.RandomizedResponse(0.75)),
    (tb.ApproximateDP(1, 1e-5), tb.ApproximateDP(1, 2e-5)),
    (tb.ApproximateDP(1, 1e-5), tb.ApproximateDP(1.1, 1e-6)),
    (tb.ApproximateDP(1, 1e-5), tb.Gaussian(2)),
    (tb.TruncatedLaplace(1, 9, 1), tb.TruncatedLaplace(1, 9, 2)),
    (tb.TruncatedLaplace(1, 9, 2), tb.TruncatedLaplace(1.1, 9, 1)),
    (POISSON, tb.Poisson(tb.Gaussian(3), 0.2)),
    (POISSON, tb.Poisson(tb.Gaussian(1), 0.05)),
    (POISSON, tb.Gaussian(2)),
    (tb.GaussianDP(0.5), tb.Gaussian(1.9)),
    (tb.Gaussian(1), tb.Gaussian(0)),
    (tb.GaussianDP(1.2), tb.PureDP(1.0)),
]


@pytest.mark.parametrize(("slot", "step"), mostly_slow(DOMINATED, every=3))
def test_known_to_reveal_no_more(slot: tb.Mechanism, step: tb.Mechanism) -> None:
    assert dominates(slot, step)
    # so says the engine, too, at every epsilon
    for epsilon in (0.0, 0.1, 0.5, 1.0, 2.0):
        assert step.delta(epsilon).lower <= slot.delta(epsilon).upper
        assert (step * 3).delta(epsilon).lower <= (slot * 3).delta(epsilon).upper


@pytest.mark.parametrize(("slot", "step"), NOT)
def test_not_known_to_reveal_no_more(slot: tb.Mechanism, step: tb.Mechanism) -> None:
    assert not dominates(slot, step)


def test_each_step_takes_a_slot_and_equals_come_first() -> None:
    budget = SlotFilter(1, 1e-6, plan="gaussian(sigma=20) * 5 + gaussian(sigma=40) * 5")
    assert budget.remaining(tb.Gaussian(50)) == 10
    for _ in range(5):
        budget.spend(tb.Gaussian(40))
    assert budget.spent["gaussian(sigma=40)"] == 5
    assert budget.spent["gaussian(sigma=20)"] == 0
    assert budget.remaining(tb.Gaussian(40)) == 5
    with pytest.raises(tb.BudgetRefused, match="slots that dominate gaussian"):
        budget.spend(tb.Gaussian(19))
    assert from_state(budget.state()) == budget
    budget.spend(tb.Gaussian(20) * 2 + tb.Gaussian(40) * 3)
    assert budget.remaining(tb.Gaussian(100)) == 0


def test_a_composition_is_taken_whole_or_not_at_all() -> None:
    budget = SlotFilter(1, 1e-6, plan=tb.Gaussian(20) * 5)
    before = budget.state()
    with pytest.raises(tb.BudgetRefused):
        budget.spend(tb.Gaussian(20) * 3 + tb.Gaussian(30) * 3)
    assert budget.state() == before
    assert budget.remaining(tb.Gaussian(20) * 2) == 2


def test_a_delta_that_no_slot_covers_is_paid_apart() -> None:
    budget = SlotFilter(1, 1e-6, plan=tb.PureDP(0.1) * 5, delta_for_steps=1e-7)
    assert budget.remaining(tb.ApproximateDP(0.1, 2.5e-8)) == 4
    assert budget.remaining(tb.ApproximateDP(0.2, 1e-9)) == 0


def test_a_plan_that_costs_too_much_is_no_plan() -> None:
    with pytest.raises(tb.InvalidParameter, match="plan"):
        SlotFilter(1, 1e-6, plan=tb.Gaussian(20) * 50)
    with pytest.raises(tb.InvalidParameter, match="plan"):
        SlotFilter(1, 1e-6, plan=7)
    with pytest.raises(tb.InvalidParameter):
        SlotFilter(1, 1e-6, plan=tb.Gaussian(20), delta_for_steps=1e-5)
    assert SlotFilter(1, 1e-6, plan=tb.PureDP(0.01) * 562).remaining(tb.PureDP(0.01)) == 562


def test_forged_states_are_refused() -> None:
    state = SlotFilter(1, 1e-6, plan=tb.Gaussian(20) * 5).state()
    for spent in ({"gaussian(sigma=20)": "6", "delta": "0"}, {"gaussian(sigma=20)": "0.5", "delta": "0"}, {"delta": "0"}, None):
        with pytest.raises(tb.InvalidParameter):
            from_state({**state, "spent": spent})


def test_a_plan_from_files_is_written_in_numbers(tmp_path: Path) -> None:
    """The file may change or vanish; what was priced must not."""
    file = tmp_path / "h.csv"
    file.write_text("50,51\n50,49\n")
    measured = tb.Histograms.from_csv(file)
    file.write_text("50,60\n50,40\n")
    changed = tb.Histograms.from_csv(file)
    assert str(measured) == str(changed)
    budget = SlotFilter(2, 1e-6, plan=measured * 3 + tb.Poisson(changed, 0.5) * 2 + changed * 2)
    budget.spend(measured)
    budget.spend(changed * 2)
    file.unlink()
    again = from_state(json.loads(json.dumps(budget.state())))
    assert again == budget
    for step, left in ((measured, 2), (changed, 0), (tb.Poisson(changed, 0.5), 2)):
        assert again.remaining(step) == budget.remaining(step) == left
    assert sorted(again.spent.values()) == [0, 0, 1, 2]


def test_slots_of_one_name_are_counted_apart() -> None:
    @dataclass(frozen=True)
    class Nameless(tb.Gaussian):
        def __str__(self) -> str:
            return "nameless"

    budget = SlotFilter(1, 1e-6, plan=Nameless(20) * 2 + Nameless(40) * 3)
    budget.spend(Nameless(20))
    budget.spend(Nameless(40) * 2)
    assert sorted(budget.spent.values()) == [0, 1, 2]
    assert sorted(budget.state()["spent"].values()) == ["0", "1", "2"]


@pytest.mark.slow
def test_a_plan_too_long_to_be_read_back_is_not_written() -> None:
    cells = [1.0 + 1e-9 * k for k in range(40_000)]
    budget = SlotFilter(1, 1e-6, plan=tb.Histograms(cells, cells[::-1]))
    assert budget.quote(tb.Histograms(cells, cells[::-1]))
    with pytest.raises(tb.InvalidParameter, match="plan"):
        budget.state()
