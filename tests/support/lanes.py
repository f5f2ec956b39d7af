"""What the fast lane leaves out: most cases of the tests that have many."""

from collections.abc import Iterable
from typing import Any

import pytest


def mostly_slow(cases: Iterable[Any], every: int, first: int = 0) -> list[Any]:
    """Return the cases for `parametrize`, all marked slow but each `every`-th, beginning with number `first`.

    The fast lane (`make test-fast`) runs an even sample of them, always the same; `make test` runs them all. A tuple
    has the arguments of one case; cases of one argument that is a tuple itself are given as tuples of that.
    """
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=[] if i % every == first else pytest.mark.slow)
        for i, case in enumerate(cases)
    ]
