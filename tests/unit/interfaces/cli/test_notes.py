"""What a reader of a bracket must know is said beside it, on standard error and in JSON."""

import json
from pathlib import Path

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


@pytest.mark.parametrize(
    ("epsilon", "delta", "noted"), [("1e-6", "1", True), ("1/3", "0.5", True), ("1", "1e-6", False), ("0", "0", False)]
)
def test_a_budget_whose_numbers_may_be_swapped_is_noted(
    epsilon: str, delta: str, noted: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["filter", "compare", "--epsilon", epsilon, "--delta", delta, "--each", "gaussian(100)"])
    told = f"Note: δ = {delta} is no smaller than ε = {epsilon}. Are the two swapped?\n"
    assert (told in capsys.readouterr().err) == noted


def test_swapped_numbers_are_noted_where_budgets_are_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--ledger", f"sqlite:///{tmp_path}/budget.db"]
    assert main(["ledger", "init", *at]) == 0
    assert main(["ledger", "budget", "create", "census", "--epsilon", "1e-6", "--delta", "0.5", *at]) == 0
    assert "Are the two swapped?" in capsys.readouterr().err
    assert main(["calibrate", "gaussian(?)", "--epsilon", "0.01", "--delta", "0.5"]) == 0
    assert "Are the two swapped?" in capsys.readouterr().err


@pytest.mark.parametrize("columns", [40, 60])
@pytest.mark.parametrize("command", [*ASKED, "check", "calibrate"])
def test_notes_are_no_wider_than_the_terminal(
    command: str, columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = ["--epsilon", "2", "--delta", "1e-6"]
    asked = [command, "bounded_range(0.1) * ?" if command == "calibrate" else "bounded_range(0.1) * 10"]
    monkeypatch.setenv("COLUMNS", str(columns))
    main([*asked, *ASKED.get(command, budget)])
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("Note: A step stands for a class")
    assert max(map(len, lines)) <= columns
    assert "(see tightbudget compare)" in " ".join(" ".join(lines).split())


def test_the_note_of_a_comparison_does_not_refer_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["compare", "bounded_range(0.1) * 10", "--delta", "1e-6"])
    said = capsys.readouterr().out
    assert "Theorems that know the class may prove less than the upper end." in said
    assert "see tightbudget compare" not in said
