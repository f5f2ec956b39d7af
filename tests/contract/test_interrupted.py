"""Whoever is interrupted in the middle, by Ctrl-C or a full disk, leaves nothing behind that others stumble over."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tightbudget.ledger import Ledger
from tightbudget.ledger.budget import Budget
from tightbudget.ledger.rules import Rules
from tightbudget.ledger.storage import turns

STEP = "pure_dp(epsilon=0.1)"


def interrupted(*_: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.parametrize("what", ["charge", "abort", "refund"])
def test_an_interrupted_decision_is_not_remembered(ledger: Ledger, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
    budget.charge(STEP, key="paid")
    budget.reserve(STEP, key="held")
    ask = {
        "charge": lambda: budget.reserve(STEP),
        "abort": lambda: budget.abort("held"),
        "refund": lambda: budget.refund("paid", "nothing came out"),
    }[what]
    with monkeypatch.context() as patched:
        patched.setattr(Rules, "_written", interrupted)  # the sums are moved, and not yet written down
        with pytest.raises(KeyboardInterrupt):
            ask()
    budget.reserve(STEP, key="next")
    assert budget.remaining(STEP) == 7
    assert ledger.verify().ok


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Budget, Budget]]:
    """One budget of a file, and the same in another ledger that wrote last: the first has to begin its turn."""
    monkeypatch.setattr(turns, "SPELL", 0.0)
    with Ledger(tmp_path / "budget.db") as ledger, Ledger(tmp_path / "budget.db", patience=0.5) as other:
        budget = ledger.create_budget("census", epsilon=1, delta=0, filter="basic")
        other.budget("census").charge(STEP)
        yield budget, other.budget("census")


def test_an_interrupted_turn_is_passed_on(two: tuple[Budget, Budget], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(turns._Lock, "tell", interrupted)
        with pytest.raises(KeyboardInterrupt):
            two[0].charge(STEP)
    assert two[1].charge(STEP).state == "committed"


def test_a_full_disk_is_told_by_the_database_and_not_by_its_turns(
    two: tuple[Budget, Budget], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(turns.os, "pwrite", full)
    assert two[0].charge(STEP).state == "committed"  # there was room for that
    assert two[1].charge(STEP).state == "committed"
