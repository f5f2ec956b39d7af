"""A guard stops a loop before the step with which a budget might no longer hold, and not before that."""

import copy
import math
import pickle
import threading
import time
from fractions import Fraction

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.adapters.loops import BudgetGuard

NUMBERS = {"noise_multiplier": 2.0, "sample_rate": 0.1}
BUDGET = {"epsilon": 1, "delta": 1e-5}
STEP = tb.Poisson(tb.Gaussian(2.0), q=0.1)


def guard(**settings: object) -> BudgetGuard:
    return BudgetGuard(**(NUMBERS | BUDGET | settings))


def test_a_loop_ends_before_the_budget_does() -> None:
    guarding, run = guard(), []
    for batch in guarding.admitted(range(1000)):
        run.append(batch)
    assert run == list(range(16))
    assert guarding.accountant.steps == 16
    assert (STEP * 16).delta(1).upper <= 1e-5 < (STEP * 17).delta(1).lower


def test_a_loop_that_ends_earlier_counts_what_it_ran() -> None:
    guarding = guard()
    assert list(guarding.admitted("abc")) == ["a", "b", "c"]
    assert (guarding.accountant.steps, guarding.left) == (3, 13)
    assert len(list(guarding.admitted(range(1000)))) == 13  # the next epoch


def test_steps_in_a_with_are_counted_before_they_run_and_also_if_they_fail() -> None:
    guarding, counted = guard(), []
    for _ in range(15):
        with guarding:
            counted.append(guarding.accountant.steps)
    assert counted == list(range(1, 16))
    with pytest.raises(ZeroDivisionError), guarding:
        1 / 0  # noqa: B018
    with pytest.raises(tb.BudgetRefused) as refused, guarding:
        counted.append("this ran")
    assert "this ran" not in counted
    assert guarding.accountant.steps == 16
    assert str(refused.value).startswith("After 16 steps one more step of poisson(gaussian(sigma=2.0), q=0.1) might exceed")
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_a_delta_of_one_would_guard_nothing() -> None:
    with pytest.raises(tb.InvalidParameter, match=r"delta is 1, but must be below 1\."):
        guard(epsilon=1e-5, delta=1)


def test_a_budget_that_looks_swapped_is_pointed_out() -> None:
    with pytest.warns(UserWarning, match=r"delta = 0.5 is no smaller than epsilon = 1e-05. Are the two swapped\?") as seen:
        guard(epsilon=1e-5, delta=0.5)
    assert seen[0].filename == __file__  # of this function or that above, not of the package


def test_several_steps_at_once_are_all_or_nothing() -> None:
    guarding = guard()
    assert guarding.take(10)
    assert not guarding.take(7)
    assert guarding.take(0)
    assert guarding.accountant.steps == 10
    with pytest.raises(tb.BudgetRefused, match="After 10 steps 7 more steps"):
        guarding.admit(7)
    assert guarding.take(np.int64(6))
    assert not guarding.take()


@pytest.mark.slow
@pytest.mark.parametrize("told", [{"step": STEP}, {"step": str(STEP)}, NUMBERS, {"step": STEP * 1}])
def test_a_step_told_in_other_ways_is_the_same(told: dict) -> None:
    guarding = BudgetGuard(**told, **BUDGET)
    assert guarding.left == 16
    assert repr(guarding) == (
        "<BudgetGuard for epsilon 1 at delta 1e-05, step poisson(gaussian(sigma=2.0), q=0.1): 0 steps counted>"
    )


def test_steps_that_were_taken_before_count() -> None:
    accountant = tb.Accountant()
    accountant.step(STEP, count=12)
    guarding = guard(accountant=accountant)
    assert guarding.left == 4
    accountant.step(STEP, count=3)  # somebody else's
    assert len(list(guarding.admitted(range(10)))) == 1
    assert accountant.steps == 16


def test_dearer_steps_of_others_leave_fewer() -> None:
    guarding = guard()
    assert guarding.take(1)
    guarding.accountant.step("gaussian(sigma=5)")
    left = guarding.left
    assert 0 < left < 15
    assert guarding.take(left)
    assert not guarding.take()
    assert guarding.accountant.epsilon(1e-5, rtol=1e-6).upper <= 1


def test_what_counts_goes_on_from_its_state() -> None:
    guarding = guard()
    guarding.take(10)
    restored = guard(accountant=tb.Accountant.from_state(guarding.accountant.state()))
    assert restored.left == guarding.left == 6


def test_a_guard_catches_up_with_a_state_and_forgets_nothing() -> None:
    guarding, fresh = guard(), guard()
    guarding.take(10)
    old = guarding.accountant.state()
    guarding.take(2)
    guarding.accountant.step("gaussian(sigma=30)")
    fresh.catch_up(old)
    assert (fresh.accountant.steps, fresh.left) == (10, 6)
    fresh.catch_up(guarding.accountant.state())
    assert fresh.accountant == guarding.accountant
    guarding.catch_up(old)  # what was run since then was run
    assert guarding.accountant.steps == 13
    with pytest.raises(tb.InvalidParameter):
        guarding.catch_up({})


@pytest.mark.slow
@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_know_what_was_counted(twin) -> None:
    guarding = guard()
    guarding.take(10)
    assert twin(guarding).left == 6


@pytest.mark.parametrize(
    ("settings", "left"),
    [
        ({"epsilon": 0}, 0),
        ({"epsilon": 0.01, "delta": 1e-9}, 0),
        ({"noise_multiplier": 0.0}, 0),
        ({"sample_rate": 0.0}, 2**53),
        ({"noise_multiplier": math.inf}, 2**53),
        ({"epsilon": math.inf, "delta": 0.0}, 2**53),
        ({"epsilon": Fraction(1), "delta": np.float64(1e-5)}, 16),
    ],
)
def test_edges(settings: dict, left: int) -> None:
    guarding = guard(**settings)
    assert guarding.left == left
    assert guarding.take() is (left > 0)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"delta": 2}, "delta"),
        ({"delta": "1e-5"}, "delta"),
        ({"noise_multiplier": -1}, "noise_multiplier"),
        ({"sample_rate": None}, "sample_rate"),
        ({"sample_rate": 1.5}, "sample_rate"),
        ({"noise_multiplier": None}, "step"),
        ({"step": STEP}, "step"),
        ({"accountant": 3}, "accountant"),
    ],
)
def test_bad_settings_are_refused_by_name(settings: dict, named: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=rf"^{named} is"):
        guard(**settings)


@pytest.mark.parametrize("count", [-1, 0.5, math.nan, "1", True, None, 2**60])
def test_bad_counts_are_refused(count: object) -> None:
    guarding = guard()
    with pytest.raises(tb.InvalidParameter, match=r"^count is"):
        guarding.take(count)
    assert guarding.accountant.steps == 0


class Slow(tb.Accountant):
    """Gives other threads the time to come between asking and counting."""

    def step(self, *arguments: object, **settings: object) -> None:
        time.sleep(0.005)
        super().step(*arguments, **settings)


def test_threads_together_are_admitted_what_one_would_have_been() -> None:
    guarding, ready, admitted = guard(accountant=Slow()), threading.Barrier(8), []

    def loop() -> None:
        ready.wait()
        while guarding.take():
            admitted.append(1)

    threads = [threading.Thread(target=loop) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(admitted) == guarding.accountant.steps == 16


def test_a_step_within_a_step_is_refused() -> None:
    guarding = guard()
    with guarding._counting(), pytest.raises(tb.CannotShare):
        guarding.take()
