"""Sums of exponentials far outside the range of floats."""

import math

import mpmath
import numpy as np
import pytest

from tightbudget.numerics.logs import group_log_sum, log_sum, log_tails

RNG = np.random.default_rng(2)


def truth(logs: np.ndarray) -> mpmath.mpf:
    with mpmath.workdps(40):
        return mpmath.log(mpmath.fsum(mpmath.exp(mpmath.mpf(x)) for x in logs.tolist()))


@pytest.mark.parametrize("centre", [-5000.0, -1.0, 0.0, 3000.0])
def test_log_sum(centre: float):
    logs = centre + RNG.normal(0.0, 30.0, 200)
    # 200 roundings of the sum, and one of the result
    assert abs(log_sum(logs) - truth(logs)) <= (200 + abs(centre)) * 2.0**-52


def test_log_sum_of_nothing():
    assert log_sum(np.full(3, -math.inf)) == -math.inf


def test_groups_are_summed_apart():
    logs = np.concatenate([-2000.0 + RNG.normal(0, 3, 50), 500.0 + RNG.normal(0, 3, 7), [-math.inf, -math.inf], [1.5]])
    starts = np.array([0, 50, 57, 59])
    sums = group_log_sum(logs, starts)
    for got, group in zip(sums[[0, 1, 3]], (logs[:50], logs[50:57], logs[59:]), strict=True):
        assert abs(got - truth(group)) <= (50 + abs(got)) * 2.0**-52
    assert sums[2] == -math.inf


@pytest.mark.parametrize("size", [1, 200, 600])
def test_tails_are_known_however_small_they_are(size: int) -> None:
    """The last ones are e^-1200 of all, which is no float; among the terms are some of mass 0."""
    source = np.random.default_rng(size)
    logs = -np.linspace(0.0, 1200.0, size) + source.normal(0.0, 3.0, size)
    logs[1::7] = -np.inf
    found = log_tails(logs)
    with mpmath.workdps(40):
        tail = mpmath.mpf(0)
        for i in reversed(range(size)):
            tail += mpmath.exp(mpmath.mpf(float(logs[i])))
            truth = float(mpmath.log(tail)) if tail else -math.inf
            assert found[i] == pytest.approx(truth, abs=1e-12 * (1 + abs(truth))) if tail else found[i] == -math.inf


def test_tails_of_nothing() -> None:
    assert log_tails(np.array([])).size == 0
    assert (log_tails(np.full(300, -np.inf)) == -np.inf).all()
