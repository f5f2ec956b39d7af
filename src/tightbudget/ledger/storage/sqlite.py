"""A ledger in a file. Every commit is on disk before it is reported (WAL, synchronous=FULL).

Whoever writes says so at once (BEGIN IMMEDIATE): a transaction that reads first and then wants to write fails when
another has written meanwhile. Writers take turns before that (`turns.py`).
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from tightbudget.errors import LedgerCorrupt, LedgerError, LedgerUnavailable
from tightbudget.ledger.storage.database import PATIENCE, Database, Result, Transaction
from tightbudget.ledger.storage.forks import UNDIVIDED
from tightbudget.ledger.storage.look import holds_tables
from tightbudget.ledger.storage.turns import Turn

_KEPT = 16  # connections


class SQLite(Database):
    problems = (sqlite3.Error,)

    path: Path

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
        event.listen(engine, "begin", _sqlite_begin)
        self._idle: list[_Own] = []
        self._parents: list[_Own] = []
        super().__init__(engine, patience)

    def exists(self) -> bool:
        return holds_tables(self.path)

    def _connected(self, driver: Any, record: Any) -> None:
        cursor = driver.cursor()
        for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "recursive_triggers=ON"):
            cursor.execute(f"PRAGMA {setting}")
        cursor.close()

    def _own(self) -> "_Own":
        """Return a connection that nobody else uses. The engine's pool costs more than a decision does."""
        try:
            return self._idle.pop()
        except IndexError:
            pass
        with UNDIVIDED:
            pooled = self.engine.raw_connection()
            pooled.detach()
        assert pooled.dbapi_connection is not None
        return _Own(pooled.dbapi_connection, self.path)

    def _give_back(self, own: "_Own") -> None:
        if len(self._idle) < _KEPT and own.rolled_back():
            self._idle.append(own)
        else:
            own.close()

    def _once(self, work: Callable[[Transaction], Result]) -> Result:
        own = self._own()
        try:
            turn = own.turn()
            try:
                turn.take(self.patience)
                with UNDIVIDED:
                    own.cursor.execute("BEGIN IMMEDIATE")
                    try:
                        result = work(Transaction(own.cursor))
                        own.cursor.execute("COMMIT")
                    except BaseException:
                        own.rolled_back()
                        raise
            finally:
                turn.pass_on()  # also if taking it was interrupted: others would wait until this process ends
        finally:
            self._give_back(own)
        return result

    def _once_reading(self, work: Callable[[Transaction], Result]) -> Result:
        own = self._own()
        try:
            with UNDIVIDED:
                own.cursor.execute("BEGIN")
                try:
                    return work(Transaction(own.cursor))
                finally:
                    own.rolled_back()
        finally:
            self._give_back(own)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with UNDIVIDED, super().reading() as connection:
            yield connection

    @contextmanager
    def writing_connection(self) -> Iterator[Connection]:
        own = self._own()
        try:
            turn = own.turn()
            try:
                turn.take(self.patience)
                with UNDIVIDED, self.engine.connect().execution_options(write=True) as connection, connection.begin():
                    yield connection
            finally:
                turn.pass_on()
        except sqlite3.Error as problem:
            raise self._explained(problem) from problem
        except DBAPIError as problem:
            raise self.explained(problem) from problem
        finally:
            self._give_back(own)

    def dispose(self) -> None:
        while self._idle:
            self._idle.pop().close()
        super().dispose()

    def forget_connections(self) -> None:
        self._parents += self._idle  # closing them here would be closing files of the parent
        self._idle = []
        super().forget_connections()

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
        if "malformed" in text:
            return LedgerCorrupt(f"{self.path} is damaged ({text}).", "Restore it from a backup.")
        if "not a database" in text:
            return LedgerUnavailable(f"{self.path} is no ledger, or is damaged ({text}).", "Restore it from a backup.")
        if "unable to open" in text:
            return LedgerUnavailable(f"{self.path} cannot be opened.", "Look at its folder and its rights.")
        if "locked" in text:
            return LedgerUnavailable(f"{self.path} is locked by another program.", "Nothing was spent. Try again later.")
        return LedgerUnavailable(f"{self.path} failed: {text}.", "Nothing was spent.")


class _Own:
    """A connection of the driver, with its cursor and its turn."""

    __slots__ = ("_path", "_turn", "cursor", "driver")

    def __init__(self, driver: Any, path: Path) -> None:
        self.driver = driver
        self.cursor = driver.cursor()
        self._path = path
        self._turn: Turn | None = None

    def turn(self) -> Turn:
        if self._turn is None:
            try:
                self._turn = Turn(self._path)
            except OSError as problem:
                raise sqlite3.OperationalError(f"attempt to write a readonly database ({problem.strerror})") from None
        return self._turn

    def rolled_back(self) -> bool:
        """End what was begun, and return whether the connection can be used again."""
        try:
            if self.driver.in_transaction:
                self.driver.rollback()
        except sqlite3.Error:
            return False
        return True

    def close(self) -> None:
        if self._turn is not None:
            self._turn.close()
        self.driver.close()


def _sqlite_begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("write") else "BEGIN")
