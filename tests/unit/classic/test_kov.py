"""The optimal composition of equal promises against 50 digits."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.lanes import mostly_slow
from tests.support.promise_truth import kov_excess, optimal_delta

import tightbudget as tb
from tightbudget.classic.kov import kov, kov_profile

PARTS = [0.0, 0.013, 0.1, 0.35, 0.5, 0.77, 0.9, 0.9999]
CASES = [
    (1, 1.0),
    (2, 0.3),
    (5, 0.3),
    (7, 12.0),
    (100, 0.1),
    (512, 0.02),
    (1000, 2.0),
    (2000, 1e-9),
    (3, 40.0),
    (10, 800.0),
    (10_000, 0.01),
]


@pytest.mark.parametrize(("steps", "promised"), CASES)
@pytest.mark.parametrize("part", PARTS)
def test_excess_is_rounded_up_a_little(steps: int, promised: float, part: float) -> None:
    epsilon = part * steps * promised
    found = float(kov_profile(steps, promised).upper(np.array([epsilon]))[0])
    with mpmath.workdps(60):
        # the truth itself has 60 digits, less those of its exponents
        truth = kov_excess(steps, promised, epsilon) * (1 - mpf("1e-50"))
        assert truth <= mpf(found)
        # x_l - epsilon is a difference of floats that may nearly agree; the rest is the length of the sum
        near = 8 * mpf(2) ** -53 * (steps * promised + epsilon) / min(1.0, steps * promised - epsilon)
        allowed = mpf("1e-12") + 64 * mpf(2) ** -53 * min(steps, 40_000) + near
        assert mpf(found) <= truth * (1 + allowed) + mpf("2e-300")


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", mostly_slow([0.0, 0.7, 3.3, 5.0, 12.0, 31.7], every=3, first=1))
def test_a_million_steps(epsilon: float) -> None:
    found = float(kov_profile(10**6, 0.001).upper(np.array([epsilon]))[0])
    truth = kov_excess(10**6, 0.001, epsilon)
    assert truth <= mpf(found) <= truth * (1 + mpf("1e-9"))


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "promised"), [(4, 0.5), (7, 0.1)])
@pytest.mark.parametrize("failure", mostly_slow([0.0, 1e-9, 0.2], every=3, first=1))
def test_the_whole_formula_against_all_outcomes(steps: int, promised: float, failure: float) -> None:
    step = tb.ApproximateDP(promised, failure) if failure else tb.PureDP(promised)
    for part in PARTS:
        epsilon = part * steps * promised
        truth = optimal_delta([(promised, failure)] * steps, epsilon)
        found = kov.delta(step * steps, epsilon)
        # the search may take other promises of the same step, but none can be better than its own
        assert truth <= mpf(found) <= truth * (1 + mpf("1e-9"))


@pytest.mark.parametrize(("steps", "promised"), CASES)
@pytest.mark.parametrize("level", [0.3, 1e-3, 1e-9, 1e-30])
def test_epsilon_holds_and_is_close(steps: int, promised: float, level: float) -> None:
    found = kov_profile(steps, promised).epsilon_at(level)
    assert kov_excess(steps, promised, found) <= mpf(level)
    if found > 0.0:
        below = max(0.0, found - 1e-9 * (found + promised))
        assert kov_excess(steps, promised, below) >= mpf(level) * (1 - mpf("1e-8")) or found == steps * promised


@pytest.mark.slow
def test_randomised_response_is_tight() -> None:
    for p, count in [(0.51, 1000), (0.75, 20), (0.9, 3)]:
        composed = tb.RandomizedResponse(p) * count
        for delta in (1e-2, 1e-6, 1e-12):
            ours, theirs = composed.epsilon(delta, rtol=1e-6), kov.epsilon(composed, delta)
            assert ours.lower <= theirs
            assert theirs <= ours.upper * (1 + 1e-6)


def test_from_the_largest_loss_on_nothing_is_lost() -> None:
    assert kov.delta(tb.PureDP(1.0) * 10, 10.0) == 0.0
    assert kov.delta(tb.PureDP(1.0) * 10, math.nextafter(10.0, 0.0)) > 0.0
    assert kov.epsilon(tb.PureDP(1.0) * 10, 0.0) == 10.0


def test_epsilon_may_be_as_large_as_a_float() -> None:
    for largest in (1.7e308, float(np.finfo(float).max), math.inf):
        assert list(kov_profile(1, 0.4).upper(np.array([0.1, largest]))) == [kov_profile(1, 0.4).upper(np.array([0.1]))[0], 0.0]
    assert tb.compare("randomized_response(0.6)", epsilon=1.7e308).rows


def test_exponentials_too_small_for_a_float_are_not_lost() -> None:
    assert 0.0 < kov.delta(tb.PureDP(0.01) * 10**6, 5_000.0) <= 2e-300


def test_different_steps_and_too_many_are_refused() -> None:
    with pytest.raises(tb.DoesNotApply, match="different"):
        kov.delta(tb.PureDP(0.1) + tb.PureDP(0.2), 1.0)
    with pytest.raises(tb.DoesNotApply, match="terms"):
        kov.delta(tb.PureDP(1e-6) * 10**12, 1.0)
    # a step that reveals nothing makes no difference
    assert kov.delta(tb.PureDP(0.1) * 5 + tb.PureDP(0.0), 0.2) == kov.delta(tb.PureDP(0.1) * 5, 0.2)


def test_truth_agrees_with_itself() -> None:
    """The two ways the truth is found, by counts and by all outcomes."""
    with mpmath.workdps(50):
        assert abs(kov_excess(8, 0.4, 1.1) / optimal_delta([(0.4, 0.0)] * 8, 1.1) - 1) < mpf("1e-40")
