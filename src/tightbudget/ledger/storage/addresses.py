"""Addresses of ledgers: sqlite:///file.db, postgresql://user@host/database, or the name of a file."""

import os
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from tightbudget.errors import InvalidParameter
from tightbudget.ledger.storage.database import PATIENCE, Database

_ALLOWED = "an address such as sqlite:///budget.db or postgresql://user@host/database, or the name of a file"


def database_at(address: str | os.PathLike[str], patience: float = PATIENCE) -> Database:
    """Return the database of an address; nothing is read yet."""
    url = _ledger_url(address)
    if url.get_backend_name() == "sqlite":
        from tightbudget.ledger.storage.sqlite import SQLite

        return SQLite(url, patience)
    from tightbudget.ledger.storage.postgresql import PostgreSQL

    return PostgreSQL(url, patience)


def _ledger_url(address: object) -> URL:
    if isinstance(address, os.PathLike) or (isinstance(address, str) and address and "://" not in address):
        return URL.create("sqlite", database=str(Path(address)))
    try:
        url = make_url(address) if isinstance(address, str) else None
    except (ArgumentError, ValueError):
        url = None
    backend = None if url is None else url.get_backend_name()
    if url is None or backend not in ("sqlite", "postgresql", "postgres"):
        raise InvalidParameter("url", address if url is None else url.render_as_string(), _ALLOWED)
    if backend == "sqlite" and (not url.database or url.database == ":memory:" or url.database.startswith("file:")):
        hint = "A ledger in memory would forget what was spent; tb.filters keeps a budget in one process."
        raise InvalidParameter("url", url.render_as_string(), "the address of a file", hint)
    if backend == "sqlite" and url.query:  # mode=ro, say, which would be written to all the same
        raise InvalidParameter("url", url.render_as_string(), "the address of a file without options")
    return url.set(drivername="postgresql") if backend == "postgres" else url
