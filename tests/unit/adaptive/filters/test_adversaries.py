"""The best adversary against each filter, found exactly: she sees every outcome and picks the next step from a menu."""

import json
import math
from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import product

import pytest

import tightbudget as tb
from tightbudget.adaptive.amounts import Amount
from tightbudget.adaptive.filters.domination import dominates
from tightbudget.filters import (
    AdvancedFilter,
    BasicFilter,
    Filter,
    GDPFilter,
    Increment,
    RDPFilter,
    ResidualFilter,
    SharpenedFilter,
    SlotFilter,
    WhitehouseFilter,
    ZCDPFilter,
)

DEPTH = 5


Step = tb.PureDP | tb.ApproximateDP
After = Callable[[str, int], str | None]


def worst(epsilon: float, menu: tuple[Step, ...], start: str, after: After, depth: int = DEPTH) -> float:
    """Return the largest delta(epsilon) that an adversary reaches in `depth` steps; after(state, i) is the state, or a
    refusal.

    delta is the mean of (1 - e^(epsilon - loss))_+ over what she sees, and every step is randomised response (theory:
    KOV), so the best choice at each point is found by working back from the end.
    """

    @cache
    def value(state: str, loss: float, left: int) -> float:
        best = max(0.0, -math.expm1(epsilon - loss))
        for index, step in enumerate(menu if left else ()):
            nearer = after(state, index)
            if nearer is None:
                continue
            e = step.promised_epsilon
            failed = step.promised_delta if isinstance(step, tb.ApproximateDP) else 0.0
            likely = 1.0 / (1.0 + math.exp(-e))
            up, down = (value(nearer, round(loss + move, 12), left - 1) for move in (e, -e))
            best = max(best, failed + (1.0 - failed) * (likely * up + (1.0 - likely) * down))
        return best

    return value(start, 0.0, depth)


def against(make: Callable[[], Filter], menu: tuple[Step, ...]) -> float:
    budget = make()

    @cache
    def after(state: str, index: int) -> str | None:
        budget._restore(json.loads(state))
        if not budget.quote(menu[index]):
            return None
        budget.spend(menu[index])
        return json.dumps(budget.state()["spent"])

    return worst(budget.epsilon, menu, json.dumps(budget.state()["spent"]), after)


E, D = 1.5, 0.05
MENU = (tb.PureDP(0.2), tb.PureDP(0.45), tb.PureDP(0.7), tb.ApproximateDP(0.3, 0.01), tb.ApproximateDP(0, 0.02))
PLAN = tb.PureDP(0.7) + tb.PureDP(0.45) + tb.ApproximateDP(0, 0.02) + tb.PureDP(0.2) * 2
FILTERS: dict[str, Callable[[], Filter]] = {
    "basic": lambda: BasicFilter(E, D),
    "advanced": lambda: AdvancedFilter(E, D),
    "sharpened": lambda: SharpenedFilter(E, D, delta_for_steps=0.02),
    "sharpened or basic": lambda: SharpenedFilter(E, D, delta_for_steps=0.02, or_basic=True),
    "whitehouse": lambda: WhitehouseFilter(E, D, delta_for_steps=0.02),
    "whitehouse or basic": lambda: WhitehouseFilter(E, D, delta_for_steps=0.02, or_basic=True),
    "zcdp": lambda: ZCDPFilter(E, D, delta_for_steps=0.02),
    "zcdp or basic": lambda: ZCDPFilter(E, D, delta_for_steps=0.02, or_basic=True),
    "rdp": lambda: RDPFilter(E, D, orders=4, delta_for_steps=0.02),
    "rdp, orders": lambda: RDPFilter(E, D, orders=[2, 4, 8, 16], delta_for_steps=0.02),
    "rdp, orders or basic": lambda: RDPFilter(E, D, orders=[2, 4, 8, 16], delta_for_steps=0.02, or_basic=True),
    "gdp": lambda: GDPFilter(E, D, delta_for_steps=0.02),
    "residual": lambda: ResidualFilter(E, D, delta_for_steps=0.02, step=2**-5),
    "slots": lambda: SlotFilter(E, D, plan=PLAN),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILTERS)
def test_no_adversary_beats_a_filter(name: str) -> None:
    reached = against(FILTERS[name], MENU)
    assert 0.0 < reached <= D


def test_the_best_adversary_beats_the_natural_filter() -> None:
    """The same search finds what theory B.0 shows: recomputing a tight bound after each step is no filter."""
    first, second = 0.1, 0.45
    likely = 1.0 / (1.0 + math.exp(-first))
    epsilon = 0.5
    response = 1.0 / (1.0 + math.exp(-second))
    reveal = likely * response * -math.expm1(epsilon - first - second)
    menu = (tb.PureDP(first), tb.PureDP(second), tb.ApproximateDP(0, reveal))
    budget = reveal * (1 + 1e-6)

    @cache
    def after(state: str, index: int) -> str | None:
        taken = [*json.loads(state), index]
        priced = tb.compose([menu[i] for i in taken]).delta(epsilon, rtol=1e-8).upper
        return json.dumps(sorted(taken)) if priced <= budget else None

    assert worst(epsilon, menu, "[]", after, depth=2) > 1.4 * budget


def test_the_best_adversary_beats_slots_that_are_matched_anew() -> None:
    """A small step that either of two slots dominates; its answer says which of the two the next step is to
    have (M15).
    """
    epsilon, budget = 1.0, 0.01
    slots = (tb.PureDP(epsilon), tb.ApproximateDP(0, budget))
    small = tb.RandomizedResponse(0.50495)  # as a promise its epsilon is log(p / (1 - p))
    menu = (tb.PureDP(math.log(0.50495 / 0.49505)), *slots)
    fitting = [[place for place, slot in enumerate(slots) if dominates(slot, step)] for step in (small, *slots)]
    assert fitting == [[0, 1], [0], [1]]
    assert tb.compose(slots).delta(epsilon).upper <= budget * (1 + 1e-9)

    @cache
    def matched(state: str, index: int) -> str | None:
        """Admit a step if all steps so far, and it, can be matched to slots: each keeps its slot only until the next
        step.
        """
        taken = [*json.loads(state), index]
        possible = any(len(set(places)) == len(taken) for places in product(*(fitting[i] for i in taken)))
        return json.dumps(taken) if possible else None

    def kept(state: str, index: int, prefer: int) -> str | None:
        """Admit a step if a slot is free; whichever it takes, it keeps."""
        taken = json.loads(state)
        free = [place for place in fitting[index] if place not in taken]
        return json.dumps([*taken, free[prefer]]) if free else None

    assert worst(epsilon, menu, "[]", matched) > 1.2 * budget
    for prefer in (0, -1):
        assert worst(epsilon, menu, "[]", partial(kept, prefer=prefer)) <= budget


def broken() -> Filter:
    """A filter that forgets to add up deltas of steps."""

    class Forgetful(BasicFilter):
        def _price(self, increment: Increment) -> Mapping[str, Amount]:
            return {**super()._price(increment), "delta": 0}

    return Forgetful(E, D)


def test_the_search_finds_a_broken_filter() -> None:
    assert against(broken, MENU) > D
