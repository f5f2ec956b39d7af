"""One composition asked by many threads: what each remembers is shared, and no answer depends on it."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.engine import direction


@pytest.fixture
def frequent_switches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = sys.getswitchinterval()
    monkeypatch.setattr(direction, "_KEPT", 1)  # so that what is remembered is forgotten at once
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("frequent_switches")
def test_many_threads_ask_one_composition():
    def composition() -> tb.Composition:
        return tb.RandomizedResponse(0.6) * 9

    deltas = np.geomspace(1e-1, 1e-12, 60).tolist()
    alone = [composition().epsilon(delta) for delta in deltas]
    shared = composition()
    with ThreadPoolExecutor(16) as pool:
        together = list(pool.map(shared.epsilon, deltas * 8))
    assert together == alone * 8


class Forgetful(dict):  # type: ignore[type-arg]
    """What another thread leaves of a memory that is full: nothing of what was just put there."""

    def __setitem__(self, key: object, value: object) -> None:
        pass


def test_an_answer_that_is_forgotten_at_once():
    composition = tb.RandomizedResponse(0.6) * 9
    expected = composition.epsilon(1e-3)
    forgetting = tb.RandomizedResponse(0.6) * 9
    for one in forgetting._directions:
        one._profiles = Forgetful()
    assert forgetting.epsilon(1e-3) == expected


class Late(dict):  # type: ignore[type-arg]
    """What another thread puts there just after one has looked: it is there at the second look."""

    def get(self, key: object, default: object = None) -> object:
        return default

    def __contains__(self, key: object) -> bool:
        return True


def test_a_profile_that_appears_while_it_is_looked_for():
    """It was taken for one that cannot be made."""
    expected = (tb.RandomizedResponse(0.6) * 9).epsilon(1e-3)
    late = tb.RandomizedResponse(0.6) * 9
    for one in late._directions:
        one._profiles = Late()
    assert late.epsilon(1e-3) == expected
