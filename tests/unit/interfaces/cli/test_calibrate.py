"""`tightbudget calibrate`: what it prints, for people and for machines, and its exit codes."""

import json
import re

import pytest

import tightbudget as tb
from tightbudget.interfaces.cli import main

DP_SGD = "poisson(gaussian(sigma=?), q=0.01) * 10000"


def test_two_lines_one_for_each_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", DP_SGD, "--epsilon", "2", "--delta", "1e-6"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    first, second = shown.out.splitlines()
    assert re.fullmatch(r"\? = 2\.3556\d+ keeps ε ≤ 2\.0 at δ = 1e-06: ε in \[1\.9+\d+, 1\.9+\d+\] \(add_remove\)", first)
    assert re.fullmatch(r"\? = 2\.3556\d+ does not: ε in \[2\.0+\d+, 2\.0+\d+\]", second)


@pytest.mark.parametrize("columns", ["40", "120"])
def test_it_fits_the_terminal(columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["calibrate", "gaussian(?) * 10", "--advantage", "0.1"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= int(columns)


def test_json_has_the_same_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "gaussian(sigma=100) * ?", "--epsilon", "2", "--delta", "1e-6", "--json"]) == 0
    shape = json.loads(capsys.readouterr().out)
    found = tb.calibrate("gaussian(sigma=100) * ?", epsilon=2, delta=1e-6)
    assert (shape["value"], shape["too_little"]) == (found.value, found.too_little) == (2010, 2011)
    assert isinstance(shape["value"], int)
    assert shape["target"] == {"epsilon": 2.0, "delta": 1e-6}
    assert shape["achieved"] == {"lower": found.achieved.lower, "upper": found.achieved.upper}
    assert shape["missed"] == {"lower": found.missed.lower, "upper": found.missed.upper}
    assert shape["expression"] == "gaussian(sigma=100) * 2010"
    assert (shape["argument"], shape["converged"], shape["evaluations"]) == ("count", True, found.evaluations)


def test_what_is_not_as_near_as_asked_is_printed_with_exit_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "bounded_range(?) * 10", "--epsilon", "1", "--delta", "1e-6"]) == 3
    shown = capsys.readouterr()
    assert shown.out.startswith("? = 0.14")
    assert "farther apart than asked" in shown.err


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        (["--tpr", "0.05", "--fpr", "0.01"], "keeps tpr ≤ 0.05 at fpr = 0.01: tpr in"),
        (["--posterior", "0.05", "--prior", "0.01", "--fpr", "0.001"], "keeps posterior ≤ 0.05 at prior = 0.01, fpr = 0.001:"),
        (["--bayes-error", "0.4", "--prior", "0.5"], "keeps bayes_error ≥ 0.4 at prior = 0.5: bayes_error in [0.40000"),
    ],
)
def test_risks(asked: list[str], shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "gaussian(?)", *asked]) == 0
    assert shown in capsys.readouterr().out


def test_the_json_of_a_risk(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "laplace(?)", "--posterior", "0.75", "--prior", "0.5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["target"] == {"posterior": 0.75, "prior": 0.5, "fpr": None}


def test_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    expression = ["calibrate", "randomized_response(p=?, k=10)", "--epsilon", "1", "--delta", "0"]
    assert main([*expression, "--min", "1e-6", "--max", "0.1"]) == 0
    assert capsys.readouterr().out.startswith("? = 0.03927")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gaussian(sigma=2)", "--epsilon", "1", "--delta", "1e-6"], "nothing to solve for"),
        (["gaussian(?, ?)", "--epsilon", "1", "--delta", "1e-6"], "Only one"),
        (["gaussian(?=2)", "--epsilon", "1", "--delta", "1e-6"], "not for the name"),
        (["gaussian(?)"], "Give one target"),
        (["gaussian(?)", "--epsilon", "1"], "--delta is missing"),
        (["gaussian(?)", "--epsilon", "nan", "--delta", "1e-6"], "epsilon is nan"),
        (["gaussian(?)", "--epsilon", "1", "--delta", "1e-6", "--advantage", "0.1"], "Give one target"),
        (["gaussian(?)", "--epsilon", "1", "--delta", "1e-6", "--min", "1"], "--min and --max"),
        (["gaussian(?)", "--epsilon", "1", "--delta", "1e-6", "--min", "2", "--max", "1"], "--max is 1.0"),
        (["gaussian(?)", "--epsilon", "1", "--delta", "1e-6", "--rtol", "0"], "rtol is 0"),
        (["gaussian(?) + laplace(1)", "--epsilon", "0.5", "--delta", "1e-6"], "the other steps"),
        (["poisson(gaussian(1), q=?)", "--epsilon", "50", "--delta", "1e-6"], "with ? = 1.0"),
    ],
)
def test_bad_input(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("Error: ")
    assert said in shown.err
