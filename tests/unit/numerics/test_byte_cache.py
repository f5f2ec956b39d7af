"""A cache that holds so many bytes and no more, forgets what was used least recently, and may be shared."""

import copy
import multiprocessing
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from tightbudget.numerics.byte_cache import ByteCache

Array = NDArray[np.uint8]


def of(size: int) -> Array:
    return np.zeros(size, np.uint8)


def test_what_was_used_least_recently_is_forgotten_first() -> None:
    cache = ByteCache[Array](100)
    for name in "abc":
        cache.put(name, of(30))
    assert cache.get("a") is not None  # now b is the one used least recently
    cache.put("d", of(30))
    assert [name for name in "abcd" if cache.get(name) is not None] == ["a", "c", "d"]
    assert (cache.nbytes, len(cache)) == (90, 3)


def test_it_never_holds_more_bytes_than_it_may() -> None:
    cache = ByteCache[Array](1000)
    for key, size in enumerate(np.random.default_rng(1).integers(0, 700, 500).tolist()):
        cache.put(key, of(size))
        assert cache.get(key) is not None
        assert cache.nbytes <= 1000


def test_older_values_go_before_younger_ones_however_small_they_are() -> None:
    cache = ByteCache[Array](100)
    for name, size in (("small", 1), ("large", 60), ("new", 60)):
        cache.put(name, of(size))
    assert [name for name in ("small", "large", "new") if cache.get(name) is not None] == ["new"]


def test_a_value_too_large_drives_nothing_out() -> None:
    cache = ByteCache[Array](100)
    cache.put("fits", of(100))
    cache.put("too large", of(101))
    assert cache.get("fits") is not None
    assert cache.get("too large") is None


def test_values_of_no_bytes_are_bounded_by_their_number() -> None:
    cache = ByteCache[Array](100, most_values=5)
    for key in range(20):
        cache.put(key, of(0))
    assert len(cache) == 5
    assert cache.get(19) is not None


def test_of_many_values_several_are_forgotten_at_once_those_used_least_recently() -> None:
    cache = ByteCache[Array](1000, most_values=64)
    for key in range(64):
        cache.put(key, of(1))
    assert cache.get(0) is not None
    cache.put("new", of(1))
    assert len(cache) == 56
    assert [key for key in range(64) if cache.get(key) is not None] == [0, *range(10, 64)]
    assert cache.get("new") is not None


def test_a_function_is_asked_once_for_the_same_arguments() -> None:
    asked = []
    cache = ByteCache[Array](100)

    @cache.remember
    def make(size: int, times: int = 1) -> Array:
        asked.append((size, times))
        return of(size * times)

    @cache.remember
    def other(size: int) -> Array:
        return of(2 * size)

    assert make(10) is make(10)
    assert make(10, times=2) is make(10, times=2)
    assert asked == [(10, 1), (10, 2)]
    assert other(10).nbytes == 20  # the same arguments of another function
    assert cache.nbytes == 50
    cache.clear()
    make(10)
    assert len(asked) == 3


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda cache: pickle.loads(pickle.dumps(cache))])
def test_copies_are_empty_and_as_large(copied) -> None:
    cache = ByteCache[Array](100, most_values=7)
    cache.put("a", of(60))
    twin = copied(cache)
    assert len(twin) == 0
    assert (twin.most_bytes, twin.most_values) == (100, 7)
    twin.put("b", of(60))
    assert cache.get("b") is None


def test_threads_may_share_it() -> None:
    cache = ByteCache[Array](1000)
    make = cache.remember(of)

    def work(seed: int) -> bool:
        sizes = np.random.default_rng(seed).integers(1, 200, 3000).tolist()
        return all(make(size).nbytes == size for size in sizes)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert cache.nbytes <= 1000
    assert cache.nbytes == sum(cache.get(key).nbytes for key in list(cache._entries))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no processes are forked here")
def test_a_forked_process_has_what_was_there() -> None:
    cache = ByteCache[Array](100)
    cache.put("a", of(60))
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()

    def look() -> None:
        known = cache.get("a") is not None
        cache.put("b", of(60))
        there.send((known, len(cache)))

    child = context.Process(target=look)
    child.start()
    assert here.recv() == (True, 1)
    child.join()
    assert cache.get("a") is not None
