"""Enumeration by states against every single path with 50 digits, and against closed forms."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest
from tests.support import brute_force

import tightbudget as tb
from tightbudget import games
from tightbudget.research.games import naive

pytestmark = pytest.mark.slow

EPSILON = 0.8
MENU = [games.response(0.05), games.response(0.1, 0.004), games.response(0.3)]


def as_plain(steps: Sequence[games.Step]) -> list[tuple[Any, float, float]]:
    return [(item.increment, item.law.epsilon, item.law.delta) for item in steps]  # type: ignore[attr-defined]


def generous() -> tb.filters.SharpenedFilter:
    """A filter whose view has a delta that can be seen: losses above epsilon do occur."""
    return tb.filters.SharpenedFilter(epsilon=EPSILON, delta=0.9, delta_for_steps=0.05)


def greedy(round_: int, loss: float, meter: Any) -> int | None:
    """Greedy once more, for one run: the smallest step that could lift the loss above epsilon, else the largest
    accepted.
    """
    bound = float(meter.epsilon)
    if round_ and loss > bound:
        return None
    wanted = next((i for i, item in enumerate(MENU) if item.law.size > bound - loss), len(MENU) - 1)
    accepted = [i for i in range(wanted + 1) if meter.quote(MENU[i].increment).accepted]
    return max(accepted, default=None)


def bursts(round_: int, loss: float, meter: Any) -> int | None:
    bound = float(meter.epsilon)
    if round_ and loss > bound:
        return None
    wanted = 1 if round_ and loss > 0.05 * bound else 0
    pair = (MENU[0], MENU[2])
    return max((i for i in range(wanted + 1) if meter.quote(pair[i].increment).accepted), default=None)


def sizes_played(found: Sequence[Any]) -> set[tuple[float, ...]]:
    """The sizes of the steps on each path."""
    trails = ([0.0, *(float(loss) for loss, _ in trail)] for _, _, trail in found)
    return {tuple(round(abs(b - a), 6) for a, b in itertools.pairwise(trail) if math.isfinite(b)) for trail in trails}


GAMES = [
    (games.Greedy(MENU), greedy, MENU),
    (games.Bursts(MENU[0], MENU[2], trigger=0.05), bursts, [MENU[0], MENU[2]]),
]


@pytest.mark.parametrize("bit", [0, 1])
@pytest.mark.parametrize(("adversary", "plain", "menu"), GAMES, ids=["greedy", "bursts"])
def test_every_path_adds_up_to_the_same_delta(
    adversary: games.Greedy, plain: Callable[[int, float, Any], int | None], menu: list[games.Step], bit: int
) -> None:
    found = brute_force.leaves(as_plain(menu), plain, generous, rounds=8, bit=bit)
    assert len(sizes_played(found)) > 1  # the strategy really adapts
    answer = games.exact_filter(adversary, generous(), rounds=8, bit=bit)
    truth = brute_force.view_delta(found, EPSILON, bit)
    assert answer.view.lower <= truth <= answer.view.upper
    assert truth > 1e-4 or bit == 1  # bursts come only after tells, so nothing large points to bit 1
    assert answer.view.width <= 1e-12 * answer.view.upper
    with mpmath.workdps(50):
        tail = mpmath.fsum(p for p, loss, _ in found if (1 - 2 * bit) * loss > EPSILON * (1 + 1e-9))
    assert answer.pointwise.lower <= tail <= answer.pointwise.upper


@pytest.mark.parametrize("bit", [0, 1])
def test_every_path_adds_up_to_the_same_crossing(bit: int) -> None:
    steps = [games.response(0.05), games.response(0.2)]

    def plain(round_: int, loss: float, meter: Any) -> int | None:
        bound = float(meter.epsilon)
        if round_ and loss > bound:
            return None
        return 1 if round_ and loss > 0.5 * bound else 0

    found = brute_force.leaves(as_plain(steps), plain, lambda: naive.UnsoundFixedTimeOdometer(0.3), rounds=9, bit=bit)
    adversary = games.Bursts(*steps, trigger=0.5)
    answer = games.exact_odometer(adversary, naive.UnsoundFixedTimeOdometer(0.3), rounds=9, bit=bit)
    truth = brute_force.crossing(found, bit)
    assert truth > 1e-3
    assert answer.lower <= truth <= answer.upper
    assert answer.width <= 1e-12


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_a_fixed_plan_is_the_optimal_composition(count: int) -> None:
    """Algorithm 1 with randomised response is the composition the engine brackets."""
    epsilon, delta = 0.2, 0.001
    plan = games.Plan([games.response(epsilon, delta)] * count)
    answer = games.exact_filter(plan, games.Unlimited(0.5), rounds=count)
    engine = (tb.ApproximateDP(epsilon=epsilon, delta=delta) * count).delta(epsilon=0.5, rtol=1e-9)
    assert engine.lower <= answer.view.upper
    assert answer.view.lower <= engine.upper


@pytest.mark.parametrize("bit", [0, 1])
def test_coins_and_enumeration_agree(bit: int) -> None:
    """Three comparisons for each bit, each with a false-alarm rate of 2e-9."""
    adversary = games.Greedy(MENU)
    exact = games.exact_filter(adversary, generous(), rounds=30, bit=bit)
    coins = games.play_filter(adversary, generous(), rounds=30, runs=100_000, rng=np.random.default_rng(20 + bit), bit=bit)
    for estimate, truth in ((coins.view, exact.view), (coins.pointwise, exact.pointwise)):
        assert estimate.lower() <= truth.upper
        assert estimate.upper() >= truth.lower
    odometer = naive.UnsoundFixedTimeOdometer(0.1)
    steps = games.Bursts(games.response(0.05), games.response(0.2), trigger=0.5)
    crossing = games.exact_odometer(steps, odometer, rounds=40, bit=bit)
    seen = games.play_odometer(steps, odometer, rounds=40, runs=20_000, rng=np.random.default_rng(30 + bit), bit=bit).crossing
    assert seen.lower() <= crossing.upper
    assert seen.upper() >= crossing.lower


def test_a_revealed_bit_is_an_infinite_loss() -> None:
    answer = games.exact_filter(games.Fixed(games.response(0.0, 0.01)), games.Unlimited(5.0), rounds=3)
    assert answer.view.upper == pytest.approx(1 - 0.99**3, rel=1e-12)


def test_enumeration_refuses_what_it_cannot_count() -> None:
    with pytest.raises(tb.InvalidParameter, match="randomised response"):
        games.exact_filter(games.Fixed(games.gaussian(0.1)), games.Unlimited(1.0), rounds=2)
    with pytest.raises(tb.InvalidParameter, match="rounds"):
        games.exact_filter(games.Fixed(games.response(0.1)), games.Unlimited(1.0), rounds=0)
    with pytest.raises(tb.InvalidParameter, match="bit"):
        games.exact_filter(games.Fixed(games.response(0.1)), games.Unlimited(1.0), rounds=1, bit=2)


def test_masses_stay_whole() -> None:
    """A filter of epsilon 0 against a step that always tells: delta is the total variation, tanh(epsilon / 2)."""
    answer = games.exact_filter(games.Plan([games.response(0.7)]), games.Unlimited(0.0), rounds=1)
    assert answer.view.lower <= math.tanh(0.35) <= answer.view.upper
