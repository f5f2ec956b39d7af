"""Every shipped odometer keeps its promise: exactly for one size of step, growing steps, and all strategies on
a menu.
"""

import numpy as np
import pytest
from tests.support.lanes import mostly_slow

from tightbudget import games
from tightbudget.adaptive.odometers.registry import ALL, BY_KIND
from tightbudget.odometers import RenyiOdometer
from tightbudget.research.games import players, walk

pytestmark = pytest.mark.slow

DELTA = 0.05
ODOMETERS = players.shipped_odometers()


def test_every_odometer_plays() -> None:
    assert {type(make(DELTA)) for make in ODOMETERS.values()} == set(ALL)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.7])
@pytest.mark.parametrize("make", ODOMETERS.values(), ids=list(ODOMETERS))
def test_one_size_of_step_crosses_as_rarely_as_promised(make: players.MakeOdometer, epsilon: float) -> None:
    failing = walk.crossing_probabilities(epsilon, walk.odometer_bounds(make(DELTA), epsilon, 3000))[-1]
    assert failing <= DELTA * (1 - 1e-9)


def test_the_best_of_them_are_nearly_used_up() -> None:
    """Otherwise the test above could not tell a bound from a much larger one."""
    failing = {
        kind: walk.crossing_probabilities(0.1, walk.odometer_bounds(make(DELTA), 0.1, 3000))[-1]
        for kind, make in ODOMETERS.items()
    }
    assert failing["line"] > 0.8 * DELTA
    assert failing["one_sided_mixture"] > 0.7 * DELTA


@pytest.mark.parametrize("make", ODOMETERS.values(), ids=list(ODOMETERS))
def test_growing_steps_cross_as_rarely_as_promised(make: players.MakeOdometer) -> None:
    menu = [games.response(0.1 / 2**power) for power in range(6, -1, -1)]
    assert games.exact_odometer(games.TinyThenLarge(menu, each=20), make(DELTA), rounds=160).upper <= DELTA


@pytest.mark.parametrize("make", ODOMETERS.values(), ids=list(ODOMETERS))
def test_no_strategy_at_all_crosses_more_often(make: players.MakeOdometer) -> None:
    rounds = 9 if isinstance(make(DELTA), RenyiOdometer) else 14  # its sums depend on the order by rounding: more states
    worst = games.worst_crossing([games.response(0.1), games.response(0.3)], make(DELTA), rounds=rounds).value
    assert worst.upper <= DELTA


@pytest.mark.parametrize("adversary", ["greedy", "bursts"])
@pytest.mark.parametrize("kind", mostly_slow(["line", "mixture", "one_sided_mixture", "stitched"], every=4, first=1))
def test_adaptive_sizes_do_not_refute_the_promise(kind: str, adversary: str) -> None:
    """Each claim has a false-alarm rate of 1e-9."""
    played = games.play_odometer(
        players.odometer_adversaries(0.1)[adversary],
        ODOMETERS[kind](DELTA),
        rounds=100,
        runs=400,
        rng=np.random.default_rng(11),
    )
    assert not played.crossing.refutes(DELTA)


@pytest.mark.parametrize("kind", ["line", "mixture", "one_sided_mixture", "stitched", "renyi"])
def test_steps_with_a_delta_are_paid_for_from_their_share(kind: str) -> None:
    """RR_{epsilon,delta} keeps its epsilon pointwise but with probability delta, so the bound holds pointwise (theory
    A.5).
    """
    meter = BY_KIND[kind](delta=DELTA, delta_for_steps=DELTA / 2)  # type: ignore[call-arg]
    adversary = games.StopWhenAhead(games.response(0.1, DELTA / 400))
    crossing = games.exact_odometer(adversary, meter, rounds=200)
    assert crossing.upper <= DELTA
    assert crossing.lower > DELTA / 3  # most of it are reveals
    # once the share is used up the odometer shows infinity, and nothing more can fail
    longer = games.exact_odometer(adversary, meter, rounds=230)
    assert longer.upper <= crossing.upper * (1 + 1e-9)
