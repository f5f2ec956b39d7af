"""Bad input of every kind: one sentence on standard error, exit code 2, nothing on standard output, no file touched."""

from pathlib import Path

import pytest

import tightbudget
from tightbudget.interfaces.cli import main

BAD = {
    "negative sigma": ["delta", "gaussian(sigma=-1)", "--epsilon", "1"],
    "sigma not a number": ["delta", "gaussian(sigma=nan)", "--epsilon", "1"],
    "rate above 1": ["delta", "poisson(gaussian(sigma=1), q=1.5)", "--epsilon", "1"],
    "unknown name": ["delta", "gausian(sigma=1)", "--epsilon", "1"],
    "unknown argument": ["delta", "gaussian(sigam=1)", "--epsilon", "1"],
    "malformed": ["delta", "gaussian(sigma=1", "--epsilon", "1"],
    "code": ["delta", "__import__('os').system('true')", "--epsilon", "1"],
    "empty": ["delta", "", "--epsilon", "1"],
    "epsilon not a number": ["delta", "gaussian(sigma=1)", "--epsilon", "nan"],
    "epsilon is text": ["delta", "gaussian(sigma=1)", "--epsilon", "two"],
    "epsilon missing": ["delta", "gaussian(sigma=1)"],
    "negative delta": ["epsilon", "gaussian(sigma=1)", "--delta", "-0.1"],
    "delta above 1": ["epsilon", "gaussian(sigma=1)", "--delta", "1.5"],
    "delta not a number": ["epsilon", "gaussian(sigma=1)", "--delta", "nan"],
    "negative rtol": ["epsilon", "gaussian(sigma=1)", "--delta", "1e-5", "--rtol", "-1"],
    "lengths differ": ["delta", "histograms([0.5, 0.5], [1.0])", "--epsilon", "1"],
    "negative cell": ["delta", "histograms([1.5, -0.5], [0.5, 0.5])", "--epsilon", "1"],
    "no such file": ["delta", 'histograms("missing.csv")', "--epsilon", "1"],
    "text in the file": ["delta", 'histograms("words.csv")', "--epsilon", "1"],
    "file is empty": ["delta", 'histograms("empty.csv")', "--epsilon", "1"],
    "file is binary": ["delta", 'histograms("binary.csv")', "--epsilon", "1"],
    "unknown command": ["epsilonn", "gaussian(sigma=1)"],
    "unknown option": ["delta", "gaussian(sigma=1)", "--epsilon", "1", "--fast"],
    "range upside down": ["curve", "gaussian(sigma=1)", "--min", "3", "--max", "2"],
    "one point": ["curve", "gaussian(sigma=1)", "--points", "1"],
    "strange picture": ["curve", "gaussian(sigma=1)", "--plot", "curve.jpeg"],
    "no such folder": ["curve", "gaussian(sigma=1)", "--csv", "missing/curve.csv"],
    "same file twice": ["curve", "gaussian(sigma=1)", "--plot", "c.png", "--csv", "c.png"],
    "compare nothing asked": ["compare", "gaussian(sigma=1)"],
    "compare asked twice": ["compare", "gaussian(sigma=1)", "--delta", "0.1", "--epsilon", "1"],
    "compare delta above 1": ["compare", "gaussian(sigma=1)", "--delta", "1.5"],
    "compare epsilon below 0": ["compare", "gaussian(sigma=1)", "--epsilon", "-1"],
    "compare range": ["compare", "gaussian(sigma=1)", "--delta", "0.1", "--max", "inf"],
    "compare picture": ["compare", "gaussian(sigma=1)", "--delta", "0.1", "--plot", "c.jpeg"],
    "compare same file": ["compare", "gaussian(sigma=1)", "--delta", "0.1", "--plot", "c.png", "--csv", "c.png"],
    "bad mechanism and files": ["curve", "gaussian(sigma=-1)", "--plot", "c.png", "--csv", "c.csv"],
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD.keys())
def test_bad_input(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("words.csv").write_text("0.5,0.5\nhalf,half\n")
    Path("empty.csv").write_text("")
    Path("binary.csv").write_bytes(b"\x00\xff\xfe0.5,0.5\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    sentence, *place = shown.err.splitlines()
    assert sentence.startswith("Error: ")
    assert sentence.endswith(".")
    assert len(place) in (0, 2)  # the text and a caret under it
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_sentence_names_the_value_and_what_is_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    main(["delta", "poisson(gaussian(sigma=1), q=1.5)", "--epsilon", "1"])
    assert "q is 1.5, but must be between 0 and 1. For a batch of 256 out of 60000" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["filter", "compare", "--epsilon", "1"], "tightbudget filter compare"),
        (["study", "vuvuzella"], "tightbudget study"),
        (["epsilon", "gaussian(1)"], "tightbudget epsilon"),
        (["nope"], "tightbudget"),
    ],
)
def test_a_usage_error_names_the_command(arguments: list[str], command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert said.endswith(f" See {command} --help.\n")
    assert "?." not in said


def test_the_package_shows_its_public_names_only() -> None:
    assert {name for name in dir(tightbudget) if not name.startswith("__")} == set(tightbudget.__all__) - {"__version__"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["epsilon", "gaussian(sigma=1)", "--epsilon", "1"],
            "No such option: --epsilon. The δ at an ε is what tightbudget delta",
        ),
        (
            ["delta", "gaussian(sigma=1)", "--delta", "1e-5"],
            "No such option: --delta. The ε at a δ is what tightbudget epsilon",
        ),
        (["ledger", "list"], "No such command 'list'. It is tightbudget ledger budget list."),
        (["ledger", "create", "x"], "No such command 'create'. It is tightbudget ledger budget create."),
    ],
)
def test_what_another_command_answers(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert said in capsys.readouterr().err
