"""One direction: what the bucket lists leave out is charged to the upper bound."""

import math
from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf
from tests.support import readings
from tests.support.doubles import RoughPair, Spikes

import tightbudget as tb
from tightbudget.engine.direction import OneDirection, decades_for
from tightbudget.engine.steps import engine_steps
from tightbudget.pairs.base import Direction
from tightbudget.pairs.gaussian import GaussianPair

POINTS = 2.0**19


def gaussian(m: float, epsilon: float) -> mpf:
    with mpmath.workdps(40):
        return mpmath.ncdf(mpf(m) / 2 - epsilon / mpf(m)) - mpmath.exp(epsilon) * mpmath.ncdf(-mpf(m) / 2 - epsilon / mpf(m))


@pytest.mark.parametrize("decades", [1, 2, 6])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 3.0, 6.0])
def test_losses_beyond_the_cap_are_charged(decades: int, epsilon: float):
    """With one decade to follow, the largest losses, a tenth of A, are left out of every list."""
    direction = OneDirection(engine_steps([(GaussianPair(1.5), 1)]))
    tilt_index = direction.saddle(decades).for_epsilon(epsilon).tilt_index
    profile = direction.profile(decades, tilt_index, -20, POINTS)
    assert profile is not None
    true = gaussian(1.5, epsilon)
    assert mpf(profile.delta_lower(epsilon)) <= true <= mpf(profile.delta_upper(epsilon))


def test_the_mass_beyond_the_cap_may_be_more_than_it_looks():
    """Masses that look a third smaller than they are let more of A be truncated."""
    direction = OneDirection(engine_steps([(RoughPair(GaussianPair(1.5), error=0.5, a=-1.0), 1)]))
    profile = direction.profile(1, direction.saddle(1).for_epsilon(1.0).tilt_index, -20, POINTS)
    assert profile is not None
    assert profile.infinity_upper >= 0.1 * math.exp(0.5)


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_what_is_unresolved_is_charged(epsilon: float):
    """A twentieth of A is not in the lists; its losses may be as large as they like."""
    losses, masses, missing = (-1.0, 0.0, 1.0), (0.25, 0.25, 0.45), 0.05
    direction = OneDirection(engine_steps([(Spikes(losses, masses, unresolved=missing), 2)]))
    profile = direction.profile(6, direction.saddle(6).for_epsilon(epsilon).tilt_index, -20, POINTS)
    assert profile is not None
    whole = [(mpf(x), mpf(m)) for x, m in zip((*losses, 1000.0), (*masses, missing), strict=True)]
    pairs = sorted((x + y, m * n) for x, m in whole for y, n in whole)
    assert mpf(profile.delta_upper(epsilon)) >= readings.hockey_stick(pairs, mpf(epsilon))


@pytest.mark.parametrize("count", [1, 3, 1000, 10**9])
def test_infinite_mass(count: int):
    direction = OneDirection(engine_steps([(tb.ApproximateDP(1.0, 1e-7).pair(Direction.ADD), count)]))
    with mpmath.workdps(60):
        true = -mpmath.expm1(count * mpmath.log1p(-mpf(1e-7)))
    lower, upper = direction.infinity.infinite.lower, direction.infinity.upper
    assert mpf(lower) <= true <= mpf(upper)
    assert upper - lower <= 1e-9 * upper


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_cheap_bound_lies_above(epsilon: float):
    """It decides that a direction is the smaller one, so it must be sound."""
    direction = OneDirection(engine_steps([(tb.Laplace(1.0).pair(Direction.ADD), 4)]))
    tilt = (12, direction.saddle(12).for_epsilon(epsilon).tilt_index)
    profile = direction.profile(*tilt, -30, POINTS)
    assert profile is not None
    log_delta, left_out = direction.chernoff_delta(*tilt, epsilon)
    assert math.exp(log_delta) + left_out >= profile.delta_lower(epsilon)
    assert math.exp(log_delta) <= 20.0 * profile.delta_upper(epsilon)
    found = direction.chernoff_epsilon(*tilt, profile.delta_lower(epsilon))
    assert found >= epsilon * (1.0 - 1e-12)


@pytest.mark.parametrize("delta", [0.5, 1e-3, 1e-18, 1e-100])
def test_caps_reach_deep_enough(delta: float):
    """What lies beyond the decades is far below the width asked for."""
    for rtol in (1e-1, 1e-3, 1e-6):
        assert Fraction(10) ** -decades_for(delta, rtol) <= Fraction(delta) * Fraction(rtol) / 100
