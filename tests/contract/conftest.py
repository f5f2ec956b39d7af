"""One suite for every database that a ledger can lie in: a file, and a real PostgreSQL server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL
from tests.support.postgresql import new_database, new_schema, stop_servers

from tightbudget.ledger import Ledger


@pytest.fixture(scope="session")
def _database() -> Iterator[URL]:
    with new_database() as made:
        yield made
    stop_servers()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/budget.db"
        return
    with new_schema(request.getfixturevalue("_database")) as address:
        yield address


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    with Ledger(url) as made:
        yield made
