"""Failure probabilities of odometers in games of randomised response, computed rather than sampled.

Under the first hypothesis the loss of RR(epsilon) is +epsilon with probability e^epsilon/(1 + e^epsilon), else
-epsilon.
"""

import copy
import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from tests.support.lanes import mostly_slow
from tests.support.odometer_truth import mp

import tightbudget as tb

pytestmark = pytest.mark.slow

DELTA = 0.3  # large, so that a short game can exceed a bound at all
ODOMETERS: list[Callable[[float], tb.odometers.Odometer]] = [
    tb.odometers.BasicOdometer,
    lambda delta: tb.odometers.RogersOdometer(delta, n=2),
    lambda delta: tb.odometers.LineOdometer(delta, tight_at=2),
    lambda delta: tb.odometers.MixtureOdometer(delta, tight_at=2),
    lambda delta: tb.odometers.OneSidedMixtureOdometer(delta, tight_at=2),
    lambda delta: tb.odometers.StitchedOdometer(delta, start=1),
    lambda delta: tb.odometers.RenyiOdometer(delta, orders=[1.5, 2, 3]),
]
KINDS = [make(DELTA).kind for make in ODOMETERS]

# The next epsilon, from the signs seen so far and the loss; None stops the game.
Strategy = Callable[[Sequence[int], float], float | None]


def fixed(signs: Sequence[int], loss: float) -> float | None:
    return 0.5


def press_on_when_ahead(signs: Sequence[int], loss: float) -> float | None:
    """Small steps when the loss is high, so that the bound hardly grows; large ones to get there."""
    return 0.05 if loss > 1.5 else 0.7


def double_when_behind(signs: Sequence[int], loss: float) -> float | None:
    return min(2.0, 0.25 * 2 ** sum(sign < 0 for sign in signs))


def stop_when_ahead(signs: Sequence[int], loss: float) -> float | None:
    return None if loss > 2.0 else 0.5


def tiny_then_large(signs: Sequence[int], loss: float) -> float | None:
    return 0.1 if len(signs) < 5 else 0.9


STRATEGIES = [fixed, press_on_when_ahead, double_when_behind, stop_when_ahead, tiny_then_large]


def failure(odometer: tb.odometers.Odometer, strategy: Strategy, rounds: int, both: bool) -> mp.mpf:
    """Return Pr[some L_t exceeds its bound] (|L_t| if both), summed over the tree of outcomes."""

    def walk(odometer: tb.odometers.Odometer, signs: tuple[int, ...], loss: float, chance: mp.mpf) -> mp.mpf:
        epsilon = strategy(signs, loss) if len(signs) < rounds else None
        if epsilon is None:
            return mp.mpf(0)
        after = copy.copy(odometer)
        bound = after.spend(tb.PureDP(epsilon=epsilon))
        up = mp.mpf(1) / (1 + mp.exp(-mp.mpf(epsilon)))
        total = mp.mpf(0)
        for sign, share in ((1, up), (-1, 1 - up)):
            now = loss + sign * epsilon
            # sums of a dozen decimals: 1e-12 is far above their rounding and far below their spacing
            failed = (abs(now) if both else now) > bound + 1e-12
            total += chance * share if failed else walk(after, (*signs, sign), now, chance * share)
        return total

    return walk(odometer, (), 0.0, mp.mpf(1))


@pytest.mark.parametrize("strategy", mostly_slow(STRATEGIES, every=3), ids=lambda strategy: strategy.__name__)
@pytest.mark.parametrize("make", mostly_slow(ODOMETERS, every=3), ids=KINDS)
def test_adaptive_games(make: Callable[[float], tb.odometers.Odometer], strategy: Strategy) -> None:
    odometer = make(DELTA)
    assert failure(odometer, strategy, 11, both=odometer.two_sided) <= DELTA


@pytest.mark.slow
def test_the_games_can_be_lost() -> None:
    """Some bound is exceeded with positive probability, else the games above would show nothing."""
    lost = {make(DELTA).kind for make in ODOMETERS if failure(make(DELTA), fixed, 11, both=False) > 0}
    assert lost >= {"line", "mixture", "one_sided_mixture", "renyi"}


def crossing(bounds: Sequence[float], epsilon: float, both: bool) -> float:
    """Return Pr[some L_t > bounds[t-1]] for a walk of steps +-epsilon: an exact recursion over the number of ups."""
    up = 1.0 / (1.0 + math.exp(-epsilon))
    alive, failed = np.array([1.0]), 0.0
    for t, bound in enumerate(bounds, start=1):
        alive = np.append(alive * (1.0 - up), 0.0) + np.append(0.0, alive * up)
        loss = (2.0 * np.arange(t + 1) - t) * epsilon
        over = (np.abs(loss) if both else loss) > bound + 1e-9
        failed += float(alive[over].sum())
        alive[over] = 0.0
    return failed


def running(odometer: tb.odometers.Odometer, epsilon: float, rounds: int) -> list[float]:
    return [odometer.spend(tb.PureDP(epsilon=epsilon)) for _ in range(rounds)]


LONG = [
    (tb.odometers.RogersOdometer(0.05, n=1000), 0.0),
    (tb.odometers.LineOdometer(0.05, tight_at=5), 0.02),
    (tb.odometers.MixtureOdometer(0.05, tight_at=1), 0.01),
    (tb.odometers.OneSidedMixtureOdometer(0.05, tight_at=1), 0.01),
    (tb.odometers.StitchedOdometer(0.05, start=0.01), 0.001),
    (tb.odometers.RenyiOdometer(0.05), 0.001),
]


@pytest.mark.parametrize(("odometer", "at_least"), LONG, ids=[each.kind for each, _ in LONG])
def test_long_walks(odometer: tb.odometers.Odometer, at_least: float) -> None:
    """2000 steps of 0.1: no bound is crossed too often, and those that should be used up to some part are."""
    failed = crossing(running(copy.copy(odometer), 0.1, 2000), 0.1, both=odometer.two_sided)
    assert at_least <= failed <= 0.05


def test_a_bound_for_one_moment_is_no_odometer() -> None:
    """The same walk against drift + sqrt(2 V ln(1/delta)), right at every single step and wrong over all of them."""
    drift, level = 0.1 * math.tanh(0.05), math.log(20.0)
    naive = [t * drift + math.sqrt(2.0 * 0.01 * t * level) for t in range(1, 2001)]
    assert crossing(naive, 0.1, both=False) > 0.1


@pytest.mark.parametrize(
    "make", [ODOMETERS[2], ODOMETERS[4], ODOMETERS[5], ODOMETERS[6]], ids=["line", "one", "stitched", "renyi"]
)
def test_the_other_side_costs_a_factor(make: Callable[[float], tb.odometers.Odometer]) -> None:
    """Pr[some |L_t| > bound] <= delta (1 + e^-b), b the least bound that can be exceeded (M16)."""
    bounds = running(make(DELTA), 0.3, 60)
    one, both = (crossing(bounds, 0.3, both) for both in (False, True))
    assert one <= both <= one + DELTA * math.exp(-min(bounds))
