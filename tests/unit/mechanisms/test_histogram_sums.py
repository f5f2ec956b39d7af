"""Probabilities that do not sum to 1 are divided by their sum, and that is said; counts and rounding are not."""

import warnings

import pytest

import tightbudget as tb
from tightbudget.interfaces.cli import main


@pytest.mark.parametrize(
    ("a", "b", "name", "total"),
    [
        ([0.5, 0.6], [0.4, 0.6], "a", "1.1"),
        ([0.4, 0.6], [0.5, 0.25], "b", "0.75"),
        ([1.0, 0.5], [1.0, 0.0], "a", "1.5"),
    ],
)
def test_a_sum_that_is_not_one_is_said(a: list[float], b: list[float], name: str, total: str) -> None:
    with pytest.warns(UserWarning, match=rf"^{name} has a sum of {total}, not 1, and was divided by it") as seen:
        tb.Histograms(a, b)
    assert [one.filename for one in seen] == [__file__]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([0.1] * 10, [1 / 3, 1 / 3, 1 / 3] + [0.0] * 7),
        ([0.333333, 0.666667], [0.5, 0.5]),
        ([6, 3, 1], [5, 3, 2]),
        ([1, 0, 1], [1, 1, 1]),  # counts
        ([1.5, 0.25], [0.5, 1.25]),  # weights
    ],
)
def test_nothing_is_said_of_others(a: list[float], b: list[float]) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        tb.Histograms(a, b)
    assert not said


def test_the_command_says_it_in_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["delta", "histograms([0.5, 0.6], [0.4, 0.6])", "--epsilon", "0.1"]) == 0
    assert capsys.readouterr().err == "Note: a has a sum of 1.1, not 1, and was divided by it. Is a cell missing?\n"
