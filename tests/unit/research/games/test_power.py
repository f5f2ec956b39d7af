"""What the games would say if a filter or odometer were wrong: each is broken a little, and each is caught.

The exact games have no false alarms. The statistical claims refute only when the exact binomial lower limit at
confidence 1 - 1e-9 is above the promise; here they must refute.
"""

import math
from typing import Any

import numpy as np
import pytest

import tightbudget as tb
from tightbudget import games
from tightbudget.research.games import players, walk

pytestmark = pytest.mark.slow

EPSILON, DELTA = 1.0, 0.05


class Promising:
    """A filter made for one epsilon that promises another."""

    def __init__(self, inner: Any, epsilon: float) -> None:
        self.inner, self.epsilon = inner, epsilon

    def quote(self, increment: Any) -> Any:
        return self.inner.quote(increment)

    def spend(self, increment: Any) -> Any:
        return self.inner.spend(increment)

    def state(self) -> Any:
        return self.inner.state()


class Scaled:
    """An odometer that shows only a part of its bound."""

    def __init__(self, inner: Any, factor: float) -> None:
        self.inner, self.factor = inner, factor

    @property
    def epsilon(self) -> float:
        return self.factor * float(self.inner.epsilon)

    def spend(self, increment: Any) -> float:
        self.inner.spend(increment)
        return self.epsilon

    def state(self) -> Any:
        return self.inner.state()


# How many times too large an epsilon each was made for, and the step that shows it: as little as its loss_shift lets us
# see.
TOO_LARGE = {
    "basic": (1.5, 0.5), "advanced": (4.0, 0.1), "sharpened": (3.0, 0.1), "whitehouse": (2.5, 0.1), "zcdp": (1.5, 0.1),
    "rdp, order 8": (1.5, 0.5), "gdp": (2.0, 0.1), "residual": (2.0, 0.5), "slots": (2.0, 0.2),
}  # fmt: skip


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_filter_that_promises_too_much_is_caught_exactly(name: str) -> None:
    factor, size = TOO_LARGE[name]
    broken = Promising(players.shipped_filters()[name](factor * EPSILON, DELTA), EPSILON)
    assert games.exact_filter(games.Fixed(games.response(size)), broken, rounds=400).view.lower > DELTA


@pytest.mark.parametrize(("name", "factor"), [("zcdp", 2.0), ("gdp", 2.0), ("rdp, order 8", 3.0)])
def test_a_filter_that_promises_too_much_is_caught_by_coins(name: str, factor: float) -> None:
    broken = Promising(players.shipped_filters()[name](factor * EPSILON, DELTA), EPSILON)
    played = games.play_filter(games.Fixed(games.gaussian(0.1)), broken, rounds=400, runs=20_000, rng=np.random.default_rng(7))
    assert played.view.refutes(DELTA)


def test_a_filter_with_its_constant_halved_is_caught() -> None:
    """Whitehouse's rule with log(1/delta) halved, on steps small enough for the constant to matter."""

    class Halved(tb.filters.WhitehouseFilter):
        def __init__(self, epsilon: float, delta: float) -> None:
            super().__init__(epsilon, math.sqrt(delta))

    adversary = games.StopWhenAhead(games.response(0.05))
    sound = games.exact_filter(adversary, tb.filters.WhitehouseFilter(EPSILON, DELTA), rounds=1000)
    halved = games.exact_filter(adversary, Halved(EPSILON, DELTA), rounds=1000)
    assert sound.pointwise.upper <= DELTA < halved.pointwise.lower


def test_several_orders_without_weights_can_be_told_from_those_with() -> None:
    """Every order with all of delta admits more than the weighted filter; it is unproven, not here refuted."""
    weighted = tb.filters.RDPFilter(EPSILON, DELTA, orders=(4, 16))
    each = [tb.filters.RDPFilter(EPSILON, DELTA, orders=order) for order in (4, 16)]
    step = tb.PureDP(epsilon=0.05)
    assert max(single.remaining(step) for single in each) > weighted.remaining(step)


@pytest.mark.parametrize(
    ("kind", "factor"),
    [
        ("basic", 0.9),
        ("line", 0.9),
        ("mixture", 0.75),
        ("one_sided_mixture", 0.85),
        ("stitched", 0.6),
        ("renyi", 0.7),
        ("rogers", 0.3),
    ],
)
def test_an_odometer_that_shows_too_little_is_caught_exactly(kind: str, factor: float) -> None:
    bounds = factor * walk.odometer_bounds(players.shipped_odometers()[kind](DELTA), 0.1, 1000)
    assert walk.crossing_probabilities(0.1, bounds)[-1] > DELTA


def test_an_odometer_that_shows_too_little_is_caught_by_coins() -> None:
    broken = Scaled(tb.odometers.MixtureOdometer(delta=DELTA), 0.65)
    played = games.play_odometer(
        games.StopWhenAhead(games.response(0.1)), broken, rounds=1000, runs=2000, rng=np.random.default_rng(8)
    )
    assert played.crossing.refutes(DELTA)


def test_the_delta_of_steps_left_out_is_caught() -> None:
    """An odometer that ignores the deltas of steps."""

    class Forgetful(tb.odometers.MixtureOdometer):
        def spend(self, increment: Any) -> float:
            return super().spend(tb.PureDP(epsilon=increment.promised_epsilon))

    crossing = games.exact_odometer(games.Fixed(games.response(0.1, 0.001)), Forgetful(delta=DELTA), rounds=200)
    assert crossing.lower > DELTA
