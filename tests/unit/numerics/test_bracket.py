"""Brackets: what is printed is itself a valid bracket, digits read back exactly."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tightbudget as tb
from tightbudget.numerics.bracket import Bracket

ends = st.floats(0.0, 1.0) | st.floats(0.0, 1e12) | st.floats(0.0, 1.7e308, allow_subnormal=True)


def printed(bracket: Bracket) -> tuple[Decimal, Decimal]:
    lower, upper = str(bracket).strip("[]").split(", ")
    return Decimal(lower), Decimal(upper)


@given(ends, ends)
@example(0.123456789, 0.123456999)
@example(0.1, 0.1)
@example(1e-60, 1.0000001e-60)
@example(5e-324, 1e-323)
@example(0.0, 1e-300)
@example(999999.5, 1000000.5)
def test_printing_rounds_outward(one: float, other: float):
    lower, upper = sorted((one, other))
    shown_lower, shown_upper = printed(Bracket(lower, upper))
    assert shown_lower <= Decimal(lower)
    assert Decimal(upper) <= shown_upper


@given(st.floats(1e-300, 1e300), st.floats(1e-10, 0.5))
def test_printing_keeps_the_width(upper: float, relative: float):
    """Outward rounding may widen what is shown by a fraction, not by a multiple."""
    bracket = Bracket(upper * (1.0 - relative), upper)
    shown_lower, shown_upper = printed(bracket)
    assert shown_upper - shown_lower <= 2 * (Decimal(bracket.upper) - Decimal(bracket.lower))


@pytest.mark.parametrize(
    ("bracket", "text"),
    [
        (Bracket(0.0, math.inf), "[0, inf]"),
        (Bracket(math.inf, math.inf), "[inf, inf]"),
        (Bracket(0.0, 0.0), "[0, 0]"),
        (Bracket(0.5, 0.5), "[0.5, 0.5]"),
    ],
)
def test_printing_of_the_ends_of_the_scale(bracket: Bracket, text: str):
    assert str(bracket) == text


@pytest.mark.parametrize("ends", [(1.0, 0.5), (math.nan, 1.0), (0.0, math.nan)])
def test_an_empty_bracket_is_refused(ends: tuple[float, float]):
    with pytest.raises(ValueError, match="empty bracket"):
        Bracket(*ends)


@given(ends, ends)
def test_the_estimate_lies_inside(one: float, other: float):
    bracket = Bracket(*sorted((one, other)))
    assert bracket.estimate in bracket


def test_questions_may_both_be_unanswered():
    bracket = Bracket(1.0, 2.0)
    assert bracket.certainly_at_most(2.0)
    assert bracket.certainly_above(0.5)
    assert not bracket.certainly_at_most(1.5)
    assert not bracket.certainly_above(1.5)


def test_width_of_an_infinite_answer():
    assert Bracket(math.inf, math.inf).width == 0.0
    assert Bracket(1.0, math.inf).width == math.inf


def test_ends_of_other_kinds_become_floats_outside():
    found = Bracket(Fraction(1, 3), Fraction(2, 3))
    assert (type(found.lower), type(found.upper)) == (float, float)
    assert Fraction(found.lower) <= Fraction(1, 3) < Fraction(math.nextafter(found.lower, 1.0))
    assert Fraction(math.nextafter(found.upper, 0.0)) < Fraction(2, 3) <= Fraction(found.upper)
    assert str(Bracket(np.float64(0.25), np.float64(0.5))) == str(Bracket(0.25, 0.5))
    assert Bracket(1, 2**60 + 1).upper >= 2**60 + 1


@pytest.mark.parametrize("end", ["1", None, 1j, [1.0]])
def test_ends_are_numbers(end: object):
    with pytest.raises(tb.InvalidParameter, match="upper"):
        Bracket(0.0, end)  # type: ignore[arg-type]


def test_long_doubles_are_rounded_outward() -> None:
    third = np.longdouble(1) / 3
    bracket = tb.Bracket(third, third)
    exact = Fraction(*third.as_integer_ratio())
    assert Fraction(bracket.lower) <= exact <= Fraction(bracket.upper)


@pytest.mark.parametrize(
    "ask",
    [
        lambda bracket: bracket < 5,
        lambda bracket: bracket <= 5,
        lambda bracket: bracket > 5,
        lambda bracket: bracket >= 5,
        lambda bracket: 5 > bracket,  # noqa: SIM300 -- the number asks
        lambda bracket: max(bracket, bracket),
    ],
)
def test_a_comparison_says_what_to_ask(ask: Callable[[Bracket], object]) -> None:
    with pytest.raises(TypeError, match=r"certainly_at_most\(limit\)"):
        ask(Bracket(1.0, 2.0))


def test_one_number_of_two_is_not_chosen() -> None:
    with pytest.raises(TypeError, match=r"take bracket\.upper, which is certified"):
        float(Bracket(1.0, 2.0))  # type: ignore[arg-type]
    with pytest.raises(tb.InvalidParameter):
        tb.Gaussian(Bracket(1.0, 1.0))  # type: ignore[arg-type]
