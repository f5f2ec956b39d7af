"""Killed at any point, a charge on an individual budget is made or not; no balance is below what was released.

A child charges, and notes a charge as released when it has been told who takes part (and, of a reservation, when it is
committed). It is killed. Then, whatever is left: log and balances agree, all that was released is in both, and a retry
by the same key names the same people and charges nobody twice.
"""

import json
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.killed import killed_at

from tightbudget.ledger import Ledger

PEOPLE = 50
BUDGET = 10**15  # units in a budget of 1
MOST_KILLS = 60


def step_of(number: int) -> Any:
    """Return the amounts of a charge: the same whenever it is tried again."""
    random_amounts = np.random.default_rng(number).integers(0, 3000, PEOPLE) / 10**4
    return f"{(number % 7 + 1)}e-2" if number % 2 else random_amounts


def charge(budget: Any, number: int, released: Path) -> None:
    """Make one charge, in one of three ways, and note what is released."""
    key = f"charge-{number}"
    if number % 4 in (0, 1):
        note(released, key, budget.charge(step_of(number), key=key).mask)
    else:
        receipt = budget.reserve(step_of(number), key=key)
        if receipt.state == "reserved" and number % 8 in (2, 3):
            budget.abort(key)
            return
        budget.commit(key)
        note(released, key, receipt.mask)


def note(released: Path, key: str, mask: Any) -> None:
    line = json.dumps([key, mask.tolist()]) + "\n"
    file = os.open(released, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, line.encode())  # at once: what a killed process wrote is there
    os.close(file)


def check(url: str, place: Path, released: Path) -> set[str]:
    """Check everything that must hold after a crash; return which charges were made."""
    with Ledger(url) as ledger, ledger.individual_budget("people", path=place) as budget:
        store = budget._balances
        states = {entry.key: entry.state for entry in budget.history() if entry.is_charge}
        paid = np.zeros(PEOPLE)
        for head in store.charges:
            assert head.key in states
            number = int(head.key.partition("-")[2])
            costs = np.round(np.broadcast_to(np.asarray(step_of(number), dtype=np.float64), PEOPLE) * 1e15)
            paid += costs * store.mask(head) * (states[head.key] != "aborted")
        assert store.filter.balances.tolist() == paid.tolist()  # nobody was charged twice, nor not at all
        assert paid.max() <= BUDGET
        told = [json.loads(line) for line in released.read_text().splitlines()] if released.exists() else []
        for key, mask in told:
            assert states[key] == "committed"
            assert store.mask(store.by_key[key]).tolist() == mask
        for key in [each for each, state in states.items() if state != "aborted"][-1:]:
            again = budget.reserve(step_of(int(key.partition("-")[2])), key=key)
            assert again.mask.tolist() == store.mask(store.by_key[key]).tolist()
        assert store.filter.balances.tolist() == paid.tolist()
        assert ledger.verify().ok
        return set(states)


@pytest.fixture
def made(url: str, tmp_path: Path) -> tuple[str, Path]:
    with Ledger(url) as ledger:
        ledger.create_individual_budget("people", people=PEOPLE, budget=1, path=tmp_path / "people").let_go()
    return url, tmp_path / "people"


FOLDER = f"ledger{os.sep}individual{os.sep}"


@pytest.mark.parametrize("kind", [0, 1, 2, 3, 6, 7])
def test_killed_at_any_line_of_a_charge(kind: int, made: tuple[str, Path], tmp_path: Path) -> None:
    url, place = made
    released = tmp_path / "released"
    dice, line, number = random.Random(kind), 1, kind
    for _ in range(MOST_KILLS):
        if not killed_at(line, lambda: opened(url, place), lambda budget, n=number: charge(budget, n, released), FOLDER):
            break
        line += dice.randint(1, 60)
        if f"charge-{number}" in check(url, place, released):
            number += 8  # the next one of its kind
    else:
        pytest.fail("it never came to its end")
    assert len(check(url, place, released)) > 1


@pytest.mark.parametrize("kind", [0, 1, 2, 3])
def test_killed_at_any_line_of_the_recovery(kind: int, made: tuple[str, Path], tmp_path: Path) -> None:
    """A charge that is in the balances and not in the log, or given back in the log only, is made up for once."""
    url, place = made
    released = tmp_path / "released"
    budget = opened(url, place)
    if kind < 2:
        payload = {"actor": "", "purpose": "", "metadata": {}}
        step = budget._balances.read(step_of(kind), f"charge-{kind}")
        budget._balances.charge(step, f"charge-{kind}", {**payload, "increment": step.text}, None)
    else:
        budget.reserve(step_of(kind), key=f"charge-{kind}")
        budget._book.settle(budget._place, f"charge-{kind}", "aborted")
    budget.let_go()
    budget.ledger.close()
    line = 1
    for _ in range(MOST_KILLS):
        if not killed_at(line, lambda: None, lambda _: opened(url, place), FOLDER):
            break
        line += 1 + line // 4
    else:
        pytest.fail("it never came to its end")
    assert check(url, place, released) == {f"charge-{kind}"}


def opened(url: str, place: Path) -> Any:
    return Ledger(url).individual_budget("people", path=place)


def test_killed_at_any_time(made: tuple[str, Path], tmp_path: Path) -> None:
    url, place = made
    released = tmp_path / "released"
    dice = random.Random(14)
    for _ in range(8):
        known = size(released)
        child = os.fork()
        if child == 0:
            try:
                with Ledger(url) as ledger, ledger.individual_budget("people", path=place) as budget:
                    first = len(budget._balances.charges)
                    for number in range(first, first + 1000):
                        charge(budget, number, released)
            finally:
                os._exit(0)
        patience = time.monotonic() + 30
        while size(released) == known and time.monotonic() < patience:
            time.sleep(0.01)
        time.sleep(dice.uniform(0.0, 0.2))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        check(url, place, released)
    assert len(check(url, place, released)) >= 8


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
