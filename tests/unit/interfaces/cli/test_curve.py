"""The table of `tightbudget curve`: every printed line is true of what is printed in it."""

from fractions import Fraction
from pathlib import Path

import pytest

import tightbudget as tb
from tightbudget.interfaces.cli import main


@pytest.mark.parametrize(
    "arguments",
    [
        ["gaussian(sigma=20) * 512"],
        ["gaussian(sigma=20) * 512", "--max", "7", "--points", "4"],
        ["pure_dp(0.1) * 10", "--min", "0.3333333333333333"],
        ["gaussian(sigma=1)", "--min", "1", "--max", "1.0000001", "--points", "5"],
        ["poisson(gaussian(sigma=1), q=0.1) * 10", "--min", "-1"],
        ["gaussian(sigma=2)", "--min", "-3", "--max", "-0.5", "--points", "6"],
    ],
)
def test_printed_ends_hold_at_the_printed_epsilon(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["curve", *arguments]) == 0
    rows = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()[1:] if line.endswith("]")]
    assert len(rows) >= 4
    for epsilon, ends in rows:
        lower, upper = (Fraction(end) for end in ends.strip("[]").split(","))
        answer = tb.parse(arguments[0]).delta(float(epsilon), rtol=1e-6)
        assert lower <= Fraction(answer.upper)
        assert Fraction(answer.lower) <= upper
        assert upper - lower <= Fraction(2, 1000) * upper
        assert max(map(len, ends.strip("[]").split(", "))) <= 14
    assert len({epsilon for epsilon, _ in rows}) == len(rows)


def test_between_the_ends_epsilons_have_few_digits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["curve", "gaussian(sigma=20) * 512", "--max", "7", "--points", "4"]) == 0
    epsilons = [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert epsilons == ["0", "2.33333", "4.66667", "7"]
    bracket = tb.parse("gaussian(sigma=20) * 512").delta(2.33333, rtol=1e-9)
    # at 2.33333 delta is larger than at 7/3 by far more than the ends are apart
    assert bracket.lower > tb.parse("gaussian(sigma=20) * 512").delta(7 / 3, rtol=1e-9).upper


def test_epsilon_may_be_negative(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = ["curve", "gaussian(sigma=2)", "--min", "-1.2", "--max", "1.2", "--points", "9"]
    assert main([*asked, "--csv", "-", "--plot", str(tmp_path / "curve.png")]) == 0
    rows = [[float(cell) for cell in line.split(",")] for line in capsys.readouterr().out.splitlines()[1:] if "," in line]
    assert [row[0] for row in rows] == [-1.2, -0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9, 1.2]
    for epsilon, lower, upper in rows:
        answer = tb.Gaussian(sigma=2).delta(epsilon)
        assert lower <= answer.upper
        assert answer.lower <= upper
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("low", ["-inf", "inf", "nan"])
def test_the_first_epsilon_is_finite(low: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["curve", "gaussian(sigma=2)", "--min", low]) == 2
    assert "--min" in capsys.readouterr().err
