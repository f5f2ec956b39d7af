"""An analyst who chooses a pair for each step, against every way to choose, in 40 digits (M31)."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.choosing_analyst import ChoosingAnalyst
from tightbudget.pairs.points import point_pair
from tightbudget.pairs.poisson import poisson_pair

Branches = list[list[tuple[mpf, mpf]]]


def branches_of(a: list[int], b: list[int], share: str) -> Branches:
    """Return the events of both branches, by their definition."""
    q = mpf(share)
    base = [(mpf(x) / sum(a), mpf(y) / sum(b)) for x, y in zip(a, b, strict=True)]
    return [[(q * p + (1 - q) * r, r) for p, r in base], [(p, (1 - q) * p + q * r) for p, r in base]]


def best(branches: Branches, count: int, g: mpf) -> mpf:
    """Return the largest A(S) - g B(S) of all choices."""
    if count == 0:
        return max(1 - g, mpf(0))
    return max(mpmath.fsum(p * best(branches, count - 1, g * r / p) if p else mpf(0) for p, r in events) for events in branches)


def analyst(mechanism: tb.Mechanism, q: float, count: int) -> ChoosingAnalyst:
    base = mechanism.pair(Direction.REMOVE)
    assert base is not None
    pairs: tuple[Pair, ...] = tuple(poisson_pair(base, q, direction) for direction in Direction)
    return ChoosingAnalyst(pairs, count)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize(("a", "b"), [([3, 1], [1, 3]), ([5, 3, 2], [2, 3, 5]), ([90, 10], [10, 90])])
@pytest.mark.parametrize("share", ["0.5", "0.125"])
def test_no_choice_gets_more_and_the_best_gets_as_much(a: list[int], b: list[int], share: str, count: int):
    found = analyst(tb.Histograms(a, b), float(share), count)
    with mpmath.workdps(40):
        branches = branches_of(a, b, share)
        for epsilon in (0.0, 0.1, 0.4, 1.0, 2.0):
            exact = best(branches, count, mpmath.exp(epsilon))
            assert found.delta(epsilon) <= exact
            assert found.delta(epsilon) >= 0.97 * exact - 1e-9


@pytest.mark.parametrize(("epsilon", "exact"), [(0.5, 0.153777507924229), (1.0, 0.0742066738335428)])
def test_digits_of_normal_noise(epsilon: float, exact: float):
    attained = analyst(tb.Gaussian(1.0), 0.5, 2).delta(epsilon)
    assert 0.9999 * exact <= attained <= exact


def test_choosing_gets_more_than_not_choosing():
    for count in (2, 5):
        steps = tb.Poisson(tb.Gaussian(1.0), q=0.5) * count
        assert analyst(tb.Gaussian(1.0), 0.5, count).delta(0.5) > steps.delta(0.5).upper


def test_epsilon_is_where_delta_is_attained():
    found = analyst(tb.Gaussian(1.0), 0.3, 3)
    for delta in (1e-9, 1e-4, 0.05):
        epsilon = found.epsilon(delta)
        assert epsilon > 0.0
        assert found.delta(epsilon) > delta >= found.delta(epsilon + 0.01)
    assert found.epsilon(0.999) == 0.0


def test_far_out_nothing_is_claimed():
    found = analyst(tb.Gaussian(1.0), 0.3, 3)
    for epsilon in (599.0, 601.0, math.inf):
        assert found.delta(epsilon) == 0.0
    assert 0.0 < found.delta(20.0) < 1e-30 or found.delta(20.0) == 0.0


def test_what_is_told_for_certain_counts():
    """Of a mechanism that tells with probability 1/10, both steps untold have 0.9^2 of the mass."""
    found = analyst(tb.Histograms([1, 9], [0, 10]), 0.5, 2)
    assert found.delta(30.0) == pytest.approx(1 - 0.95**2, rel=1e-9)
    assert found.delta(30.0) <= 1 - 0.95**2
    assert np.isfinite(found.epsilon(0.05))


@pytest.mark.parametrize("mass_of_b", [2.4e-324, 7.4e-324, 1e-322])
@pytest.mark.parametrize("count", [1, 2])
def test_many_masses_below_all_floats_add_up(mass_of_b: float, count: int):
    """Two hundred events with a mass of B that floats round to nothing: together they are a hundred times as much."""
    with mpmath.workdps(60):
        log_b = float(mpmath.log(mpf("2.4e-324") if mass_of_b < 4e-324 else mpf(repr(mass_of_b))))
        log_a = np.log(np.array([*[1e-63] * 200, 0.5, 0.5]))
        logs_b = np.array([*[log_b] * 200, math.log(0.5), math.log(0.5)])
        losses = np.array([*(log_a[0] - log_b + np.linspace(0.0, 1e-9, 200)), 0.0, 0.0])
        pair = point_pair(("many", mass_of_b), losses, log_a, logs_b, error=1e-13, loss_error=1e-9)
        of_a, of_b = (mpmath.fsum(mpmath.exp(mpf(one)) for one in logs[:200].tolist()) for logs in (log_a, logs_b))
        loss = mpmath.log(of_a / of_b)
        for epsilon in (min(float(loss) - 0.2, 599.9), min(float(loss) - 1.0, 599.0), float(loss) - 30.0):
            g = mpmath.exp(mpf(epsilon))
            more = 2 * (of_a - g * of_b) if count == 2 else of_a - g * of_b  # either step may show it
            assert 0.0 <= ChoosingAnalyst((pair,), count).delta(epsilon) <= max(mpf(0), more) * (1 + mpf("1e-9"))
