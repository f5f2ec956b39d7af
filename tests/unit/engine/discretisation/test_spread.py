"""The upper reading: trimming is booked, and coarsening never lowers delta."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support import readings

from tightbudget.engine.discretisation.spread import coarsen_spread, trim_spread

STEP, THETA = 0.25, 1.5


def random_rows(n: int) -> np.ndarray:
    values = np.random.default_rng(n).random(n) ** 6
    return values / values.sum()


@pytest.mark.parametrize("tail", [0.05, 0.2])
def test_trimmed_mass_is_added_to_the_certificate(tail: float):
    stack = readings.stack(random_rows(120), first=-40, error=0.01)
    result = trim_spread(stack, tail)
    assert result.size < stack.size
    missing = 1.0 - float(result.rows[0].sum())
    assert missing > 0.5 * tail
    assert float(result.error[0]) >= 0.01 + missing * (1.0 - 1e-12)
    # what was kept is where it was
    offset = result.first - stack.first
    np.testing.assert_array_equal(result.rows[0], stack.rows[0, offset : offset + result.size])


def test_nothing_is_trimmed_without_need():
    stack = readings.stack([0.5, 0.5], error=0.0)
    assert trim_spread(stack, 1e-9) is stack


@pytest.mark.parametrize("factor", [2, 3, 7, 16])
@pytest.mark.parametrize("first", [-5, 0, 4])
def test_coarsening_keeps_both_masses(factor: int, first: int):
    fine = readings.stack(random_rows(50), first=first, anchor=0.1, log_scale=0.7)
    coarse = coarsen_spread(fine, STEP, THETA, factor)
    before, after = readings.masses(fine, STEP, THETA), readings.masses(coarse, factor * STEP, THETA)
    with mpmath.workdps(readings.DIGITS):
        for weight in (lambda loss: mpf(1), lambda loss: mpmath.exp(-loss)):
            old = mpmath.fsum(mass * weight(loss) for loss, mass in before)
            new = mpmath.fsum(mass * weight(loss) for loss, mass in after)
            assert abs(new / old - 1) <= mpf(10) ** -13


@pytest.mark.slow
@pytest.mark.parametrize("factor", [2, 3, 7, 16])
def test_coarsening_never_lowers_delta(factor: int):
    fine = readings.stack(random_rows(50), first=-9, anchor=0.1)
    coarse = coarsen_spread(fine, STEP, THETA, factor)
    before, after = readings.masses(fine, STEP, THETA), readings.masses(coarse, factor * STEP, THETA)
    for epsilon in np.linspace(-3.0, 11.0, 57).tolist():
        old = readings.hockey_stick(before, mpf(epsilon))
        assert readings.hockey_stick(after, mpf(epsilon)) >= old * (1 - mpf(10) ** -13)


@pytest.mark.parametrize("factor", [2, 5, 16])
def test_coarsening_hands_errors_on(factor: int):
    """An error in one fine bucket becomes at most the stated error in the coarse ones, wherever the bucket lies."""
    stored, error, theta, n = random_rows(40), 2.0**-6, 3.0, 40
    coarse = coarsen_spread(readings.stack(stored, error=error), STEP, theta, factor)
    worst = 0.0
    for place in range(n):
        truth = stored.copy()
        truth[place] += error
        worst = max(worst, _distance(coarse, coarsen_spread(readings.stack(truth), STEP, theta, factor)))
    assert 0.99 * float(coarse.error[0]) <= worst <= float(coarse.error[0])


@pytest.mark.parametrize("factor", [2, 5, 16])
def test_coarsening_hands_noise_on(factor: int):
    """Noise shaped like the weights of a group is what grows most."""
    noise, theta, groups = 2.0**-6, 3.0, 4
    stored = random_rows(groups * factor)
    coarse = coarsen_spread(readings.stack(stored, noise=noise), STEP, theta, factor)
    shape = np.zeros((groups, factor))
    shape[1] = np.exp(theta * (factor - np.arange(factor)) * STEP)
    shapes = [shape, np.random.default_rng(5).normal(size=shape.shape), np.ones_like(shape)]
    for each in shapes:
        truth = stored + noise * each.ravel() / np.linalg.norm(each)
        exact = coarsen_spread(readings.stack(truth), STEP, theta, factor)
        assert _distance(coarse, exact, order=2) <= float(coarse.noise[0] + coarse.error[0])
        assert _distance(coarse, exact) <= float(coarse.noise_mass[0] + coarse.error[0])


def test_coarsening_by_one_changes_nothing():
    stack = readings.stack(random_rows(9))
    assert coarsen_spread(stack, STEP, THETA, 1) is stack


def _distance(stored, truth, order: int = 1) -> float:
    """Return the norm of the difference, in the units of the stored row."""
    assert stored.first == truth.first
    scale = math.exp(float(truth.log_scale[0] - stored.log_scale[0]))
    return float(np.linalg.norm(truth.rows[0] * scale - stored.rows[0], order))
