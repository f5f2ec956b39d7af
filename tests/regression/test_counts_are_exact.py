"""2^53 + 1 repetitions became 2^53: the number went through a float."""

from fractions import Fraction

import numpy as np
import pytest

import tightbudget as tb


@pytest.mark.parametrize("count", [2**53 + 1, 2**53 + 2, 10**400, Fraction(2**53 + 1), Fraction(2**54 + 1, 2)])
def test_what_cannot_be_counted_is_refused(count: object):
    with pytest.raises(tb.InvalidParameter, match="a whole number from 0 to 9007199254740992"):
        tb.PureDP(1.0) * count
    with pytest.raises(tb.InvalidParameter, match="a whole number"):
        tb.Composition(((tb.PureDP(1.0), count),))


def test_sums_of_counts():
    with pytest.raises(tb.InvalidParameter, match="a whole number"):
        tb.PureDP(1.0) * 2**53 + tb.PureDP(1.0)
    with pytest.raises(tb.InvalidParameter, match="a whole number"):
        tb.PureDP(1.0) * 2**30 * 2**30
    with pytest.raises(tb.InvalidParameter, match="a whole number"):
        tb.parse("pure_dp(epsilon=1) * 9007199254740993")


@pytest.mark.parametrize("count", [2**53, 2**53 - 1, float(2**53), np.int64(2**53 - 1), np.float64(7.0), Fraction(9)])
def test_the_largest_counts(count: object):
    assert (tb.PureDP(1.0) * count).items[0][1] == int(count)
