"""Repeated Laplace noise in closed form, against residues in ball arithmetic."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tightbudget as tb
import truth
from tightbudget.bounds.laplace import LaplaceDirection, laplace_direction


def direction(scale: float, count: int) -> LaplaceDirection | None:
    return laplace_direction((tb.Laplace(scale) * count)._directions[0].steps)


def assert_inside(found: LaplaceDirection, scale: float, count: int, epsilon: float) -> None:
    true = truth.laplace_like(truth.laplace(scale), count, epsilon)
    assert truth.ball(found.delta_lower(epsilon)) <= true.upper()
    assert true.lower() <= truth.ball(found.delta_upper(epsilon))


@pytest.mark.parametrize(
    ("scale", "count", "epsilon"),
    [
        (200, 512, 0.38857068107728965),
        (200, 512, 0.0),
        (200, 512, 0.39),
        (1000, 64, 0.01),
        (200, 100, 0.03),
        (3000, 600, 0.03125),
    ],
)
def test_the_truth_lies_between_and_the_ends_are_close(scale: int, count: int, epsilon: float):
    found = direction(scale, count)
    assert found is not None
    assert_inside(found, scale, count, epsilon)
    assert found.delta_upper(epsilon) - found.delta_lower(epsilon) <= 2e-11 * found.delta_upper(epsilon)


@given(st.floats(60.0, 3000.0), st.integers(2, 300), st.floats(0.0, 1.2))
def test_any_noise_any_count(scale: float, count: int, share: float):
    found, epsilon = direction(scale, count), share * count / scale
    if found is not None:
        assert_inside(found, scale, count, epsilon)


@pytest.mark.parametrize("inner", [0, 1, 2, 4])
def test_compositions_with_more_inner_losses_are_charged(inner: int):
    """And need to be: without them the sum is too small."""
    found = LaplaceDirection(1 / 200, 512, inner)
    assert_inside(found, 200, 512, 0.25)
    sums = found._sums(0.25, -1.0)
    assert sums is not None
    assert truth.ball(sums[0] * (1.0 + sums[1])) < truth.laplace_like(truth.laplace(200), 512, 0.25)


def test_near_the_largest_loss_it_says_nothing():
    found = direction(200, 64)
    assert found is not None
    assert found.delta_upper(64 / 200 * 0.99) == 1.0
    assert found.delta_lower(64 / 200 * 0.99) == 0.0


@pytest.mark.parametrize(
    "asked",
    [
        tb.Laplace(200),
        tb.Laplace(1) * 100,  # most losses lie inside
        tb.Laplace(200) * 10**6,
        tb.Laplace(200) * 5 + tb.Laplace(201) * 5,
        tb.BoundedRange(0.005) * 100,
        tb.TruncatedLaplace(200, 4000) * 100,
        tb.Poisson(tb.Laplace(200), 0.5) * 100,
        tb.PureDP(0.005) * 100,
    ],
)
def test_other_compositions_have_no_such_form(asked: tb.Mechanism):
    assert laplace_direction(asked._directions[0].steps) is None


def test_a_bracket_of_ten_digits():
    found = (tb.Laplace(200) * 512).epsilon(1e-5, rtol=1e-10)
    assert found.converged
    law = truth.laplace(200)
    assert truth.laplace_like(law, 512, found.lower).upper() >= truth.ball(1e-5)
    assert truth.laplace_like(law, 512, found.upper).lower() <= truth.ball(1e-5)
    assert math.isclose(found.lower, 0.38857068107728965, rel_tol=1e-9)
