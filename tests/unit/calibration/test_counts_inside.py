"""A count inside a mechanism is found as a whole number, and refused in a sentence as any other."""

import pytest

import tightbudget as tb

TEMPLATE = "repeat_and_select(laplace(scale=3) * ?, mean=1)"


def test_it_is_refused_in_a_sentence() -> None:
    with pytest.raises(tb.InvalidParameter, match="whole=True"):
        tb.calibrate(TEMPLATE, epsilon=3, delta=1e-6, rtol=1e-2)


def test_it_is_found_as_a_whole_number() -> None:
    found = tb.calibrate(TEMPLATE, epsilon=3, delta=1e-6, rtol=1e-2, whole=True)
    assert (found.value, found.too_little) == (9, 10)
