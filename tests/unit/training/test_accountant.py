"""An accountant says what the composition written down at once says, whatever the order of its steps."""

import copy
import json
import math
import pickle
import signal
import sys
import threading
from fractions import Fraction

import numpy as np
import pytest
from tests.support import float_contour
from tests.support.checked import contains_epsilon
from tests.support.processes import elsewhere, in_a_child

import tightbudget as tb
from tightbudget.training.affordable import WIDTHS

A = tb.Poisson(tb.Gaussian(1.1), q=0.01)
B = tb.Poisson(tb.Gaussian(1.3), q=0.02)


def told(*steps: tb.Mechanism, **settings: bool) -> tb.Accountant:
    accountant = tb.Accountant(**settings)
    for step in steps:
        accountant.step(step)
    return accountant


@pytest.mark.slow
def test_steps_of_a_schedule_against_an_independent_integral() -> None:
    accountant = told(*[A, B] * 150)
    found = accountant.epsilon(1e-6)
    parts = [(1.1, 0.01, 150), (1.3, 0.02, 150)]

    def delta_at(epsilon: float) -> float:
        return max(float_contour.delta(parts, epsilon, remove=remove) for remove in (True, False))

    assert contains_epsilon(found, 1e-6, delta_at, margin=1e-6)
    assert found.converged
    assert accountant.delta(found.upper).lower <= 1e-6


def test_steps_that_alternate_are_counted_not_listed() -> None:
    accountant = told(*[A, B] * 40, A)
    assert accountant.composition == A * 41 + B * 40
    assert accountant.steps == 81
    assert accountant.epsilon(1e-5) == (A * 41 + B * 40).epsilon(1e-5)


def test_the_order_of_steps_does_not_matter() -> None:
    assert told(A, B, A) == told(A, A, B) == told(B, A, A)
    assert told(A, B, A) != told(A, B, B)
    forward, backward = told(A, B, A).epsilon(1e-5), told(B, A, A).epsilon(1e-5)
    assert (forward.lower, forward.upper) == (backward.lower, backward.upper)


@pytest.mark.parametrize(
    "tell",
    [
        lambda accountant: accountant.step(A, count=6),
        lambda accountant: accountant.step(A * 2, count=3),
        lambda accountant: accountant.step("poisson(gaussian(sigma=1.1), q=0.01) * 6"),
        lambda accountant: [accountant.step("poisson(gaussian(1.1), 0.01)") for _ in range(6)],
        lambda accountant: accountant.step(noise_multiplier=1.1, sample_rate=0.01, count=np.int64(6)),
        lambda accountant: accountant.step(noise_multiplier=np.float64(1.1), sample_rate=np.array(0.01), count=6.0),
        lambda accountant: accountant.step(A * 3 + A * 3),
    ],
)
def test_the_same_steps_told_in_other_ways(tell) -> None:
    accountant = tb.Accountant()
    tell(accountant)
    assert accountant.composition == A * 6


@pytest.mark.parametrize("rate", [1, 1.0, np.float64(1.0), Fraction(1)])
def test_at_a_rate_of_one_every_record_is_in_every_step(rate: object) -> None:
    accountant = tb.Accountant()
    accountant.step(noise_multiplier=2.0, sample_rate=rate)
    assert accountant.composition == tb.Gaussian(2.0) * 1


def test_a_rate_is_not_guessed() -> None:
    accountant = tb.Accountant()
    with pytest.raises(tb.InvalidParameter, match=r"sample_rate is None, but must be given with noise_multiplier.*1 is all"):
        accountant.step(noise_multiplier=2.0)
    for ask in (accountant.would_exceed, accountant.remaining):
        with pytest.raises(tb.InvalidParameter, match="sample_rate is None"):
            ask(noise_multiplier=2.0, epsilon=1.0, delta=1e-6)
    assert accountant.steps == 0


def test_what_was_counted_cannot_be_changed_from_outside() -> None:
    rate = np.array(0.01)
    accountant = tb.Accountant()
    accountant.step(noise_multiplier=1.1, sample_rate=rate)
    rate[()] = 0.0
    assert accountant.composition == A * 1


def test_fractions_are_taken_to_the_safe_side() -> None:
    """A rate is rounded up and noise down, so that the upper end holds for the fraction too."""
    rates = [Fraction(k, 60000) for k in range(1, 200, 7)]
    for rate in rates:
        accountant = tb.Accountant()
        accountant.step(noise_multiplier=1 / rate, sample_rate=rate)
        ((mechanism, _),) = accountant.composition.items
        assert Fraction(mechanism.q) >= rate
        assert Fraction(mechanism.mechanism.sigma) <= 1 / rate
        assert math.isclose(mechanism.q, rate, rel_tol=3e-16)
    assert any(Fraction(float(rate)) < rate for rate in rates)  # to the nearest float would not do


def test_nothing_counted_costs_nothing() -> None:
    accountant = tb.Accountant()
    accountant.step(A, count=0)
    accountant.step("nothing")
    assert accountant == tb.Accountant()
    assert accountant.steps == 0
    assert accountant.epsilon(0.0).upper == 0.0
    assert accountant.delta(0.0).upper == 0.0
    assert str(accountant.composition) == "nothing"
    accountant.step(tb.RandomizedResponse(0.75))  # for another relation than what was not counted


def test_no_noise_costs_everything() -> None:
    accountant = tb.Accountant()
    accountant.step(noise_multiplier=0, sample_rate=0.5)
    assert accountant.epsilon(1e-5).lower == math.inf
    assert accountant.would_exceed("nothing", epsilon=1000, delta=1e-5)
    assert accountant.remaining(A, epsilon=1000, delta=1e-5) == 0


BAD = {
    "nothing": {},
    "a rate without noise": {"sample_rate": 0.1},
    "both": {"step": A, "noise_multiplier": 1.0},
    "a step and a rate": {"step": A, "sample_rate": 0.1},
    "a number": {"step": 1.1},
    "a list": {"step": [A]},
    "bytes": {"step": b"gaussian(sigma=2)"},
    "a class": {"step": tb.Gaussian},
    "another relation": {"step": tb.RandomizedResponse(0.75)},
    "negative noise": {"noise_multiplier": -1.0},
    "noise that is no number": {"noise_multiplier": math.nan},
    "noise that is true": {"noise_multiplier": True, "sample_rate": 0.1},
    "noise in words": {"noise_multiplier": "1.1", "sample_rate": 0.1},
    "much noise in an array": {"noise_multiplier": np.array([1.0, 2.0])},
    "a rate above 1": {"noise_multiplier": 1.0, "sample_rate": 1.5},
    "a rate that is no number": {"noise_multiplier": 1.0, "sample_rate": math.nan},
    "a rate that is true": {"noise_multiplier": 1.0, "sample_rate": True},
    "half a step": {"step": A, "count": 0.5},
    "minus one step": {"step": A, "count": -1},
    "too many steps": {"step": A, "count": 2**53 + 1},
    "a count that is true": {"step": A, "count": True},
    "a count in words": {"step": A, "count": "3"},
}


@pytest.mark.parametrize("given", BAD.values(), ids=BAD.keys())
def test_what_cannot_be_counted_is_refused_and_nothing_is(given: dict) -> None:
    accountant = told(A, B)
    before = accountant.state()
    with pytest.raises(tb.InvalidParameter):
        accountant.step(**given)
    if "count" not in given:
        with pytest.raises(tb.InvalidParameter):
            accountant.would_exceed(**given, epsilon=1, delta=1e-5)
        with pytest.raises(tb.InvalidParameter):
            accountant.remaining(**given, epsilon=1, delta=1e-5)
    assert accountant.state() == before


def test_notation_that_cannot_be_read_is_refused() -> None:
    accountant = tb.Accountant()
    with pytest.raises(tb.NotationError):
        accountant.step("gausian(sigma=1)")
    assert accountant.steps == 0


def test_counts_add_up_to_no_more_than_can_be_counted() -> None:
    accountant = tb.Accountant()
    accountant.step(A, count=2**53)
    before = accountant.state()
    with pytest.raises(tb.InvalidParameter, match="with those counted before"):
        accountant.step(A)
    with pytest.raises(tb.InvalidParameter):
        accountant.step(B + A)  # not half of it either
    assert accountant.state() == before


def test_relations_are_mixed_only_if_that_is_meant() -> None:
    response = tb.RandomizedResponse(0.75)
    with pytest.raises(tb.MixedRelations, match="what was counted before is for add_remove"):
        told(A, response)
    with pytest.raises(tb.MixedRelations):
        told(tb.compose([A, response], mix_relations=True))
    both = told(A, response, mix_relations=True)
    assert both.epsilon(1e-5).relation == "add_remove+replace_one"
    assert told(tb.PureDP(0.1), A, tb.PureDP(0.2)).steps == 3  # promises are for any


def test_a_question_leaves_no_trace() -> None:
    accountant = tb.Accountant()
    accountant.would_exceed(A, epsilon=1, delta=1e-5)
    accountant.remaining(tb.Gaussian(10.0), epsilon=1, delta=1e-5)
    accountant.epsilon(1e-5)
    accountant.step(tb.RandomizedResponse(0.75))  # another relation than was asked about
    assert accountant.steps == 1


def test_the_answer_is_of_this_moment() -> None:
    accountant = told(A)
    before = accountant.epsilon(1e-5)
    accountant.step(B)
    after = accountant.epsilon(1e-5)
    assert before == (A * 1).epsilon(1e-5)
    assert after == (A + B).epsilon(1e-5)


# Before the step


def exact_gaussian_delta(sigma: float, count: int, epsilon: float) -> float:
    def phi(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    mu = math.sqrt(count) / sigma
    return phi(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize(("sigma", "epsilon", "delta"), [(20.0, 1.0, 1e-6), (5.0, 3.0, 1e-9), (80.0, 0.5, 1e-3)])
def test_the_steps_that_remain_are_those_of_the_closed_form(sigma: float, epsilon: float, delta: float) -> None:
    accountant = tb.Accountant()
    accountant.step(tb.Gaussian(sigma), count=3)
    remaining = accountant.remaining(tb.Gaussian(sigma), epsilon=epsilon, delta=delta)
    assert exact_gaussian_delta(sigma, 3 + remaining, epsilon) <= delta * (1 + 1e-9)
    assert exact_gaussian_delta(sigma, 4 + remaining, epsilon) >= delta * (1 - 1e-9)
    accountant.step(tb.Gaussian(sigma), count=remaining - 1)
    assert not accountant.would_exceed(tb.Gaussian(sigma), epsilon=epsilon, delta=delta)
    accountant.step(tb.Gaussian(sigma))
    assert accountant.would_exceed(tb.Gaussian(sigma), epsilon=epsilon, delta=delta)
    assert accountant.epsilon(delta, rtol=1e-9).upper <= epsilon
    assert accountant.remaining(tb.Gaussian(sigma), epsilon=epsilon, delta=delta) == 0


@pytest.mark.slow
def test_a_loop_that_asks_first_stays_within_its_budget() -> None:
    accountant, step = tb.Accountant(), tb.Poisson(tb.Gaussian(2.0), q=0.1)
    planned = accountant.remaining(step, epsilon=1, delta=1e-5)
    assert planned > 10
    while not accountant.would_exceed(step, epsilon=1, delta=1e-5):
        accountant.step(step)
    assert accountant.steps == planned
    truth = float_contour.delta([(2.0, 0.1, planned)], 1.0)
    assert truth <= 1e-5 * (1 + 1e-6)
    assert float_contour.delta([(2.0, 0.1, planned + 1)], 1.0) > 1e-5


@pytest.mark.slow
def test_what_cannot_be_decided_exceeds() -> None:
    """The budget lies in the middle of the narrowest bracket that is asked for."""
    accountant = tb.Accountant()
    accountant.step(A, count=99)
    narrowest = (A * 100).epsilon(1e-6, rtol=min(WIDTHS))
    middle = (narrowest.lower + narrowest.upper) / 2
    assert narrowest.lower < middle < narrowest.upper
    assert accountant.would_exceed(A, epsilon=narrowest.lower, delta=1e-6)
    assert accountant.would_exceed(A, epsilon=middle, delta=1e-6)
    assert not accountant.would_exceed(A, epsilon=narrowest.upper, delta=1e-6)


def test_a_budget_that_is_a_fraction_is_not_rounded_up() -> None:
    """The largest loss is a float; the budget is a little less than it, and no float lies between."""
    accountant = tb.Accountant()
    assert not accountant.would_exceed(tb.PureDP(1.0), epsilon=1, delta=0)
    assert accountant.would_exceed(tb.PureDP(1.0), epsilon=1 - Fraction(1, 10**20), delta=0)
    assert accountant.remaining(tb.PureDP(0.25), epsilon=1 - Fraction(1, 10**20), delta=0) == 3
    assert accountant.remaining(tb.ApproximateDP(0.25, 0.5), epsilon=1, delta=Fraction(1, 2) - Fraction(1, 10**20)) == 0


def test_steps_that_reveal_nothing_remain_for_ever() -> None:
    accountant = tb.Accountant()
    accountant.step(tb.Gaussian(math.inf), count=10)
    assert accountant.remaining(tb.Gaussian(math.inf), epsilon=0, delta=0) == 2**53 - 10
    assert accountant.remaining("nothing", epsilon=0, delta=0) == 2**53
    assert accountant.remaining(tb.Gaussian(2.0), epsilon=math.inf, delta=0) == 2**53


def test_a_composition_remains_as_a_whole() -> None:
    accountant = tb.Accountant()
    each = tb.PureDP(0.125) + tb.PureDP(0.25) + tb.PureDP(0.125)
    assert accountant.remaining(each, epsilon=1.75, delta=0) == 3


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(math.nan, 1e-5), (-1, 1e-5), (1, math.nan), (1, 1.5), (1, -0.1), ("1", 0), (True, 0)]
)
def test_budgets_that_are_none(epsilon: object, delta: object) -> None:
    for ask in (tb.Accountant().would_exceed, tb.Accountant().remaining):
        with pytest.raises(tb.InvalidParameter):
            ask(A, epsilon=epsilon, delta=delta)


# In many places


@pytest.fixture
def restless():
    """Have threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless")
def test_threads_count_together_what_each_has_counted() -> None:
    accountant = tb.Accountant()
    start = threading.Barrier(8)
    seen: list[bool] = []

    def work() -> None:
        start.wait()
        for _ in range(300):
            accountant.step(A)
            accountant.step(A + B)
            counted = dict(accountant.composition.items)
            seen.append(counted[A] >= counted.get(B, 0))  # a composition is counted whole

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert accountant.composition in (A * 4800 + B * 2400, B * 2400 + A * 4800)
    assert all(seen)


def test_a_signal_handler_may_read_but_not_count_in_the_middle_of_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    accountant = told(A)
    problems: list[str] = []

    def interrupted(*_: object) -> None:
        accountant.state()
        try:
            accountant.step(A)
        except tb.CannotShare as problem:
            problems.append(str(problem))

    before = signal.signal(signal.SIGUSR1, interrupted)
    try:
        with accountant._counting():
            signal.raise_signal(signal.SIGUSR1)
        signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert len(problems) == 1
    assert "in the middle of another step" in problems[0]
    assert accountant.steps == 2


def test_what_a_signal_handler_read_in_the_middle_of_a_step_is_not_kept() -> None:
    class Interrupted(dict):
        def update(self, *changes: object) -> None:
            assert accountant.composition == A * 1  # the step is not counted yet
            super().update(*changes)

    accountant = told(A)
    accountant._counts = Interrupted(accountant._counts)
    accountant.step(A)
    assert accountant.composition == A * 2


def test_copies_count_apart() -> None:
    for copied in (copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        accountant = told(A, B)
        twin = copied(accountant)
        assert twin == accountant
        twin.step(A)
        accountant.step(B)
        assert accountant.composition == A + B * 2
        assert twin.composition == A * 2 + B
        with pytest.raises(tb.MixedRelations):
            twin.step(tb.RandomizedResponse(0.75))


def test_a_child_counts_apart_even_if_it_was_forked_in_the_middle() -> None:
    accountant = told(A)

    def count() -> int:
        accountant.step(A)
        return accountant.steps

    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with accountant._reading():
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        assert in_a_child(count) == 2
    finally:
        done.set()
        thread.join()
    assert accountant.steps == 1


@pytest.mark.slow
def test_a_checkpoint_goes_on_in_another_process() -> None:
    script = "given.step('gaussian(sigma=5)'); print(given.steps, given.composition)"
    assert elsewhere(script, told(A, A)) == "3 poisson(gaussian(sigma=1.1), q=0.01) * 2 + gaussian(sigma=5)\n"


def test_it_says_what_it_has_counted() -> None:
    assert repr(told(A, A)) == "<Accountant of 2 steps: poisson(gaussian(sigma=1.1), q=0.01) * 2>"
    assert json.dumps(told(A).state())
    with pytest.raises(TypeError):
        hash(told(A))
