"""The exact crossing probability of a fixed step, against every path, the general enumeration, and a closed form."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.support import brute_force

import tightbudget as tb
from tightbudget import games
from tightbudget.research.games import naive, walk

pytestmark = pytest.mark.slow


def test_every_path_adds_up_to_the_same_crossing() -> None:
    bounds = [0.35, 0.25, 0.55, 0.15, 0.45, 0.95, 0.35, 0.05, 0.75, 0.45]

    class Shown:
        """An odometer that shows the numbers above, whatever is spent."""

        def __init__(self) -> None:
            self.rounds = 0

        @property
        def epsilon(self) -> float:
            return ([math.inf, *bounds])[self.rounds]

        def spend(self, increment: object) -> float:
            self.rounds += 1
            return self.epsilon

    step = games.response(0.1)
    found = brute_force.leaves([(step.increment, 0.1, 0.0)], lambda round_, loss, meter: 0, Shown, rounds=len(bounds))
    truth = brute_force.crossing(found)
    answer = walk.crossing_probabilities(0.1, bounds)
    assert truth > 0.3
    assert answer[-1] == pytest.approx(float(truth), rel=1e-13)
    assert (np.diff(answer) >= 0).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: naive.UnsoundFixedTimeOdometer(0.05),
        lambda: tb.odometers.LineOdometer(delta=0.05),  # equals the sum of the epsilons at first: ties when all answers tell
    ],
)
def test_it_agrees_with_the_general_enumeration(make: Callable[[], Any]) -> None:
    odometer = make()
    general = games.exact_odometer(games.StopWhenAhead(games.response(0.1)), odometer, rounds=300)
    special = walk.crossing_probabilities(0.1, walk.odometer_bounds(odometer, 0.1, 300))[-1]
    assert general.lower * (1 - 1e-12) <= special <= general.upper * (1 + 1e-12)


def test_the_reflection_principle() -> None:
    """Without drift (epsilon 0 in the law, 1 in the losses) it would be a symmetric walk; with a tilt, by the ballot
    theorem.

    Pr[walk reaches m] = sum over ends: all that end at m or above, and for those below the reflected paths with weight
    e^(-epsilon (m - end)).
    """
    epsilon, level, rounds = 0.3, 5, 41
    up = 1 / (1 + math.exp(-epsilon))
    truth = 0.0
    for ups in range(rounds + 1):
        end = 2 * ups - rounds
        if end >= level:
            truth += math.comb(rounds, ups) * up**ups * (1 - up) ** (rounds - ups)
        else:
            reflected = rounds - ups + level  # number of ups of the path reflected at the level
            if reflected <= rounds:
                truth += math.comb(rounds, reflected) * up**ups * (1 - up) ** (rounds - ups)
    answer = walk.crossing_probabilities(epsilon, [(level - 0.5) * epsilon] * rounds)[-1]
    assert answer == pytest.approx(truth, rel=1e-13)


def test_a_bound_that_is_just_reached_is_not_crossed() -> None:
    """Basic composition: after t telling answers the loss is t * 0.1 and so is the bound, up to rounding."""
    assert walk.crossing_probabilities(0.1, np.cumsum(np.full(200, 0.1)))[-1] == 0.0


def test_the_width_needed_grows_with_the_rounds() -> None:
    short, long = (walk.needed_width(0.1, 0.05, rounds, tolerance=1e-3) for rounds in (100, 3000))
    drift, root = 0.1 * math.tanh(0.05) * np.arange(1, 3001), 0.1 * np.sqrt(np.arange(1, 3001))
    assert short + 0.1 < long
    assert (
        walk.crossing_probabilities(0.1, drift + long * root)[-1]
        <= 0.05
        < walk.crossing_probabilities(0.1, drift + (long - 2e-3) * root)[-1]
    )
