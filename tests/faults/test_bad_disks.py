"""Disks that are full or can only be read, files that others hold: a clear error, and nothing is spent."""

import os
import resource
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.processes import in_a_child

import tightbudget as tb
from tightbudget.ledger import Ledger

STEP = "pure_dp(epsilon=0.0001)"


def made(file: Path) -> Ledger:
    ledger = Ledger(file, patience=0.5)
    ledger.create_budget("census", epsilon=1, delta=0, filter="basic").charge(STEP, key="first")
    return ledger


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a file system in memory, of a size of its own."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("needs the right to mount")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def until_refused(ledger: Ledger) -> int:
    """Charge until the disk says no; return how many receipts were handed out."""
    budget = ledger.budget("census")
    for place in range(5000):
        try:
            budget.charge(STEP, key=f"{place}", metadata={"x": "y" * 2000})
        except tb.LedgerUnavailable:
            return place
    raise AssertionError("the disk was never full")


def test_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", "600k") as folder, made(folder / "budget.db") as ledger:
        charged = until_refused(ledger)
        with pytest.raises(tb.LedgerUnavailable, match=r"full.*Nothing was spent"):
            ledger.budget("census").charge(STEP, key="more", metadata={"x": "y" * 4000})
        assert ledger.budget("census").status().charges == charged + 1
        assert ledger.verify().ok
        subprocess.run(["mount", "-o", "remount,size=4m", str(folder)], check=True)
        assert ledger.budget("census").charge(STEP, key=f"{charged}").state == "committed"  # room was made
        assert ledger.budget("census").status().charges == charged + 2
        assert ledger.verify().ok


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    ledger = made(tmp_path / "budget.db")

    def within(limit: int) -> int:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        charged = until_refused(ledger)
        assert ledger.verify().ok
        return charged

    import signal

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        charged = in_a_child(lambda: within(400_000))
    finally:
        signal.signal(signal.SIGXFSZ, before)
    assert isinstance(charged, int), charged
    assert ledger.budget("census").status().charges == charged + 1
    assert ledger.verify().ok
    ledger.close()


def test_a_disk_that_can_only_be_read(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", "4m") as folder:
        made(folder / "budget.db").close()
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        with pytest.raises(tb.LedgerUnavailable):
            Ledger(folder / "budget.db", patience=0.5).budget("census").charge(STEP, key="second")
        subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True)
        with Ledger(folder / "budget.db") as ledger:
            assert ledger.budget("census").status().charges == 1
            assert ledger.verify().ok


def test_a_file_that_another_program_holds(tmp_path: Path) -> None:
    ledger = made(tmp_path / "budget.db")
    holder = sqlite3.connect(tmp_path / "budget.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises((tb.LedgerBusy, tb.LedgerUnavailable), match="locked"):
        ledger.budget("census").charge(STEP, key="second")
    holder.execute("ROLLBACK")
    holder.close()
    assert ledger.budget("census").status().charges == 1
    assert ledger.budget("census").charge(STEP, key="second").state == "committed"
    ledger.close()


def test_a_turn_that_another_program_never_passes_on(tmp_path: Path) -> None:
    import fcntl

    ledger = made(tmp_path / "budget.db")
    turn = os.open(tmp_path / "budget.db-turn", os.O_RDWR)
    fcntl.flock(turn, fcntl.LOCK_EX)
    with pytest.raises((tb.LedgerBusy, tb.LedgerUnavailable), match="locked"):
        ledger.budget("census").charge(STEP, key="second")
    os.close(turn)
    assert ledger.budget("census").charge(STEP, key="second").state == "committed"
    ledger.close()


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100, None])
def test_a_file_that_is_none_of_ours(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "budget.db"
    if content is None:
        made(file).close()
        torn = bytearray(file.read_bytes())
        torn[100:2000] = bytes(1900)
        file.write_bytes(torn)
    else:
        file.write_bytes(content)
    if content == b"":
        Ledger(file).close()  # an empty file is an empty database
        return
    with pytest.raises(tb.LedgerError, match=r"no ledger|damaged|malformed"):
        Ledger(file)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    for file in (tmp_path / "nowhere" / "budget.db", tmp_path):
        with pytest.raises(tb.LedgerUnavailable, match="Name a file"):
            Ledger(file)
