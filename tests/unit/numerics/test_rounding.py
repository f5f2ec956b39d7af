"""Rounding helpers end on the side they promise, compared as exact fractions."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tightbudget.numerics.rounding import U, down, up

floats = st.floats(-1e300, 1e300, allow_subnormal=True)


def test_the_unit():
    assert 1.0 + 2.0 * U > 1.0 == 1.0 + U


@given(floats, st.integers(0, 100))
def test_up_and_down_enclose(value: float, ulps: int):
    moved = abs(Fraction(value)) * ulps * Fraction(U)
    assert Fraction(up(value, ulps)) >= Fraction(value) + moved
    assert Fraction(down(value, ulps)) <= Fraction(value) - moved


@given(floats)
def test_they_do_not_go_far(value: float):
    # three roundings and one more float beyond
    limit = abs(Fraction(value)) * Fraction(8 * U) + Fraction(math.ulp(0.0))
    assert Fraction(up(value)) - Fraction(value) <= limit
    assert Fraction(value) - Fraction(down(value)) <= limit
