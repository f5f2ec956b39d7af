"""Numbers on the promised side of others: every helper against exact fractions, from denormals to the largest float."""

import math
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tightbudget
from tightbudget.numerics.rounding import (
    AMPLE,
    GENEROUS,
    TINIEST,
    U,
    float_above,
    float_below,
    lowered,
    lowered_by,
    raised,
    raised_by,
    strictly_lowered,
    strictly_raised,
)

PACKAGE = Path(tightbudget.__file__).parent
LARGEST, NORMAL = sys.float_info.max, sys.float_info.min
ROUNDING = Fraction(U)
Helper = Callable[..., Any]

normal = st.floats(NORMAL, LARGEST)
tiny = st.floats(0.0, 4.0 * NORMAL)
even = st.integers(1, 2**24).map(lambda half: 2 * half)
fractions = st.fractions(min_value=Fraction(1, 10**400), max_value=10**5)
shares = st.floats(8.0 * U, GENEROUS) | st.sampled_from([AMPLE, 1e-11, GENEROUS])
# An eighth of the spacing from a float, on either side: that one is nearest.
# (1/3 alone shows little: its nearest is below it.)
NEAR = [Fraction(x) * (1 + Fraction(side, 2**56)) for x in (1.0, 0.1, 2.0**-1022, 1e300) for side in (-1, 1)]


def exactly(value: float) -> Fraction | float:
    """Return the number that a float is; what overflowed stays infinite."""
    return Fraction(value) if math.isfinite(value) else value


def test_factors_have_names_and_the_unit_one_definition():
    bare = re.compile(r"\* \(1\.0 [+-] (1e-9|1e-1\d|[\d.]+ \* U)\)|2\.0 ?\*\* ?-53")
    sources = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    found = {name for name, text in sources.items() if bare.search(text) and not name.startswith("research/reproduce")}
    assert len(sources) > 200
    assert found == {"numerics/rounding.py"}


def test_units():
    assert 1.0 + U == 1.0 < 1.0 + 2.0 * U == math.nextafter(1.0, 2.0)
    assert 0.0 < TINIEST == math.nextafter(0.0, 1.0)


@given(normal, even)
@example(1.0, 2)
@example(NORMAL, 4)
@example(LARGEST, 2)
def test_a_factor_makes_up_for_roundings(value: float, roundings: int):
    lost = (roundings - 2) * ROUNDING  # n roundings take away at most n u; to undo what they added takes no more
    assert Fraction(value) / (1 - lost) <= exactly(raised(value, roundings))
    assert exactly(lowered(value, roundings)) <= Fraction(value) * (1 - lost)
    assert raised(value, roundings) > value > lowered(value, roundings)


@given(st.floats(1e-300, 1e300), even)
def test_a_factor_takes_no_more_than_it_says(value: float, roundings: int):
    room = (roundings + 2) * ROUNDING
    assert Fraction(raised(value, roundings)) <= Fraction(value) * (1 + room)
    assert Fraction(lowered(value, roundings)) >= Fraction(value) * (1 - room)


@given(st.floats(1e-150, 1e150), st.floats(1e-150, 1e150))
def test_two_roundings_make_up_for_one(x: float, y: float):
    for exact, computed in ((Fraction(x) + Fraction(y), x + y), (Fraction(x) * Fraction(y), x * y)):
        assert Fraction(lowered(computed, 2)) <= exact <= Fraction(raised(computed, 2))


@given(tiny, st.floats(0.0, 1.0))
@example(TINIEST, 0.25)
@example(NORMAL, 0.75)
def test_what_underflows_is_moved_too(x: float, y: float):
    exact = Fraction(x) * Fraction(y)
    assert strictly_lowered(x * y, 4) < x * y < strictly_raised(x * y, 4)
    assert Fraction(strictly_lowered(x * y, 4)) <= exact <= Fraction(strictly_raised(x * y, 4))


@given(normal, even)
def test_strictly_is_no_less(value: float, roundings: int):
    assert strictly_raised(value, roundings) >= raised(value, roundings)
    assert strictly_lowered(value, roundings) <= lowered(value, roundings)


def test_a_factor_alone_leaves_the_smallest_where_they_are():
    assert raised(0.0, 4) == lowered(0.0, 4) == raised_by(0.0, GENEROUS) == 0.0
    assert raised(TINIEST, 4) == lowered(TINIEST, 4) == raised_by(TINIEST, GENEROUS) == TINIEST


@given(st.floats(1e-300, LARGEST), shares)
@example(1.0, GENEROUS)
@example(LARGEST, AMPLE)
def test_a_share_makes_up_for_an_error(value: float, share: float):
    error = Fraction(share) - 4 * ROUNDING
    assert Fraction(value) / (1 - error) <= exactly(raised_by(value, share))
    assert exactly(lowered_by(value, share)) <= Fraction(value) / (1 + error)


def test_allowances_are_what_they_say():
    assert 9000.0 * U < AMPLE < 9010.0 * U
    assert 2.0**23 * U < 9e6 * U < GENEROUS < 2.0**24 * U


@pytest.mark.parametrize("helper", [raised, lowered, strictly_raised, strictly_lowered])
def test_arrays_as_numbers(helper: Helper):
    values = np.array([0.0, TINIEST, NORMAL, 1.0 / 3.0, 1.0, 1e300])
    assert helper(values, 6).tolist() == [helper(value, 6) for value in values.tolist()]


@pytest.mark.parametrize("helper", [raised_by, lowered_by])
def test_arrays_as_numbers_by_a_share(helper: Helper):
    values = np.array([0.0, TINIEST, NORMAL, 1.0 / 3.0, 1.0, 1e300])
    assert helper(values, AMPLE).tolist() == [helper(value, AMPLE) for value in values.tolist()]


@pytest.mark.parametrize("helper", [raised, strictly_raised])
def test_what_is_raised_past_the_largest_float_is_infinite(helper: Helper):
    assert helper(LARGEST, 2) == raised_by(LARGEST, AMPLE) == math.inf


@pytest.mark.parametrize(
    "value", [*NEAR, Fraction(1, 3), Fraction(2, 3), Fraction(1, 10**320), Fraction(2, 10**320)], ids=float
)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_float_that_is_nearest_but_on_the_wrong_side_is_not_taken(value: Fraction, sign: int) -> None:
    below, above = float_below(sign * value), float_above(sign * value)
    assert Fraction(below) < sign * value < Fraction(above)
    assert above == math.nextafter(below, math.inf)


@given(st.one_of(fractions, fractions.map(lambda value: -value)))
def test_floats_on_either_side(value: Fraction) -> None:
    below, above = float_below(value), float_above(value)
    assert Fraction(below) <= value <= Fraction(above)
    assert above <= math.nextafter(below, math.inf)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_stays_itself(value: float) -> None:
    assert float_below(Fraction(value)) == value == float_above(Fraction(value))


def test_floats_on_either_side_of_what_none_holds() -> None:
    assert float_above(Fraction(10) ** 400) == math.inf == -float_below(-(Fraction(10) ** 400))
    assert float_below(Fraction(10) ** 400) == LARGEST == -float_above(-(Fraction(10) ** 400))
    assert float_above(Fraction(1, 10**400)) == TINIEST == -float_below(Fraction(-1, 10**400))
    assert float_below(Fraction(1, 10**400)) == 0.0 == float_above(Fraction(-1, 10**400))
