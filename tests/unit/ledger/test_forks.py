"""A fork waits for what other threads do with a file, and no longer than that."""

import os
import threading
import time

import pytest

from tightbudget.ledger.storage import forks
from tightbudget.ledger.storage.forks import UNDIVIDED


def test_a_fork_goes_on_when_the_last_one_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forks, "LONGEST", 20.0)
    inside, done = threading.Event(), []

    def work() -> None:
        with UNDIVIDED:
            inside.set()
            time.sleep(0.05)
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait()
    began = time.monotonic()
    UNDIVIDED._wait()  # what a fork does first
    try:
        assert done == [True]
        assert time.monotonic() - began < 10.0
    finally:
        UNDIVIDED._lock.release()
    thread.join()


def test_a_fork_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forks, "LONGEST", 0.05)
    with UNDIVIDED:
        thread = threading.Thread(target=lambda: (UNDIVIDED._wait(), UNDIVIDED._lock.release()))
        thread.start()
        thread.join(10.0)
        assert not thread.is_alive()


def test_a_child_that_was_forked_inside_counts_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """It leaves what it never entered; one too few would let its own forks divide what other threads do."""
    monkeypatch.setattr(forks, "LONGEST", 0.05)
    with UNDIVIDED:
        child = os.fork()
    if child == 0:
        os._exit(UNDIVIDED._inside != 0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert UNDIVIDED._inside == 0
