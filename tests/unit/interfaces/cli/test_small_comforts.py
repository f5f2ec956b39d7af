"""Things that only a person at a terminal notices."""

from pathlib import Path

import pytest

from tightbudget.interfaces.cli import main


@pytest.mark.parametrize("text", ["11", "1.1e1", "11.0", "1_1"])
def test_whole_numbers_as_people_type_them(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["curve", "gaussian(sigma=1)", "--max", "1", "--points", text]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 12


@pytest.mark.parametrize("text", ["1.5", "many", "nan", "inf", "1e999999", ""])
def test_other_numbers_are_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["curve", "gaussian(sigma=1)", "--points", text]) == 2
    assert "whole number" in capsys.readouterr().err


def test_an_infinite_answer_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["epsilon", "approximate_dp(epsilon=1, delta=1e-5)", "--delta", "1e-6"]) == 0
    said = capsys.readouterr()
    assert "[inf, inf]" in said.out
    assert "no ε is large enough" in said.err


def test_the_note_says_where_bounds_are_far_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["curve", "bounded_range(0.1) * 10", "--max", "0.7", "--points", "3"]) == 3
    assert "further apart than asked: at ε = 0.7 by" in capsys.readouterr().err


def test_a_slip_in_the_first_row_is_no_heading(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "slip.csv"
    for first, code in (("with,without", 0), ("O.5,O.4", 2), ("0.5,0.4x", 2), ("nan,inf", 2)):
        file.write_text(f"{first}\n0.3,0.2\n0.2,0.4\n")
        assert main(["delta", f'histograms("{file}")', "--epsilon", "0.1"]) == code
    assert capsys.readouterr().err.count("slip.csv") >= 3


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / ("a" * 250)  # the name of its draft is too long
    assert main(["curve", "gaussian(sigma=1)", "--points", "3", "--csv", str(target)]) == 2
    said = capsys.readouterr().err
    assert str(target) in said
    assert ".part" not in said
    assert not list(tmp_path.iterdir())
