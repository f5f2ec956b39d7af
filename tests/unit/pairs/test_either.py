"""One of two pairs, told which: divergences add up."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from tightbudget import ApproximateDP, Gaussian, PureDP, TruncatedPoisson
from tightbudget.engine.direction import OneDirection
from tightbudget.engine.refine import delta_bracket
from tightbudget.engine.steps import engine_steps
from tightbudget.pairs.base import Direction
from tightbudget.pairs.either import EitherPair
from tightbudget.pairs.gaussian_mixture import replaced_gaussian_pair
from tightbudget.pairs.moments.events import joined_events
from tightbudget.pairs.poisson import poisson_pair

FIRST, SECOND = replaced_gaussian_pair(1.0, 0.1), replaced_gaussian_pair(3.0, 0.25)
EITHER = EitherPair(FIRST, SECOND, (math.log(0.75), math.log(0.25)), 1e-15)


def delta(pair: object, epsilon: float) -> float:
    return delta_bracket((OneDirection(engine_steps([(pair, 1)]), "both"),), epsilon, 1e-9, 1e-300, None).upper  # type: ignore[list-item]


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_divergences_add_up(epsilon: float) -> None:
    assert delta(EITHER, epsilon) == pytest.approx(0.75 * delta(FIRST, epsilon) + 0.25 * delta(SECOND, epsilon), rel=1e-9)


def test_nothing_is_missing() -> None:
    for cells in (EITHER.coarse_cells(), EITHER.cells(np.linspace(-400.0, 400.0, 2001))):
        assert np.exp(cells.log_a).sum() == pytest.approx(1.0, rel=1e-12)
        assert np.exp(cells.log_b).sum() == pytest.approx(1.0, rel=1e-12)


def test_moments_add_up() -> None:
    orders = np.array([1.5, 2.0, 10.0])
    parts = [np.exp(pair.log_moment(orders)) for pair in (FIRST, SECOND)]
    assert (np.exp(EITHER.log_moment(orders)) >= 0.75 * parts[0] + 0.25 * parts[1]).all()
    np.testing.assert_allclose(np.exp(EITHER.log_moment(orders)), 0.75 * parts[0] + 0.25 * parts[1], rtol=1e-9)


def test_events_have_the_moments_of_both() -> None:
    orders = np.array([1.5, 2.0, 10.0])
    events = EITHER.events(45.0)
    assert (events.log_moment(orders) >= EITHER.log_moment(orders) * (1.0 - 1e-9)).all()
    np.testing.assert_allclose(events.log_moment(orders), EITHER.log_moment(orders), rtol=1e-2)
    points = PureDP(1.0).pair(Direction.REMOVE), ApproximateDP(0.5, 0.25).pair(Direction.REMOVE)
    assert points[0] is not None
    assert points[1] is not None
    revealed = joined_events(points[0].events(45.0).weighted(math.log(0.5)), points[1].events(45.0).weighted(math.log(0.5)))
    assert 0.125 <= revealed.infinity <= 0.125 * (1 + 1e-12)
    assert 0.125 <= revealed.minus_infinity <= 0.125 * (1 + 1e-6)


@pytest.mark.parametrize("order", [2, 3, 8])
def test_samples_of_capped_batches_have_the_moments_of_binomial_sums(order: int) -> None:
    """E_B r^k of either part is a binomial sum, and so is the moment of a sample of that."""
    sigma, q, again = 3.0, 0.2, 0.1
    step = TruncatedPoisson(Gaussian(sigma=sigma), q=q, cap=4, examples=10)
    full = mpf(0) + sum(binomial(9, q, k) for k in range(4, 10))
    kept = mpf(4) / 10 * sum(binomial(10, q, k) for k in range(5, 11)) / full

    def moment(k: int) -> mpf:
        return sum(weight * sampled(k, rate, shift / mpf(sigma)) for weight, rate, shift in ((1 - full, q, 1), (full, kept, 2)))

    truth = mpmath.log(sum(binomial(order, again, k) * moment(k) for k in range(order + 1)))
    pair = step.pair(Direction.REMOVE)
    assert pair is not None
    found = poisson_pair(pair, again, Direction.REMOVE).log_moment(np.array([float(order)]))[0]
    assert truth <= found <= truth * (1 + mpf(1) / 100)


def sampled(k: int, rate: object, m: mpf) -> mpf:
    return sum(binomial(k, rate, j) * mpmath.exp(j * (j - 1) * m**2 / 2) for j in range(k + 1))


def binomial(n: int, q: object, k: int) -> mpf:
    return mpmath.binomial(n, k) * mpf(q) ** k * (1 - mpf(q)) ** (n - k)


@pytest.mark.parametrize("relation", ["add_remove", "zero_out"])
@pytest.mark.parametrize(("sigma", "q", "cap", "examples"), [(1.0, 0.1, 3, 20), (0.4, 0.01, 128, 10_000), (5.0, 0.5, 2, 4)])
def test_a_record_that_comes_is_one_that_goes_reversed(relation: str, sigma: float, q: float, cap: int, examples: int) -> None:
    step = TruncatedPoisson(Gaussian(sigma), q, cap, examples, relation=relation)
    add = step.pair(Direction.ADD)
    assert isinstance(add, EitherPair)
    assert add.swapped is not None
    own = replace(add, swapped=None)
    edges = np.append(np.linspace(-3.0, 3.0, 41), math.inf)
    mine, theirs = add.cells(edges), own.cells(edges)
    shift = add.loss_shift(3.0) + own.loss_shift(3.0)
    for one, other in ((mine.log_a, theirs.log_a), (mine.log_b, theirs.log_b)):
        some = other > -200.0
        allowed = mine.error + theirs.error + 1e6 * shift  # edges are hit up to their shift, and cells are narrow
        assert (np.abs(one[some] - other[some]) <= allowed[some]).all()
    for cells in (add.coarse_cells(), own.coarse_cells()):
        assert np.exp(cells.log_a).sum() == pytest.approx(1.0, rel=1e-12)
        assert (cells.low < cells.high).all()
        assert (np.diff(cells.low) >= 0.0).all()
    for epsilon in (0.0, 0.3, 1.0):
        assert delta(add, epsilon) == pytest.approx(delta(own, epsilon), rel=1e-9, abs=1e-300)


def test_a_swapped_pair_that_may_miss_some_of_b_has_coarse_cells_of_its_own() -> None:
    told = replaced_gaussian_pair(1e6, 0.1)
    assert not told.covers_b
    one, other = (EitherPair(FIRST, told, EITHER.log_weights, 1e-15) for _ in range(2))
    swapped = replace(other, swapped=one)
    np.testing.assert_array_equal(swapped.coarse_cells().log_a, other.coarse_cells().log_a)
