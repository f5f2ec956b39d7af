"""Numbers on the command line and in files: taken as typed, or refused with what to write instead."""

from pathlib import Path

import pytest

import tightbudget as tb
from tightbudget.interfaces.cli import main
from tightbudget.research.studies.timing import read

ONE = "gaussian(sigma=1)"


@pytest.mark.parametrize(
    "arguments",
    [
        ["epsilon", ONE, "--delta", "1e-400"],
        ["epsilon", ONE, "--delta", "0.000001e-390"],
        ["epsilon", ONE, "--delta", "1e-5", "--rtol", "1e-400"],
        ["delta", ONE, "--epsilon", "1e-400"],
        ["delta", ONE, "--epsilon", "1e400"],
        ["compare", ONE, "--delta", "1e-400"],
        ["compare", ONE, "--epsilon", "1e400"],
        ["curve", ONE, "--min", "1e-400"],
        ["curve", ONE, "--max", "1e400"],
        ["odometer", "simulate", "--delta", "1e-400"],
        ["odometer", "separation", "--epsilon-each", "1e400"],
        ["study", "vuvuzela", "dialing", "--rounds", "3", "--delta", "1e-400"],
    ],
)
def test_a_number_that_no_float_is_near_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "for a float" in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("delta", ["0", "0.0", "0e-400", "-0"])
def test_a_zero_that_was_meant_is_taken(delta: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["epsilon", "pure_dp(1)", "--delta", delta]) == 0
    assert "[" in capsys.readouterr().out


@pytest.mark.parametrize("epsilon", ["inf", "1e3", "1_000", "+1000"])
def test_large_numbers_that_were_meant_are_taken(epsilon: str) -> None:
    assert main(["delta", "pure_dp(1)", "--epsilon", epsilon]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["delta", ONE, "--epsilon", "65,536"], "write 65536 or 65_536"),
        (["delta", ONE, "--epsilon", "65,536"], "or with a decimal point 65.536."),
        (["delta", ONE, "--epsilon", "0,5"], "write 0.5, with a decimal point."),
        (["delta", ONE, "--epsilon", "0,001"], "'0,001' is not a number; write 0.001, with a decimal point."),
        (["delta", ONE, "--epsilon", "1,000,000"], "; write 1000000 or 1_000_000."),
        (["delta", ONE, "--epsilon", "a,b"], "; write a decimal point, as in 0.5."),
        (["filter", "compare", "--epsilon", "0,500", "--delta", "1e-6", "--each", ONE], "write 0.500, with a decimal point."),
        (["curve", ONE, "--points", "0,500"], "'0,500' is not a whole number."),
        (["curve", ONE, "--points", "1,000"], "'1,000' is not a whole number; write 1000 or 1_000."),
        (["delta", ONE, "--epsilon", "two"], "not a number"),
        (["epsilon", ONE, "--delta", "4%"], "write 0.04"),
        (["epsilon", ONE, "--delta", " 1e-3 %"], "write 0.00001"),
        (["epsilon", ONE, "--delta", "x%"], "not a number."),
        (["epsilon", ONE, "--delta", "nan%"], "not a number."),
        (["delta", ONE, "--epsilon", ""], "not a number"),
        (["delta", ONE, "--epsilon", "nan"], "epsilon is nan"),
        (["curve", ONE, "--points", "65,536"], "write 65536 or 65_536"),
        (["odometer", "simulate", "--seed", "1,000"], "write 1000 or 1_000"),
        (["odometer", "simulate", "--seed", "x"], "'x' is not a whole number"),
        (["study", "vuvuzela", "dialing", "--rounds", "8,192"], "write 8192 or 8_192"),
        (["filter", "compare", "--epsilon", "1,5", "--delta", "1e-6", "--each", ONE], "decimal point"),
        (["filter", "compare", "--epsilon", "1,000", "--delta", "1e-6", "--each", ONE], "write 1000 or 1_000"),
        (["filter", "compare", "--epsilon", "inf", "--delta", "1e-6", "--each", ONE], "'inf' is not a decimal number"),
        (["epsilon", f"{ONE} * 65,536", "--delta", "1e-5"], "write 65536 or 65_536"),
        (["epsilon", "gaußian(1)", "--delta", "1e-5"], "did you mean 'gaussian'?"),
    ],
)
def test_the_message_says_what_to_write(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert said in capsys.readouterr().err


def test_a_budget_of_many_digits_is_shown_as_typed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["filter", "compare", "--epsilon", "1", "--delta", "1e-400", "--each", "pure_dp(0.5)"]) == 0
    assert capsys.readouterr().out.startswith("Steps like pure_dp(epsilon=0.5) within ε = 1, δ = 1e-400\n")


@pytest.mark.parametrize("cell", ["1e-400", "0.01e-350", "1e400"])
def test_files_are_read_the_same_way(cell: str, tmp_path: Path) -> None:
    """A cell of weight 1e-400 read as 0 would make finite losses infinite."""
    pair, delays = tmp_path / "pair.csv", tmp_path / "delays.csv"
    pair.write_text(f"1,2\n3,{cell}\n")
    delays.write_text(f"1\n{cell}\n")
    with pytest.raises(tb.InvalidParameter, match=r"line 2 of .*pair\.csv.* for a float"):
        tb.Histograms.from_csv(pair)
    with pytest.raises(tb.InvalidParameter, match=r"line 2 of .*delays\.csv.* for a float"):
        read(delays)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--low", "0", "--high", "20"], "add --width, or leave out all three"),
        (["--width", "2"], "add --low and --high, or leave out all three"),
        (["--low", "0", "--high", "20", "--width", "1", "--counts"], "Leave out --low, --high and --width with --counts"),
        ([], "sample a is '1 value', but must be at least 6 values"),
        (["--seed", "-1"], "seed is -1"),
        (["--cells", "1.5"], "'1.5' is not a whole number"),
    ],
)
def test_timing_says_what_is_missing(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text("1\n")
    assert main(["study", "timing", "one.csv", "one.csv", "--rounds", "3", "--epsilon", "1", *options]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "None" not in error
