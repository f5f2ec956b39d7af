"""Results that hold arrays can be compared: == says yes or no."""

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.games import View
from tightbudget.research.games.separation import separation

EPSILONS = np.linspace(0.0, 2.0, 5)


def test_equal_curves_are_equal() -> None:
    first, second = (tb.Gaussian(sigma=2).curve(EPSILONS) for _ in range(2))
    assert (first == second) is True
    assert (first != second) is False


@pytest.mark.parametrize(
    "other",
    [
        tb.Gaussian(sigma=2.5).curve(EPSILONS),
        tb.Gaussian(sigma=2).curve(EPSILONS[:4]),
        tb.Gaussian(sigma=2).curve(EPSILONS.reshape(1, 5)),
        tb.Curve(
            *(getattr(tb.Gaussian(sigma=2).curve(EPSILONS), end) for end in ("epsilons", "lower", "upper")), True, "other"
        ),
        "a curve",
        None,
    ],
)
def test_other_curves_are_not(other: object) -> None:
    assert (tb.Gaussian(sigma=2).curve(EPSILONS) == other) is False


@pytest.mark.slow
def test_comparisons_with_curves_in_them_can_be_compared() -> None:
    first, second = (tb.compare_curves(tb.PureDP(0.1) * 3, EPSILONS) for _ in range(2))
    assert (first == second) is True


def test_what_the_games_show_can_be_compared() -> None:
    for show in (lambda: View(0, np.zeros(2), np.ones(2), np.ones((2, 1), bool)), lambda: separation({}, 0.1, 0.05, 20)):
        one, other = show(), show()
        assert (one == one) is True
        assert isinstance(one == other, bool)
