"""The fast lane: always the same few cases, however they are chosen, and some in every room."""

import ast
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.support.lanes import evenly_spread, few_cases

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("cases", "kept"), [("", ""), ("abc", "abc"), ("abcd", "abc"), ("abcdefgh", "acf"), ("abcdefghijkl", "aei")]
)
def test_cases_are_spread_evenly(cases: str, kept: str) -> None:
    assert "".join(evenly_spread(cases, 3)) == kept


@pytest.mark.parametrize(
    ("slow", "whole", "kept"),
    [("", False, "adg"), ("adg", False, "beh"), ("bcdefgh", False, "ai"), ("abcdefghi", False, "a"), ("", True, "a")],
)
def test_slow_cases_are_left_out_first(slow: str, whole: bool, kept: str) -> None:
    cases = [SimpleNamespace(id=each, marks=[pytest.mark.slow.mark] if each in slow else []) for each in "abcdefghi"]
    mark = pytest.mark.slow.mark if whole else None
    test = SimpleNamespace(_calls=cases, definition=SimpleNamespace(get_closest_marker=lambda name: mark))
    assert "".join(case.id for case in few_cases(test, 3)) == kept


def collected(*arguments: str) -> set[str]:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--collect-only",
        "-p",
        "no:cacheprovider",
        "-m",
        "not slow",
        "--cases",
        "3",
    ]
    found = subprocess.run([*command, *arguments], capture_output=True, text=True, cwd=HERE.parents[1])
    assert found.returncode == 0, found.stdout
    return {line for line in found.stdout.splitlines() if "::" in line}


@pytest.mark.slow
def test_what_is_left_out_early_is_what_would_be_left_out_late() -> None:
    room = str(HERE / "access")
    early = collected(room)
    assert early == collected(room, "-k", "test")  # with a choice of another kind, all cases are made first
    assert len(early) > 10


def has_a_fast_test(file: Path) -> bool:
    """Whether a test of the file is not marked slow as a whole."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    marked = any(isinstance(each, ast.Assign) and "mark.slow" in ast.unparse(each) for each in tree.body)
    tests = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")]
    return not marked and any(all(ast.unparse(mark) != "pytest.mark.slow" for mark in test.decorator_list) for test in tests)


def test_every_room_has_tests_in_it() -> None:
    files = sorted(HERE.rglob("test_*.py"))
    for room in {file.parent for file in files}:
        assert any(has_a_fast_test(file) for file in files if file.parent == room), room
