"""Lowering a budget never admits what was refused, and holds what is spent later within the lower limits.

Two budgets have one history; one of them is lowered. From then on every step is asked of both at the same sums.
"""

import math
import random
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.adaptive.filters.registry import ALL
from tightbudget.adaptive.filters.sum_filter import SumFilter
from tightbudget.ledger import Ledger
from tightbudget.ledger.budget import Budget

KINDS = [each.kind for each in ALL if issubclass(each, SumFilter)]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(f"sqlite:///{tmp_path}/budget.db") as made:
        yield made


def settings_of(kind: str, draw: random.Random, delta: float) -> dict[str, Any]:
    """Return random settings that the kind of filter has."""
    found: dict[str, Any] = {}
    if kind == "rdp":
        orders = sorted({round(math.exp(draw.uniform(0.7, 5.0)), 2) for _ in range(draw.randint(1, 3))})
        found["orders"] = [*orders, 400]
    if kind == "sharpened" and draw.random() < 0.3:
        found["beta"] = round(math.exp(draw.uniform(-6.0, 6.0)), 6)
    if kind not in ("basic", "advanced") and draw.random() < 0.4:
        found["delta_for_steps"] = delta / 4
    if kind not in ("basic", "gdp") and draw.random() < 0.3:
        found["or_basic"] = True
    return found


def drawn_guarantee(kind: str, draw: random.Random) -> tuple[float, float]:
    """Return a guarantee: for the advanced filter large ones often, where a boundary that is fitted anew falls."""
    if kind == "advanced" and draw.random() < 0.6:
        return float(f"{math.exp(draw.uniform(4.0, 7.0)):.3g}"), draw.choice([0.364, 0.36, 0.3])
    return float(f"{math.exp(draw.uniform(-2.0, 5.0)):.3g}"), float(f"{0.36 * math.exp(-30.0 * draw.random() ** 2):.3g}")


def drawn_lowering(draw: random.Random, epsilon: float, delta: float) -> dict[str, Any]:
    """Return lower limits: a little or much lower, of epsilon, of delta or of both; some as exact fractions."""
    less = {
        "epsilon": Fraction(str(epsilon)) * draw.choice([Fraction(9, 10), Fraction(999999, 1000000), 1 - Fraction(1, 10**30)]),
        "delta": Fraction(str(delta))
        * draw.choice([Fraction(8, 10), Fraction(1, 1000), Fraction(1, 10**6), 1 - Fraction(1, 10**25)]),
    }
    lower = draw.choice([["epsilon"], ["delta"], ["delta"], ["epsilon", "delta"]])
    return {name: str(less[name]) for name in lower}


def refused_sizes(budget: Budget, make: Any) -> list[float]:
    """Return sizes of a step at which the budget changes its mind: just admitted, just refused, and some beyond."""
    low, high = 1e-9, 1e4
    while high > low * (1.0 + 1e-9):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if budget.quote(make(middle)).accepted else (low, middle)
    return [low, high, high * 1.001, high * 1.1, low * 0.999]


def history(kind: str, draw: random.Random, delta: float) -> list[Any]:
    """Return steps for the kind, some with a delta."""
    pure = [tb.PureDP(float(f"{math.exp(draw.uniform(-5.0, 1.0)):.3g}")) * draw.randint(1, 9) for _ in range(3)]
    return [*pure, tb.ApproximateDP(0.01, float(f"{delta * draw.random() / 10:.3g}"))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(10))
def test_nothing_is_admitted_that_was_refused_before(ledger: Ledger, kind: str, seed: int) -> None:
    draw = random.Random(f"{kind}{seed}")
    epsilon, delta = drawn_guarantee(kind, draw)
    settings = settings_of(kind, draw, delta)
    kept, less = (ledger.create_budget(name, epsilon=epsilon, delta=delta, filter=kind, **settings) for name in "ab")
    spent: list[Any] = []
    if draw.random() < 0.5:
        for step in history(kind, draw, delta):
            if kept.quote(step).accepted:
                kept.charge(step)
                less.charge(step)
                spent.append(step)
    refused = [tb.PureDP(size) for size in refused_sizes(kept, tb.PureDP)]
    refused += [tb.PureDP(size) * 12 for size in refused_sizes(kept, lambda size: tb.PureDP(size) * 12)]
    within = {"epsilon": Fraction(str(epsilon)), "delta": Fraction(str(delta))}
    for _ in range(draw.choice([1, 1, 2])):
        limits = drawn_lowering(draw, epsilon, delta)
        with suppress(tb.InvalidParameter):  # no filter of these settings has such limits, or they are lower already
            less.lower(**limits)
            within |= {name: Fraction(limit) for name, limit in limits.items()}
    for step in [*refused, *history(kind, draw, delta), *refused]:
        if not less.quote(step).accepted:
            continue
        assert kept.quote(step).accepted, (step, settings, epsilon, delta, within)
        kept.charge(step)
        less.charge(step)
        spent.append(step)
        # the guarantee of the lower limits, for all that was spent, by a composition fixed in advance
        assert tb.compose(spent).delta(float(within["epsilon"]), rtol=0.1).lower <= within["delta"]
    for size in refused[:3]:
        assert less.remaining(size) <= kept.remaining(size)
    assert ledger.verify().ok, ledger.verify()
