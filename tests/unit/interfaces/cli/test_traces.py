"""`--trace` and `--effort`: how a bracket was made, for people and for machines."""

import json
import re

import pytest

from tightbudget.interfaces.cli import main

RARE, RARER = "poisson(gaussian(1), 1e-3) * 100", "poisson(gaussian(1), 1e-4) * 1000"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_a_trace_names_routes_and_who_answered(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "epsilon", RARER, "--delta", "1e-6", "--trace")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("ε in [0.01489")
    assert lines[2].split() == ["route", "direction", "tilt", "ln", "δ", "asked", "points", "ms", "found"]
    attempts = [line.split("  ")[0] for line in lines[4:-2]]
    assert attempts[:2] == ["few frequencies", "Chernoff"]
    assert attempts[-1] == "large losses apart, few frequencies"
    assert lines[-2].startswith(f"Answered by: large losses apart, few frequencies. {len(attempts)} attempts, ")
    assert re.fullmatch(r"Asked for a width of 0\.001 of the upper end; it is 0\.000\d\d\.", lines[-1])


@pytest.mark.slow
def test_a_trace_says_what_to_try(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "delta", RARE, "--epsilon", "0.08", "--rtol", "1e-7", "--effort", "0.001", "--trace")
    assert code == 3
    assert "needs longer lists than the effort allows" in err
    assert "To try: a larger effort" in out


def test_an_attempt_that_found_nothing_answers_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "delta", RARE, "--epsilon", "0.08", "--effort", "1e-9", "--trace")
    assert "nothing; finer lists would be too long" in out
    assert "Answered by: Chernoff." in out


def test_without_the_option_there_is_no_trace(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "epsilon", RARE, "--delta", "1e-6")
    assert out.count("\n") == 1


def test_json_has_the_attempts(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "epsilon", RARE, "--delta", "1e-6", "--json")
    shape = json.loads(out)
    last = shape["trace"][-1]
    assert (last["lower"], last["upper"]) == (shape["lower"], shape["upper"])
    assert last["route"] == "large losses apart, few frequencies"
    assert last["direction"] == "remove"
    assert last["points"] > 0


def test_no_line_of_a_trace_is_wider_than_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    _, out, _ = run(capsys, "epsilon", RARE, "--delta", "1e-6", "--trace")
    assert max(map(len, out.splitlines())) <= 40
    assert re.search(r"found       \[0\.0837\d+, 0\.0838\d+\]", out)


def test_bad_efforts_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "epsilon", RARE, "--delta", "1e-6", "--effort", "0")
    assert code == 2
    assert "effort" in err
