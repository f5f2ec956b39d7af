"""What holds for any mechanism by its pairs: a mechanism that overrides nothing is still accounted for, and soundly."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from tests.support.renyi_truth import renyi_truth

import tightbudget as tb
from tightbudget.numerics.mass import Mass
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.points import point_pair

ORDERS = np.array([1.3, 2.0, 3.7, 12.0])


@dataclass(frozen=True)
class Plain(tb.Mechanism):
    """Another mechanism of which only the pairs are known."""

    name: ClassVar[str] = "plain"

    mechanism: tb.Mechanism

    def pair(self, direction: Direction) -> Pair | None:
        return self.mechanism.pair(direction)


BOUNDED = [
    tb.Laplace(scale=1.0),
    tb.DiscreteLaplace(scale=1.5, sensitivity=3),
    tb.RandomizedResponse(p=0.6),
    tb.Histograms(a=(1.0, 5.0, 2.0, 0.5), b=(2.0, 1.0, 4.0, 0.25)),
    tb.ClampedLaplace(mean=7.3, scale=2.0, sensitivity=2.0),
    tb.Poisson(tb.Laplace(scale=1.0), q=0.05),
]
UNBOUNDED = [
    tb.Gaussian(sigma=2.0),
    tb.DiscreteGaussian(sigma=2.0, sensitivity=3),
    tb.ClampedGaussian(mean=4.5, sigma=2.0, sensitivity=1.0),
]


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", BOUNDED + UNBOUNDED, ids=str)
def test_moments_are_bounds_by_pairs_alone(mechanism: tb.Mechanism) -> None:
    for direction in Direction:
        found = Plain(mechanism).log_moment(direction, ORDERS) / (ORDERS - 1.0)
        for order, value in zip(ORDERS.tolist(), found.tolist(), strict=True):
            truth = renyi_truth(mechanism, direction, order)
            assert truth <= value <= truth * 1.01, (direction, order)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", BOUNDED, ids=str)
def test_rho_and_mu_are_bounds_by_pairs_alone(mechanism: tb.Mechanism) -> None:
    plain = Plain(mechanism)
    epsilon, rho, mu = plain.pure_epsilon, max(map(plain.zcdp_rho, Direction)), plain.gdp_mu()
    assert 0.0 < rho <= epsilon * math.tanh(0.5 * epsilon) * (1.0 + 1e-12)
    for direction in Direction:
        for order in ORDERS.tolist():
            assert renyi_truth(mechanism, direction, order) <= rho * order
    for at in np.linspace(0.0, epsilon, 9).tolist():
        assert plain.delta(at).lower <= tb.GaussianDP(mu).delta(at).upper


def test_nothing_is_known_of_losses_without_end() -> None:
    plain = Plain(tb.Poisson(tb.DiscreteGaussian(sigma=2.0), q=0.5))
    assert plain.zcdp_rho(Direction.REMOVE) == plain.gdp_mu() == math.inf
    assert np.isinf(plain.log_moment(Direction.REMOVE, ORDERS)).all()
    # the tail that its pair states is known, and so is what a Gaussian pair says of itself
    assert np.isfinite(Plain(tb.DiscreteGaussian(sigma=2.0)).log_moment(Direction.REMOVE, ORDERS)).all()
    assert Plain(tb.Gaussian(sigma=2.0)).zcdp_rho(Direction.ADD) == tb.Gaussian(sigma=2.0).zcdp_rho(Direction.ADD) < math.inf


def test_a_theorem_can_only_sharpen() -> None:
    class Boastful(Plain):
        def known_rho(self, pair: Pair, direction: Direction) -> float:
            return 1e9

        def known_log_moment(self, pair: Pair, direction: Direction, orders: np.ndarray) -> np.ndarray:
            return np.full(orders.size, 1e9)

    boastful = Boastful(tb.PureDP(0.5))
    assert boastful.zcdp_rho(Direction.ADD) <= 0.5 * math.tanh(0.25) * (1.0 + 1e-12)
    assert (boastful.log_moment(Direction.ADD, ORDERS) <= 0.5 * (ORDERS - 1.0) * (1.0 + 1e-12)).all()


def test_how_much_a_loss_varies() -> None:
    assert tb.BoundedRange(0.5).loss_range == 0.5
    assert tb.PureDP(0.5).loss_range == 1.0
    assert tb.Histograms(a=(1.0, 3.0), b=(2.0, 2.0)).loss_range == pytest.approx(math.log(2.0) + math.log(1.5), rel=1e-12)
    assert tb.Gaussian(2.0).loss_range == tb.ApproximateDP(0.5, 1e-9).loss_range == math.inf
    assert tb.PureDP(0.0).loss_range == 0.0


def test_classes_and_samples_say_so() -> None:
    assert [step.is_class for step in (tb.BoundedRange(0.5), tb.PureDP(0.5), tb.Gaussian(1.0))] == [True, False, False]
    sampled = tb.Poisson(tb.BoundedRange(0.5), q=0.1)
    assert sampled.is_class
    assert sampled.subsamples
    assert not sampled.mechanism.subsamples


@dataclass(frozen=True)
class OneWay(tb.Mechanism):
    """Says nothing of one of the two directions."""

    name: ClassVar[str] = "one_way"

    def pair(self, direction: Direction) -> Pair | None:
        if direction is Direction.ADD:
            return None
        top = math.log(11.0)
        lost = InfiniteMass(Mass.exactly(Fraction(10, 11)))
        return point_pair(("one way",), np.array([top]), np.zeros(1), np.array([-top]), error=1e-15, minus_infinity=lost)


def test_one_direction_says_nothing_of_the_other() -> None:
    """Losses of at most epsilon in one direction are no differential privacy."""
    true = OneWay().delta(0.0).lower
    assert math.isinf(OneWay().pure_epsilon)
    assert math.isinf(OneWay().loss_range)
    assert tb.divergences.gdp_delta(tb.divergences.gdp(OneWay()), 0.0) >= true
    assert tb.divergences.zcdp_delta(tb.divergences.zcdp(OneWay()), 0.0) >= true
    assert not tb.PureDP(math.log(11.0)).dominates(OneWay())


@pytest.mark.parametrize("epsilon", [1.0, 100.0, 700.0])
def test_a_range_of_losses_holds_all_that_a_pair_counts_as_infinite(epsilon: float) -> None:
    """Randomised response is selected by its answer: of A all losses are above epsilon less 2 ln 3, of B below."""
    chosen = tb.RepeatAndSelect(tb.PureDP(epsilon), mean=3.0)
    assert 2.0 * (epsilon - 2.0 * math.log(3.0)) < chosen.loss_range <= 2.0 * chosen.pure_epsilon + 1e-6
