"""`tightbudget dpsgd`: the run of the library, as text, as files and for machines."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.interfaces.cli import main
from tightbudget.interfaces.cli.spelling import SPELT

MNIST = ["dpsgd", "--examples", "60000", "--batch", "256", "--epochs", "20", "--noise-multiplier", "1.1", "--delta", "1e-5"]
RUN = tb.dpsgd(examples=60000, batch=256, epochs=20, noise_multiplier=1.1, delta=1e-5)
PLAN = """
examples = 10_000
batch = 250
delta = 1e-6

[[phase]]
epochs = 5
noise_multiplier = 1.3

[[phase]]
steps = 60
noise_multiplier = 0.9
sample_rate = 0.05
"""
PLANNED = "poisson(gaussian(sigma=1.3), q=0.025) * 200 + poisson(gaussian(sigma=0.9), q=0.05) * 60"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert isinstance(answer, dict)
    return answer


def test_the_bracket_comes_first_and_the_statement_after_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(MNIST) == 0
    shown = capsys.readouterr()
    assert shown.out == f"ε in {RUN.epsilon} at δ = 1e-05 (add_remove)\n\n{RUN.statement}\n"
    assert shown.err == ""


@pytest.mark.parametrize("columns", [40, 57, 200])
def test_it_fits_the_terminal(columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(MNIST) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= min(columns, 80)
    assert shown.split()[-200:] == RUN.statement.split()[-200:]


def test_json_has_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    shape = as_json(capsys, *MNIST)
    expected = RUN.as_dict()
    assert set(shape) == {*expected, "rtol", "trace"}
    assert {name: shape[name] for name in expected} == expected
    assert shape["trace"]


def test_ends_are_written_outside(capsys: pytest.CaptureFixture[str]) -> None:
    from decimal import Decimal

    assert main([*MNIST, "--json"]) == 0
    text = capsys.readouterr().out
    lower, upper, zero_out = (re.search(rf'"{name}": ([0-9.e-]+)', text)[1] for name in ("lower", "upper", "zero_out"))
    assert Decimal(lower) <= Decimal(RUN.epsilon.lower)
    assert Decimal(upper) >= Decimal(RUN.epsilon.upper)
    assert Decimal(zero_out) >= Decimal(RUN.shuffled.zero_out)


@pytest.mark.parametrize(("name", "expected"), [("s.txt", RUN.statement), ("S.MD", RUN.markdown)])
def test_the_statement_is_written(name: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*MNIST, "--statement", name]) == 0
    assert Path(name).read_text(encoding="utf-8") == f"{expected}\n"
    assert capsys.readouterr().out.endswith(f"\nWrote {name}\n")


def test_phases_are_typed(capsys: pytest.CaptureFixture[str]) -> None:
    common = ["dpsgd", "--examples", "1e4", "--batch", "250", "--delta", "1e-6"]
    first = ["--phase", "epochs=5 noise_multiplier=1.3"]
    shape = as_json(capsys, *common, *first, "--phase", "steps=60, noise-multiplier=0.9, sample-rate=0.05")
    assert shape["expression"] == PLANNED
    assert shape["q"] is None


def test_a_plan_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    Path("plan.toml").write_text(PLAN, encoding="utf-8")
    assert as_json(capsys, "dpsgd", "--plan", "plan.toml")["expression"] == PLANNED
    typed = as_json(capsys, "dpsgd", "--plan", "plan.toml", "--sample-rate", "0.1", "--delta", "1e-5")
    assert typed["expression"].startswith("poisson(gaussian(sigma=1.3), q=0.1) * 50 + ")
    assert typed["delta"] == 1e-5


@pytest.mark.slow
def test_noise_is_found_for_a_target(capsys: pytest.CaptureFixture[str]) -> None:
    target = ["dpsgd", "--sample-rate", "0.02", "--steps", "150", "--delta", "1e-5", "--target-epsilon", "6"]
    shape = as_json(capsys, *target)
    assert shape["upper"] <= shape["target_epsilon"] == 6
    assert shape["too_little"] < shape["noise_multiplier"]
    assert main(target) == 0
    assert capsys.readouterr().out.startswith(f"noise multiplier {shape['noise_multiplier']!r}: ε in [")
    Path("plan.toml").write_text("sample_rate = 0.02\nsteps = 150\ndelta = 1e-5\ntarget_epsilon = 6\n")
    assert as_json(capsys, "dpsgd", "--plan", "plan.toml")["noise_multiplier"] == shape["noise_multiplier"]
    typed = as_json(capsys, "dpsgd", "--plan", "plan.toml", "--noise-multiplier", "3")
    assert (typed["noise_multiplier"], typed["target_epsilon"]) == (3, None)


def test_epochs_are_decimal_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    shape = as_json(capsys, "dpsgd", "--sample-rate", "0.01", "--epochs", "0.1", "--noise-multiplier", "1", "--delta", "1e-5")
    assert shape["steps"] == 10
    assert shape["examples"] is None


def test_a_wide_bracket_is_printed_with_exit_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    whole = ["--sample-rate", "1", "--steps", "10", "--noise-multiplier", "1", "--delta", "1e-5"]
    assert main(["dpsgd", *whole, "--rtol", "1e-15"]) == 3
    shown = capsys.readouterr()
    assert shown.out.startswith("ε in [")
    assert "wider than asked" in shown.err


def test_a_trace_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*MNIST, "--trace"]) == 0
    assert "route" in capsys.readouterr().out


def test_every_sign_of_the_statement_can_be_spelt_out() -> None:
    assert {sign for sign in RUN.statement if ord(sign) > 127} <= set(SPELT)


SHORT = MNIST[:-2]
BAD = {
    "nothing": ["dpsgd"],
    "no delta": SHORT,
    "batch above examples": [*MNIST, "--batch", "60001"],
    "batch in words": [*MNIST, "--batch", "many"],
    "half a batch": [*MNIST, "--batch", "0.5"],
    "both lengths": [*MNIST, "--steps", "10"],
    "both rates": [*MNIST, "--sample-rate", "0.1"],
    "negative noise": [*MNIST, "--noise-multiplier", "-1"],
    "noise no number": [*MNIST, "--noise-multiplier", "nan"],
    "negative epochs": [*MNIST, "--epochs", "-1"],
    "delta above 1": [*MNIST, "--delta", "2"],
    "delta too small": [*MNIST, "--delta", "1e-400"],
    "noise and a target": [*MNIST, "--target-epsilon", "2"],
    "a target of 0": [*MNIST[:7], "--delta", "1e-5", "--target-epsilon", "0"],
    "empty phase": [*MNIST, "--phase", ""],
    "phase in words": [*MNIST, "--phase", "five epochs"],
    "phase twice": [*MNIST, "--phase", "epochs=5 epochs=6"],
    "phase misspelt": [*MNIST, "--phase", "epoch=5"],
    "phase with a comma": [*MNIST, "--phase", "noise_multiplier=1,2"],
    "phase no number": [*MNIST, "--phase", "epochs=many"],
    "no plan": ["dpsgd", "--plan", "missing.toml"],
    "plan a folder": ["dpsgd", "--plan", "."],
    "plan no TOML": ["dpsgd", "--plan", "words.toml"],
    "plan binary": ["dpsgd", "--plan", "binary.toml"],
    "plan misspelt": ["dpsgd", "--plan", "misspelt.toml"],
    "plan with one phase": ["dpsgd", "--plan", "table.toml"],
    "plan in words": ["dpsgd", "--plan", "text.toml"],
    "statement elsewhere": [*MNIST, "--statement", "missing/s.txt"],
    "statement of another kind": [*MNIST, "--statement", "s.pdf"],
    "bad run and a statement": [*MNIST, "--delta", "2", "--statement", "s.txt"],
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD.keys())
def test_bad_input(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("words.toml").write_text("examples are many\n")
    Path("binary.toml").write_bytes(b"\x00\xff\xfe")
    Path("misspelt.toml").write_text(PLAN.replace("examples", "exmaples"))
    Path("table.toml").write_text(PLAN.split("[[", maxsplit=1)[0] + "[phase]\nepochs = 5\n")
    Path("text.toml").write_text(PLAN.replace("250", "'250'"))
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert re.fullmatch(r"Error: .+[.?]\n", shown.err)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_key_of_a_plan_is_put_right(capsys: pytest.CaptureFixture[str]) -> None:
    Path("plan.toml").write_text(PLAN.replace("examples", "exmaples"))
    main(["dpsgd", "--plan", "plan.toml"])
    assert "Did you mean examples?" in capsys.readouterr().err
