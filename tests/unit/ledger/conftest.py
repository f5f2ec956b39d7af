"""A ledger in a file, with a clock that tests move."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tightbudget.ledger import Ledger


class Clock:
    """Seconds since 1970, as far as it was moved."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def __call__(self) -> float:
        return self.seconds

    def move(self, seconds: float) -> None:
        self.seconds += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    with Ledger(f"sqlite:///{tmp_path}/budget.db", clock=clock) as made:
        yield made
