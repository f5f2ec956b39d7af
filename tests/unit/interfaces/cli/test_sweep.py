"""`tightbudget sweep`: what it prints, writes and returns, and what it says of plans that cannot be."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.interfaces.cli import main

PLAN = """\
composition = "gaussian(sigma={sigma}) * {steps}"
[grid]
sigma = [1, 2.5]
steps = [1, 10]
[[questions]]
ask = "epsilon"
delta = 1e-6
"""
MISTAKEN = PLAN.replace("[1, 2.5]", "[-1, 2.5]")
SLOW = """\
composition = "poisson(gaussian(sigma={sigma}), q=0.01) * 1000"
batch = 2
[grid]
sigma = { from = 0.5, to = 4, points = 2000 }
[[questions]]
ask = "epsilon"
delta = 1e-6
rtol = 1e-6
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("plan", PLAN), ("mistaken", MISTAKEN), ("slow", SLOW)):
        (tmp_path / f"{name}.toml").write_text(text)
    return tmp_path


def test_the_table_has_every_point_and_its_bracket(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "plan.toml"]) == 0
    text = capsys.readouterr().out
    for sigma in (1, 2.5):
        for steps in (1, 10):
            bracket = (tb.Gaussian(sigma) * steps).epsilon(delta=1e-6)
            assert re.search(rf"epsilon at delta=1e-06 +{sigma} +{steps}  {re.escape(str(bracket))}", text)
    assert text.endswith("4 answers at 4 points.\n")


def test_json_and_csv_have_bounds_in_their_digits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "plan.toml", "--json"]) == 0
    text = capsys.readouterr().out
    shape = json.loads(text)
    assert (shape["answers"], shape["failed"], shape["out"]) == (4, 0, None)
    assert main(["sweep", "plan.toml", "--csv", "-"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == len(shape["results"]) == 4
    for row, same in zip(rows, shape["results"], strict=True):
        answer = (tb.Gaussian(same["sigma"]) * same["steps"]).epsilon(delta=1e-6)
        assert (float(row["lower"]), float(row["upper"])) == (same["lower"], same["upper"]) == (answer.lower, answer.upper)
        assert Fraction(row["lower"]) <= Fraction(answer.lower)
        assert Fraction(row["upper"]) >= Fraction(answer.upper)
        assert row["value"] == ""
        assert same["value"] is None


def test_results_are_kept_and_found_again(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    assert main(["sweep", "plan.toml", "--out", "results.parquet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"] is None  # they are on the disk
    assert main(["sweep", "plan.toml", "--out", "results.parquet"]) == 0
    assert "4 answers at 4 points, 4 of them from an earlier run in results.parquet." in capsys.readouterr().out
    (here / "plan.toml").write_text(PLAN + "rtol = 1e-5\n")
    assert main(["sweep", "plan.toml", "--out", "results.parquet"]) == 2
    assert "it holds results of another one" in capsys.readouterr().err


def test_failed_points_are_reported_and_the_others_answered(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "mistaken.toml", "--out", "r"]) == 3
    shown = capsys.readouterr()
    assert "failed: sigma is -1" in shown.out
    assert "[1.7656" in shown.out
    assert "Note: 2 of 4 answers failed; the first says: sigma is -1" in shown.err
    assert "--retry-failed" in shown.err
    assert main(["sweep", "mistaken.toml", "--out", "r", "--retry-failed"]) == 3
    assert "of them from" not in capsys.readouterr().out


@pytest.mark.parametrize("columns", ["40", "120"])
def test_answers_that_are_left_out_are_marked_where_they_would_stand(
    columns: str, capsys: pytest.CaptureFixture[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for points in (24, 25):
        (here / "long.toml").write_text(
            'composition = "pure_dp(epsilon={loss})"\n[[questions]]\nask = "epsilon"\ndelta = 0\n'
            f"[grid]\nloss = {{ from = 1, to = {points}, points = {points} }}\n"
        )
        assert main(["sweep", "long.toml", "--workers", "1"]) == 0
        shown = capsys.readouterr().out
        assert ("\n… 9 more\n" in shown) is (points == 25)
        assert ("(16 of 25 answers;" in shown) is (points == 25)
    before, _, after = shown.partition("… 9 more")
    assert (before.count("epsilon at"), after.count("epsilon at")) == (12, 4)


def test_wide_brackets_are_printed_and_counted(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "wide.toml").write_text('compositions = ["bounded_range(1) * 10"]\n[[questions]]\nask = "epsilon"\ndelta = 1e-6\n')
    assert main(["sweep", "wide.toml"]) == 3
    shown = capsys.readouterr()
    assert "(wider than asked)" in shown.out
    assert "Note: 1 of 1 brackets hold but are wider than asked." in shown.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.toml"], "a file that is there"),
        (["."], "not a folder"),
        (["plan.toml", "--workers", "0"], "workers is 0"),
        (["plan.toml", "--workers", "x"], "not a whole number"),
        pytest.param(  # imports Dask
            ["plan.toml", "--scheduler", "somewhere"], "an address such as tcp://", marks=pytest.mark.slow
        ),
        (["plan.toml", "--workers", "2", "--scheduler", "tcp://127.0.0.1:1"], "absent beside `--scheduler`, whose workers"),
        (["plan.toml", "--out", "plan.toml"], "a folder, or a new name for one"),
        (["plan.toml", "--out", "no/such"], "in a folder that exists"),
        (["plan.toml", "--plot", "x.gif"], "ending in .png or .svg"),
        (["plan.toml", "--json", "--csv", "-"], "room for one"),
        (["misspelt.toml"], "Did you mean 'questions'?"),
        (["three.toml", "--plot", "x.png"], "one parameter or two"),
        (["texts.toml", "--plot", "x.png"], "parameters that are numbers"),
    ],
)
def test_mistakes_are_one_sentence_and_nothing_is_written(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    (here / "misspelt.toml").write_text(PLAN.replace("questions", "qestions"))
    (here / "three.toml").write_text(PLAN.replace("}) *", "}, sensitivity={s}) *").replace("[grid]", "[grid]\ns = [1, 2]"))
    (here / "texts.toml").write_text(
        'compositions = ["gaussian(1)", "gaussian(2)"]\n[[questions]]\nask = "epsilon"\ndelta = 1e-6\n'
    )
    before = sorted(here.iterdir())
    assert main(["sweep", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err
    assert len(shown.err.splitlines()) == 1
    assert sorted(here.iterdir()) == before


def test_a_fault_in_the_notation_is_shown_at_its_place(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "plan.toml").write_text(PLAN.replace("gaussian", "gausian"))
    assert main(["sweep", "plan.toml"]) == 2
    assert "did you mean 'gaussian'?" in capsys.readouterr().err


def test_a_calibrated_number_is_shown_and_written(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "calibrate.toml").write_text(
        'composition = "gaussian(sigma=10) * ?"\n[[questions]]\nask = "calibrate"\nepsilon = 1\ndelta = 1e-6\n'
    )
    count = tb.calibrate("gaussian(sigma=10) * ?", epsilon=1, delta=1e-6).value
    assert main(["sweep", "calibrate.toml"]) == 0
    assert f"calibrate at epsilon=1.0, delta=1e-06  {count}\n" in capsys.readouterr().out
    assert main(["sweep", "calibrate.toml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["value"] == count


@pytest.mark.slow
def test_ctrl_c_stops_it_and_what_is_finished_stays(here: Path) -> None:
    (here / "slow.toml").write_text(SLOW.replace("2000", "100000"))  # not done before anybody has looked
    command = [sys.executable, "-m", "tightbudget", "sweep", "slow.toml", "--out", "r", "--workers", "2"]
    # a shell that starts tests in the background has them ignore Ctrl-C, and what they start would inherit that
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 60
    while len(list(here.glob("r/part-*.parquet"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the command and its workers
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert err.endswith("Error: Interrupted; what is finished is kept in 'r'. Run it again to go on.\n")
    assert len(list(here.glob("r/part-*.parquet"))) >= 3
    assert not list(here.glob("r/.*"))


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["40", "100"])
def test_a_person_watching_sees_how_far_it_is(columns: str, here: Path) -> None:
    """On a terminal of its own; the answers still go to standard output alone."""
    import pty

    (here / "slow.toml").write_text(SLOW.replace("2000", "60"))
    terminal, inner = pty.openpty()
    command = [sys.executable, "-m", "tightbudget", "sweep", "slow.toml", "--workers", "1"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": columns}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=inner, env=environment)
    os.close(inner)
    seen = b""
    while True:
        try:
            seen += os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
    os.close(terminal)
    out: Any = process.communicate(timeout=60)[0]
    assert process.returncode == 0
    assert re.search(rb"\d+/60 answers, \d+(\.\d)?/s", seen)
    assert b"60 answers at 60 points." in out
    assert b"/60 answers" not in out
