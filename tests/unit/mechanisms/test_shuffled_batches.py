"""Shuffled batches: the proven bound without amplification, and what a data set attains (M26)."""

import math

import mpmath
import pytest

import tightbudget as tb
from tightbudget.pairs.base import Direction


@pytest.mark.parametrize(("epsilon", "attained", "most"), [(0.5, 0.221268, 0.238422), (1.0, 0.117214, 0.126937)])
def test_two_batches(epsilon: float, attained: float, most: float):
    """All answers of two batches attain a number; their largest nearly does."""
    answer = tb.ShuffledBatches(tb.Gaussian(sigma=1.0), batches=2).delta(epsilon=epsilon)
    assert 0.99 * attained < answer.lower <= attained + 1e-6
    assert answer.upper == pytest.approx(most, abs=1e-6)
    assert answer.upper == tb.Gaussian(sigma=1.0).delta(epsilon=epsilon).upper
    assert not answer.converged
    assert answer.relation == "zero_out"
    assert (tb.Poisson(tb.Gaussian(1.0), q=0.5) * 2).delta(epsilon=epsilon).upper < answer.lower


def largest_answer(m: float, answers: int, epsilon: float, direction: Direction) -> float:
    def density(x: mpmath.mpf, shift: float) -> mpmath.mpf:
        rest = mpmath.ncdf(x) ** (answers - 1)
        slope = (answers - 1) * mpmath.ncdf(x) ** (answers - 2) * mpmath.npdf(x)
        return mpmath.npdf(x - shift) * rest + mpmath.ncdf(x - shift) * slope

    shifts = (2 * m, m) if direction is Direction.REMOVE else (m, 2 * m)
    edges = [mpmath.mpf(k) / 2 for k in range(-12, 21)]
    return float(mpmath.quad(lambda x: max(density(x, shifts[0]) - mpmath.exp(epsilon) * density(x, shifts[1]), 0), edges))


@pytest.mark.slow
@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(("m", "batches"), [(1.0, 2), (0.5, 10), (2.0, 100)])
def test_the_lower_end_is_that_of_the_largest_answer(m: float, batches: int, direction: Direction):
    mechanism = tb.ShuffledBatches(tb.Gaussian(sigma=2.0, sensitivity=2.0 * m), batches)
    exact = largest_answer(m, batches, 0.4, direction)
    answer = mechanism.delta(epsilon=0.4, direction=direction.value)
    assert 0.99 * exact <= answer.lower <= exact * (1 + 1e-4)


@pytest.mark.slow
def test_replaced_records():
    shuffled = tb.ShuffledBatches(tb.Gaussian(sigma=2.0), batches=10, relation="replace_one")
    answer = shuffled.delta(epsilon=0.5)
    assert answer.upper == tb.Gaussian(sigma=1.0).delta(epsilon=0.5).upper
    assert answer.lower == tb.RandomAllocation(tb.Gaussian(sigma=1.0), batches=10).delta(epsilon=0.5).lower


def test_one_batch_and_many():
    assert tb.ShuffledBatches(tb.Gaussian(1.0), 1).delta(epsilon=0.5, relation="zero_out") == tb.Gaussian(1.0).delta(
        epsilon=0.5, relation="zero_out"
    )
    for sigma in (0.0, 1e-3, 1e5):
        answer = tb.ShuffledBatches(tb.Gaussian(sigma), batches=1_000_000).delta(epsilon=0.0)
        assert answer.lower <= answer.upper == tb.Gaussian(sigma).delta(epsilon=0.0).upper
    several = (tb.ShuffledBatches(tb.Laplace(1.0), 10) * 3).epsilon(delta=1e-6)
    assert several.lower <= several.upper == pytest.approx((tb.Laplace(1.0) * 3).epsilon(delta=1e-6).upper)


def test_what_is_refused():
    with pytest.raises(tb.TightBudgetError, match="from batch to batch"):
        tb.ShuffledBatches(tb.Gaussian(1.0), 3).delta(epsilon=1.0, relation="add_remove")
    with pytest.raises(tb.InvalidParameter, match="from batch to batch"):
        tb.ShuffledBatches(tb.Gaussian(1.0), 3, relation="add_remove")
    with pytest.raises(tb.InvalidParameter, match="noise on a query"):
        tb.ShuffledBatches(tb.RandomizedResponse(0.6), 3)
    for batches in (0, 1.5, math.nan, "x"):
        with pytest.raises(tb.InvalidParameter, match="whole number"):
            tb.ShuffledBatches(tb.Gaussian(1.0), batches)  # type: ignore[arg-type]


@pytest.mark.parametrize("sigma", [0.5, 0.3, 0.15, 0.1, 0.05, 0.01])
def test_with_little_noise_the_first_answer_tells_more_than_the_largest(sigma: float) -> None:
    epsilon = 0.4 / sigma**2
    with mpmath.workdps(40):
        q, m, g = mpmath.mpf(1) / 10, 1 / mpmath.mpf(sigma), mpmath.exp(mpmath.mpf(epsilon))
        inner = mpmath.log((g - 1 + q) / q)  # the first answer: the record is in it with probability q
        sampled = q * (mpmath.ncdf(m / 2 - inner / m) - mpmath.exp(inner) * mpmath.ncdf(-m / 2 - inner / m))
        alone = mpmath.ncdf(m / 2 - epsilon / m) - g * mpmath.ncdf(-m / 2 - epsilon / m)
        found = tb.ShuffledBatches(tb.Gaussian(sigma=sigma), batches=10).delta(epsilon)
        assert 0.99 * sampled <= found.lower <= alone <= found.upper
        if sigma <= 0.1:
            assert found.lower <= 1.0001 * sampled  # nothing else is known there
