"""The database of the service, opened: SQLite files are made where they are missing, for their owner's eyes only."""

from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from tightbudget.errors import InvalidParameter


def engine_of(url: str) -> Engine:
    """Return an engine for a URL such as sqlite:///budget.db or postgresql://user@host/db, or the name of a file."""
    try:
        parsed = make_url(url) if "://" in url else URL.create("sqlite", database=url)  # no sign in a name is special
        if parsed.get_backend_name() == "sqlite":
            return _sqlite_engine(parsed)
        if parsed.get_backend_name() not in ("postgresql", "postgres"):
            raise ArgumentError
        return create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError):
        allowed = "a URL such as sqlite:///budget.db or postgresql://user@host/db"
        raise InvalidParameter("database", make_safe(url), allowed) from None


def make_safe(url: str) -> str:
    """Return the URL without its password, to be shown."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return "what was given"


def _sqlite_engine(url: URL) -> Engine:
    if url.database and url.database != ":memory:":
        path = Path(url.database)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    engine = create_engine(url, connect_args={"timeout": 30})

    @event.listens_for(engine, "connect")
    def _(connection: Any, _record: Any) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")

    return engine
