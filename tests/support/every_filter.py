"""Filters of every kind in the registry, made anew at each call: with plain budgets, with tight ones and with ample
ones.

A new kind is tried without being named here, unless its constructor needs more than epsilon and delta.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import tightbudget as tb
from tightbudget.adaptive.filters.registry import ALL
from tightbudget.filters import Filter

Maker = Callable[[], Filter]


def _made(epsilon: Any, delta: Any, settings: Mapping[str, list[Mapping[str, Any]]]) -> list[Maker]:
    """Return a maker of each kind for each of its settings, which may have another epsilon or delta."""
    return [
        partial(kind, **{"epsilon": epsilon, "delta": delta, **each}) for kind in ALL for each in settings.get(kind.kind, [{}])
    ]


PLAIN = _made(1, 1e-6, {"rdp": [{"orders": [4, 16]}], "slots": [{"plan": tb.PureDP(0.1) * 3}]})

# a few steps are refused; amounts as text, as fractions and as floats
TIGHT = _made(
    1,
    1e-6,
    {
        "basic": [{"epsilon": "1", "delta": "1e-6"}],
        "advanced": [{"epsilon": 2, "or_basic": True}],
        "sharpened": [{"epsilon": 2, "delta_for_steps": 1e-7}],
        "whitehouse": [{"epsilon": 1.5, "delta_for_steps": 1e-7, "or_basic": True}],
        "zcdp": [{"delta_for_steps": "1/10000000"}],
        "rdp": [{"orders": [2.5, 8, "100/3"], "weights": [0.2, "1/3", 0.1], "delta_for_steps": 1e-7, "or_basic": True}],
        "gdp": [{"delta_for_steps": 1e-7}],
        "residual": [{"delta_for_steps": 1e-7, "step": 2**-7}],
        "slots": [{"plan": tb.PureDP(0.1) * 4 + tb.Gaussian(30) * 4, "delta_for_steps": 1e-7}],
    },
)

_SHARE = {"delta_for_steps": 1e-7}

# steps so large that one of the sums is infinite are still admitted
AMPLE = _made(
    1000,
    1e-6,
    {
        "advanced": [{"or_basic": True}],
        "sharpened": [{**_SHARE, "or_basic": True}],
        "whitehouse": [{**_SHARE, "or_basic": True}],
        "zcdp": [{**_SHARE, "or_basic": True}],
        "rdp": [
            {**_SHARE, "epsilon": 10, "orders": [2, 4, 8]},
            {**_SHARE, "epsilon": 10, "orders": [1.5, 64], "or_basic": True},
        ],
        "gdp": [{**_SHARE, "epsilon": 10}],
        "residual": [{**_SHARE, "epsilon": 10}],
        "slots": [{**_SHARE, "epsilon": 10, "plan": tb.Gaussian(20) * 5 + tb.PureDP(0.1) * 3}],
    },
)
