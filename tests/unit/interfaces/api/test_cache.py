"""Answers that are kept: bounded in bytes, the least recently used forgotten first."""

from tightbudget.interfaces.api.answers import Answer
from tightbudget.interfaces.api.cache import AnswerCache


def test_it_holds_no_more_bytes_than_allowed() -> None:
    cache = AnswerCache(10_000)
    for i in range(100):
        cache.put(f"question {i}", Answer(200, bytes(1000)))
        assert 0 < cache.held_bytes <= 10_000
    assert cache.get("question 0") is None
    assert cache.get("question 99") is not None


def test_what_was_asked_for_stays_longest() -> None:
    cache = AnswerCache(5_000)
    for name in "abc":
        cache.put(name, Answer(200, bytes(1000)))
    assert cache.get("a") is not None
    cache.put("d", Answer(200, bytes(1000)))
    assert cache.get("a") is not None
    assert cache.get("b") is None


def test_an_answer_that_is_too_long_drives_out_no_others() -> None:
    cache = AnswerCache(5_000)
    cache.put("short", Answer(200, b"x"))
    cache.put("long", Answer(200, bytes(6_000)))
    assert cache.get("short") is not None
    assert cache.get("long") is None


def test_a_new_answer_takes_the_place_of_the_old_one() -> None:
    cache = AnswerCache(5_000)
    for _ in range(20):
        cache.put("same", Answer(200, bytes(1000)))
    assert cache.held_bytes < 2_000
