"""`f"{bracket:.3f}"`: a bound whatever the specification, and refused where a float would refuse it."""

import decimal
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tightbudget as tb
from tightbudget.numerics.bracket import Bracket

anything = st.floats(allow_nan=False, allow_infinity=False)
specs = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "+", " ", "-", "z"]),
    st.sampled_from(["", ","]),
    st.integers(0, 20).map(".{}".format) | st.just(""),
    st.sampled_from(["e", "f", "g", "E", "F", "G", "%"]),
)


def ends(text: str) -> tuple[Fraction, Fraction]:
    lower, upper = text.strip("[] ").split(", ")
    return number(lower), number(upper)


def number(text: str) -> Fraction:
    plain = Decimal(text.replace(",", "").strip().removesuffix("%"))
    return Fraction(plain) / (100 if text.endswith("%") else 1)


@given(anything, anything, specs)
@example(5e-324, 5e-324, ".3f")
@example(-5e-324, 0.0, ".0e")
@example(0.1, 0.1, ".2g")
@example(0.99999, 0.99999, ".2%")
@example(-0.0, 1.7e308, "+,.4f")
def test_what_is_shown_holds(one: float, other: float, spec: str) -> None:
    lower, upper = sorted((one, other))
    shown_lower, shown_upper = ends(format(Bracket(lower, upper), spec))
    assert shown_lower <= Fraction(lower)
    assert Fraction(upper) <= shown_upper


@given(st.floats(1e-300, 1e300), st.integers(1, 16))
def test_no_wider_than_the_digits_asked_for(value: float, digits: int) -> None:
    for spec in (f".{digits}g", f".{digits - 1}e"):
        lower, upper = ends(format(Bracket(value, value), spec))
        assert upper - lower <= Fraction(value) * Fraction(1, 10 ** (digits - 1))
    lower, upper = ends(format(Bracket(value, value), f".{digits}f"))
    assert upper - lower <= Fraction(1, 10**digits)


@pytest.mark.parametrize(
    ("bracket", "spec", "text"),
    [
        (Bracket(1 / 3, 2 / 3), ".3f", "[0.333, 0.667]"),
        (Bracket(1 / 3, 2 / 3), ".2e", "[3.33e-1, 6.67e-1]"),
        (Bracket(0.25, 0.5), ".1%", "[25.0%, 50.0%]"),
        (Bracket(0.25, 0.5), ".3f", "[0.250, 0.500]"),
        (Bracket(5e-324, 5e-324), ".3f", "[0.000, 0.001]"),
        (Bracket(-0.0004, -0.0004), ".3f", "[-0.001, 0.000]"),
        (Bracket(-0.0, 0.0), ".1f", "[0.0, 0.0]"),
        (Bracket(0.0, 0.0), ".2e", "[0.00e+00, 0.00e+00]"),
        (Bracket(-math.inf, math.inf), ".3f", "[-inf, inf]"),
        (Bracket(1.0, math.inf), "+.1%", "[+100.0%, +inf%]"),
        (Bracket(0.5, 0.75), "*^20.2f", "****[0.50, 0.75]****"),
        (Bracket(0.5, 0.75), "<16.1f", "[0.5, 0.8]      "),
        (Bracket(0.5, 0.75), "16.1f", "      [0.5, 0.8]"),
        (Bracket(12345.6, 12345.7), ",.0f", "[12,345, 12,346]"),
    ],
)
def test_as_written(bracket: Bracket, spec: str, text: str) -> None:
    assert format(bracket, spec) == text


def test_a_specification_that_says_nothing_of_numbers_leaves_the_usual_digits() -> None:
    bracket = Bracket(0.123456789, 0.123456999)
    assert f"{bracket}" == str(bracket)
    assert f"{bracket:>40}" == str(bracket).rjust(40)


@pytest.mark.parametrize(
    "spec", ["d", "s", "x", "n", "c", ".3q", "08.3f", "=12.3f", "#.3g", "_", "f.", ".-1f", "٣", ".f", "f3"]
)
def test_what_is_not_for_brackets_is_refused_as_for_floats(spec: str) -> None:
    with pytest.raises(ValueError, match=r"invalid format specifier .* for a bracket"):
        format(Bracket(0.0, 1.0), spec)


@pytest.mark.parametrize("spec", [".999999999f", "999999999.1f"])
def test_no_text_fills_the_memory(spec: str) -> None:
    with pytest.raises(ValueError, match="invalid format specifier"):
        format(Bracket(0.0, 1.0), spec)


def test_a_context_of_the_caller_changes_nothing() -> None:
    careful = decimal.Context(prec=2, rounding=decimal.ROUND_HALF_EVEN, traps=[decimal.Inexact, decimal.Rounded])
    with decimal.localcontext(careful) as context:
        assert f"{Bracket(1 / 3, 2 / 3):.4f}" == "[0.3333, 0.6667]"
        assert not context.flags[decimal.Inexact]


def test_arrays_are_written_one_by_one() -> None:
    answers = tb.Gaussian(sigma=2).delta([0.5, 1.0])
    assert f"{answers:.2f}" == f"[{answers[0]:.2f} {answers[1]:.2f}]"
    assert f"{answers}" == str(answers)
    assert f"{np.array(answers[0])[()]:.2f}" == f"{answers[0]:.2f}"
