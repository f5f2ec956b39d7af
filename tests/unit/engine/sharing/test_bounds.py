"""Bounds that follow from those of neighbours: only from neighbours that dominate, against exact divergences."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.engine.refine import epsilon_bracket
from tightbudget.engine.sharing.bounds import _KEPT, Bounds, place_of
from tightbudget.engine.sharing.work import sharing_work
from tightbudget.engine.steps import Steps, engine_steps
from tightbudget.pairs.base import Direction
from tightbudget.pairs.gaussian import GaussianPair


def dpsgd(sigma: float, q: float, count: int) -> tb.Composition:
    return tb.Poisson(tb.Gaussian(sigma), q) * count


def hockey_stick(m: float, q: float, direction: Direction, gamma: float) -> mpf:
    """Return H_gamma of one subsampled step: both densities cross once, where the loss is log gamma."""
    with mpmath.workdps(40):
        m, q, gamma = mpf(m), mpf(q), mpf(gamma)
        rate = (gamma - 1) / q + 1 if direction is Direction.REMOVE else (1 / gamma - 1) / q + 1
        at = mpmath.log(rate) / m + m / 2 if rate > 0 else -mpmath.inf  # with the record above, q e^{mx - m^2/2} is larger
        above = [1 - mpmath.ncdf(at - m), 1 - mpmath.ncdf(at)]  # of N(m, 1) and N(0, 1)
        if direction is Direction.REMOVE:
            return q * above[0] + (1 - q) * above[1] - gamma * above[1]
        # mirrored: A is N(0, 1), B the mixture, and A is the larger below the crossing
        below = [1 - above[0], 1 - above[1]]
        return below[1] - gamma * (q * below[0] + (1 - q) * below[1])


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("gamma", [0.2, 0.9, 0.999, 1.0, 1.001, 1.05, 2.0, 20.0])
def test_larger_numbers_dominate(direction: Direction, gamma: float):
    """Less noise or a larger sample, at every gamma, below 1 too, as composition needs."""
    numbers = [(m, q) for m in (0.3, 0.5, 1.0, 2.5) for q in (0.01, 0.02, 0.3, 0.9)]
    for m, q in numbers:
        for larger, more in numbers:
            if larger >= m and more >= q:
                smaller, exact = (hockey_stick(*one, direction, gamma) for one in ((m, q), (larger, more)))
                with mpmath.workdps(40):
                    assert smaller - exact <= mpf(10) ** -35


def test_a_place_has_all_that_matters():
    def place(sigma: float, q: float, count: int, delta: float, direction: Direction = Direction.ADD):
        pair = tb.Poisson(tb.Gaussian(sigma), q).pair(direction)
        assert pair is not None
        found = place_of(engine_steps([(pair, count)]), delta)
        assert found is not None
        return found

    family, numbers = place(2.0, 0.25, 7, 1e-6)
    assert numbers == (0.5, 0.25, 7.0, -1e-6)
    assert place(1.0, 0.5, 9, 1e-3)[0] == family
    assert place(2.0, 0.25, 7, 1e-6, Direction.REMOVE)[0] != family
    other = tb.Poisson(tb.Poisson(tb.Gaussian(2.0), 0.5), 0.5).pair(Direction.ADD)
    assert other is not None
    found = place_of(engine_steps([(other, 7)]), 1e-6)
    assert found is not None
    assert found[0] != family


@pytest.mark.parametrize(
    "mechanism", [tb.Poisson(tb.Laplace(1.0), 0.1), tb.Poisson(tb.TruncatedGaussian(1.0, 5.0), 0.1), tb.RandomizedResponse(0.7)]
)
def test_other_pairs_have_no_place(mechanism: tb.Mechanism):
    pair = mechanism.pair(Direction.ADD)
    assert pair is not None
    assert place_of(engine_steps([(pair, 3)]), 1e-6) is None


def test_counts_that_are_no_floats_have_no_place():
    pair = tb.Poisson(tb.Gaussian(1.0), 0.5).pair(Direction.ADD)
    assert pair is not None
    assert place_of(Steps(((pair, 2**53),)), 1e-6) is not None
    assert place_of(Steps(((pair, 2**53 + 1),)), 1e-6) is None


def test_noise_known_less_well_is_another_family():
    one, two = (place_of(Steps(((GaussianPair(1.0, m_error=error), 1),)), 0.1) for error in (0.0, 1e-3))
    assert one is not None
    assert two is not None
    assert one[0] != two[0]


def test_the_least_bound_at_larger_numbers_counts():
    bounds = Bounds(2)
    assert bounds.upper((0.0, 0.0)) == math.inf
    bounds.add((2.0, 2.0), 5.0)
    bounds.add((3.0, 1.0), 4.0)
    bounds.add((1.0, 3.0), 1.0)
    assert bounds.upper((2.0, 2.0)) == 5.0
    assert bounds.upper((2.0, 1.0)) == 4.0
    assert bounds.upper((1.0, 1.0)) == 1.0
    assert bounds.upper((2.0, math.nextafter(2.0, 3.0))) == math.inf
    assert bounds.upper((math.nan, 0.0)) == math.inf


def test_the_oldest_bounds_are_forgotten():
    bounds = Bounds(1)
    for i in range(_KEPT + 3):
        bounds.add((float(i),), float(i))
    assert bounds.upper((0.0,)) == 3.0
    assert bounds.upper((float(_KEPT + 2),)) == _KEPT + 2


ROUTE = "neighbours"


def test_the_smaller_direction_is_known_from_a_neighbour_with_less_noise():
    with sharing_work():
        first, second = dpsgd(1.5, 0.01, 1000).epsilon(1e-6), dpsgd(1.51, 0.01, 999).epsilon(1.01e-6)
    assert not [one for one in first.trace if one.route == ROUTE]
    assert [one.direction for one in second.trace] == ["add", "remove"]
    assert second.trace[0].route == ROUTE
    assert second.converged


@pytest.mark.parametrize(
    "other", [(1.49, 0.01, 1000, 1e-6), (1.5, 0.0101, 1000, 1e-6), (1.5, 0.01, 1001, 1e-6), (1.5, 0.01, 1000, 9e-7)]
)
def test_a_neighbour_that_does_not_dominate_says_nothing(other):
    sigma, q, count, delta = other
    with sharing_work():
        dpsgd(1.5, 0.01, 1000).epsilon(1e-6)
        answer = dpsgd(sigma, q, count).epsilon(delta)
    assert not [one for one in answer.trace if one.route == ROUTE]


def test_every_bound_taken_from_neighbours_holds_for_the_direction_alone():
    rng = np.random.default_rng(5)
    sigmas, rates = np.sort(rng.uniform(1.0, 2.5, 12)), rng.uniform(0.005, 0.02, 3)
    taken = 0
    for q in rates.tolist():
        with sharing_work():
            asked = [(sigma, dpsgd(sigma, q, 800).epsilon(1e-6)) for sigma in sigmas.tolist()]
        for sigma, answer in asked:
            for one in (one for one in answer.trace if one.route == ROUTE):
                add = dpsgd(sigma, q, 800)._directions[1]
                assert add.name == one.direction == "add"
                assert epsilon_bracket([add], 1e-6, 1e-4, 0.0).lower <= one.upper
                taken += 1
    assert taken > 5


def test_fractions_count_as_the_floats_they_are_taken_for():
    with sharing_work():
        dpsgd(1.5, 0.01, 1000).epsilon(1e-6)
        answer = (tb.Poisson(tb.Gaussian(Fraction(3, 2)), Fraction(1, 100)) * 1000).epsilon(1e-6)
    assert answer.converged
