"""The theorem itself on small games: one person, steps chosen after seeing outcomes, divergences of all outcomes summed
up.

A step is randomised response about the person's record if the filter lets the person take part, and a fair coin of its
own if not. The analyst chooses the next strength from the outcomes so far.
"""

import copy
from collections.abc import Callable, Sequence

import mpmath
import pytest

import tightbudget as tb

mp = mpmath.MPContext()
mp.dps = 30
ORDER, BUDGET, ROUNDS = 4, "0.3", 9

Strategy = Callable[[Sequence[int]], float]


def price(strength: float) -> float:
    """The divergence of randomised response at the order, a little above."""
    p = 1 / (1 + mp.exp(-mp.mpf(strength)))
    moment = p**ORDER * (1 - p) ** (1 - ORDER) + (1 - p) ** ORDER * p ** (1 - ORDER)
    return float(mp.log(moment) / (ORDER - 1)) * (1 + 1e-15)


def equal(seen: Sequence[int]) -> float:
    return 0.2


def bursts(seen: Sequence[int]) -> float:
    return 0.3 if sum(seen) % 2 else 0.1


def push_when_it_works(seen: Sequence[int]) -> float:
    return 0.35 if seen and seen[-1] == 1 else 0.05


def divergence(strategy: Strategy, admit: Callable[[tb.individual.RenyiFilter, float], bool], swap: bool) -> mpmath.mpf:
    """Return the Rényi divergence between the views with and without (or the reverse), over all 2^ROUNDS outcomes."""

    def moment(group: tb.individual.RenyiFilter, seen: tuple[int, ...], first: mpmath.mpf, second: mpmath.mpf) -> mpmath.mpf:
        if len(seen) == ROUNDS:
            return first**ORDER * second ** (1 - ORDER)
        strength = strategy(seen)
        mine = copy.deepcopy(group)
        p = 1 / (1 + mp.exp(-mp.mpf(strength))) if admit(mine, price(strength)) else mp.mpf("0.5")
        chances = (1 - p, p) if swap else (p, 1 - p)
        parts = zip((1, 0), chances, reversed(chances), strict=True)
        return mp.fsum(moment(mine, (*seen, bit), first * a, second * b) for bit, a, b in parts)

    group = tb.individual.RenyiFilter(order=ORDER, budget=BUDGET, people=1)
    return mp.log(moment(group, (), mp.mpf(1), mp.mpf(1))) / (ORDER - 1)


@pytest.mark.slow
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("strategy", [equal, bursts, push_when_it_works], ids=lambda strategy: strategy.__name__)
def test_the_budget_bounds_the_divergence(strategy: Strategy, swap: bool) -> None:
    kept = divergence(strategy, lambda group, amount: bool(group.spend(amount)[0]), swap)
    assert mp.mpf("0.1") < kept <= mp.mpf(BUDGET)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [equal, bursts, push_when_it_works], ids=lambda strategy: strategy.__name__)
def test_without_the_filter_the_budget_is_exceeded(strategy: Strategy) -> None:
    assert max(divergence(strategy, lambda group, amount: True, swap) for swap in (False, True)) > mp.mpf(BUDGET)
