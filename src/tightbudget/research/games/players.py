"""Who plays: every filter and odometer of the registries, the unsound ones, and adversaries of a given size.

What is registered plays without being named here; `_OPTIONS` is for filters that are worth playing in several ways.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from tightbudget.adaptive.filters import registry as filters
from tightbudget.adaptive.odometers import registry as odometers
from tightbudget.mechanisms import PureDP
from tightbudget.research.games import naive
from tightbudget.research.games.adversaries import (
    Adversary,
    Bursts,
    Fixed,
    Greedy,
    StopWhenAhead,
    TinyThenLarge,
    counterexample,
)
from tightbudget.research.games.shared_states import PlayedFilter, PlayedOdometer
from tightbudget.research.games.steps import response

MakeFilter = Callable[[Any, Any], PlayedFilter]
MakeOdometer = Callable[[Any], PlayedOdometer]

OR_BASIC = " or basic"
"""Ends the name of a filter that also admits while the epsilons add up to no more than its own."""

_ORDERS = (2, 3, 4, 6, 8, 12, 16, 24, 32)
_OPTIONS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "sharpened": {"sharpened": {}, f"sharpened{OR_BASIC}": {"or_basic": True}},
    "whitehouse": {"whitehouse": {}, f"whitehouse{OR_BASIC}": {"or_basic": True}},
    "zcdp": {"zcdp": {}, f"zcdp{OR_BASIC}": {"or_basic": True}},
    "rdp": {
        "rdp, order 8": {"orders": 8},
        "rdp, 9 orders": {"orders": _ORDERS},
        f"rdp, 9 orders{OR_BASIC}": {"orders": _ORDERS, "or_basic": True},
    },
}


def shipped_filters() -> Mapping[str, MakeFilter]:
    """Return every filter of the registry by a name, with its options where it has some."""
    return {
        name: partial(_playing_filter, kind, settings)
        for kind in filters.ALL
        for name, settings in _OPTIONS.get(kind.kind, {kind.kind: {}}).items()
    }


def _playing_filter(kind: type[Any], settings: Mapping[str, Any], epsilon: Any, delta: Any) -> PlayedFilter:
    """Return a filter that keeps a fifth of delta for the deltas of steps, and has a plan, if it takes those."""
    takes = inspect.signature(kind).parameters
    part = {"delta_for_steps": delta / 5} if "delta_for_steps" in takes else {}
    plan = {"plan": _plan_for_players(epsilon, delta)} if "plan" in takes else {}
    made: PlayedFilter = kind(epsilon, delta, **part, **plan, **settings)
    return made


@cache
def _plan_for_players(epsilon: float, delta: float) -> Any:
    """Return one step of epsilon / 4 and as many of epsilon / 10 as fit."""
    large, small = PureDP(epsilon=epsilon / 4), PureDP(epsilon=epsilon / 10)
    count = 1
    while (large + small * (count + 1)).delta(epsilon=epsilon, rtol=1e-6).upper <= 0.8 * delta:
        count += 1
    return large + small * count


def shipped_odometers() -> Mapping[str, MakeOdometer]:
    """Return every odometer of the registry by its kind, with its default settings."""
    return dict(odometers.BY_KIND)


def unsound_odometers() -> Mapping[str, MakeOdometer]:
    """Return bounds for one moment that are read at every moment: they are there to fail."""
    return {
        "fixed-time": naive.UnsoundFixedTimeOdometer,
        "fixed-time-drv": partial(naive.UnsoundFixedTimeOdometer, drift="drv"),
    }


def every_odometer() -> Mapping[str, MakeOdometer]:
    return {**shipped_odometers(), **unsound_odometers()}


def odometer_adversaries(epsilon: float) -> dict[str, Adversary]:
    """Return the adversaries whose ordinary step is epsilon-DP."""
    return {
        "fixed": Fixed(response(epsilon)),
        "stop-when-ahead": StopWhenAhead(response(epsilon)),
        "greedy": Greedy([response(epsilon / 4), response(epsilon), response(4 * epsilon)]),
        "bursts": Bursts(response(epsilon), response(4 * epsilon)),
        "tiny-then-large": TinyThenLarge([response(epsilon / 2**power) for power in range(8, -1, -1)], each=20),
    }


def filter_adversaries(epsilon: float, delta: float) -> dict[str, Adversary]:
    """Return the adversaries for a filter of (epsilon, delta); some of their steps have a delta of their own."""
    small, middle, large = epsilon / 20, epsilon / 10, epsilon / 4
    reveal = delta / 5
    trap, _ = counterexample(epsilon / 5, epsilon * 0.9, epsilon)
    return {
        "fixed": Fixed(response(middle)),
        "fixed, with deltas": Fixed(response(middle, reveal / 10)),
        "stop-when-ahead": StopWhenAhead(response(middle)),
        "greedy": Greedy([response(small), response(middle), response(large)]),
        "bursts": Bursts(response(small), response(large), trigger=0.2),
        "tiny-then-large": TinyThenLarge([response(small), response(middle), response(large)], each=8),
        "counterexample": type(trap)(trap.first, trap.second, reveal),
    }
