"""Results are remembered by the values of the arguments, and the arguments themselves are not held."""

import gc
import sys
import threading
import weakref
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from tightbudget.numerics.remembered import remembered


@dataclass(frozen=True)
class Thing:
    """A frozen object that leaves behind what it has computed when it is copied, as mechanisms do."""

    number: int

    def __getstate__(self) -> dict[str, int]:
        return {"number": self.number}


def test_a_result_is_computed_once_for_equal_arguments() -> None:
    asked = []

    @remembered(10)
    def twice(thing: Thing, more: int = 0) -> int:
        asked.append((thing, more))
        return 2 * thing.number + more

    assert [twice(Thing(1)), twice(Thing(1)), twice(Thing(1), 5), twice(Thing(2))] == [2, 2, 7, 4]
    assert asked == [(Thing(1), 0), (Thing(1), 5), (Thing(2), 0)]


def test_arguments_by_name_are_not_mixed_up() -> None:
    @remembered(10)
    def plus(thing: Thing, more: int = 0) -> int:
        return thing.number + more

    assert [plus(Thing(1)), plus(Thing(1), more=1), plus(Thing(1), more=2), plus(Thing(1))] == [1, 2, 3, 1]
    assert [plus(Thing(5), more=1), plus(Thing(5))] == [6, 5]


@pytest.mark.slow
def test_what_an_argument_has_computed_is_not_held() -> None:
    class Large:
        pass

    @remembered(10)
    def number(thing: Thing) -> int:
        return thing.number

    thing = Thing(1)
    kept = Large()
    thing.__dict__["kept"] = kept
    held, whole = weakref.ref(kept), weakref.ref(thing)
    assert number(thing) == 1
    del kept, thing
    gc.collect()
    assert held() is None
    assert whole() is None
    assert number(Thing(1)) == 1


def test_the_newest_results_are_kept() -> None:
    asked = []

    @remembered(3)
    def same(thing: Thing) -> Thing:
        asked.append(thing.number)
        return thing

    for number in (1, 2, 3, 4, 4, 3, 2, 1):
        same(Thing(number))
    assert asked == [1, 2, 3, 4, 1]


def test_what_cannot_be_copied_is_computed_again() -> None:
    asked = []

    @remembered(3)
    def find(lock: Hashable) -> int:
        asked.append(lock)
        return len(asked)

    lock = threading.Lock()
    assert (find(lock), find(lock)) == (1, 2)


def test_an_error_is_not_remembered_and_stands_alone() -> None:
    @remembered(3)
    def fail(thing: Thing) -> int:
        raise ValueError(thing)

    for _ in range(2):
        with pytest.raises(ValueError, match="Thing") as problem:
            fail(Thing(1))
        assert problem.value.__context__ is None


def test_threads_may_share_it() -> None:
    double = remembered(5)(lambda thing: 2 * thing.number)

    def work(seed: int) -> bool:
        return all(double(Thing((seed + k) % 17)) == 2 * ((seed + k) % 17) for k in range(2000))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, range(8)))
    finally:
        sys.setswitchinterval(interval)
