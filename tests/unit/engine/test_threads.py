"""One composition asked by many threads: what each remembers is shared, and no answer depends on it."""

import pickle
import sys
from collections.abc import Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.engine import direction
from tightbudget.numerics.byte_cache import ByteCache


@pytest.fixture
def frequent_switches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = sys.getswitchinterval()
    monkeypatch.setattr(direction, "_KEPT", 1)  # so that what is remembered is forgotten at once
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.slow
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


class Forgetful(ByteCache[Any]):
    """What another thread leaves of a memory that is full: nothing of what was just put there."""

    def put(self, key: Hashable, value: object) -> None:
        pass


def test_an_answer_that_is_forgotten_at_once():
    composition = tb.RandomizedResponse(0.6) * 9
    expected = composition.epsilon(1e-3)
    forgetting = tb.RandomizedResponse(0.6) * 9
    for one in forgetting._directions:
        one._profiles = Forgetful(2**20)
    assert forgetting.epsilon(1e-3) == expected


def test_what_is_remembered_is_bounded_by_its_bytes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(direction, "_KEPT_BYTES", 20_000)
    composition = tb.Poisson(tb.Gaussian(4.0), 0.01) * 65536
    for delta in np.geomspace(1e-3, 1e-30, 12):
        composition.epsilon(float(delta))
    held = [one._profiles for one in composition._directions]
    assert all(0 < cache.nbytes <= 20_000 for cache in held)


@pytest.mark.parametrize("rtol", [1e-3, 1e-6])
def test_profiles_know_their_bytes(rtol: float):
    """Nearly all that pickling one takes."""
    composition = tb.Poisson(tb.Gaussian(1.0), 1e-2) * 10
    composition.epsilon(1e-6, rtol=rtol)
    made = [entry.value.profile for one in composition._directions for entry in one._profiles._entries.values()]
    assert made
    for profile in made:
        assert 0.4 * len(pickle.dumps(profile)) <= profile.nbytes <= len(pickle.dumps(profile))
