"""In which sense a running epsilon holds once steps have a delta: small adaptive games, counted in fractions (M16).

A law is a list of outcomes (P, Q). A view is kept by its likelihoods under both, so that nothing is rounded but the
exponential of the odometer's number, which is taken too small: what might exceed it counts as exceeding it.
"""

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction as F

import pytest

import tightbudget as tb
from tightbudget.adaptive.odometers.base import Sense

Law = Sequence[tuple[F, F]]
Step = tuple[tb.PureDP | tb.ApproximateDP, Law]
Odometer = tb.odometers.Odometer

DELTA, FOR_STEPS = F(3, 10), F(24, 100)
HALF = (F(1, 3), F(2, 3))
E2 = 0.6932  # a little more than ln 2


def exchanged(law: Law) -> Law:
    return [(q, p) for p, q in law]


def step_of(law: Law, delta: F) -> Step:
    return tb.ApproximateDP(E2, float(delta)), law


# |loss| <= ln 2 but for an event of probability 2/25 under both laws, which tells all
POINTWISE = step_of([(F(2, 25), F(0)), (F(0), F(2, 25)), (F(46, 75), F(23, 75)), (F(23, 75), F(46, 75))], F(2, 25))
# the loss exceeds ln 2 with probability 2/25 under either law, and falls below -ln 2 with another 4/125
ONE_TAIL = step_of(
    [(F(2, 25), F(4, 125)), (F(4, 125), F(2, 25)), (F(444, 1000), F(444, 1000)), (F(444, 1000), F(444, 1000))], F(2, 25)
)
# (ln 2, 2/25)-private, and the loss is above ln 2 with probability 4/25 or more: nothing pointwise
PRIVATE = step_of([(F(4, 25), F(1, 25)), (F(1, 25), F(4, 25)), (F(4, 5), F(4, 5))], F(2, 25))
PURE: Step = (tb.PureDP(E2), [(F(2, 3), F(1, 3)), (F(1, 3), F(2, 3))])
LITTLE: Step = (tb.PureDP(0.2232), [(F(5, 9), F(4, 9)), (F(4, 9), F(5, 9))])  # ln(5/4)

Strategy = Callable[[tuple[int, ...], F, F], Step | None]


def strategies(step: Step) -> list[Strategy]:
    """Return games with the step: fixed ones, and some that go by what was seen."""
    return [
        lambda seen, p, q: (step, step, step, PURE)[len(seen)],
        lambda seen, p, q: step if p >= q else PURE,
        lambda seen, p, q: PURE if p > q else step if seen.count(0) < 3 else LITTLE,
        lambda seen, p, q: None if p > 3 * q else (PURE, step)[len(seen) % 2],
    ]


def odometers() -> list[Odometer]:
    given = {"delta": DELTA, "delta_for_steps": FOR_STEPS}
    return [
        tb.odometers.BasicOdometer(FOR_STEPS),
        tb.odometers.LineOdometer(**given, tight_at=1),
        tb.odometers.OneSidedMixtureOdometer(**given, tight_at=1),
        tb.odometers.StitchedOdometer(**given, start=1),
        tb.odometers.RenyiOdometer(**given, orders=[2, 4]),
        tb.odometers.MixtureOdometer(**given, tight_at=1),
    ]


def paths(
    odometer: Odometer, game: Strategy, swap: bool, most: float, stop: Callable[[F, F, float], bool]
) -> Iterator[tuple[F, F, bool]]:
    """Yield likelihoods (P, Q) of every path, and whether it was stopped; cut off before the bound exceeds `most`."""

    def walk(odometer: Odometer, seen: tuple[int, ...], p: F, q: F) -> Iterator[tuple[F, F, bool]]:
        chosen = game(seen, p, q) if len(seen) < 4 else None
        if chosen is None or odometer.quote(chosen[0]) > most:
            yield p, q, False
            return
        after = copy.copy(odometer)
        bound = after.spend(chosen[0])
        for place, (one, other) in enumerate(exchanged(chosen[1]) if swap else chosen[1]):
            now = p * one, q * other
            if stop(*now, bound):
                yield *now, True
            elif any(now):
                yield from walk(after, (*seen, place), *now)

    yield from walk(odometer, (), F(1), F(1))


def above(p: F, q: F, bound: float) -> bool:
    """Return whether the loss is above the bound, or may be."""
    return bound < math.inf and p > q * F(math.exp(bound) * (1.0 - 1e-9))


def failing(odometer: Odometer, game: Strategy, swap: bool, both: bool) -> F:
    """Return the probability that the loss (its absolute value, if both) is ever above the running epsilon."""

    def stop(p: F, q: F, bound: float) -> bool:
        return above(p, q, bound) or (both and above(q, p, bound))

    return sum((p for p, _, failed in paths(odometer, game, swap, math.inf, stop) if failed), F(0))


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("odometer", odometers(), ids=lambda each: each.kind)
def test_steps_that_keep_their_epsilon_under_both_laws_keep_the_bound_at_all_times(odometer: Odometer, swap: bool) -> None:
    for game in strategies(POINTWISE):
        assert failing(odometer, game, swap, both=odometer.two_sided) <= F(odometer.delta).limit_denominator(1000)


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("odometer", [each for each in odometers() if each.kind != "mixture"], ids=lambda each: each.kind)
def test_one_tail_is_enough_for_one_side(odometer: Odometer, swap: bool) -> None:
    for game in strategies(ONE_TAIL):
        assert failing(odometer, game, swap, both=False) <= F(odometer.delta).limit_denominator(1000)


def test_one_tail_is_not_enough_for_both_sides() -> None:
    """The loss exceeds epsilon with probability delta under either law, and yet |loss| does so more often."""
    step = step_of([(F(1, 10), F(1, 25)), (F(1, 25), F(1, 10)), (F(43, 50), F(43, 50))], F(1, 10))
    odometer = tb.odometers.BasicOdometer(F(1, 10))
    assert odometer.two_sided
    assert failing(odometer, lambda seen, p, q: None if seen else step, False, both=False) == F(1, 10)
    assert failing(odometer, lambda seen, p, q: None if seen else step, False, both=True) == F(7, 50) > F(1, 10)


def test_the_sense_asks_for_both_laws_and_both_tails() -> None:
    said = Sense.FIXED_THRESHOLD.value
    assert "on either of two neighbouring data sets" in said
    assert "between -epsilon and epsilon with probability at least 1 - delta" in said


def test_private_steps_alone_do_not_keep_the_bound_at_all_times() -> None:
    assert failing(tb.odometers.BasicOdometer(F(2, 25)), lambda seen, p, q: None if seen else PRIVATE, False, False) > F(2, 25)


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("odometer", odometers(), ids=lambda each: each.kind)
@pytest.mark.parametrize("threshold", [0.75, 1.4, 2.1, 2.8])
def test_what_is_released_before_a_threshold_is_private(odometer: Odometer, swap: bool, threshold: float) -> None:
    """For steps that are private and no more: sum of (P - e^threshold Q)+ over views cut off before the threshold."""
    factor = F(math.exp(threshold) * (1.0 - 1e-9))
    for step in (PRIVATE, ONE_TAIL, POINTWISE):
        for game in strategies(step):
            found = paths(odometer, game, swap, threshold, lambda p, q, bound: False)
            assert sum((max(p - factor * q, F(0)) for p, q, _ in found), F(0)) <= F(odometer.delta).limit_denominator(1000)
