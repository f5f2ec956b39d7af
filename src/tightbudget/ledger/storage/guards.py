"""Triggers that refuse to change or remove what was logged. They stop accidents; who owns the database can drop them.

What triggers cannot stop, `verify` finds, and what both cannot see, a checkpoint kept elsewhere shows. On SQLite the
third trigger is there for INSERT OR REPLACE, which removes a row without asking the second one.
"""

from sqlalchemy import Connection, text

from tightbudget.errors import LedgerCorrupt

_REFUSED = "entries of a ledger are never changed or removed"

SQLITE = {
    "entries_never_change": f"BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END",
    "entries_never_go": f"BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END",
    "entries_follow_each_other": (
        "BEFORE INSERT ON entries WHEN NEW.seq IS NOT 1 + coalesce((SELECT max(seq) FROM entries WHERE budget = NEW.budget), 0)"
        " BEGIN SELECT RAISE(ABORT, 'the next entry of a budget has the next number'); END"
    ),
    "budgets_never_go": "BEFORE DELETE ON budgets BEGIN SELECT RAISE(ABORT, 'budgets are closed, never removed'); END",
}

_POSTGRESQL_BODY = f" BEGIN RAISE EXCEPTION '{_REFUSED}' USING ERRCODE = 'restrict_violation'; END "
_POSTGRESQL_FUNCTION = f"CREATE OR REPLACE FUNCTION ledger_keeps() RETURNS trigger LANGUAGE plpgsql AS $${_POSTGRESQL_BODY}$$"

POSTGRESQL = {
    "entries_never_change": "BEFORE UPDATE OR DELETE ON entries FOR EACH ROW EXECUTE FUNCTION ledger_keeps()",
    "entries_never_go": "BEFORE TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION ledger_keeps()",
    "budgets_never_go": "BEFORE DELETE ON budgets FOR EACH ROW EXECUTE FUNCTION ledger_keeps()",
    "budgets_never_go_at_once": "BEFORE TRUNCATE ON budgets FOR EACH STATEMENT EXECUTE FUNCTION ledger_keeps()",
}

_ROW, _BEFORE, _DELETE, _UPDATE, _TRUNCATE = 1, 2, 8, 16, 32  # bits of pg_trigger.tgtype
_POSTGRESQL_TYPES = {
    "entries_never_change": _BEFORE | _ROW | _UPDATE | _DELETE,
    "entries_never_go": _BEFORE | _TRUNCATE,
    "budgets_never_go": _BEFORE | _ROW | _DELETE,
    "budgets_never_go_at_once": _BEFORE | _TRUNCATE,
}


def create_guards(connection: Connection) -> None:
    """Put up the triggers, anew where they are there. Migrations that rebuild a table on SQLite lose them."""
    if connection.dialect.name == "sqlite":
        for name, rest in SQLITE.items():
            connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name}")
            connection.exec_driver_sql(f"CREATE TRIGGER {name} {rest}")
        return
    connection.exec_driver_sql(_POSTGRESQL_FUNCTION)
    for name, rest in POSTGRESQL.items():
        table = _table_of(name)
        connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name} ON {table}")
        connection.exec_driver_sql(f"CREATE TRIGGER {name} {rest}")
        # also for replication, which sessions can pretend to be
        connection.exec_driver_sql(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}")


def missing_guards(connection: Connection) -> list[str]:
    """Return the triggers that are not there, or not as they should be."""
    if connection.dialect.name == "sqlite":
        found = {
            name: sql for name, sql in connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
        }
        return [name for name, rest in SQLITE.items() if found.get(name) != f"CREATE TRIGGER {name} {rest}"]
    # by their type, whether they always fire, and the text of their function; none with a condition or for some columns
    query = text(
        "SELECT t.tgname, c.relname, t.tgtype FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid "
        "JOIN pg_class c ON c.oid = t.tgrelid WHERE pg_table_is_visible(c.oid) AND t.tgenabled = 'A' "
        "AND t.tgqual IS NULL AND t.tgattr = '' AND p.prosrc = :body"
    )
    there = {(name, table, kind) for name, table, kind in connection.execute(query, {"body": _POSTGRESQL_BODY})}
    return [name for name, kind in _POSTGRESQL_TYPES.items() if (name, _table_of(name), kind) not in there]


def _table_of(name: str) -> str:
    return name.partition("_")[0]


def names_of_guards(missing: list[str]) -> str:
    """Return triggers as the beginning of a sentence."""
    return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'}"


def check_guards(connection: Connection) -> None:
    """Refuse a ledger whose log could be changed by accident."""
    if missing := missing_guards(connection):
        raise LedgerCorrupt(
            f"The log of this ledger is not protected: {names_of_guards(missing)} missing or changed.",
            "Run tightbudget ledger verify; if it is sound, tightbudget ledger init --restore-guards puts them up again.",
        )
