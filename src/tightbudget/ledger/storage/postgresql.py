"""A ledger on a PostgreSQL server, for many machines. READ COMMITTED, and whoever decides locks the budget's row.

Stricter isolation makes most attempts fail when many charge one budget; the lock makes them wait, each in its turn.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import URL, Connection, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from tightbudget.errors import LedgerCorrupt, LedgerError, LedgerUnavailable, MissingExtra
from tightbudget.ledger.storage.database import PATIENCE, Database, Result, Transaction

try:
    import psycopg
    from psycopg.conninfo import make_conninfo
except ImportError:
    raise MissingExtra("postgres", "psycopg[binary]") from None

STARTING = 5.0
"""Seconds for which whoever opens a ledger, or lists its budgets, waits for a silent server, which may be starting."""

_PASSING = (
    psycopg.errors.SerializationFailure,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.LockNotAvailable,
    psycopg.errors.IdleInTransactionSessionTimeout,
)


class PostgreSQL(Database):
    problems = (psycopg.Error,)
    swaps = True

    def __init__(self, url: URL, patience: float = PATIENCE) -> None:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            connect_args={"connect_timeout": max(2, round(patience)), "options": _postgresql_options(url, patience)},
            poolclass=QueuePool,
            pool_size=16,
            max_overflow=-1,
            pool_reset_on_return=None,
        )
        port = f":{url.port}" if url.port else ""
        self._where = f"{url.host or 'the local socket'}{port}/{url.database or ''}"
        super().__init__(engine, patience)

    def _once(self, work: Callable[[Transaction], Result]) -> Result:
        connection = self._connection()
        try:
            driver = connection.driver_connection
            try:
                # what is not waited for is sent with what is: BEGIN with the first read, all writes with COMMIT
                with driver.pipeline(), driver.cursor() as cursor:
                    result = work(Transaction(cursor))
                    driver.commit()
            except BaseException as problem:
                if driver.closed or isinstance(problem, psycopg.OperationalError):
                    connection.invalidate()
                else:
                    driver.rollback()
                raise
            return result
        finally:
            connection.close()

    def at_once(self, work: Callable[[Transaction], Result | None]) -> Result | None:
        try:
            connection = self._connection()
        except psycopg.Error:
            return None
        try:
            driver = connection.driver_connection
            driver.autocommit = True
            try:
                with driver.cursor() as cursor:
                    return work(Transaction(cursor))
            finally:
                if not driver.closed:
                    driver.autocommit = False
        except psycopg.Error as problem:
            if not self._may_pass(problem):
                raise self._explained(problem) from problem
            if isinstance(problem, psycopg.OperationalError):
                connection.invalidate()
            return None
        finally:
            connection.close()

    def _once_reading(self, work: Callable[[Transaction], Result]) -> Result:
        return self._once(work)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        # several statements are to see the same moment
        settings = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        try:
            with self._alive().execution_options(**settings) as connection, connection.begin():
                yield connection
        except DBAPIError as problem:
            raise self.explained(problem) from problem

    def wait_until_there(self) -> None:
        begun = heard = time.monotonic()
        while True:
            try:
                self._connection().close()
            except psycopg.Error as problem:
                if not self._may_pass(problem):
                    return
                now = time.monotonic()
                if self._server_says_wait():
                    heard = now
                if now - heard > STARTING or now - begun > self.patience:
                    return
            else:
                return
            time.sleep(random.uniform(0.05, 0.15))

    def _server_says_wait(self) -> bool:
        """Whether the server is there and takes no connections yet: it starts, or recovers from a crash.

        The error of a connection that failed has no code for that, and its words are in the server's language.
        """
        _, settings = self.engine.dialect.create_connect_args(self.engine.url)
        settings.pop("context", None)  # SQLAlchemy's, and no part of the address
        address = make_conninfo(**{**settings, "connect_timeout": 2}).encode()
        return psycopg.pq.PGconn.ping(address) == psycopg.pq.Ping.REJECT

    def _connection(self) -> Any:
        try:
            return self.engine.raw_connection()
        except DBAPIError as problem:
            raise problem.orig or problem from None

    def _alive(self) -> Connection:
        """Return a connection that answers: those that were kept do not after a restart, which is waited for."""
        try:
            return self._answering()
        except DBAPIError as problem:
            if not (problem.connection_invalidated or (problem.orig and self._may_pass(problem.orig))):
                raise
            self.wait_until_there()
            return self._answering()

    def _answering(self) -> Connection:
        connection = self.engine.connect()
        try:
            connection.exec_driver_sql("SELECT 1")
            connection.rollback()
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def writing_connection(self) -> Iterator[Connection]:
        try:
            with self._alive() as connection, connection.begin():
                yield connection
        except DBAPIError as problem:
            raise self.explained(problem) from problem

    def _may_pass(self, problem: Exception) -> bool:
        if isinstance(problem, _PASSING):
            return True
        if isinstance(problem, psycopg.errors.UniqueViolation):
            # another client used the same key in between: the next try finds its entry
            return problem.diag.constraint_name == "one_charge_per_key"
        # a lost connection: the server restarts, or this connection was ended; a database that is not there stays away
        return isinstance(problem, psycopg.OperationalError) and not (problem.sqlstate or "08").startswith(("28", "3D", "53"))

    def _explained(self, problem: Exception) -> LedgerError:
        text = str(problem).strip().partition("\n")[0]
        if isinstance(problem, psycopg.IntegrityError):
            return LedgerCorrupt(
                f"{self._where} refused an entry ({text}).", "Nothing was spent. Run tightbudget ledger verify."
            )
        if isinstance(problem, psycopg.errors.DiskFull):
            return LedgerUnavailable(f"The disk of {self._where} is full.", "Nothing was spent. Make room and try again.")
        if isinstance(problem, psycopg.errors.ReadOnlySqlTransaction):
            return LedgerUnavailable(f"{self._where} can only be read.", "Nothing was spent. Take the address of the primary.")
        text = text.removeprefix("connection failed: ")  # which the server's own words repeat
        return LedgerUnavailable(f"{self._where} failed: {text}.", "Nothing was spent that the log does not show.")


def _postgresql_options(url: URL, patience: float) -> str:
    """Return settings of each session: wait so long for a lock, and let go of one whose client hangs."""
    waits = round(1000 * patience)
    ours = f"-c lock_timeout={waits} -c idle_in_transaction_session_timeout={4 * waits} -c synchronous_commit=on"
    given = url.query.get("options", "")
    return f"{given if isinstance(given, str) else ' '.join(given)} {ours}".strip()
