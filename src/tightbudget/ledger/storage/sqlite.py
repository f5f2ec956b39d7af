"""A ledger in a file. Every commit is on disk before it is reported (WAL, synchronous=FULL).

Whoever writes says so at once (BEGIN IMMEDIATE): a transaction that reads first and then wants to write fails when
another has written meanwhile. SQLite lets writers wait with ever longer pauses, so that of many busy ones some wait for
seconds. A lock on a file beside it, for which all wait alike, gives each its turn.
"""

import errno
import fcntl
import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from tightbudget.errors import LedgerCorrupt, LedgerError, LedgerUnavailable
from tightbudget.ledger.storage.database import PATIENCE, Database, Result, Transaction

_POLL = 0.001  # seconds between two looks at the lock; a charge takes about a third of it


class Turn:
    """The lock that writers take before SQLite's own, through a file of its own per connection."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)

    def take(self, patience: float) -> None:
        until = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as problem:
                if problem.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR):
                    raise
            else:
                return
            if time.monotonic() > until:
                raise sqlite3.OperationalError("database is locked")
            time.sleep(random.uniform(0.5, 1.5) * _POLL)

    def pass_on(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)  # also for a child that was forked meanwhile and has the same lock

    def close(self) -> None:
        os.close(self._file)


class SQLite(Database):
    problems = (sqlite3.Error,)

    def __init__(self, url: URL, patience: float = PATIENCE) -> None:
        self.path = Path(url.database or "").absolute()
        if self.path.is_dir() or not self.path.parent.is_dir():
            raise LedgerUnavailable(
                f"{self.path} cannot be a ledger: it is a folder, or lies in none that exists.", "Name a file."
            )
        options: dict[str, Any] = {"isolation_level": None, "timeout": patience, "check_same_thread": False}
        url = url.set(database=str(self.path))  # wherever the process goes from here
        engine = create_engine(
            url, connect_args=options, poolclass=QueuePool, pool_size=16, max_overflow=-1, pool_reset_on_return=None
        )
        event.listen(engine, "connect", self._connected)
        event.listen(engine, "close", _closed)
        event.listen(engine, "begin", _begin)
        super().__init__(engine, patience)

    def exists(self) -> bool:
        return self.path.exists()

    def _connected(self, driver: Any, record: Any) -> None:
        cursor = driver.cursor()
        for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "recursive_triggers=ON"):
            cursor.execute(f"PRAGMA {setting}")
        cursor.close()

    def _turn(self, connection: Any) -> Turn:
        turn: Turn | None = connection.info.get("turn")
        if turn is None:
            try:
                turn = connection.info["turn"] = Turn(self.path.with_name(self.path.name + "-turn"))
            except OSError as problem:
                raise sqlite3.OperationalError(f"attempt to write a readonly database ({problem.strerror})") from None
        return turn

    def _once(self, work: Callable[[Transaction], Result]) -> Result:
        connection = self.engine.raw_connection()
        try:
            turn = self._turn(connection)
            turn.take(self.patience)
            try:
                cursor = connection.cursor()
                cursor.execute("BEGIN IMMEDIATE")
                try:
                    result = work(Transaction(cursor))
                    cursor.execute("COMMIT")
                except BaseException:
                    connection.rollback()
                    raise
                return result
            finally:
                turn.pass_on()
        finally:
            connection.close()

    def _once_reading(self, work: Callable[[Transaction], Result]) -> Result:
        connection = self.engine.raw_connection()
        try:
            cursor = connection.cursor()
            cursor.execute("BEGIN")
            try:
                return work(Transaction(cursor))
            finally:
                connection.rollback()
        finally:
            connection.close()

    @contextmanager
    def writing_connection(self) -> Iterator[Connection]:
        try:
            with self.engine.connect().execution_options(write=True) as connection:
                turn = self._turn(connection.connection)
                turn.take(self.patience)
                try:
                    with connection.begin():
                        yield connection
                finally:
                    turn.pass_on()
        except sqlite3.Error as problem:
            raise self._explained(problem) from problem
        except DBAPIError as problem:
            raise self.explained(problem) from problem

    def _may_pass(self, problem: Exception) -> bool:
        text = str(problem)
        return "database is locked" in text or "busy" in text

    def _explained(self, problem: Exception) -> LedgerError:
        text = str(problem)
        if isinstance(problem, sqlite3.IntegrityError):
            return LedgerCorrupt(f"{self.path} refused an entry ({text}).", "Nothing was spent. Run tightbudget ledger verify.")
        if "readonly" in text or "read-only" in text:
            return LedgerUnavailable(f"{self.path} cannot be written to ({text}).", "Nothing was spent.")
        if "full" in text:
            return LedgerUnavailable(f"The disk of {self.path} is full.", "Nothing was spent. Make room and try again.")
        if "not a database" in text or "malformed" in text:
            return LedgerUnavailable(f"{self.path} is no ledger, or is damaged ({text}).", "Restore it from a backup.")
        if "unable to open" in text:
            return LedgerUnavailable(f"{self.path} cannot be opened.", "Look at its folder and its rights.")
        if "locked" in text:
            return LedgerUnavailable(f"{self.path} is locked by another program.", "Nothing was spent. Try again later.")
        return LedgerUnavailable(f"{self.path} failed: {text}.", "Nothing was spent.")


def _closed(driver: Any, record: Any) -> None:
    turn = record.info.pop("turn", None)
    if turn is not None:
        turn.close()


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("write") else "BEGIN")
