"""The table of `tightbudget curve`: every printed line is true of what is printed in it."""

from fractions import Fraction

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
