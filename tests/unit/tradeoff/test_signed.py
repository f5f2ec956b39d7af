"""Profiles of both signs: the larger direction counts, and below 0 the other one."""

from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.tradeoff.signed import ProfileAnswers, SignedProfile

A, B = (6, 3, 1), (1, 4, 5)
PAIR = tb.Histograms(A, B)


def hockey_stick(first: tuple[int, ...], second: tuple[int, ...], epsilon: float) -> mpf:
    with mpmath.workdps(40):
        t = mpmath.exp(mpf(epsilon))
        return sum(max(mpf(0), (x - t * y) / 10) for x, y in zip(first, second, strict=True))


@pytest.mark.parametrize("epsilon", [-3.0, -1.7, -0.25, 0.0, 0.25, 1.7, 3.0])
def test_below_zero_the_profile_is_that_of_the_other_direction(epsilon: float) -> None:
    remove, add = PAIR._directions
    for forward, backward, pair in ((remove, add, (A, B)), (add, remove, (B, A))):
        profile = SignedProfile((forward,), (backward,), ProfileAnswers(None))
        profile.ask(epsilon, 1e-6)
        (point,) = profile.points
        assert point.lower <= hockey_stick(*pair, epsilon) <= point.upper
        assert point.upper - point.lower <= 1e-6


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("epsilon", [0.1, 0.9, 1.5, 1.7])
def test_the_larger_of_both_directions_counts_whichever_comes_first(epsilon: float, order: int) -> None:
    found = ProfileAnswers(None).largest(PAIR._directions[::order], epsilon, 1e-6)
    truth = max(hockey_stick(A, B, epsilon), hockey_stick(B, A, epsilon))
    assert found.lower <= truth <= found.upper
    assert Fraction(found.upper) > 0


def test_a_rough_answer_that_is_too_low_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two directions whose rough brackets overlap: the one with the lower upper end may be the larger."""
    answers, asked = ProfileAnswers(None), []
    ends = {
        ("first", 0.02): (0.5, 0.62),
        ("second", 0.02): (0.5, 0.61),
        ("first", 1e-3): (0.5, 0.5004),
        ("second", 1e-3): (0.6, 0.6005),
    }

    def one(direction: str, epsilon: float, rtol: float) -> tb.Bracket:
        asked.append((direction, rtol))
        return tb.Bracket(*ends[direction, rtol])

    monkeypatch.setattr(answers, "one", one)
    found = answers.largest(["first", "second"], 0.0, 1e-3)  # type: ignore[list-item]
    assert (found.lower, found.upper) == (0.6, 0.6005)
    assert asked == [("first", 0.02), ("second", 0.02), ("first", 1e-3), ("second", 1e-3)]


def test_what_is_known_narrowly_is_not_asked_again() -> None:
    (direction,) = tb.Gaussian(sigma=1.0)._directions
    answers = ProfileAnswers(None)
    assert answers.one(direction, 1.0, 1e-3) is answers.one(direction, 1.0, 1e-2)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_half_of_a_profile_is_asked_on_its_own_side_only(side: float) -> None:
    half = PAIR._directions[:1], ()
    profile = SignedProfile(*half[:: int(side)], ProfileAnswers(None))
    for epsilon in (0.0, 0.5 * side):
        profile.ask(epsilon, 1e-6)
    with pytest.raises(AssertionError):
        profile.ask(-0.5 * side, 1e-6)
    point = next(point for point in profile.points if point.epsilon)
    order = (A, B) if side > 0.0 else (B, A)
    assert point.lower <= hockey_stick(*order, 0.5 * side) <= point.upper
