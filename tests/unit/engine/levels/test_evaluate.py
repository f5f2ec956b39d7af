"""Carrying out plans: several levels, coarsening and cut tails leave the truth between the two readings."""

from collections import Counter
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from mpmath import mpf
from tests.support import readings
from tests.support.doubles import RoughPair, Spikes
from tests.support.lanes import mostly_slow

from tightbudget.engine.discretisation.window import loss_window, tail_truncated
from tightbudget.engine.levels.evaluate import evaluate_plan
from tightbudget.engine.levels.plan import LevelPlan
from tightbudget.pairs.base import Pair

LOSSES, MASSES = (-1.0, -0.375, 0.5, 1.25), (0.125, 0.25, 0.375, 0.25)
PAIR = Spikes(LOSSES, MASSES)


def made(
    entering: list[list[tuple[Pair, int]]], step: float, factors: list[int], branching: int, tail: float, theta: float = 0.8
) -> LevelPlan:
    grid = [step]
    for factor in factors:
        grid.append(grid[-1] * factor)
    return LevelPlan(
        theta=theta,
        branching=branching,
        steps=tuple(grid),
        factors=tuple(factors),
        tails=(tail,) * len(grid),
        entering=tuple(
            tuple((pair, count, loss_window(tail_truncated(pair, -1e6), theta, tail)) for pair, count in items)
            for items in entering
        ),
        points=1e3,
    )


def truth(counts: int) -> list[tuple[mpf, mpf]]:
    """Return losses and masses of PAIR composed `counts` times, exactly."""
    sums: Counter[Fraction] = Counter({Fraction(0): Fraction(1)})
    for _ in range(counts):
        following: Counter[Fraction] = Counter()
        for (loss, mass), (other, more) in product(sums.items(), zip(LOSSES, MASSES, strict=True)):
            following[loss + Fraction(other)] += mass * Fraction(more)
        sums = following
    with mpmath.workdps(40):
        return sorted((mpf(x.numerator) / x.denominator, mpf(m.numerator) / m.denominator) for x, m in sums.items())


PLANS = {
    "one level, on the grid": (made([[(PAIR, 6)]], 0.125, [], 6, 1e-12), 6),
    "one level, off the grid": (made([[(PAIR, 6)]], 0.3, [], 6, 1e-12), 6),
    "one level, cut": (made([[(PAIR, 6)]], 0.125, [], 6, 0.05), 6),
    "two levels": (made([[(PAIR, 12)], []], 0.125, [3], 4, 1e-12), 12),
    "two levels, remainder": (made([[(PAIR, 13)], []], 0.1, [2], 4, 1e-9), 13),
    "three levels, cut": (made([[(PAIR, 27)], [], []], 0.05, [2, 2], 3, 1e-3), 27),
    "entering late": (made([[(PAIR, 8)], [(PAIR, 3)]], 0.125, [2], 4, 1e-12), 11),
    "two lists beside each other": (made([[(PAIR, 5), (Spikes(LOSSES, MASSES), 4)]], 0.2, [], 9, 1e-9), 9),
}


@pytest.mark.parametrize("name", mostly_slow(PLANS, every=2))
def test_the_truth_lies_between(name: str):
    plan, count = PLANS[name]
    found, exact = evaluate_plan(plan), truth(count)
    for epsilon in (0.0, 1.0, 3.0, 6.0):
        true = readings.hockey_stick(exact, mpf(epsilon))
        assert readings.upper(found.spread, found.step, found.theta, epsilon, found.loss_shift) >= true
        assert readings.lower(found.merged, found.step, found.theta, epsilon) <= true


@pytest.mark.parametrize("name", [name for name in PLANS if "cut" not in name])
def test_the_readings_are_near(name: str):
    plan, count = PLANS[name]
    found = evaluate_plan(plan)
    true = readings.hockey_stick(truth(count), mpf(1.0))
    assert readings.upper(found.spread, found.step, found.theta, 1.0, found.loss_shift) <= true * mpf("1.1")
    assert readings.lower(found.merged, found.step, found.theta, 1.0) >= true * mpf("0.9")


@pytest.mark.parametrize("count", [1, 7])
def test_every_repetition_brings_its_slack(count: int):
    rough = RoughPair(PAIR, extra_slack=0.125)
    assert evaluate_plan(made([[(rough, count)]], 0.125, [], count, 1e-12)).loss_shift >= 0.125 * count
    late = evaluate_plan(made([[(rough, count)], [(rough, 2)]], 0.125, [2], max(2, count), 1e-12))
    assert late.loss_shift >= 0.125 * (count + 2)
    assert late.loss_shift <= 0.125 * (count + 2) + 1e-6
