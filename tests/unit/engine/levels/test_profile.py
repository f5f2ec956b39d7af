"""Reading delta off a composed list: every error that the list admits to is charged to the side that needs it."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support import readings
from tests.support.lanes import mostly_slow

from tightbudget.engine.levels.evaluate import Composed
from tightbudget.engine.levels.profile import LevelProfile
from tightbudget.numerics.mass import Mass
from tightbudget.pairs.infinite_mass import InfiniteMass

STEP = 0.25


def read(composed: Composed, lower: float = 0.0, upper: float = 0.0) -> LevelProfile:
    infinity = InfiniteMass(Mass(math.log(lower) if lower else -math.inf, 0.0))
    return LevelProfile.of(composed, infinity_upper=upper, infinity=infinity, points=0.0)


def profile(
    theta: float = 1.0,
    n: int = 60,
    first: int = -15,
    anchor: float = 0.1,
    error: float = 0.0,
    noise: float = 0.0,
    loss_shift: float = 0.0,
    infinity: tuple[float, float] = (0.0, 0.0),
) -> LevelProfile:
    """Return a profile of random masses around loss 1; the merged rows are of the same events, so both readings
    agree.
    """
    k = np.arange(first, first + n)
    loss = k * STEP + anchor
    mass = np.random.default_rng(7).uniform(0.1, 1.0, n) * np.exp(-0.5 * (loss - 1.0) ** 2)
    mass /= mass.sum()
    a, b = mass * np.exp(theta * k * STEP), mass * np.exp(-loss) * np.exp((theta + 1.0) * k * STEP)
    stacks = []
    for rows in (a[None], np.stack([a, b])):
        total = rows.sum(axis=1)
        stacks.append(readings.stack(rows / total[:, None], first, anchor, log_scale=np.log(total), error=error, noise=noise))
    return read(Composed(stacks[0], stacks[1], STEP, theta, loss_shift), *infinity)


EPSILONS = [-2.0, 0.0, 0.3, 1.0, 2.6, 6.0]
SHAPES = {
    "exact": {},
    "error": {"error": 0.01},
    "noise": {"noise": 0.01},
    "loss_shift": {"loss_shift": 0.5},
    "all, steep": {"theta": 4.0, "error": 1e-3, "noise": 1e-3, "loss_shift": 0.1},
    "all, gentle": {"theta": 0.1, "error": 1e-3, "noise": 1e-3, "loss_shift": 0.1},
}


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_upper_charges_everything(shape: str, epsilon: float):
    """No smaller than the formula evaluated with 40 digits, and no larger than needed."""
    found = profile(**SHAPES[shape])
    composed = found.composed
    bound = readings.upper(composed.spread, STEP, composed.theta, epsilon, composed.loss_shift)
    upper = mpf(found.delta_upper(epsilon))
    assert upper >= min(bound, 1)
    if composed.spread.noise[0] == 0.0:
        assert upper <= bound * (1 + mpf(10) ** -9)
    else:  # a bound on the 2-norm of the weights stands in for the norm itself
        assert upper <= bound * mpf("1.2")


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_lower_charges_everything(shape: str, epsilon: float):
    found = profile(**SHAPES[shape])
    bound = readings.lower(found.composed.merged, STEP, found.composed.theta, epsilon)
    lower = mpf(found.delta_lower(epsilon))
    assert lower <= bound
    assert lower >= bound * (1 - mpf(10) ** -9) - mpf(10) ** -14


@pytest.mark.parametrize("theta", [0.3, 1.0, 5.0])
def test_an_error_where_it_weighs_most(theta: float):
    """The exact row has 1 % more than the stored one, just where that adds most to delta."""
    error = 0.01
    found = profile(theta=theta, error=error)
    stack = found.composed.spread
    place = 30
    epsilon = stack.anchor + STEP * (stack.first + place) - math.log1p(1.0 / theta)
    rows = stack.rows.copy()
    rows[0, place] += error
    exact = readings.stack(rows, stack.first, stack.anchor, stack.log_scale)
    true = readings.hockey_stick(readings.masses(exact, STEP, theta), mpf(epsilon))
    assert mpf(found.delta_upper(epsilon)) >= true
    assert mpf(profile(theta=theta).delta_upper(epsilon)) < true  # and it was needed


@pytest.mark.parametrize("row", mostly_slow([0, 1], every=2))
def test_an_error_of_either_row_lowers_the_lower_end(row: int):
    """The exact events have less of A, or more of B, than was stored, wherever that hurts most."""
    error, theta, epsilon = 0.02, 1.0, 0.8
    found = profile(error=error)
    stack = found.composed.merged
    worst = mpf(1)
    for place in range(stack.size):
        rows = stack.rows.copy()
        rows[row, place] += error if row == 1 else -min(error, rows[0, place])
        exact = readings.stack(rows, stack.first, stack.anchor, stack.log_scale)
        a, b = readings.masses(exact, STEP, theta), readings.masses(exact, STEP, theta + 1.0, row=1)
        with mpmath.workdps(40):
            e = mpmath.exp(mpf(epsilon))
            true = mpmath.fsum(max(mpf(0), x - e * y) for (_, x), (_, y) in zip(a, b, strict=True))
        worst = min(worst, true)
    assert 0 < mpf(found.delta_lower(epsilon)) <= worst


@pytest.mark.parametrize("loss_shift", [0.05, 0.5])
def test_losses_may_be_larger_by_the_slack(loss_shift: float):
    found = profile(loss_shift=loss_shift)
    points = readings.masses(found.composed.spread, STEP, found.composed.theta)
    higher = [(loss + mpf(loss_shift), mass) for loss, mass in points]
    for epsilon in EPSILONS:
        true = readings.hockey_stick(higher, mpf(epsilon))
        assert mpf(found.delta_upper(epsilon)) >= true
        assert mpf(profile().delta_upper(epsilon)) < true


def test_infinite_losses_are_added():
    found = profile(infinity=(0.125, 0.25))
    for epsilon in EPSILONS:
        finite = profile()
        assert found.delta_upper(epsilon) >= 0.25
        assert found.delta_lower(epsilon) >= 0.125 * (1.0 - 1e-15)
        assert found.delta_lower(epsilon) <= 0.125 + finite.delta_upper(epsilon)


@pytest.mark.parametrize("far", [1e4, 1e6, 1e8])
def test_rounding_of_large_exponents_is_charged(far: float):
    """Z e^{-theta epsilon} is a quotient of two numbers near e^(1e11): its rounding is part of the bracket."""
    theta, first = 1e3, round(far / STEP)
    log_scale = theta * first * STEP + math.log(0.5)
    stack = readings.stack(np.ones((1, 1)), first, 0.0, log_scale=log_scale)
    double = readings.stack(np.ones((2, 1)), first, 0.0, log_scale=[log_scale, log_scale])
    found = read(Composed(stack, double, STEP, theta, 0.0))
    epsilon = far - 1.0 / theta
    true = readings.hockey_stick(readings.masses(stack, STEP, theta), mpf(epsilon))
    assert mpf(found.delta_upper(epsilon)) >= true
    assert found.delta_upper(epsilon) <= float(true) * (1.0 + 1e-14 * theta * far)


@pytest.mark.parametrize("theta", [1.0, 30.0])
def test_rounding_lowers_the_lower_end(theta: float):
    first = round(1e6 / STEP)
    loss = first * STEP
    scales = [theta * loss + math.log(0.5), (theta + 1.0) * loss + math.log(0.5) - loss]
    stack = readings.stack(np.ones((1, 1)), first, 0.0, log_scale=scales[0])
    double = readings.stack(np.ones((2, 1)), first, 0.0, log_scale=scales)
    found = read(Composed(stack, double, STEP, theta, 0.0))
    epsilon = loss - 1.0
    with mpmath.workdps(40):
        ((_, a),), ((_, b),) = readings.masses(double, STEP, theta), readings.masses(double, STEP, theta + 1.0, row=1)
        true = a - mpmath.exp(mpf(epsilon)) * b
    assert float(true) * (1.0 - 1e-6) <= found.delta_lower(epsilon)
    assert mpf(found.delta_lower(epsilon)) <= true


def test_delta_falls_with_epsilon():
    found = profile(error=1e-6, noise=1e-9)
    uppers = [found.delta_upper(epsilon) for epsilon in np.linspace(-3, 12, 200)]
    lowers = [found.delta_lower(epsilon) for epsilon in np.linspace(-3, 12, 200)]
    assert all(low <= high for low, high in zip(lowers, uppers, strict=True))
    assert all(a >= b for a, b in itertools.pairwise(uppers))
    assert all(a >= b for a, b in itertools.pairwise(lowers))
