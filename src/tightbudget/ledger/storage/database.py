"""A database that a ledger lies in: one decision is one transaction, tried again when what stopped it may pass."""

import os
import random
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from tightbudget.errors import LedgerBusy, LedgerError
from tightbudget.ledger.storage.prepared import Prepared

Result = TypeVar("Result")

PATIENCE = 30.0
"""Seconds for which a transaction waits for others, and is tried again, before it is given up."""

_SHORTEST, _LONGEST = 0.002, 0.25  # seconds between two tries


class Transaction:
    """A cursor inside a transaction."""

    __slots__ = ("cursor",)

    def __init__(self, cursor: Any) -> None:
        self.cursor = cursor

    def run(self, statement: Prepared, **values: Any) -> Any:
        return statement.run(self.cursor, values)

    def one(self, statement: Prepared, **values: Any) -> Any:
        """Return the first row, or None."""
        return statement.run(self.cursor, values).fetchone()

    def all(self, statement: Prepared, **values: Any) -> list[Any]:
        return list(statement.run(self.cursor, values).fetchall())


class Database(ABC):
    """SQLite or PostgreSQL. Threads may share one; a forked child makes connections of its own."""

    engine: Engine
    problems: tuple[type[Exception], ...]
    """What the driver raises."""
    path: Path | None = None
    """The file that it is, if it is one."""
    swaps = False
    """Whether one statement can move a row, if it is still as it was read, and append to the log: see `at_once`."""

    def __init__(self, engine: Engine, patience: float = PATIENCE) -> None:
        self.engine = engine
        self.patience = patience
        _EVERY.add(self)

    @abstractmethod
    def _once(self, work: Callable[[Transaction], Result]) -> Result:
        """Do the work in one transaction, which is rolled back if anything is raised."""

    @abstractmethod
    def _once_reading(self, work: Callable[[Transaction], Result]) -> Result:
        """Do the work, which only reads, on one moment of the ledger; nobody waits for it."""

    def at_once(self, work: Callable[[Transaction], Result | None]) -> Result | None:
        """Do work whose every statement stands alone; None if it fails, for whatever may pass."""
        raise NotImplementedError

    @abstractmethod
    def _may_pass(self, problem: Exception) -> bool:
        """Return whether the same work may succeed if it is tried again."""

    @abstractmethod
    def _explained(self, problem: Exception) -> LedgerError:
        """Return what is wrong in our words."""

    @abstractmethod
    def writing_connection(self) -> Any:
        """Return a context manager with a Connection inside a transaction that may write; for what is done seldom."""

    def wait_until_there(self) -> None:
        """Wait for a server that starts, or recovers; whether it is there, whoever asks it something will see."""
        return

    def exists(self) -> bool:
        """Return whether there is a ledger to connect to, as far as a look tells; refuse another program's file."""
        return True

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that reads one moment of the ledger."""
        try:
            with self.engine.connect() as connection, connection.begin():
                yield connection
        except DBAPIError as problem:
            raise self.explained(problem) from problem

    def explained(self, problem: DBAPIError) -> Exception:
        """Return what is wrong in our words, if it is the database that failed."""
        return self._explained(problem.orig) if isinstance(problem.orig, self.problems) else problem

    def transact(self, work: Callable[[Transaction], Result]) -> Result:
        """Do the work in one transaction, and again if it may pass then.

        After a lost connection nobody knows whether the transaction was committed, so the work must be such that doing
        it twice is doing it once: charges are found by their key.
        """
        return self._patiently(self._once, work)

    def look(self, work: Callable[[Transaction], Result]) -> Result:
        """Do work that only reads, and again if it may pass then."""
        return self._patiently(self._once_reading, work)

    def _patiently(
        self, once: Callable[[Callable[[Transaction], Result]], Result], work: Callable[[Transaction], Result]
    ) -> Result:
        until = time.monotonic() + self.patience
        pause = _SHORTEST
        while True:
            try:
                return once(work)
            except self.problems as problem:
                if not self._may_pass(problem):
                    raise self._explained(problem) from problem
                if time.monotonic() > until:
                    raise LedgerBusy(self.patience, str(problem).strip().partition("\n")[0]) from problem
            time.sleep(random.uniform(0.5, 1.0) * pause)
            pause = min(2.0 * pause, _LONGEST)

    def dispose(self) -> None:
        """Close all connections that are not in use."""
        self.engine.dispose()

    def forget_connections(self) -> None:
        """Leave all connections to the parent, in a child that was just forked."""
        self.engine.dispose(close=False)


_EVERY: "weakref.WeakSet[Database]" = weakref.WeakSet()


def _forget_connections() -> None:
    for database in list(_EVERY):
        database.forget_connections()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_connections)
