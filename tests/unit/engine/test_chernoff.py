"""The cheap bound that lets us skip the smaller direction: it lies above the truth, whatever is in doubt."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support import pair_truth as truth
from tests.support.doubles import RoughPair

import tightbudget as tb
from tightbudget.engine.chernoff import log_moments
from tightbudget.engine.direction import OneDirection
from tightbudget.engine.steps import engine_steps
from tightbudget.pairs.base import Cells, Direction

LAPLACE = tb.Laplace(0.5).pair(Direction.ADD)
THETAS = np.array([0.1, 1.0, 4.0])
NO_CAP = -1e6


def log_moment(theta: float, shift: float = 0.0) -> mpf:
    """Return log E e^{theta L} of LAPLACE from the density e^{(x - 2)/2} / 4 on [-2, 2] and its two points."""
    with mpmath.workdps(40):
        t = mpf(theta)
        points = mpmath.exp(2 * t) / 2 + mpmath.exp(-2 * t - 2) / 2
        slope = t + mpf(1) / 2
        density = (mpmath.exp(2 * slope) - mpmath.exp(-2 * slope)) / slope * mpmath.exp(-1) / 4
        return mpmath.log(points + density) + t * mpf(shift)


def test_the_formula_used_here_is_a_moment():
    """At theta = -1 the moment is B's mass."""
    assert float(log_moment(-1.0)) == pytest.approx(0.0, abs=1e-30)


@pytest.mark.parametrize("count", [1, 5])
def test_moments_lie_above(count: int):
    moments, loss_shift = log_moments(engine_steps([(LAPLACE, count)]), THETAS, NO_CAP)
    for theta, moment in zip(THETAS.tolist(), moments.tolist(), strict=True):
        assert count * log_moment(theta) <= mpf(moment) <= count * log_moment(theta) + count * mpf("1e-3")
    assert 0.0 < loss_shift < 1e-12


@pytest.mark.parametrize(("a", "b"), [(-1.0, 1.0), (-1.0, -1.0), (1.0, 1.0), (1.0, -1.0)])
def test_doubtful_masses_raise_the_bound(a: float, b: float):
    rough = RoughPair(LAPLACE, error=0.05, a=a, b=b)
    moments, _ = log_moments(engine_steps([(rough, 3)]), THETAS, NO_CAP)
    for theta, moment in zip(THETAS.tolist(), moments.tolist(), strict=True):
        assert mpf(moment) >= 3 * log_moment(theta)


class OneCell(RoughPair):
    """All of A and of B in the single cell [-1, 1]: the mean loss is 0."""

    def coarse_cells(self) -> Cells:
        return self._rough(Cells(np.array([-1.0]), np.array([1.0]), np.zeros(1), np.zeros(1), np.zeros(1)))


@pytest.mark.parametrize("theta", [0.5, 4.0])
def test_doubtful_losses_move_up(theta: float):
    """a is 5 % too small and b too large, so the loss looks smaller than it is; still the cell's mass goes up far
    enough.
    """
    moments, _ = log_moments(engine_steps([(OneCell(LAPLACE, error=0.05, a=-1.0, b=1.0), 1)]), np.array([theta]), NO_CAP)
    up = math.expm1(-1.0) / math.expm1(-2.0)  # the share at +1 that leaves B with its mass
    assert moments[0] >= math.log(up * math.exp(theta) + (1.0 - up) * math.exp(-theta))


def test_slack_counts_every_repetition():
    _, loss_shift = log_moments(engine_steps([(RoughPair(LAPLACE, extra_slack=0.125), 4)]), THETAS, NO_CAP)
    assert loss_shift >= 0.5


@pytest.mark.parametrize("epsilon", [0.5, 1.5])
def test_losses_may_be_larger_by_the_slack(epsilon: float):
    """delta of losses that are all a tenth larger is still below the bound."""
    direction = OneDirection(engine_steps([(RoughPair(LAPLACE, extra_slack=0.1), 1)]))
    tilt_index = direction.saddle(12).for_epsilon(epsilon).tilt_index
    log_delta, left_out = direction.chernoff_delta(12, tilt_index, epsilon)
    plain = OneDirection(engine_steps([(LAPLACE, 1)])).chernoff_delta(12, tilt_index, epsilon)[0]
    # moving losses up by 0.1 raises a bound e^{-theta epsilon} by 0.1 theta
    theta = direction.saddle(12).at_index(tilt_index).theta * 0.7
    assert log_delta >= plain + 0.1 * theta * (1.0 - 1e-9)
    law = truth.laplace(0.5)
    with mpmath.workdps(50):
        a, b = law.tails(mpf(epsilon) - mpf("0.1"))
        shifted = a - mpmath.exp(mpf(epsilon) - mpf("0.1")) * b
    assert mpmath.exp(mpf(log_delta)) + mpf(left_out) >= shifted
