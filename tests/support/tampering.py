"""The tables of a ledger in the hands of somebody who owns the database: read, changed at will, and written back."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Connection, create_engine, delete, insert, inspect, make_url, select, text

import tightbudget as tb
from tightbudget.ledger import Ledger
from tightbudget.ledger.storage.schema import budgets, entries, reservations, tallies

TABLES = {table.name: table for table in (budgets, entries, reservations, tallies)}
Rows = dict[str, list[dict[str, Any]]]


class Owner:
    """Whoever may do anything with the database of a ledger."""

    def __init__(self, url: str) -> None:
        address = make_url(url)
        self._engine = create_engine(address.set(drivername="postgresql+psycopg") if "postgres" in url else address)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        with self._engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SET LOCAL session_replication_role = replica"))  # no foreign keys
            yield connection

    def run(self, statement: str) -> None:
        """Run a statement as anybody may who can write to the database."""
        with self._engine.begin() as connection:
            connection.exec_driver_sql(statement)

    def drop_guards(self) -> None:
        with self.connection() as connection:
            for name, table in guards(connection):
                rest = f" ON {table}" if connection.dialect.name == "postgresql" else ""
                connection.exec_driver_sql(f"DROP TRIGGER {name}{rest}")
            for index in inspect(connection).get_indexes("entries"):
                connection.exec_driver_sql(f"DROP INDEX {index['name']}")

    def read(self) -> Rows:
        with self.connection() as connection:
            return {
                name: [dict(row) for row in connection.execute(select(table).order_by(*table.primary_key.columns)).mappings()]
                for name, table in TABLES.items()
            }

    def write(self, rows: Rows) -> None:
        with self.connection() as connection:
            for table in reversed(TABLES.values()):
                connection.execute(delete(table))
            for name, table in TABLES.items():
                if rows[name]:
                    connection.execute(insert(table), rows[name])

    def close(self) -> None:
        self._engine.dispose()


def guards(connection: Connection) -> list[tuple[str, str]]:
    """Return the triggers that are there, with their tables."""
    if connection.dialect.name == "sqlite":
        query = "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'"
    else:
        query = (
            "SELECT t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
            "WHERE NOT t.tgisinternal AND pg_table_is_visible(c.oid)"
        )
    return [(str(name), str(table)) for name, table in connection.execute(text(query))]


def found_in(ledger: Ledger, **options: Any) -> list[str]:
    """Return what `verify` finds, besides that there are no guards."""
    return [str(problem) for problem in ledger.verify(**options).problems if "not protected" not in problem.what]


def eventful(ledger: Ledger) -> None:
    """Do everything that can be done to budgets."""
    whole = ledger.create_budget("census", epsilon=1, delta=1e-6, filter="basic", odometers=["basic"])
    part = whole.split("region", epsilon="0.5", delta=1e-6)
    left = ledger.create_budget("left", epsilon=1, delta=1e-6, filter="residual")
    step = "pure_dp(epsilon=0.01)"
    for place, budget in enumerate((whole, part, left, part)):
        budget.charge(step, key=f"charged {place}", actor="ana", metadata={"rows": place})
        budget.reserve(step, key=f"held {place}")
        budget.reserve("pure_dp(epsilon=0.02)", key=f"aborted {place}")
        budget.abort(f"aborted {place}", reason="no rows")
        budget.reserve(step, key=f"committed {place}")
        budget.commit(f"committed {place}")
    part.refund("committed 1", reason="never sent")
    for attempt in (lambda: part.charge("pure_dp(epsilon=3)"), lambda: part.charge("nonsense")):
        with suppress(tb.TightBudgetError):
            attempt()
    part.lower(epsilon="0.4")
    part.charge(step, key="after")
    whole.extend("census again", epsilon=1, delta=1e-6).close("not needed")
