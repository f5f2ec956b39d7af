"""The lower reading: merging keeps both masses of an event, and never raises delta."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support import readings

from tightbudget.engine.discretisation.merge import coarsen_merged, trim_merged
from tightbudget.engine.discretisation.tilted import TiltedPMF, composed_pmf

STEP, THETA = 0.25, 1.5


def events(n: int, first: int = -20, error: float = 0.0) -> TiltedPMF:
    """Return random events near the losses of their indices, tilted by THETA under A and THETA + 1 under B."""
    k, rng = np.arange(first, first + n), np.random.default_rng(n)
    a = rng.random(n) ** 4 * np.exp(-0.5 * (k * STEP / 3.0) ** 2)
    b = a * np.exp(-k * STEP + rng.uniform(-0.3, 0.3, n))
    rows = np.stack([a * np.exp(THETA * k * STEP), b * np.exp((THETA + 1.0) * k * STEP)])
    total = rows.sum(axis=1)
    return readings.stack(rows / total[:, None], first=first, log_scale=np.log(total), error=error)


def pairs(stack: TiltedPMF, step: float) -> list[tuple[mpf, mpf]]:
    a, b = readings.masses(stack, step, THETA), readings.masses(stack, step, THETA + 1.0, row=1)
    return [(mass_a, mass_b) for (_, mass_a), (_, mass_b) in zip(a, b, strict=True)]


def delta(stack: TiltedPMF, step: float, epsilon: float) -> mpf:
    with mpmath.workdps(readings.DIGITS):
        e = mpmath.exp(mpf(epsilon))
        return mpmath.fsum(max(mpf(0), a - e * b) for a, b in pairs(stack, step))


@pytest.mark.parametrize("factor", [2, 3, 7, 16])
@pytest.mark.parametrize("first", [-20, 0, 3])
def test_coarsening_keeps_both_masses(factor: int, first: int):
    fine = events(50, first)
    coarse = coarsen_merged(fine, STEP, THETA, factor)
    for side in (0, 1):
        before = mpmath.fsum(pair[side] for pair in pairs(fine, STEP))
        after = mpmath.fsum(pair[side] for pair in pairs(coarse, factor * STEP))
        assert float(after / before) == pytest.approx(1.0, rel=1e-13)


@pytest.mark.parametrize("factor", [2, 3, 7, 16])
def test_coarsening_never_raises_delta(factor: int):
    fine = events(50)
    coarse = coarsen_merged(fine, STEP, THETA, factor)
    for epsilon in np.linspace(-4.0, 7.0, 45).tolist():
        assert delta(coarse, factor * STEP, epsilon) <= delta(fine, STEP, epsilon) * (1 + mpf(10) ** -12)


@pytest.mark.parametrize("row", [0, 1])
@pytest.mark.parametrize("factor", [2, 5, 16])
def test_coarsening_hands_errors_on(factor: int, row: int):
    error = 2.0**-6
    stored = events(40, error=error)
    coarse = coarsen_merged(stored, STEP, THETA, factor)
    worst = 0.0
    for place in range(40):
        rows = stored.rows.copy()
        rows[row, place] += error
        truth = coarsen_merged(replace(stored, rows=rows), STEP, THETA, factor)
        scale = math.exp(float(truth.log_scale[row] - coarse.log_scale[row]))
        worst = max(worst, float(np.abs(truth.rows[row] * scale - coarse.rows[row]).sum()))
    assert 0.99 * float(coarse.error[row]) <= worst <= float(coarse.error[row])


@pytest.mark.parametrize("row", [0, 1])
def test_coarsening_hands_noise_on(row: int):
    noise, factor = 2.0**-6, 8
    stored = readings.stack(np.full((2, 32), 1.0 / 32), noise=noise)
    coarse = coarsen_merged(stored, STEP, THETA, factor)
    shape = np.zeros((4, factor))
    shape[1] = np.exp(-(THETA + row) * STEP * np.arange(factor))  # aligned with the weights of one group
    rows = stored.rows.copy()
    rows[row] += noise * shape.ravel() / np.linalg.norm(shape)
    truth = coarsen_merged(readings.stack(rows), STEP, THETA, factor)
    scale = math.exp(float(truth.log_scale[row] - coarse.log_scale[row]))
    off = float(np.linalg.norm(truth.rows[row] * scale - coarse.rows[row]))
    weighs = float(np.abs(truth.rows[row] * scale - coarse.rows[row]).sum())
    assert weighs <= float(coarse.noise_mass[row] + coarse.error[row])
    assert 0.99 * float(coarse.noise[row]) <= off <= float(coarse.noise[row] + coarse.error[row])


@pytest.mark.parametrize("tail", [1e-6, 0.05, 0.3])
def test_trimming_drops_whole_events(tail: float):
    """Events leave both rows or neither: a lower bound that kept A and lost B would be too high."""
    stack = events(60)
    result = trim_merged(stack, tail)
    offset = result.first - stack.first
    np.testing.assert_array_equal(result.rows, stack.rows[:, offset : offset + result.size])
    for epsilon in (-1.0, 0.0, 0.5, 2.0):
        assert delta(result, STEP, epsilon) <= delta(stack, STEP, epsilon)


def test_composition_multiplies_masses():
    stack = events(20)
    result = composed_pmf([(stack, 3)], 1e-15)
    np.testing.assert_allclose(result.log_scale, 3.0 * stack.log_scale, rtol=1e-12)
    np.testing.assert_allclose(result.rows.sum(axis=1), 1.0, rtol=1e-12)
