"""Every command on terminals of every width: no number is cut, and no line is longer than the terminal."""

import json
import re
from pathlib import Path

import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.interfaces.cli import main

pytestmark = pytest.mark.slow

WIDTHS = [40, 60, 80, 120]
SIMULATE = ["odometer", "simulate", "--all", "--rounds", "40", "--runs", "20"]
SEPARATION = ["odometer", "separation", "--rounds", "120"]
FILTERS = ["filter", "compare", "--epsilon", "1", "--delta", "1e-6", "--each", "pure_dp(epsilon=0.1)"]
COMPARE = ["compare", "gaussian(sigma=282.84) * 512", "--delta", "1e-5", "--all"]
COMMANDS = {
    "epsilon": ["epsilon", "gaussian(sigma=282.84) * 512", "--delta", "1e-5"],
    "delta": ["delta", "poisson(laplace(2), 0.1) * 5 + gaussian(sigma=3)", "--epsilon", "1", "--rtol", "1e-9"],
    "curve": ["curve", "gaussian(sigma=20) * 512", "--max", "7.123456789", "--points", "4"],
    "compare": COMPARE,
    "explain": ["explain", "laplace(scale=20) * 100", "--delta", "1e-5"],
    "dpsgd": [
        "dpsgd",
        "--examples",
        "60000",
        "--batch",
        "256",
        "--epochs",
        "20",
        "--noise-multiplier",
        "1.1",
        "--delta",
        "1e-5",
    ],
    "explain-sampling": [
        "explain-sampling",
        "--examples",
        "6000",
        "--batch",
        "256",
        "--epochs",
        "1",
        "--noise-multiplier",
        "1.1",
        "--delta",
        "1e-5",
    ],
    "filters": FILTERS,
    "simulate": SIMULATE,
    "separation": SEPARATION,
    "vuvuzela": ["study", "vuvuzela", "dialing", "--rounds", "64", "--noise", "laplace"],
    "sweep": ["sweep", "plan.toml"],
    "timing": ["study", "timing", "a.csv", "b.csv", "--rounds", "3", "--epsilon", "1"],
}


@pytest.fixture(autouse=True)
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text(
        'composition = "gaussian(sigma={sigma}) * {steps}"\ngrid = { sigma = [1.23456, -1], steps = [1, 12345] }\n'
        '[[questions]]\nask = "epsilon"\ndelta = 1e-6\n'
    )
    for name, start in (("a", 0), ("b", 3)):
        Path(f"{name}.csv").write_text("\n".join(str(n % 40 + 0.1) for n in range(start, 200)))


def words(text: str) -> list[str]:
    return re.findall(r"[^\s─(]+", text)


@pytest.mark.parametrize("command", mostly_slow(COMMANDS, every=4))
def test_nothing_is_cut_or_lost(command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100000")
    main(COMMANDS[command])
    wide = set(words(capsys.readouterr().out))
    numbers = {word for word in wide if re.search(r"\d", word)}
    for columns in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(columns))
        main(COMMANDS[command])
        shown = capsys.readouterr().out
        assert "…" not in shown
        if command != "compare":  # sources are left out where there is no room
            assert numbers <= set(words(shown))
        assert max(map(len, shown.splitlines())) <= columns


@pytest.mark.parametrize("columns", [20, *WIDTHS])
def test_both_ends_of_the_bracket_are_whole(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(COMPARE) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for row in tb.compare(tb.parse(COMPARE[1]), delta=1e-5).rows:
        assert row.shown in shown
        assert row.name in shown


@pytest.mark.parametrize("columns", ["0", "", "-1", "wide"])
def test_a_width_that_is_none_is_as_if_unset(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(COMPARE) == 0
    expected = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", columns)
    assert main(COMPARE) == 0
    assert capsys.readouterr().out == expected


def test_what_is_no_terminal_is_as_wide_as_needed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert main(COMPARE) == 0
    shown = capsys.readouterr().out
    for row in tb.compare(tb.parse(COMPARE[1]), delta=1e-5).rows:
        (line,) = (line for line in shown.splitlines() if line.startswith(f"{row.name}  "))
        assert (row.reason if row.value is None else row.reference) in line


@pytest.mark.parametrize("rounds", [1, 2, 3, 9, 10, 11, 45])
def test_a_separation_of_any_length_has_figures(rounds: int, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["odometer", "separation", "--rounds", str(rounds)]
    assert main([*asked, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["rounds"][-1] == rounds
    assert len(answer["least_constant_width"]) == len(answer["rounds"]) == len(set(answer["rounds"]))
    assert main(asked) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line.split()) > 1 for line in lines if line)


@pytest.mark.parametrize("epsilon", ["1e-9", "100", "1e6"])
def test_figures_of_a_separation_are_short(epsilon: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odometer", "separation", "--rounds", "30", "--epsilon-each", epsilon]) == 0
    assert max(map(len, words(capsys.readouterr().out))) <= len("one_sided_mixture")


@pytest.mark.parametrize("adversary", mostly_slow(["stop-when-ahead", "fixed", "bursts"], every=3))
def test_unsound_odometers_always_carry_their_mark(adversary: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIMULATE, "--adversary", adversary]) == 0
    lines = capsys.readouterr().out.splitlines()
    for line in lines[2:]:
        unsound = line.startswith("fixed-time")
        assert ("(UNSOUND)" in line) is unsound
        assert not (unsound and line.endswith(("holds", "held", "not refuted")))
    assert main([*SIMULATE, "--adversary", adversary, "--json"]) == 0
    for game in json.loads(capsys.readouterr().out)["games"]:
        assert game["unsound"] is game["odometer"].startswith("fixed-time")


def test_the_separation_marks_the_unsound_in_both_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(SEPARATION) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("fixed-time")]
    assert len(lines) == 2
    assert all(line.startswith("fixed-time (UNSOUND)") for line in lines)
    assert main([*SEPARATION, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unsound"] == ["fixed-time"]


def test_limits_are_rounded_outwards(capsys: pytest.CaptureFixture[str]) -> None:
    """99 % limits in three digits still hold the limits themselves."""
    assert main(SIMULATE) == 0
    shown = [line for line in capsys.readouterr().out.splitlines() if " – " in line]
    assert main([*SIMULATE, "--json"]) == 0
    for game, line in zip(json.loads(capsys.readouterr().out)["games"], shown, strict=True):
        found = re.search(r"(\S+) – (\S+)", line)
        assert found is not None
        assert float(found[1]) <= game["lower"] <= game["upper"] <= float(found[2])
