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
    url = checked_url(address)
    if url.get_backend_name() == "sqlite":
        from tightbudget.ledger.storage.sqlite import SQLite

        return SQLite(url, patience)
    from tightbudget.ledger.storage.postgresql import PostgreSQL

    return PostgreSQL(url, patience)


def checked_url(address: object, name: str = "url") -> URL:
    """Return the address in its parts; refuse what can be none, with the one that may be meant, under its name."""
    if isinstance(address, os.PathLike) or (isinstance(address, str) and address and "://" not in address):
        _refuse_lost_slashes(address, name)
        return URL.create("sqlite", database=str(Path(address)))
    try:
        url = make_url(address) if isinstance(address, str) else None
    except (ArgumentError, ValueError):
        url = None
    backend = None if url is None else url.get_backend_name()
    if url is None or backend not in ("sqlite", "postgresql", "postgres"):
        raise InvalidParameter(name, address if url is None else url.render_as_string(), _ALLOWED)
    if backend == "sqlite":
        _refuse_other_numbers_of_slashes(url, name)
    if backend == "sqlite" and (not url.database or url.database == ":memory:" or url.database.startswith("file:")):
        hint = "A ledger in memory would forget what was spent; tb.filters keeps a budget in one process."
        raise InvalidParameter(name, url.render_as_string(), "the address of a file", hint)
    if backend == "sqlite" and url.query:  # mode=ro, say, which would be written to all the same
        raise InvalidParameter(name, url.render_as_string(), "the address of a file without options")
    return url.set(drivername="postgresql") if backend == "postgres" else url


def _refuse_lost_slashes(address: str | os.PathLike[str], name: str) -> None:
    kind, colon, rest = os.fspath(address).partition(":")
    if not isinstance(address, str) or not colon or kind not in ("sqlite", "postgresql", "postgres"):
        return
    meant = f"sqlite:///{rest or 'budget.db'}" if kind == "sqlite" else f"{kind}://user@host/database"
    shown = address if kind == "sqlite" else f"{kind}:..."  # there may be a password in it
    raise InvalidParameter(name, shown, _ALLOWED, f"Write {meant}.")


def _refuse_other_numbers_of_slashes(url: URL, name: str) -> None:
    """Refuse the two that are often mistyped: two slashes, behind which a host is named, and three for four."""
    if url.host:
        meant = "/".join(filter(None, (url.host, url.database)))
        hint = f"A file is named behind three slashes, sqlite:///{meant}, an absolute one behind four."
        raise InvalidParameter(name, url.render_as_string(), "the address of a file", hint)
    path = url.database or ""
    if path and not Path(path).parent.is_dir() and not path.startswith("/") and Path(f"/{path}").parent.is_dir():
        hint = f"There is no folder {str(Path(path).parent)!r} here; an absolute file has four slashes, sqlite:////{path}."
        raise InvalidParameter(name, url.render_as_string(), "the address of a file in a folder that exists", hint)
