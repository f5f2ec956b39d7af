"""Odometers of every kind in the registry, made anew at each call."""

from collections.abc import Callable
from functools import partial
from typing import Any

from tightbudget import odometers as o
from tightbudget.adaptive.odometers.registry import BY_KIND

USUAL = {"delta": "0.02", "delta_for_steps": "0.01"}
SETTINGS: dict[str, dict[str, Any]] = {
    "basic": {"delta": "0.01"},
    "rogers": {"delta": "0.02", "n": 1000},
    "line": {**USUAL, "tight_at": "1/3"},
    "mixture": {**USUAL, "tight_at": 0.7},
    "stitched": {**USUAL, "start": 0.3},
    "renyi": {**USUAL, "orders": ["4/3", 2, 5.5, 30], "weights": [0.1, 0.2, 0.3, "2/5"]},
}
EVERY: list[Callable[[], o.Odometer]] = [partial(make, **SETTINGS.get(kind, USUAL)) for kind, make in BY_KIND.items()]
