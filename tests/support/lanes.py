"""What the fast lane leaves out: most cases of the tests that have many."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest

Case = TypeVar("Case")


def mostly_slow(cases: Iterable[Any], every: int, first: int = 0) -> list[Any]:
    """Return the cases for `parametrize`, all marked slow but each `every`-th, beginning with number `first`.

    The fast lane (`make test-fast`) runs an even sample of them, always the same; `make test` runs them all. A tuple
    has the arguments of one case; cases of one argument that is a tuple itself are given as tuples of that.
    """
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=[] if i % every == first else pytest.mark.slow)
        for i, case in enumerate(cases)
    ]


def evenly_spread(cases: Sequence[Case], most: int) -> Sequence[Case]:
    """Return `most` of the cases, evenly spread and always the same; all if there are no more.

    >>> evenly_spread("abcdefgh", 3)
    ['a', 'c', 'f']
    """
    return [cases[i * len(cases) // most] for i in range(most)] if len(cases) > most else cases


def few_cases(metafunc: pytest.Metafunc, most: int) -> list[Any]:
    """Return the few cases of a test that `-m "not slow"` would leave, evenly spread.

    Where all are slow one stays, and is left out with its test.
    """
    cases: list[Any] = metafunc._calls
    slow_as_a_whole = metafunc.definition.get_closest_marker("slow") is not None
    fast = [] if slow_as_a_whole else [case for case in cases if all(mark.name != "slow" for mark in case.marks)]
    return list(evenly_spread(fast, most)) or cases[:1]
