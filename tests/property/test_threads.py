"""Threads that share a budget get together what one of them would have got alone."""

import itertools
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.every_budget import EVERY, FILTERS, INDIVIDUAL, ODOMETERS, STEP, test_nothing_is_left_out  # noqa: F401

import tightbudget as tb
from tightbudget.adaptive.individual import base

THREADS = 8
ROUNDS = 3  # one is enough to see most of the races; the shortest ones need luck
SPENT = 40  # times by each thread, with odometers


@pytest.fixture(autouse=True)
def restless() -> Iterator[None]:
    """Have threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(work: Callable[[], Any]) -> list[Any]:
    """Return what each of the threads makes of it; they start at once, and what one of them raises is raised here."""
    start, done = threading.Barrier(THREADS), list[Any]()

    def run() -> None:
        start.wait()
        try:
            done.append(work())
        except BaseException as problem:
            done.append(problem)

    threads = [threading.Thread(target=run) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in done:
        if isinstance(each, BaseException):
            raise each
    return done


def spend_all(budget: tb.filters.Filter, most: int) -> int:
    for count in range(most):
        try:
            budget.spend(STEP)
        except tb.BudgetRefused:
            return count
    return most


@pytest.mark.parametrize("kind", FILTERS)
def test_filters_admit_together_what_they_admit_alone(kind: str) -> None:
    alone = FILTERS[kind]()
    admitted = spend_all(alone, 1000)
    assert 20 <= admitted < 1000
    for _ in range(ROUNDS):
        shared = FILTERS[kind]()
        counts = together(lambda shared=shared: spend_all(shared, admitted + 1))  # type: ignore[misc]
        assert sum(counts) == admitted
        assert shared == alone


@pytest.mark.parametrize("kind", ODOMETERS)
def test_odometers_forget_no_step(kind: str) -> None:
    alone = ODOMETERS[kind]()
    for _ in range(THREADS * SPENT):
        alone.spend(STEP)
    for _ in range(ROUNDS):
        shared = ODOMETERS[kind]()
        together(lambda shared=shared: [shared.spend(STEP) for _ in range(SPENT)])  # type: ignore[misc]
        assert shared == alone
        assert shared.epsilon == alone.epsilon


def in_memory(group: tb.individual.IndividualFilter, path: Path) -> list[tb.individual.IndividualFilter]:
    return [group]


def in_a_file(group: tb.individual.IndividualFilter, path: Path) -> list[tb.individual.IndividualFilter]:
    group.save(path)
    return [tb.individual.open(path, durable=False)]


def on_one_array(group: tb.individual.IndividualFilter, path: Path) -> list[tb.individual.IndividualFilter]:
    """Two filters on the caller's own array."""
    mine = np.zeros(group.people)
    return [type(group)._opened(group._settings(), mine, True) for _ in range(2)]


@pytest.mark.parametrize("place", [in_memory, in_a_file, on_one_array])
@pytest.mark.parametrize("kind", INDIVIDUAL)
def test_nobody_takes_part_more_often_than_alone(
    kind: str, place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = INDIVIDUAL[kind]()
    monkeypatch.setattr(base, "CHUNK", 600)  # of 1000 people
    amounts: Any = np.full(alone.people, 0.005 if kind == "gdp" else 0.0025)
    admitted = 0
    while alone.spend(amounts).any():
        admitted += 1
    assert admitted == 400
    for turn in range(ROUNDS):
        groups = place(INDIVIDUAL[kind](), tmp_path / str(turn))
        turns = iter(range(THREADS))

        def charge(groups: Any = groups, turns: Any = turns) -> Any:
            group = groups[next(turns) % len(groups)]
            return sum(group.spend(amounts).astype(np.int64) for _ in range(admitted))

        taken = sum(together(charge))
        assert (taken == admitted).all()
        assert (groups[0].balances == alone.balances).all()


@pytest.mark.parametrize("kind", FILTERS)
def test_what_is_read_in_between_is_of_one_moment(kind: str) -> None:
    """A state is that after some number of steps, whatever else is going on, and can be read back."""
    shared, follower = FILTERS[kind](), FILTERS[kind]()
    states = [json.dumps(follower.state())]
    for _ in range(THREADS * 2):
        follower.spend(STEP)
        states.append(json.dumps(follower.state()))

    def work() -> list[str]:
        seen = []
        for _ in range(2):
            shared.spend(STEP)
            assert shared.quote(STEP)
            assert shared.remaining(STEP) > 0
            seen.append(json.dumps(shared.state()))
        return seen

    assert set(itertools.chain(*together(work))) <= set(states)
    assert json.dumps(shared.state()) == states[-1]


def _in_the_middle(what: str) -> str:
    """Return the name of what is called between reading a balance and writing it."""
    return "_run" if "individual" in what else "_weigh" if "filter" in what else "_after"


@pytest.mark.parametrize("what", EVERY)
def test_a_signal_handler_cannot_spend_in_the_middle_of_a_decision(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs in the thread that decides, whose lock it has: its step would be overwritten."""
    made, alone = EVERY[what](), EVERY[what]()
    name = _in_the_middle(what)
    spend = (lambda one: one.spend(0.001)) if "individual" in what else (lambda one: one.spend(STEP))
    decided, raised = getattr(made, name), list[Exception]()

    def handler(*_: object) -> None:
        try:
            spend(made)
        except tb.CannotShare as problem:
            raised.append(problem)

    def interrupted(*arguments: Any, **options: Any) -> Any:
        monkeypatch.setattr(made, name, decided)
        answer = decided(*arguments, **options)
        signal.raise_signal(signal.SIGUSR1)
        return answer

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        monkeypatch.setattr(made, name, interrupted)
        spend(made)
    finally:
        signal.signal(signal.SIGUSR1, before)
    spend(alone)
    assert len(raised) == 1
    if "individual" in what:
        assert (made.balances == alone.balances).all()
    else:
        assert made == alone
    spend(made)  # and later it can
