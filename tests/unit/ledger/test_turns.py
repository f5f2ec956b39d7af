"""Writers of a file take turns: each gets some, none waits for ever, and what lies in the files is but a hint."""

import fcntl
import math
import os
import random
import sqlite3
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.processes import in_a_child

from tightbudget.ledger.storage import turns
from tightbudget.ledger.storage.turns import Turn


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


def write_for(file: Path, seconds: float, work: Callable[[], None]) -> list[float]:
    """Take turns without a pause; return how long each was waited for."""
    turn, waits = Turn(file), []
    end = time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        turn.take(60.0)
        waits.append(time.monotonic() - now)
        work()
        turn.pass_on()
    turn.close()
    return waits


def after(seconds: float, holder: Turn) -> threading.Timer:
    """Return a timer that passes a turn on."""
    return threading.Timer(seconds, holder.pass_on)


def seconds_until_taken(turn: Turn, patience: float, passing: threading.Timer) -> float:
    """Return how long it takes to get the turn that somebody else passes on."""
    passing.start()
    started = time.monotonic()
    turn.take(patience)
    found = time.monotonic() - started
    turn.pass_on()
    return found


def test_one_has_the_turn_at_a_time(file: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.0002)
        inside.pop()

    threads = [threading.Thread(target=write_for, args=(file, 0.5, work)) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert set(most) == {1}


def test_busy_writers_all_get_on_in_spells(file: Path) -> None:
    order: list[int] = []
    found: dict[int, list[float]] = {}

    def client(number: int) -> None:
        def work() -> None:
            order.append(number)
            time.sleep(0.0002)

        found[number] = write_for(file, 1.5, work)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    begun = [number for place, number in enumerate(order) if place == 0 or order[place - 1] != number]
    spells = [begun.count(number) for number in range(6)]
    assert min(spells) >= 3, spells
    assert max(spells) <= 4 * min(spells), spells
    assert len(order) > 2 * len(begun)  # several at a time
    assert max(max(waits) for waits in found.values()) < 1.0


def test_who_comes_anew_meets_a_single_charge_and_waits_no_longer(file: Path) -> None:
    holder, other = Turn(file), Turn(file)
    holder.take(1.0)
    assert seconds_until_taken(other, 1.0, after(0.0005, holder)) < 0.1


def test_patience_ends(file: Path) -> None:
    holder, other, third = Turn(file), Turn(file), Turn(file)
    holder.take(1.0)

    def waits() -> None:
        with pytest.raises(sqlite3.OperationalError):
            other.take(0.5)

    waiting = threading.Thread(target=waits)
    waiting.start()
    started = time.monotonic()
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        third.take(0.2)
    assert 0.2 <= time.monotonic() - started < 0.5
    waiting.join()
    holder.pass_on()
    third.take(0.2)


def test_the_dead_have_no_turn(file: Path) -> None:
    def dies() -> None:
        first, second = Turn(file), Turn(file)
        first.take(1.0)
        threading.Thread(target=second.take, args=(5.0,), daemon=True).start()
        time.sleep(0.05)
        os._exit(0)  # has the turn, and is next

    with pytest.raises(EOFError):  # it has no answer
        in_a_child(dies)
    Turn(file).take(0.2)


def test_who_is_next_and_never_comes_stops_nobody_for_long(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_STUCK", 0.05)
    holder, other = Turn(file), Turn(file)
    stopped = os.open(f"{file}-next", os.O_RDWR)
    fcntl.flock(stopped, fcntl.LOCK_EX)
    holder.take(1.0)
    assert seconds_until_taken(other, 5.0, after(0.02, holder)) < 1.0
    os.close(stopped)


@pytest.mark.parametrize(
    "content",
    [b"", b"x", b"\xff" * 8, struct.pack("<d", math.inf), struct.pack("<d", 1e300), struct.pack("<d", -1.0), b"\x8e" * 64],
)
def test_the_file_may_say_anything(file: Path, content: bytes) -> None:
    Path(f"{file}-turn").write_bytes(content)
    holder, other = Turn(file), Turn(file)
    holder.take(1.0)
    Path(f"{file}-turn").write_bytes(content)
    assert seconds_until_taken(other, 1.0, after(random.uniform(0.0, 0.02), holder)) < 1.0
    holder.take(1.0)
    with pytest.raises(sqlite3.OperationalError):  # whatever the file says, the turn is one writer's
        other.take(0.01)


def test_a_place_that_cannot_be_written_to_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "budget.db-next").mkdir()
    with pytest.raises(IsADirectoryError):
        Turn(tmp_path / "budget.db")
