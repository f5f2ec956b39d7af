"""Turns for the writers of a file: none of many busy ones waits for seconds, and few of them get in each other's way.

SQLite lets writers wait with ever longer pauses, and whoever just wrote is the first to write again: of sixteen busy
ones some wait for seconds. If on the other hand each writes once in its turn, every one of them finds its caches cold,
and the file is idle while the next one wakes up. So a writer that has work is left alone for a spell of some
milliseconds; then it stands aside for the one that is next in line, once that one says that it is ready.

There are two locks beside the file: one says whose turn it is, the other who is next. Both are the system's, so they
fall when their owner dies. In the one file lies when the spell began, in the other when the next one was ready.
SQLite's own lock comes after them: they keep order, and nothing else depends on them.
"""

import errno
import fcntl
import os
import random
import sqlite3
import struct
import time
from contextlib import suppress
from pathlib import Path

SPELL = 0.015
"""Seconds for which others leave a writer alone: some thirty charges on a fast disk. A change costs little then."""

_LOOK = 0.0001  # seconds between two looks at the turn of whoever is next and ready
_FIRST, _LONGEST, _SHORTEST = 0.02, 0.05, 0.012  # seconds to the first look of others at the place of the next one, and on
_LONG = 0.15  # seconds after which these pauses are the shortest, so that who waited longest comes first
_STUCK = 0.5  # seconds after which others look at the turn itself, too: the next one may have been stopped

_MOMENT = struct.Struct("<d")


class Turn:
    """The turn of one connection, which no other thread uses meanwhile."""

    def __init__(self, database: Path) -> None:
        self._turn = _Lock(database.with_name(f"{database.name}-turn"))
        try:
            self._next = _Lock(database.with_name(f"{database.name}-next"))
        except OSError:
            self._turn.close()
            raise
        self._spell = self._last = -1.0
        """When this spell began, and when the turn was passed on last."""

    def take(self, patience: float) -> None:
        """Wait for the turn; raise what SQLite does after so many seconds."""
        now = time.monotonic()
        spell = 0.0 <= now - self._spell < SPELL
        aside = not spell and 0.0 <= self._spell < self._next.told() <= now  # somebody stands ready since
        if aside or not self._turn.taken():
            now = self._wait(now, patience)
        # a spell that is over goes on until somebody comes, who need not wait then
        if aside or (not spell and self._turn.told() != self._spell):
            self._spell = now
            self._turn.tell(now)

    def pass_on(self) -> None:
        self._turn.let_go()
        self._last = time.monotonic()

    def close(self) -> None:
        self._turn.close()
        self._next.close()

    def _wait(self, began: float, patience: float) -> float:
        """Stand in line: first for the place of the next one, there for the end of the other's spell."""
        is_next = ready = False
        now = began
        late = began - self._last < 2 * SPELL  # it has just had its turn: others come first
        looks = 0 if late else 8  # it may have met a single charge, which is soon over, and no spell
        longest = _FIRST
        try:
            while True:
                is_next = is_next or (not late and self._next.taken())
                if (is_next or now - began > _STUCK) and self._turn.taken():
                    return now
                if now - began >= patience:
                    raise sqlite3.OperationalError("database is locked")
                late, pause = False, _LOOK
                if not is_next:
                    pause = random.uniform(0.5, 1.5) * max(_SHORTEST, longest * (1.0 - (now - began) / _LONG))
                    longest = _LONGEST  # there are several: each look of theirs holds the writer up
                elif looks > 0:
                    looks -= 1
                elif (left := self._end(now) - now) > 0.0:
                    ready, pause = False, left
                elif not ready:
                    self._next.tell(now)
                    ready = True
                time.sleep(min(pause, patience))
                now = time.monotonic()
        finally:
            if is_next:
                self._next.let_go()

    def _end(self, now: float) -> float:
        """Return when the spell of whoever has the turn ends."""
        began = self._turn.told()
        return began + SPELL if now - SPELL < began <= now else now


class _Lock:
    """A lock on a file, for which nobody waits, and a moment in it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)

    def taken(self) -> bool:
        """Take it, if it is free, and return whether it is ours."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            if problem.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR):
                raise
            return False
        return True

    def let_go(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)  # also for a child that was forked meanwhile and has the same lock

    def tell(self, moment: float) -> None:
        """Write the moment down, unless the disk is full: it is a hint, and SQLite will say what is wrong."""
        with suppress(OSError):
            os.pwrite(self._file, _MOMENT.pack(moment), 0)

    def told(self) -> float:
        """Return the moment that the file tells. It is a hint, and may be anything."""
        content = os.pread(self._file, _MOMENT.size, 0)
        return float(_MOMENT.unpack(content)[0]) if len(content) == _MOMENT.size else 0.0

    def close(self) -> None:
        os.close(self._file)
