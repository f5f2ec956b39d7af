"""Do confident bounds hold as often as they say? Known distributions are sampled and the bounds compared with the
truth.

Each test makes `TRIES` experiments and turns red if more fail than a binomial law with failure probability 1 -
confidence exceeds with probability 1e-9; three such tests together raise a false alarm at most three times in 10^9 (and
never by chance, as the seeds are fixed). That this notices broken limits is shown by breaking them.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from tightbudget.research.studies.timing import confident, from_counts, measure

CONFIDENCE = 0.9
TRIES = 200
ALLOWED = int(stats.binom.isf(1e-9, TRIES, 1 - CONFIDENCE))
EPSILON, ROUNDS = 0.3, 3

A = np.array([0.30, 0.25, 0.25, 0.20])
B = np.array([0.20, 0.25, 0.22, 0.33])


def truth(a: np.ndarray, b: np.ndarray) -> float:
    """delta after ROUNDS observations, by enumeration."""
    outcomes = np.array(list(itertools.product(range(a.size), repeat=ROUNDS)))
    first, second = a[outcomes].prod(axis=1), b[outcomes].prod(axis=1)
    ratio = math.exp(EPSILON)
    return max(np.maximum(first - ratio * second, 0).sum(), np.maximum(second - ratio * first, 0).sum())


def failures(size: int) -> int:
    generator = np.random.default_rng(20_180_101)
    exact, count = truth(A, B), 0
    for _ in range(TRIES):
        measured = from_counts(generator.multinomial(size, A), generator.multinomial(size, B))
        found = measured.confidence_bounds(ROUNDS, CONFIDENCE).delta(EPSILON, rtol=1e-2)
        count += not found.lower <= exact <= found.upper
    return count


def test_allowed_failures_are_far_from_none_and_from_all():
    assert 0.1 * TRIES < ALLOWED < 0.3 * TRIES


@pytest.mark.slow
def test_the_bounds_hold_as_often_as_they_say():
    assert failures(200) <= ALLOWED


@pytest.mark.slow
def test_limits_that_are_no_limits_are_noticed(monkeypatch: pytest.MonkeyPatch):
    def shares(counts: np.ndarray, error: float) -> tuple[np.ndarray, np.ndarray]:
        return counts / counts.sum() * (1 - 1e-9), counts / counts.sum() * (1 + 1e-9)

    monkeypatch.setattr(confident, "clopper_pearson", shares)
    assert failures(200) > ALLOWED


@pytest.mark.slow
def test_limits_that_are_much_too_narrow_are_noticed(monkeypatch: pytest.MonkeyPatch):
    """Every limit moved most of the way to the share: not as wrong as no limit at all."""
    real = confident.clopper_pearson

    def narrow(counts: np.ndarray, error: float) -> tuple[np.ndarray, np.ndarray]:
        share = counts / counts.sum()
        low, high = real(counts, error)
        return share - 0.15 * (share - low), share + 0.15 * (high - share)

    monkeypatch.setattr(confident, "clopper_pearson", narrow)
    assert failures(200) > ALLOWED


def test_single_limits_hold_as_often_as_they_say():
    """Bonferroni is generous; one limit alone is nearly exact, so this test is the sharper one."""
    generator = np.random.default_rng(5)
    error, tries = 0.1, 2000
    counts = generator.binomial(60, 0.3, tries)
    limits = [confident.clopper_pearson(np.array([seen, 60 - seen]), error) for seen in counts]
    allowed = stats.binom.isf(1e-9, tries, error)
    too_high = sum(low[0] > 0.3 for low, _ in limits)
    too_low = sum(high[0] < 0.3 for _, high in limits)
    assert max(too_high, too_low) <= allowed
    assert min(too_high, too_low) >= 0.25 * error * tries  # and they are not empty words


@pytest.mark.slow
def test_cells_chosen_with_a_pilot_keep_the_promise():
    generator = np.random.default_rng(77)
    count = 0
    for seed in range(TRIES):
        a, b = generator.exponential(1.0, 400), generator.exponential(1.3, 400)
        measured = measure(a, b, cells=4, seed=seed)
        edges = np.array([0.0, *measured.edges, math.inf])
        masses = [np.diff(-np.exp(-edges / mean)) for mean in (1.0, 1.3)]
        found = measured.confidence_bounds(ROUNDS, CONFIDENCE).delta(EPSILON, rtol=1e-2)
        count += not found.lower <= truth(*masses) <= found.upper
    assert count <= ALLOWED
