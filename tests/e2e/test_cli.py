"""The installed command, as a user or a script meets it."""

import csv
import json
import math
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("tightbudget")
GAUSSIANS = "gaussian(sigma=20) * 512"


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), *arguments], capture_output=True, text=True, cwd=cwd, timeout=120, check=False, encoding="utf-8"
    )


def gaussian_delta(mu: float, epsilon: float) -> float:
    """The closed form for one Gaussian mechanism with sensitivity / sigma = mu."""

    def phi(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    return phi(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi(-mu / 2 - epsilon / mu)


MU = math.sqrt(512) / 20


def test_epsilon_is_printed_as_a_bracket_with_its_relation() -> None:
    done = run("epsilon", GAUSSIANS, "--delta", "1e-5")
    assert done.returncode == 0
    assert done.stderr == ""
    line = re.fullmatch(r"ε in \[([0-9.]+), ([0-9.]+)\] at δ = 1e-05 \(add_remove\)\n", done.stdout)
    assert line is not None
    lower, upper = map(float, line.groups())
    # What is printed must itself hold, after its rounding.
    assert gaussian_delta(MU, upper) <= 1e-5 <= gaussian_delta(MU, lower)
    assert (upper - lower) / upper < 2e-3


def test_delta_as_json_brackets_the_closed_form() -> None:
    done = run("delta", GAUSSIANS, "--epsilon", "2", "--json")
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert set(answer) == {
        "expression", "relation", "direction", "epsilon", "lower", "upper", "estimate", "converged", "reason", "note",
        "rtol", "trace", "version",
    }  # fmt: skip
    assert answer["expression"] == GAUSSIANS
    assert answer["converged"] is True
    assert answer["lower"] <= gaussian_delta(MU, 2.0) <= answer["upper"]
    assert answer["upper"] - answer["lower"] <= 1e-3 * answer["upper"]


def test_infinity_travels_as_a_string() -> None:
    answer = json.loads(run("epsilon", "gaussian(sigma=0)", "--delta", "1e-5", "--json").stdout)
    assert answer["upper"] == "inf"
    assert answer["lower"] == "inf"


@pytest.mark.parametrize("command", ["epsilon", "delta"])
def test_nothing_composed_costs_nothing(command: str) -> None:
    asked = {"epsilon": "--delta", "delta": "--epsilon"}[command]
    answer = json.loads(run(command, "nothing", asked, "0.5", "--json").stdout)
    assert (answer["lower"], answer["upper"]) == (0.0, 0.0)


def test_a_bracket_wider_than_asked_is_printed_with_exit_code_3() -> None:
    done = run("delta", GAUSSIANS, "--epsilon", "2", "--rtol", "1e-15")
    assert done.returncode == 3
    assert done.stdout.startswith("δ in [")
    assert "wider than asked" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["delta", "gaussian(sigma=-1)", "--epsilon", "1"],
        ["delta", "gaussian(sigma=1", "--epsilon", "1"],
        ["delta", 'histograms("words.csv")', "--epsilon", "1"],
        ["epsilon", "gaussian(sigma=1)"],
        ["curve", "gaussian(sigma=-1)", "--plot", "c.png", "--csv", "c.csv"],
    ],
)
def test_bad_input_gets_one_sentence_exit_code_2_and_no_file(arguments: list[str], tmp_path: Path) -> None:
    """Every other kind of bad input is in tests/unit/interfaces/cli/test_bad_input.py, without a process for each."""
    (tmp_path / "words.csv").write_text("0.5,0.5\nhalf,half\n")
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["words.csv"]


def test_the_caret_stands_under_the_mistake() -> None:
    _, text, caret = run("delta", "gaussian(sigma=1) * 10 + laplac(2)", "--epsilon", "1").stderr.splitlines()
    assert text[caret.index("^") :] == "laplac(2)"


def test_histograms_are_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "pair.csv").write_text("3,1\n1,3\n")
    answer = json.loads(run("delta", 'histograms("pair.csv")', "--epsilon", "0", "--json", cwd=tmp_path).stdout)
    assert answer["expression"] == 'histograms("pair.csv")'
    assert answer["lower"] <= 0.5 <= answer["upper"]


def test_curve_writes_its_points_and_picture(tmp_path: Path) -> None:
    done = run("curve", GAUSSIANS, "--max", "4", "--points", "9", "--csv", "c.csv", "--plot", "c.png", cwd=tmp_path)
    assert done.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.csv", "c.png"]
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "c.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["epsilon"]) for row in rows] == [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]
    for row in rows:
        assert float(row["delta_lower"]) <= gaussian_delta(MU, float(row["epsilon"])) <= float(row["delta_upper"])


def test_curve_as_svg_and_json(tmp_path: Path) -> None:
    done = run("curve", GAUSSIANS, "--points", "5", "--plot", "c.svg", "--json", cwd=tmp_path)
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert len(answer["epsilon"]) == len(answer["lower"]) == len(answer["upper"]) == 5
    assert answer["upper"][-1] < 1.1e-10  # the default range ends near there
    assert b"<svg" in (tmp_path / "c.svg").read_bytes()


def test_an_existing_file_survives_a_failure(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("precious")
    (tmp_path / "c.png").mkdir()
    assert run("curve", GAUSSIANS, "--csv", "c.csv", "--plot", "c.png", cwd=tmp_path).returncode == 2
    assert (tmp_path / "c.csv").read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.csv", "c.png"]


@pytest.mark.parametrize("command", ["epsilon", "delta", "curve"])
def test_help_shows_an_example_that_works(command: str, tmp_path: Path) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    example = re.search(r'tightbudget (\w+) "(.+)" (--.+)', done.stdout)
    assert example is not None
    name, expression, options = example.groups()
    assert name == command
    assert run(command, expression, *options.split(), cwd=tmp_path).returncode == 0


def test_version() -> None:
    assert re.fullmatch(r"tightbudget \d+\.\d+\.\d+\n", run("--version").stdout)


def test_a_reader_who_leaves_early_is_no_error() -> None:
    line = f"{COMMAND} curve '{GAUSSIANS}' --points 5000 --json | head -c 10"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == ""


def test_on_a_terminal_the_answer_is_the_same() -> None:
    main_end, terminal = pty.openpty()
    process = subprocess.Popen(
        [str(COMMAND), "delta", GAUSSIANS, "--epsilon", "2"], stdout=terminal, stderr=terminal, close_fds=True
    )
    assert process.wait(timeout=60) == 0
    os.close(terminal)
    shown = os.read(main_end, 65536).decode()
    os.close(main_end)
    assert shown.replace("\r\n", "\n") == run("delta", GAUSSIANS, "--epsilon", "2").stdout
