"""`tightbudget check`: proven and refuted by one end of a bracket each, undecided otherwise."""

import json
import math

import pytest

import tightbudget as tb
from tightbudget.interfaces.cli import main

STEPS = "gaussian(sigma=20) * 512"
EPSILON = tb.parse(STEPS).epsilon(1e-6, rtol=1e-12)


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        ([STEPS, "--epsilon", "8", "--delta", "1e-6"], 0, "proven, the budget is kept: ε in [5.626"),
        ([STEPS, "--epsilon", "2", "--delta", "1e-6"], 4, "refuted, the budget is not kept: ε in [5.626"),
        (["laplace(scale=10) * 10", "--epsilon", "1", "--delta", "0"], 0, "proven"),  # just so
        (["gaussian(sigma=20)", "--epsilon", "0", "--delta", "0.01"], 4, "refuted, the budget is not kept: δ in [0.0199"),
        (["bounded_range(0.1) * 100", "--epsilon", "2.5", "--delta", "1e-6"], 3, "undecided, the budget may or may not"),
    ],
)
def test_the_verdict_and_its_exit_code(asked: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *asked]) == code
    shown = capsys.readouterr()
    assert shown.out.startswith(said)
    assert (code == 3) <= bool(shown.err)


@pytest.mark.parametrize(
    ("limit", "verdict"), [(EPSILON.upper * (1 + 1e-9), "proven"), (EPSILON.lower * (1 - 1e-9), "refuted")]
)
def test_brackets_are_as_narrow_as_it_takes(limit: float, verdict: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", STEPS, "--epsilon", repr(limit), "--delta", "1e-6", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["asked"], found["epsilon"]) == (verdict, "epsilon", limit)
    assert found["upper"] <= limit if verdict == "proven" else found["lower"] > limit


@pytest.mark.parametrize(
    ("text", "epsilon", "word"), [("poisson(gaussian(4), q=0.01) * 65536", 3.0, "refuted"), ("nothing", 0.0, "proven")]
)
def test_it_agrees_with_the_bracket(text: str, epsilon: float, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["check", text, "--epsilon", str(epsilon), "--delta", "1e-6"])
    assert capsys.readouterr().out.startswith(word)
    answer = tb.parse(text).epsilon(1e-6)
    assert code == (0 if answer.upper <= epsilon else 4)


def test_what_is_not_certified_is_not_called_proven(capsys: pytest.CaptureFixture[str]) -> None:
    steps = "shuffled(epsilon0=1, users=10000, clone='stronger')"
    assert tb.parse(steps).epsilon(1e-6).upper < math.inf
    assert main(["check", steps, "--epsilon", "8", "--delta", "1e-6"]) == 2
    assert "proven" not in capsys.readouterr().out
