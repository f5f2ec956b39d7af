"""`tightbudget explain` without a process of its own: words that are bounds, JSON, pictures, wrong questions."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.interfaces.cli import main

RUN = "poisson(gaussian(sigma=4), q=0.01) * 65536"


def shown(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["explain", *arguments]) == code
    return capsys.readouterr().out


def flat(text: str) -> str:
    return " ".join(text.split())


def test_words_and_odds_of_a_training_run(capsys: pytest.CaptureFixture[str]) -> None:
    text = flat(shown(capsys, RUN, "--delta", "1e-6", "--unit", "person"))
    assert "unsure (50:50) whether one person is in the data." in text
    assert "the right guesses rise from 50 to at most 62.8 out of 100." in text
    assert "name 1 in 1000 of those not in the data. Of 1000 in the data it then finds at most 7.36;" in text
    assert "name 1 in 100 of those not in the data. Of 1000 in the data it then finds at most 46.9;" in text
    assert "can come to think it at most 88.1 in 100 likely." in text
    assert "However rarely, an outcome may leave no doubt at all." in text
    assert "ε is in [3.01793, 3.01933] at δ = 1e-06: whatever an attacker looks for is at most 20.48 times" in text
    assert "without that person (add_remove)" in text
    assert "- More than one person" in text


@pytest.mark.parametrize(
    "expression",
    mostly_slow([RUN, "laplace(scale=2) * 3", "gaussian(sigma=0)", "nothing", "pure_dp(epsilon=1)"], every=2, first=1),
)
def test_nothing_is_called_safe(expression: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, expression.replace("nothing", "gaussian(sigma=1) * 0"), "--delta", "1e-6").lower()
    assert not re.search(r"\bsafe|\bsecure|negligible|no risk|anonymous", text)


def test_every_number_in_the_words_is_an_upper_end_rounded_up(capsys: pytest.CaptureFixture[str]) -> None:
    c, prior = tb.Laplace(scale=3.0) * 5, 0.2
    text = flat(shown(capsys, str(c), "--delta", "1e-6", "--prior", str(prior)))
    risk = tb.risk(c)
    (right,) = re.findall(r"rise from 80 to at most ([\d.]+) out of 100", text)
    assert 0.0 <= float(right) / 100 - (1.0 - risk.bayes_error(prior).lower) < 0.002
    for rate, found in zip((0.001, 0.01), re.findall(r"finds at most ([\d.]+);", text), strict=True):
        assert 0.0 <= float(found) / 1000 - risk.tpr(rate).upper < 0.01 * float(found) / 1000
    (belief,) = re.findall(r"come to think it at most ([\d.]+) in 100", text)
    assert 0.0 <= float(belief) / 100 - risk.posterior(prior, fpr=0.001).upper < 0.002
    (most,) = re.findall(r"however rare, can make it more than ([\d.]+) in 100", text)
    assert 0.0 <= float(most) / 100 - risk.posterior(prior).upper < 0.002


@pytest.mark.parametrize(
    ("expression", "sentences"),
    [
        (
            "gaussian(sigma=0)",
            ["all 100 of 100 guesses are right", "finds all 1000;", "leaves no doubt at all", "No ε holds at δ"],
        ),
        (
            "gaussian(sigma=1) * 0",
            ["does not help: 50 of 100 guesses can be right", "finds 1; naming", "at most 1 times (e^ε)"],
        ),
        ("randomized_response(p=0.75)", ["which of two values one record has", "another value (replace_one)"]),
        (
            "gaussian(sigma=1, relation='zero_out')",
            [
                "unsure (50:50) whether what one record contributes counts or is 0.",
                "of those whose contribution is 0. Of 1000 whose contribution counts it then finds",
                "the same data in which what one record contributes is 0 (zero_out).",
            ],
        ),
        ("approximate_dp(epsilon=1, delta=0.001)", ["No ε holds at δ = 1e-06: everything is revealed", "leave no doubt"]),
    ],
)
def test_extremes_have_words_too(expression: str, sentences: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    text = flat(shown(capsys, expression, "--delta", "1e-6"))
    for sentence in sentences:
        assert sentence in text


@pytest.mark.parametrize(
    ("epsilon", "code", "belief", "factor"),
    [
        (15, 0, "however rare, can make it more than 99.99997 in 100 likely", "3266000"),
        (18, 0, "however rare, can make it more than 99.999999 in 100 likely", "6.560e+7"),
        (50, 3, "However rarely, an outcome may leave no doubt at all.", "5.180e+21"),
    ],
)
def test_hardly_any_doubt_and_large_factors(
    epsilon: int, code: int, belief: str, factor: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = flat(shown(capsys, f"pure_dp({epsilon})", "--delta", "1e-3", code=code))
    assert belief in text
    assert f"at most {factor} times (e^ε)" in text
    assert "100 in 100" not in text


def test_a_factor_beyond_all_floats_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Some brackets are as wide as rounding makes them, next to 0 or 1; they are shown all the same."""
    assert "on all probabilities, says nothing." in flat(shown(capsys, "pure_dp(epsilon=1000)", "--delta", "1e-6", code=3))


def test_a_relation_of_its_own_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    mixed = "gaussian(sigma=1) + randomized_response(p=0.75)"
    text = flat(shown(capsys, mixed, "--delta", "1e-6", "--mix-relations", "--unit", "household"))
    assert "what one household can make of it by the relation of that part (add_remove+replace_one)." in text


@pytest.mark.parametrize("columns", mostly_slow([40, 80], every=2))
def test_it_fits_the_terminal(columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = shown(capsys, RUN, "--delta", "1e-6")
    assert max(map(len, text.splitlines())) <= columns
    assert max(map(len, text.splitlines())) > columns - 12


def test_json_has_every_bracket_and_the_words(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(shown(capsys, "laplace(scale=3) * 5", "--delta", "1e-6", "--prior", "0.2", "--json"))
    c = tb.Laplace(scale=3) * 5
    risk = tb.risk(c)
    assert answer["expression"] == "laplace(scale=3) * 5"
    assert (answer["relation"], answer["unit"], answer["prior"], answer["delta"]) == ("add_remove", "record", 0.2, 1e-6)
    for shape, bracket in (
        (answer["epsilon"], c.epsilon(delta=1e-6)),
        (answer["advantage"], risk.advantage()),
        (answer["tpr"][0], risk.tpr(0.001)),
        (answer["tpr"][1], risk.tpr(0.01)),
        (answer["bayes_error"], risk.bayes_error(0.2)),
        (answer["posterior"][0], risk.posterior(0.2, fpr=0.001)),
        (answer["posterior"][1], risk.posterior(0.2)),
    ):
        assert (shape["lower"], shape["upper"], shape["converged"]) == (bracket.lower, bracket.upper, bracket.converged)
    assert [rate["fpr"] for rate in answer["tpr"]] == [0.001, 0.01]
    assert answer["words"][0]["heading"] == "Guessing"
    assert answer["converged"]


def test_what_is_wider_than_asked_is_shown_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "bounded_range(eta=0.1) * 100", "--delta", "1e-6"]) == 3
    captured = capsys.readouterr()
    assert "rise from 50 to at most" in flat(captured.out)
    assert "some are wider than asked: a step stands for a class of cases" in captured.err


@pytest.mark.slow
def test_a_picture_is_drawn_beside_the_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "risk.svg"
    text = shown(capsys, "gaussian(sigma=1)", "--delta", "1e-6", "--plot", str(target))
    assert f"Wrote {target}" in text
    drawn = target.read_text(encoding="utf-8")
    assert drawn.startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--delta", "1e-6", "--prior", "0"], "above 0 and below 1"),
        (["--delta", "1e-6", "--prior", "1"], "above 0 and below 1"),
        (["--delta", "1e-6", "--prior", "nan"], "above 0 and below 1"),
        (["--delta", "2"], "a number from 0 to 1"),
        ([], "Missing option '--delta'"),
        (["--delta", "1e-6", "--unit", ""], "a word or two, up to 40 characters"),
        (["--delta", "1e-6", "--unit", "two\nlines"], "a word or two, up to 40 characters"),
        (["--delta", "1e-6", "--unit", "x" * 41], "a word or two, up to 40 characters"),
        (["--delta", "1e-6", "--plot", "risk.jpeg"], ".png or .svg"),
        (["--delta", "1e-6", "--plot", "missing/risk.png"], "in a folder that exists"),
    ],
)
def test_wrong_questions_are_refused_in_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["explain", "gaussian(sigma=1)", *arguments]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.out == ""
    assert not list(tmp_path.iterdir())


def test_a_small_gain_is_not_rounded_up_to_a_large_one() -> None:
    from tightbudget.interfaces.explanation import _right_guesses_shown

    assert _right_guesses_shown(0.90000012, Decimal("0.9")) == "90.00002"
    assert _right_guesses_shown(0.9123, Decimal("0.9")) == "91.3"
    assert _right_guesses_shown(0.9 + 1e-12, Decimal("0.9")) == "90.0000001"
    for right in (0.9000001, 0.90004, 0.95, 0.99999, 1.0):
        shown = Decimal(_right_guesses_shown(right, Decimal("0.9")))
        assert shown >= 100 * Decimal(right)
        assert shown - 90 <= 2 * (100 * Decimal(right) - 90)


def test_a_unit_of_two_words_is_as_help_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--help"]) == 0
    assert "in a word or two" in " ".join(capsys.readouterr().out.split())
    assert main(["explain", "gaussian(sigma=5)", "--delta", "1e-6", "--unit", "medical record"]) == 0
    assert "one medical record" in " ".join(capsys.readouterr().out.split())
