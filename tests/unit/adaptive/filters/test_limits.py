"""Limits in few digits: no more is promised than there is, and every place says the same."""

from fractions import Fraction

import pytest

import tightbudget as tb
from tightbudget.adaptive.filters.limits import Limit

THIRD = Fraction(1, 3)


@pytest.mark.parametrize(
    ("used", "cap", "shown"),
    [
        (Fraction(0), THIRD, "0 of 0.333333"),
        (THIRD / 2, THIRD, "0.166667 of 0.333333"),
        (Fraction(1, 4), Fraction(1), "0.25 of 1"),  # what is short is shown as it is
        (THIRD, THIRD, "0.333333 of 0.333333"),  # full, and no more than that
        (THIRD + Fraction(1, 10**9), THIRD, "0.333334 of 0.333333"),
        (float("inf"), THIRD, "inf of 0.333333"),
    ],
)
def test_what_is_used_is_rounded_up_and_what_there_is_down(used: Fraction, cap: Fraction, shown: str) -> None:
    assert Limit("rho", used, cap).shown == shown
    assert str(Limit("rho", used, cap)) == f"{shown} of rho"


def test_a_limit_is_the_same_number_as_what_a_quote_says_is_left() -> None:
    filter = tb.filters.ZCDPFilter(epsilon=1, delta=1e-6)
    (cap,) = [str(limit).split()[2] for limit in filter.limits if limit.name == "rho"]
    assert f"of the {cap} of rho that was left" in filter.quote(tb.Gaussian(50)).reason
