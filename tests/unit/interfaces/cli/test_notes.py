"""What a reader of a bracket must know is said beside it, on standard error and in JSON."""

import json

import pytest

from tightbudget.interfaces.cli import main

ASKED = {"epsilon": ["--delta", "1e-6"], "delta": ["--epsilon", "0.7"], "curve": ["--max", "0.7", "--points", "3"]}


@pytest.mark.parametrize("command", ASKED)
@pytest.mark.parametrize(
    ("expression", "noted"),
    [
        ("bounded_range(0.1) * 10", True),
        ("poisson(bounded_range(0.1), 0.5) + pure_dp(0.1)", True),
        ("bounded_range(0.1)", False),
        ("pure_dp(0.1) * 10", False),
    ],
)
def test_repeated_classes_are_noted(command: str, expression: str, noted: bool, capsys: pytest.CaptureFixture[str]) -> None:
    code = main([command, expression, *ASKED[command]])  # 3 where the two ends are those of different mechanisms
    assert code in ((0, 3) if noted else (0,))
    said = capsys.readouterr()
    assert said.err.count("Note: A step stands for a class") == noted
    assert "stands for a class" not in said.out
    assert main([command, expression, *ASKED[command], "--json"]) == code
    assert ("decision 0008" in json.loads(capsys.readouterr().out)["note"]) is noted
