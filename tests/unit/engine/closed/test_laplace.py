"""Repeated Laplace noise in closed form, against residues in ball arithmetic."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import truth
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.engine.closed import laplace
from tightbudget.engine.closed.laplace import LaplaceDirection, laplace_direction


def direction(scale: float, count: int) -> LaplaceDirection | None:
    return laplace_direction((tb.Laplace(scale) * count)._directions[0].steps)


def assert_inside(found: LaplaceDirection, scale: float, count: int, epsilon: float) -> None:
    true = truth.laplace_like(truth.laplace(scale), count, epsilon)
    assert truth.ball(found.delta_lower(epsilon)) <= true.upper()
    assert true.lower() <= truth.ball(found.delta_upper(epsilon))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scale", "count", "epsilon"),
    mostly_slow(
        [
            (200, 512, 0.38857068107728965),
            (200, 512, 0.0),
            (200, 512, 0.39),
            (1000, 64, 0.01),
            (200, 100, 0.03),
            (3000, 600, 0.03125),
        ],
        every=4,
    ),
)
def test_the_truth_lies_between_and_the_ends_are_close(scale: int, count: int, epsilon: float):
    found = direction(scale, count)
    assert found is not None
    assert_inside(found, scale, count, epsilon)
    assert found.delta_upper(epsilon) - found.delta_lower(epsilon) <= 2e-11 * found.delta_upper(epsilon)


@given(st.floats(0.0, 3.5).map(lambda x: 10.0**x), st.integers(2, 200), st.floats(0.0, 1.2))
def test_any_noise_any_count(scale: float, count: int, share: float):
    found, epsilon = direction(scale, count), share * count / scale
    if found is not None:
        assert_inside(found, scale, count, epsilon)


@given(st.floats(0.0, 3.5).map(lambda x: 10.0**x), st.integers(2, 100), st.integers(0, 8), st.floats(0.0, 1.0))
def test_any_number_of_inner_losses(scale: float, count: int, inner: int, share: float):
    assert_inside(LaplaceDirection(1.0 / scale, count, min(inner, count)), scale, count, share * count / scale)


@given(st.floats(0.0, 3.5).map(lambda x: 10.0**x), st.integers(2, 100), st.floats(-20.0, -0.1).map(lambda x: 10.0**x))
def test_brackets_of_epsilon_hold_the_truth(scale: float, count: int, delta: float):
    found, law = (tb.Laplace(scale) * count).epsilon(delta), truth.laplace(scale)
    assert found.lower == 0.0 or truth.laplace_like(law, count, found.lower).upper() >= truth.ball(delta)
    assert truth.laplace_like(law, count, found.upper).lower() <= truth.ball(delta)


@pytest.mark.slow
@pytest.mark.parametrize("inner", [0, 1, 2, 4])
def test_compositions_with_more_inner_losses_are_charged(inner: int):
    """And need to be: without them the sum is too small."""
    found = LaplaceDirection(1 / 200, 512, inner)
    assert_inside(found, 200, 512, 0.25)
    total = found._sum(0.25, -1.0)
    assert total is not None
    assert truth.ball(total * (1.0 + found._error)) < truth.laplace_like(truth.laplace(200), 512, 0.25)


@pytest.mark.parametrize(("scale", "count", "epsilon"), [(10, 64, 2.5), (1, 2, 1.0), (2, 6, 0.5)])
def test_powers_of_sinh_that_are_left_out_are_charged(scale: int, count: int, epsilon: float, monkeypatch: pytest.MonkeyPatch):
    """And need to be."""
    monkeypatch.setattr(laplace, "_REST", math.inf)
    found = direction(scale, count)
    assert found is not None
    assert found.last == 1
    assert_inside(found, scale, count, epsilon)
    total = found._sum(epsilon, -1.0)
    assert total is not None
    assert truth.ball(total + found._beyond(epsilon)) < truth.laplace_like(truth.laplace(scale), count, epsilon)


def test_beyond_the_largest_loss_it_says_nothing():
    found = direction(200, 64)
    assert found is not None
    for epsilon in (0.33, 0.5, math.inf):
        assert found.delta_upper(epsilon) == 1.0
        assert found.delta_lower(epsilon) == 0.0
        assert found.delta(epsilon) is None


@pytest.mark.parametrize(
    ("scale", "count", "epsilon"), [(200, 64, 64 / 200 * 0.99), (1, 5, 4.9), (1, 2, 1.999999), (10, 20, 1.95), (200, 300, 1.4)]
)
def test_near_the_largest_loss_the_ends_are_close(scale: int, count: int, epsilon: float):
    found = direction(scale, count)
    assert found is not None
    assert_inside(found, scale, count, epsilon)
    ends = found.delta(epsilon)
    assert ends is not None
    assert ends[1] - ends[0] <= 1e-7 * ends[1]


def test_losses_too_small_for_logarithms():
    for scale in (1e101, 1e308):
        assert direction(scale, 2) is None


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


@pytest.mark.parametrize(
    ("scale", "count", "delta"), [(200, 512, 1e-5), (200, 512, 1e-60), (10, 64, 1e-5), (1, 5, 1e-5), (1, 2, 0.1), (5, 11, 4e-4)]
)
def test_any_question_has_ten_digits(scale: int, count: int, delta: float):
    """Whatever tolerance is asked for: the closed form is the quickest way at all of them."""
    found = (tb.Laplace(scale) * count).epsilon(delta)
    assert found.upper - found.lower <= 1e-10 * found.upper
    again = (tb.Laplace(scale) * count).delta(0.9 * found.upper)
    assert again.upper - again.lower <= 1e-10 * again.upper


def test_where_no_epsilon_is_needed():
    assert (tb.Laplace(200) * 512).epsilon(0.1).upper == 0.0


@pytest.mark.slow
def test_a_bracket_of_ten_digits():
    found = (tb.Laplace(200) * 512).epsilon(1e-5, rtol=1e-10)
    assert found.converged
    law = truth.laplace(200)
    assert truth.laplace_like(law, 512, found.lower).upper() >= truth.ball(1e-5)
    assert truth.laplace_like(law, 512, found.upper).lower() <= truth.ball(1e-5)
    assert math.isclose(found.lower, 0.38857068107728965, rel_tol=1e-9)
