"""Forks of the process: none falls into the middle of what another thread does with a file.

A child has all memory of its parent, but only the thread that forked. What SQLite knows of locks lies in that memory,
for all connections to a file. A child that was forked while another thread wrote would take the file for locked for as
long as it lives, and have the turn of all writers meanwhile. So a fork waits until nobody is at it, and others wait for
the fork; who is at it for longer than that is not waited for.
"""

import os
import threading
from types import TracebackType

LONGEST = 1.0
"""Seconds that a fork waits; a decision takes milliseconds."""


class Undivided:
    """A context that no fork of this process divides. Threads may be in it at once, and a thread twice."""

    _inside: int
    _waiting: int

    def __init__(self) -> None:
        self._begin_anew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._wait, after_in_parent=lambda: self._lock.release(), after_in_child=self._begin_anew
            )

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        with self._lock:
            self._inside = max(0, self._inside - 1)  # a child that was forked in here began with 0, and leaves once more
            if self._waiting and self._inside == 0:
                self._changed.notify_all()

    def _wait(self) -> None:
        self._lock.acquire()  # and keep it: nobody comes in before the fork is done
        self._waiting += 1
        try:
            self._changed.wait_for(lambda: self._inside == 0, LONGEST)
        finally:
            self._waiting -= 1

    def _begin_anew(self) -> None:
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._inside = self._waiting = 0


UNDIVIDED = Undivided()
"""For all files of the process: what SQLite keeps in memory is for all of them, too."""
