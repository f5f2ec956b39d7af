"""Make the tables of a ledger, or bring those of an older version up to date."""

from sqlalchemy import Connection, inspect, text

from tightbudget.errors import LedgerCorrupt, LedgerUnavailable, NoLedger
from tightbudget.ledger.storage.database import Database
from tightbudget.ledger.storage.guards import check_guards, create_guards
from tightbudget.ledger.storage.look import LAYOUT, foreign, of_others

NEWEST = "0001"
"""The layout that this version of the package reads and writes; a test sees that it is the last migration."""

_LOCK = 0x7467_6274  # any number that nobody else takes an advisory lock on


def layout_of(connection: Connection) -> str | None:
    """Return the layout of the tables, None if there are none; refuse a newer one, and somebody else's tables."""
    there = set(inspect(connection).get_table_names())
    if LAYOUT not in there:
        if there & {"budgets", "entries"}:
            raise LedgerUnavailable(
                "This database has tables of others by the names of ours.", "Give the ledger one of its own."
            )
        return None
    found = connection.execute(text(f"SELECT version_num FROM {LAYOUT}")).scalars().all()
    if of_others(there, found):
        raise foreign("This database")
    if found and max(found) > NEWEST:
        raise LedgerUnavailable(
            f"This ledger has layout {max(found)}, and this version of tightbudget knows {NEWEST}.", "Upgrade tightbudget."
        )
    if not found or "entries" not in there:
        raise LedgerCorrupt("This database was a ledger, and its tables are gone.", "Restore it from a backup.")
    return str(max(found))


def prepare(database: Database, *, create: bool, restore_guards: bool = False, check: bool = True) -> None:
    """Bring the tables up to date and see that the log is protected."""
    with database.reading() as connection:
        layout = layout_of(connection)
        if layout == NEWEST and not restore_guards:
            if check:
                check_guards(connection)
            return
    if not create and layout is None:
        raise NoLedger("There is no ledger at this address.", "tightbudget ledger init makes one.")
    if not create and layout != NEWEST:
        raise LedgerUnavailable(
            f"This ledger has layout {layout}, which is older than {NEWEST}, that of this version of tightbudget.",
            "Back it up; tightbudget ledger init then brings it up to date, and nothing in it is lost.",
        )
    with database.writing_connection() as connection:
        _wait_for_others(connection)
        if layout_of(connection) != NEWEST:  # another may have done it meanwhile
            upgrade(connection)
            restore_guards = True
        if restore_guards:
            create_guards(connection)
        if check:
            check_guards(connection)


def upgrade(connection: Connection, to: str = "head") -> None:
    """Run the migrations that are missing, inside the transaction of the connection."""
    from alembic import command
    from alembic.config import Config

    settings = Config()
    settings.set_main_option("script_location", "tightbudget.ledger:migrations")
    settings.attributes["connection"] = connection
    command.upgrade(settings, to)


def _wait_for_others(connection: Connection) -> None:
    """Let one process at a time make tables; on SQLite the transaction itself sees to that."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
