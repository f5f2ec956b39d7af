"""One service for all tests of a module that need no settings of their own: its processes take a second to start."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.service import Served, served


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("service")
    with served(folder) as running:
        yield running
