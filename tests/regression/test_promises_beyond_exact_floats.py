"""Promises that no float is equal to are rounded up: whole numbers above 2^53, and numbers above the largest float."""

from decimal import Decimal
from fractions import Fraction

import pytest

import tightbudget as tb

LARGEST = 2**1024 - 2**971


@pytest.mark.parametrize("promised", [2**53 + 1, 10**17 + 1, 3 * 10**22 + 1])
def test_no_whole_number_that_is_promised_is_rounded_down(promised: int) -> None:
    for one in (tb.PureDP(promised), tb.PureDP(Decimal(promised))):
        assert Fraction(one.epsilon(0.0).upper) >= promised
    assert Fraction(tb.ApproximateDP(promised, 1e-9).epsilon(1e-9).upper) >= promised
    assert Fraction((tb.PureDP(promised // 8) * 8).epsilon(0.0).upper) >= promised // 8 * 8


def test_small_whole_numbers_stay_whole() -> None:
    assert str(tb.PureDP(2**53)) == f"pure_dp(epsilon={2**53})"
    assert str(tb.PureDP(2)) == "pure_dp(epsilon=2)"


@pytest.mark.parametrize("promised", [LARGEST - 1, LARGEST + 1, Fraction(LARGEST) + Fraction(1, 2)])
def test_what_is_beyond_the_largest_float_promises_nothing(promised: int | Fraction) -> None:
    assert tb.PureDP(promised).epsilon(0.0).upper == float("inf")
    assert tb.ApproximateDP(promised, 0.1).epsilon(0.1).upper == float("inf")


def test_a_promise_written_just_above_the_largest_float_is_read() -> None:
    assert tb.parse("pure_dp(epsilon=1.79769313486231575e308)").epsilon(0.0).upper == float("inf")


def test_a_written_whole_number_that_is_promised_is_not_rounded_down() -> None:
    assert Fraction(tb.parse(f"pure_dp(epsilon={2**53 + 1})").epsilon(0.0).upper) >= 2**53 + 1
    assert Fraction(tb.parse(f"gaussian_dp(mu={2**53 + 1})").gdp_mu()) >= 2**53 + 1
