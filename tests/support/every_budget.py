"""Everything that keeps a budget or a balance, by its registry, each with a step it admits a few dozen times or
more.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import tightbudget as tb
from tightbudget.adaptive import filters, odometers
from tightbudget.adaptive.individual import registry as individual

STEP = tb.PureDP(0.01)

_SETTINGS: dict[str, dict[str, Any]] = {
    "basic": {"epsilon": 2},
    "advanced": {"epsilon": 1.5},
    "whitehouse": {"epsilon": 0.8, "or_basic": True},
    "zcdp": {"epsilon": 0.7},
    "rdp": {"orders": [16, 32]},
    "gdp": {"epsilon": 0.8},
    "residual": {"epsilon": 0.25},
    "slots": {"plan": tb.PureDP(0.01) * 150 + tb.PureDP(0.02) * 50},
}

FILTERS: dict[str, Callable[[], filters.Filter]] = {
    kind: partial(make, **{"epsilon": 1, "delta": 1e-6, **_SETTINGS.get(kind, {})})
    for kind, make in filters.registry.BY_KIND.items()
}

ODOMETERS: dict[str, Callable[[], odometers.Odometer]] = {
    kind: (lambda make=make: make(1e-6)) for kind, make in odometers.registry.BY_KIND.items()
}

PEOPLE = 1000
INDIVIDUAL: dict[str, Callable[..., tb.individual.IndividualFilter]] = {
    "renyi": lambda people=PEOPLE: tb.individual.RenyiFilter(order=8, budget=1, people=people),
    "zcdp": lambda people=PEOPLE: tb.individual.ZCDPFilter(1, people=people),
    "gdp": lambda people=PEOPLE: tb.individual.GDPFilter("0.1", people=people),
}

EVERY: dict[str, Callable[[], Any]] = {
    **{f"{kind} filter": make for kind, make in FILTERS.items()},
    **{f"{kind} odometer": make for kind, make in ODOMETERS.items()},
    **{f"individual {kind} filter": make for kind, make in INDIVIDUAL.items()},
}


def test_nothing_is_left_out() -> None:
    """To be imported by the tests that use these."""
    assert set(_SETTINGS) <= set(FILTERS)
    assert set(ODOMETERS) == set(odometers.registry.BY_KIND)
    assert set(INDIVIDUAL) == set(individual.BY_KIND)
