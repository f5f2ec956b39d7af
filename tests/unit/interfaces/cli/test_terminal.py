"""A bar for those who wait and watch; the answer or the error in any case."""

import io
import sys
import time
from collections.abc import Callable

import pytest

from tightbudget.interfaces.cli import terminal

pytestmark = pytest.mark.slow


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def watch(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Put a person before the screen; called inside a test, because pytest resets the streams after a fixture."""
    monkeypatch.setattr(sys, "stdout", Screen())
    monkeypatch.setattr(sys, "stderr", shown := Screen())
    monkeypatch.setattr(terminal, "PATIENCE_SECONDS", 0.05)
    monkeypatch.setenv("TERM", "xterm")
    return shown


def slow_answer() -> int:
    time.sleep(0.4)
    return 42


def refusal() -> int:
    time.sleep(0.1)
    raise ValueError("no")


def test_slow_work_on_a_terminal_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watch(monkeypatch)
    assert terminal.patiently(slow_answer, "working") == 42
    assert "working" in screen.getvalue()


def test_quick_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watch(monkeypatch)
    assert terminal.patiently(lambda: 42, "working") == 42
    assert screen.getvalue() == ""


def test_an_error_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    watch(monkeypatch)
    with pytest.raises(ValueError, match="no"):
        terminal.patiently(refusal, "working")


def test_a_pipe_sees_only_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watch(monkeypatch)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert terminal.patiently(slow_answer, "working") == 42
    assert screen.getvalue() == ""


def test_counted_work_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watch(monkeypatch)

    def work(tell: Callable[[int], None]) -> int:
        tell(3)
        return slow_answer()

    assert terminal.watched(work, "counting", 4) == 42
    assert "counting" in screen.getvalue()
    assert "75%" in screen.getvalue()


def test_counted_work_through_a_pipe_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watch(monkeypatch)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert terminal.watched(lambda tell: slow_answer(), "counting", 4) == 42
    assert screen.getvalue() == ""
