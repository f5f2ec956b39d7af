"""A budget is spent in one process. Copies in others can be read; spending them is refused, until it is meant."""

import copy
import multiprocessing
import os
import pickle
import signal
import threading
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.support.every_budget import EVERY, STEP, test_nothing_is_left_out  # noqa: F401
from tests.support.processes import elsewhere, in_a_child

import tightbudget as tb
from tightbudget import filters

each = pytest.mark.parametrize("what", EVERY)
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def spend(made: Any) -> Any:
    return made.spend(0.001 if isinstance(made, tb.individual.IndividualFilter) else STEP)


def seen(made: Any) -> Any:
    return made.state()


def taken_over(made: Any) -> Any:
    return type(made).from_state(made.state())


@each
@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy])
def test_copies_in_this_process_are_budgets_of_their_own(what: str, twin: Callable[[Any], Any]) -> None:
    made = EVERY[what]()
    spend(made)
    other, before = twin(made), seen(made)
    assert seen(other) == before
    spend(other)
    assert seen(made) == before != seen(other)
    spend(made)
    assert seen(made) == seen(other)


@each
@pytest.mark.parametrize("protocol", [0, pickle.HIGHEST_PROTOCOL])
def test_a_pickled_copy_can_be_read_but_not_spent(what: str, protocol: int) -> None:
    """Not in the process of the original either, which may go on spending."""
    made = EVERY[what]()
    spend(made)
    before = seen(made)
    read = pickle.loads(pickle.dumps(made, protocol))
    for twin in (read, copy.copy(read), copy.deepcopy(read), pickle.loads(pickle.dumps(copy.copy(made)))):
        assert seen(twin) == before
        with pytest.raises(tb.CannotShare, match="by pickle"):
            spend(twin)
        assert seen(twin) == before
    other = taken_over(read)
    spend(other)
    assert seen(other) != before == seen(made)
    spend(made)
    assert seen(made) == seen(other)


@forks
@each
def test_a_forked_copy_can_be_read_but_not_spent(what: str) -> None:
    made = EVERY[what]()
    spend(made)
    before = seen(made)
    assert in_a_child(lambda: seen(made)) == before
    kind, why = in_a_child(lambda: spend(made))
    assert kind is tb.CannotShare
    assert "another process" in why
    assert in_a_child(lambda: spend(copy.deepcopy(made)))[0] is tb.CannotShare
    assert in_a_child(lambda: spend(taken_over(made)) is not None) is True
    assert seen(made) == before
    spend(made)
    assert seen(made) != before


@pytest.mark.parametrize("what", ["zcdp filter", "renyi odometer", "individual gdp filter"])
def test_a_pickled_copy_can_be_read_but_not_spent_elsewhere(what: str) -> None:
    made = EVERY[what]()
    spend(made)
    script = """
step = tb.PureDP(0.01)
try:
    given.spend(0.001 if isinstance(given, tb.individual.IndividualFilter) else step)
except tb.CannotShare as problem:
    print("refused:", problem)
print(given.state())
"""
    said = elsewhere(script, made)
    assert said.startswith("refused: This is a copy")
    assert said.endswith(f"{made.state()}\n")


@forks
@pytest.mark.parametrize("what", ["zcdp filter", "renyi odometer", "individual gdp filter"])
def test_a_child_forked_during_a_decision_does_not_wait_for_it(what: str) -> None:
    """The thread that decides is not in the child, where it would hold the lock for ever."""
    made, inside, done = EVERY[what](), threading.Event(), threading.Event()

    def decide() -> None:
        with made._spending():
            inside.set()
            done.wait(60)

    def read() -> Any:
        signal.alarm(20)  # the child is ended, if it waits
        return seen(made)

    thread = threading.Thread(target=decide)
    thread.start()
    assert inside.wait(20)
    try:
        assert in_a_child(read) == seen(EVERY[what]())
    finally:
        done.set()
        thread.join()


@each
def test_copies_are_of_one_moment(what: str) -> None:
    """Copies and pickles are made while others spend: their caches grow, their balances change."""
    made, stop = EVERY[what](), threading.Event()

    def quote() -> None:
        k = 0
        while not stop.is_set():
            k += 1
            made.quote(1e-6 * k) if "individual" in what else made.quote(tb.PureDP(1e-6 * k))

    thread = threading.Thread(target=quote)
    thread.start()
    try:
        for _ in range(20):
            copy.deepcopy(made)
            assert np.all(np.asarray(seen(pickle.loads(pickle.dumps(made))) == seen(made)))
    finally:
        stop.set()
        thread.join()


@forks
def test_workers_of_a_pool_may_quote_but_not_spend() -> None:
    """What they raise arrives: a pool waits for ever for an error that cannot be read back."""
    budget = filters.BasicFilter(1, 0)
    budget.spend(tb.PureDP(0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that there are threads
        pool = multiprocessing.get_context("fork").Pool(1)
    with pool:
        quotes = pool.map_async(budget.quote, [tb.PureDP(0.5), tb.PureDP(0.6)]).get(timeout=30)
        assert [quote.accepted for quote in quotes] == [True, False]
        with pytest.raises(tb.CannotShare):
            pool.map_async(budget.spend, [tb.PureDP(0.1)]).get(timeout=30)
        with pytest.raises(tb.InvalidParameter, match="increment"):
            pool.map_async(budget.quote, [0.1]).get(timeout=30)
    assert budget.spent["epsilon"] == Fraction(1, 2)
