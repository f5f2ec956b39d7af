"""Status of a budget: what is spent, reserved and free, and what else can be said about it now."""

import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from sqlalchemy import select

from tightbudget.adaptive.amounts import Amount, amount_to_float, exact, show
from tightbudget.adaptive.filters.limits import Limit, readable_amount
from tightbudget.adaptive.odometers.registry import from_state as odometer_from_state
from tightbudget.errors import InvalidParameter, TightBudgetError
from tightbudget.ledger.budget import Budget
from tightbudget.ledger.history import Entry, entries_of
from tightbudget.ledger.receipts import moment
from tightbudget.ledger.storage.schema import reservations
from tightbudget.ledger.tally import tally_of
from tightbudget.mechanisms.base import compose
from tightbudget.notation import parse
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.rounding import float_below

MOST_KINDS = 64
"""Different steps up to which a bound for the fixed plan is worked out: each takes its time."""

_RECENT = 200  # charges from which the end of a budget is projected


@dataclass(frozen=True, slots=True)
class RunningLoss:
    """What an odometer shows: an upper bound on the loss so far, valid whatever was asked; inf where it has none."""

    odometer: str
    epsilon: float
    delta: float
    sense: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """An open reservation."""

    key: str
    expires: datetime
    sequence: int


@dataclass(frozen=True)
class Status:
    """A budget at one moment. `spent`, `reserved` and what is free are amounts of what its filter adds up.

    A filter says how much of the budget is used, not what was lost: that is for odometers (`running`).
    """

    budget: Budget = field(repr=False)
    name: str
    state: str
    charges: int
    spent: dict[str, Amount]
    reserved: dict[str, Amount]
    limits: tuple[Limit, ...]
    held: tuple[Held, ...]
    time: datetime

    def left(self, increment: Any) -> int:
        """Return how many more such steps would be admitted now, if nothing else is asked."""
        return self.budget.remaining(increment)

    @property
    def limit(self) -> Limit:
        """The limit that is used up most."""
        return max(self.limits, key=_part_used)

    @property
    def used(self) -> float:
        """How much of the budget is used, reservations included: from 0 to 1, of the limit that is used up most."""
        return min(_part_used(self.limit), 1.0)

    @property
    def held_part(self) -> float:
        """How much of the same limit is only reserved."""
        total = amount_to_float(self.limit.cap)
        held = self.reserved.get(self.limit.name)
        return amount_to_float(held) / total if held is not None and total else 0.0

    @cached_property
    def tally(self) -> dict[str, int]:
        """How often each step was committed."""
        return dict(tally_of(self.budget))

    @cached_property
    def running(self) -> tuple[RunningLoss, ...]:
        """What the odometers show; reservations count."""
        return tuple(self._run(state) for state in self.budget.terms.odometers)

    @cached_property
    def fixed_plan(self) -> Bracket | None:
        """The tight epsilon of these very steps, had they been fixed in advance. NOT a guarantee for adaptive use.

        None if there are too many different steps.
        """
        steps = self._steps()
        if len(steps) > MOST_KINDS:
            return None
        try:
            found = compose([step * count for step, count in steps], mix_relations=True)
            return found.epsilon(self._delta, rtol=1e-2)
        except TightBudgetError:
            return None

    @cached_property
    def naive(self) -> float | None:
        """The sum of the epsilons of all steps, each at its share of delta; None if there are too many different ones."""
        steps = self._steps()
        total = sum(count for _, count in steps)
        if len(steps) > MOST_KINDS:
            return None
        try:
            share = self._delta / total if total else 0.0
            each = [math.nextafter(count * step.epsilon(share, rtol=1e-2).upper, math.inf) for step, count in steps]
        except TightBudgetError:
            return None
        return math.fsum(each)

    @cached_property
    def last(self) -> Entry | None:
        """The last charge that was committed or reserved."""
        return next((entry for entry in entries_of(self.budget, _RECENT) if entry.is_charge), None)

    @cached_property
    def more_of_last(self) -> int | None:
        """About how many more of the last step would be admitted."""
        return None if self.last is None or self.state != "open" else self.left(self.last.increment)

    @cached_property
    def exhausted_at(self) -> datetime | None:
        """When the budget will be used up, if it goes on as in its last charges; None if that cannot be said."""
        recent = [entry for entry in entries_of(self.budget, _RECENT, state="committed") if entry.price]
        name = self.limit.name
        if len(recent) < 2 or name not in (recent[0].price or {}) or self.state != "open":
            return None
        seconds = (recent[0].time - recent[-1].time).total_seconds()
        rules = self.budget.ledger.rules_at_start(self.budget)
        used = sum(amount_to_float(rules.amounts(entry.price)[name]) for entry in recent[:-1])
        left = amount_to_float(self.limit.left)
        if seconds <= 0.0 or used <= 0.0 or left * seconds / used > 3e9:
            return None
        return self.time + timedelta(seconds=left * seconds / used)

    @property
    def _delta(self) -> float:
        return float_below(exact("delta", self.budget.terms.delta))

    def _steps(self) -> list[tuple[Any, int]]:
        relation = self.budget.terms.relation
        return [(parse(text).under(relation), count) for text, count in self.tally.items()]

    def _run(self, state: dict[str, Any]) -> RunningLoss:
        odometer = odometer_from_state(state)
        held = [(entry.increment, 1) for entry in self._held_entries()]
        try:
            for text, count in [*self.tally.items(), *held]:
                step = parse(text).under(self.budget.terms.relation)
                odometer._sums = odometer._after(odometer._price(step), count)
            return RunningLoss(odometer.kind, odometer.epsilon, odometer.delta, odometer.sense.value)
        except InvalidParameter as problem:
            return RunningLoss(odometer.kind, math.inf, odometer.delta, odometer.sense.value, str(problem))

    def _held_entries(self) -> list[Entry]:
        wanted = {held.sequence for held in self.held}
        return [entry for entry in entries_of(self.budget) if entry.sequence in wanted] if wanted else []

    def as_json(self) -> dict[str, Any]:
        """Return all of it fit for JSON."""
        plan = self.fixed_plan
        return {
            "name": self.name,
            "state": self.state,
            "time": self.time.isoformat(),
            "epsilon": self.budget.terms.epsilon,
            "delta": self.budget.terms.delta,
            "filter": self.budget.terms.filter["kind"],
            "relation": self.budget.terms.relation,
            "unit": self.budget.terms.unit,
            "parent": self.budget.parent,
            "charges": self.charges,
            "spent": {name: _written(amount) for name, amount in self.spent.items()},
            "reserved": {name: _written(amount) for name, amount in self.reserved.items()},
            "limits": [
                {"name": each.name, "used": _written(each.used), "cap": _written(each.cap), "left": _written(each.left)}
                for each in self.limits
            ],
            "used": self.used,
            "held": [{"key": each.key, "expires": each.expires.isoformat(), "sequence": each.sequence} for each in self.held],
            "last": None if self.last is None else self.last.increment,
            "more_of_last": self.more_of_last,
            "exhausted_at": self.exhausted_at.isoformat() if self.exhausted_at else None,
            "running": [
                {"odometer": each.odometer, "epsilon": each.epsilon if each.epsilon < math.inf else "inf", "note": each.note}
                for each in self.running
            ],
            "fixed_plan": None
            if plan is None
            else {"lower": plan.lower, "upper": plan.upper if plan.upper < math.inf else "inf"},
            "naive": self.naive if self.naive is None or self.naive < math.inf else "inf",
        }

    def __str__(self) -> str:
        held = f", {len(self.held)} reserved" if self.held else ""
        return f"{self.name}: {self.limit}, {100.0 * self.used:.3g} % used by {self.charges} charges{held} ({self.state})"


def status_of(budget: Budget) -> Status:
    """Return the status of a budget now."""
    book = budget._book
    row = book.row(budget._place.id)
    rules = book.rules(row, budget.terms.relation)
    query = select(reservations).where(reservations.c.budget == row.id).order_by(reservations.c.seq)
    with budget.ledger._database.reading() as connection:
        open_now = connection.execute(query).all()
    reserved: dict[str, Amount] = {name: 0 for name in rules.sums(row.spent)} if row.spent != "{}" else {}
    for each in open_now:
        for name, amount in rules.amounts_of_text(each.price).items():
            reserved[name] = reserved.get(name, 0) + amount
    total = rules.sums(row.spent)
    spent = {name: max(amount - reserved.get(name, 0), 0) for name, amount in total.items()}
    held = tuple(Held(each.key, moment(each.expires), each.seq) for each in open_now)
    now = moment(int(book.clock() * 1e6))
    limits = tuple(rules.limits(row.spent))
    return Status(budget, row.name, row.state, row.charges, spent, reserved, limits, held, now)


def status_as_html(status: Status) -> str:
    """Return a table for notebooks."""
    from tightbudget.markup import record

    rows = [("promise", f"epsilon {status.budget.terms.epsilon}, delta {status.budget.terms.delta}"), ("state", status.state)]
    for limit in status.limits:
        rows.append((limit.name, f"{readable_amount(limit.used)} of {readable_amount(limit.cap)}"))
    return record([*rows, ("charges", status.charges), ("reserved", len(status.held))], f"budget {status.name}")


def _part_used(limit: Limit) -> float:
    total = amount_to_float(limit.cap)
    if total <= 0.0:
        return 1.0 if limit.used > limit.cap else 0.0
    return amount_to_float(limit.used) / total


def _written(amount: Amount) -> str:
    return "inf" if amount == math.inf else show(amount)
