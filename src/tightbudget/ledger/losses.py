"""What the steps of a budget have cost: by odometers, which hold; by a fixed plan and a plain sum, to compare."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tightbudget.adaptive.amounts import exact
from tightbudget.adaptive.odometers.registry import from_state
from tightbudget.errors import InvalidParameter, TightBudgetError
from tightbudget.ledger.terms import Terms
from tightbudget.mechanisms.base import compose
from tightbudget.notation import parse
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.rounding import float_below

MOST_KINDS = 64
"""Different steps up to which a bound for the fixed plan is worked out: each takes its time."""

Counts = Mapping[str, int]
"""How often each step was charged, by its notation."""


@dataclass(frozen=True, slots=True)
class RunningLoss:
    """What an odometer shows: an upper bound on the loss so far, valid whatever was asked; inf where it has none.

    `note` then says why.
    """

    odometer: str
    epsilon: float
    delta: float
    sense: str
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        told = {"odometer": self.odometer, "epsilon": finite(self.epsilon), "delta": self.delta}
        return {**told, "sense": self.sense, "note": self.note}


def running_losses(terms: Terms, counts: Counts) -> tuple[RunningLoss, ...]:
    """Return what the odometers of a budget show after these steps."""
    return tuple(_run_odometer(state, terms, counts) for state in terms.odometers)


def _run_odometer(state: dict[str, Any], terms: Terms, counts: Counts) -> RunningLoss:
    odometer = from_state(state)
    told = odometer.kind, math.inf, odometer.delta, odometer.sense.value
    for text, count in counts.items():
        try:
            step = parse(text).under(terms.relation)
            odometer._sums = odometer._after(odometer._price(step), count)
        except InvalidParameter:
            return RunningLoss(*told, f"it cannot follow a step like {text}")
    running = odometer.epsilon
    note = "" if running < math.inf else "the deltas of steps are more than it was made for"
    return RunningLoss(odometer.kind, running, odometer.delta, odometer.sense.value, note)


def fixed_plan(terms: Terms, counts: Counts) -> Bracket | None:
    """Return the tight epsilon of these steps, had they been fixed in advance; None if that cannot be said."""
    if len(counts) > MOST_KINDS:
        return None
    try:
        steps = [step * count for step, count in _steps_of_budget(terms, counts)]
        return compose(steps, mix_relations=True).epsilon(_delta_of_terms(terms), rtol=1e-2)
    except TightBudgetError:
        return None


def naive_sum(terms: Terms, counts: Counts) -> float | None:
    """Return the sum of the epsilons of all steps, each at its share of delta, rounded up."""
    if len(counts) > MOST_KINDS:
        return None
    total = sum(counts.values())
    try:
        share = math.nextafter(_delta_of_terms(terms) / total, 0.0) if total else 0.0
        each = [count * step.epsilon(share, rtol=1e-2).upper for step, count in _steps_of_budget(terms, counts)]
    except TightBudgetError:
        return None
    raised = [math.nextafter(one, math.inf) for one in each]
    return math.nextafter(math.fsum(raised), math.inf) if raised else 0.0


def _steps_of_budget(terms: Terms, counts: Counts) -> list[tuple[Any, int]]:
    return [(parse(text).under(terms.relation), count) for text, count in counts.items()]


def _delta_of_terms(terms: Terms) -> float:
    return float_below(exact("delta", terms.delta))


def finite(value: float) -> float | str:
    """Return a number fit for JSON, which has no infinity."""
    return value if math.isfinite(value) else str(value)
