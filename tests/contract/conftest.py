"""One suite for every database that a ledger can lie in: a file, and a real PostgreSQL server."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.postgresql import new_database

from tightbudget.ledger import Ledger


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/budget.db"
        return
    with new_database(f"test_{uuid.uuid4().hex}") as address:
        yield address


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    with Ledger(url) as made:
        yield made
