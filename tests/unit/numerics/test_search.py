"""Crossings of decreasing functions: the point returned keeps the promise, wherever the search starts."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tightbudget.numerics.search import first_at_most, largest_that_fits, last_at_least

guesses = st.floats(0.0, 1e6)
slopes = st.floats(1e-6, 1e6)
levels = st.floats(-40.0, -0.01).map(lambda x: math.exp(x))


def falling(x: float) -> float:
    return math.exp(-x) + math.exp(-0.1 * x * x) if x < 700 else 0.0


def stairs(x: float) -> float:
    """Flat nearly everywhere, so that only evaluations can be trusted, not slopes."""
    return 2.0 ** -math.floor(x)


@pytest.mark.parametrize("function", [falling, stairs])
@given(level=levels, guess=guesses, slope=slopes)
def test_the_promise_is_kept(function, level: float, guess: float, slope: float):
    right = first_at_most(function, level, guess, slope, 1e-6)
    left = last_at_least(function, level, guess, slope, 1e-6)
    assert function(right) <= level
    assert function(left) >= level or left == 0.0
    assert left <= right


@given(level=levels, guess=guesses, slope=slopes)
def test_the_crossing_is_close(level: float, guess: float, slope: float):
    right = first_at_most(falling, level, guess, slope, 1e-6)
    assume(right > 2e-6)
    assert falling(right - 2e-6) > level
    assert falling(last_at_least(falling, level, guess, slope, 1e-6) + 2e-6) < level


def test_a_level_met_exactly_counts_for_both_sides():
    right, left = first_at_most(stairs, 0.25, 0.0, 1.0, 1e-9), last_at_least(stairs, 0.25, 9.0, 1.0, 1e-9)
    assert stairs(right) == stairs(left) == 0.25


def test_no_crossing():
    assert first_at_most(lambda x: 1.0, 0.5, 1.0, 1.0, 1e-6) == math.inf
    assert first_at_most(lambda x: 0.1, 0.5, 1.0, 1.0, 1e-6) == 0.0
    assert last_at_least(lambda x: 0.1, 0.5, 1.0, 1.0, 1e-6) == 0.0
    assert last_at_least(lambda x: 1.0, 0.5, 1.0, 1.0, 1e-6) > 1e299


@given(st.integers(0, 2**21))
def test_the_largest_whole_number_that_fits(limit: int):
    most = 2**20
    assert largest_that_fits(lambda number: number <= limit, most) == min(limit, most)


def test_a_slope_that_is_far_off_is_corrected() -> None:
    asked = list[float]()

    def steep(x: float) -> float:
        asked.append(x)
        return math.exp(-20.0 * x)

    found = first_at_most(steep, 1e-6, 0.1, 1.0, 1e-10)
    assert 0.0 <= found - math.log(1e6) / 20.0 <= 1e-10
    assert len(asked) < 8
