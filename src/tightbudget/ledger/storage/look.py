"""A look into a file before it is connected to: a connection of ours changes how a SQLite file keeps its journal."""

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from tightbudget.errors import LedgerUnavailable
from tightbudget.ledger.storage.forks import UNDIVIDED
from tightbudget.ledger.storage.schema import metadata

LAYOUT = "alembic_version"
_TABLES = r"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'"


def holds_tables(path: Path) -> bool:
    """Return whether there is a file with tables, which is left as it is; refuse the database of another program.

    Where it cannot be looked into, as while another locks it, whoever connects will see what it is.
    """
    if not path.exists():
        return False
    try:
        tables, versions = _tables_and_versions(path)
    except sqlite3.Error:
        return True
    if tables and (LAYOUT not in tables or of_others(tables, versions)):
        raise foreign(path)
    return bool(tables)


def of_others(tables: set[str], versions: Iterable[str]) -> bool:
    """Return whether a database with migrations is another's: others use Alembic too, and name layouts otherwise."""
    without_ours = bool(tables - {LAYOUT}) and not tables & metadata.tables.keys()
    return without_ours or not all(re.fullmatch(r"\d{4}", each) for each in versions)


def foreign(where: object) -> LedgerUnavailable:
    return LedgerUnavailable(f"{where} has tables of others, and is no ledger.", "Give the ledger a database of its own.")


def _tables_and_versions(path: Path) -> tuple[set[str], list[str]]:
    # without a journal beside it the file is all there is; else SQLite must read that too, for which it makes files
    alone = not any(path.with_name(path.name + end).exists() for end in ("-wal", "-journal"))
    address = f"{path.as_uri()}?{'immutable=1' if alone else 'mode=ro'}"
    with UNDIVIDED, closing(sqlite3.connect(address, uri=True, timeout=0.0)) as connection:
        tables = {name for (name,) in connection.execute(_TABLES)}
        if LAYOUT not in tables:
            return tables, []
        return tables, [str(version) for (version,) in connection.execute(f"SELECT version_num FROM {LAYOUT}")]
