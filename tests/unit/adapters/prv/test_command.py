"""`tightbudget compute-dp-epsilon` beside the command of prv_accountant whose flags it takes."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tightbudget.adapters.prv.command import compute_dp_epsilon
from tightbudget.errors import InvalidParameter
from tightbudget.interfaces.cli import main

THEIRS = Path(sys.executable).parent / "compute-dp-epsilon"
LINE = re.compile(r"^(\w+) Accountant:\t\teps_lower = +(\S+) eps_estimate = +(\S+), eps_upper = +(\S+) *$", re.MULTILINE)
RUN = ("-p", "5e-3", "-s", "0.8", "-i", "1000", "-d", "1e-6")
LONG = ("--sampling-probability", "5e-3", "--noise-multiplier", "0.8", "--num-compositions", "1000", "--delta", "1e-6")


def _asked(command: list[str], flags: tuple[str, ...]) -> tuple[int, dict[str, tuple[float, ...]]]:
    done = subprocess.run([*command, *flags], capture_output=True, text=True, timeout=300, check=False, encoding="utf-8")
    return done.returncode, {name: tuple(map(float, numbers)) for name, *numbers in LINE.findall(done.stdout)}


def _ours(*flags: str) -> tuple[int, dict[str, tuple[float, ...]]]:
    return _asked([sys.executable, "-m", "tightbudget", "compute-dp-epsilon"], flags)


@pytest.mark.slow
@pytest.mark.parametrize(
    "flags",
    [
        RUN,
        (*LONG, "--verbose", "--fail-on-no-value"),
        ("-p", "0.01", "-s", "1", "-i", "1000", "-d", "1e-6"),
        ("-p0.1", "-s4", "-i300", "-d1e-5", "-v"),
        ("-p", "1", "-s", "8", "-i", "20", "-d", "1e-6"),
        ("-p", "0.01", "-s", "0.4", "-i", "100", "-d", "1e-6"),
    ],
)
def test_the_same_flags_give_the_same_lines_with_narrower_ends(flags: tuple[str, ...]) -> None:
    pytest.importorskip("prv_accountant")
    (their_code, theirs), (our_code, ours) = _asked([sys.executable, str(THEIRS)], flags), _ours(*flags)
    assert their_code == our_code == 0
    assert ours.keys() == theirs.keys() == {"PRV", "RDP"}
    lower, estimate, upper = ours["PRV"]
    assert lower <= estimate <= upper <= lower * (1 + 2e-3)
    digits = 0.5 * 10 ** (math.floor(math.log10(theirs["PRV"][1])) - 2)  # theirs are rounded to three of them
    assert theirs["PRV"][0] - digits <= lower
    assert upper <= theirs["PRV"][2] + digits
    assert ours["RDP"][0] == theirs["RDP"][0] == 0.0
    assert upper <= ours["RDP"][2] <= theirs["RDP"][2] + digits


@pytest.mark.slow
def test_it_is_found_in_the_help_and_runs_by_itself() -> None:
    helped = subprocess.run(
        [sys.executable, "-m", "tightbudget", "--help"], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert "compute-dp-epsilon" in helped.stdout
    code, lines = _ours(*RUN)
    assert code == 0
    bracket = compute_dp_epsilon(5e-3, 0.8, 1000, 1e-6).bracket
    assert lines["PRV"][0] <= bracket.lower <= bracket.upper <= lines["PRV"][2]
    assert lines["PRV"][2] - lines["PRV"][0] <= 1.1 * bracket.width


def test_the_how_to_shows_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[4] / "docs/how-to/prv-accountant.md").read_text(encoding="utf-8")
    assert f"$ tightbudget compute-dp-epsilon {' '.join(RUN)} " in page
    assert main(["compute-dp-epsilon", *RUN]) == 0
    assert capsys.readouterr().out in page


@pytest.mark.slow
def test_ends_are_rounded_outward(capsys: pytest.CaptureFixture[str]) -> None:
    for steps in range(1, 30):
        assert main(["compute-dp-epsilon", "-p", "0.3", "-s", "2", "-i", str(steps), "-d", "1e-5"]) == 0
        (_, lower, _, upper), (_, _, _, renyi) = LINE.findall(capsys.readouterr().out)
        found = compute_dp_epsilon(0.3, 2.0, steps, 1e-5)
        assert float(lower) <= found.bracket.lower < found.bracket.upper <= float(upper)
        assert found.by_renyi is not None
        assert found.by_renyi <= float(renyi)


def test_json_has_the_bracket_and_the_other_bound(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compute-dp-epsilon", *RUN, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    found = compute_dp_epsilon(5e-3, 0.8, 1000, 1e-6)
    assert (told["lower"], told["upper"], told["by_renyi"]) == (found.bracket.lower, found.bracket.upper, found.by_renyi)
    assert told["expression"] == "poisson(gaussian(sigma=0.8), q=0.005) * 1000"


@pytest.mark.parametrize(
    ("changed", "option"),
    [
        (("-p", "2"), "--sampling-probability is 2.0"),
        (("-p", "nan"), "--sampling-probability"),
        (("-s", "-1"), "--noise-multiplier is -1.0"),
        (("-i", "-3"), "--num-compositions is -3"),
        (("-i", "2.5"), "--num-compositions"),
        (("-d", "2"), "--delta is 2.0"),
    ],
)
def test_what_crashes_there_is_one_sentence_here(
    changed: tuple[str, str], option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compute-dp-epsilon", *RUN, *changed]) == 2
    said = capsys.readouterr()
    assert not said.out
    assert option in said.err
    assert "batch=256" not in said.err  # an option of other commands
    assert said.err.count("\n") == 1


@pytest.mark.slow
def test_edges_have_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compute-dp-epsilon", *RUN, "-i", "0"]) == 0
    assert LINE.findall(capsys.readouterr().out)[0] == ("PRV", "0", "0", "0")
    assert main(["compute-dp-epsilon", *RUN, "-s", "0"]) == 0
    assert "RDP Accountant:\t\tn/a" in capsys.readouterr().out
    assert main(["compute-dp-epsilon", *RUN, "-s", "0", "--fail-on-no-value"]) == 3
    assert "no value" in capsys.readouterr().err
    assert main(["compute-dp-epsilon", *RUN, "--rtol", "1e-15"]) == 3
    assert "PRV Accountant:" in capsys.readouterr().out


def test_a_rate_that_is_none_is_named() -> None:
    with pytest.raises(InvalidParameter, match=r"sampling_probability is 1\.5"):
        compute_dp_epsilon(1.5, 1.0, 10, 1e-6)
