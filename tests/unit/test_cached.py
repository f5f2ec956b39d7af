"""Properties that are kept: computed once, by threads that do not wait for each other."""

import copy
import pickle
import threading

import pytest

from tightbudget.cached import cached_property


class Counted:
    def __init__(self) -> None:
        self.computed = 0

    @cached_property
    def value(self) -> int:
        """What is computed."""
        self.computed += 1
        return 40 + self.computed


def test_it_is_computed_once_and_kept() -> None:
    counted = Counted()
    assert (counted.value, counted.value, counted.computed) == (41, 41, 1)
    assert vars(counted)["value"] == 41
    del counted.value  # computed anew, as functools has it
    assert counted.value == 42


def test_the_class_has_the_property_and_its_words() -> None:
    assert isinstance(Counted.value, cached_property)
    assert Counted.value.__doc__ == "What is computed."


def test_copies_and_pickles_have_what_was_computed() -> None:
    counted = Counted()
    assert counted.value == 41
    for other in (copy.copy(counted), pickle.loads(pickle.dumps(counted))):
        assert (other.value, other.computed) == (41, 1)


def test_nothing_is_kept_of_what_failed() -> None:
    class Failing:
        tried = 0

        @cached_property
        def value(self) -> int:
            self.tried += 1
            if self.tried == 1:
                raise ValueError("not yet")
            return 7

    failing = Failing()
    with pytest.raises(ValueError, match="not yet"):
        _ = failing.value
    assert failing.value == 7


def test_threads_with_different_objects_do_not_wait_for_each_other() -> None:
    both_compute = threading.Barrier(2, timeout=10)

    class Meeting:
        @cached_property
        def value(self) -> bool:
            both_compute.wait()  # raises if the other one is kept out
            return True

    met: list[bool] = []
    threads = [threading.Thread(target=lambda: met.append(Meeting().value)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert met == [True, True]
