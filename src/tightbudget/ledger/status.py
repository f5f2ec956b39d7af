"""Status of a budget: what is spent, reserved and free, and what else can be said about it now."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select

from tightbudget.adaptive.amounts import Amount, show
from tightbudget.adaptive.filters.limits import Limit
from tightbudget.adaptive.filters.sum_filter import SumFilter
from tightbudget.cached import cached_property
from tightbudget.ledger.budget import Budget
from tightbudget.ledger.entries import read
from tightbudget.ledger.history import Entry, standing_charges
from tightbudget.ledger.losses import RunningLoss, finite, fixed_plan, naive_sum, running_losses
from tightbudget.ledger.receipts import moment
from tightbudget.ledger.rules import Rules, part_used
from tightbudget.ledger.storage.schema import entries as table
from tightbudget.ledger.storage.schema import reservations
from tightbudget.ledger.tally import tally_of
from tightbudget.numerics.bracket import Bracket

RECENT = 100
"""Charges from which the end of a budget is projected."""

LEAST_SECONDS, MOST_SECONDS = 60.0, 100 * 366 * 86400.0
"""A pace is that of a minute or more; an end a hundred years ahead is none."""

AT_ONCE = 500  # numbers of entries in one question to the database


@dataclass(frozen=True, slots=True)
class Held:
    """An open reservation."""

    key: str
    expires: datetime
    sequence: int

    def as_json(self) -> dict[str, Any]:
        return {"key": self.key, "expires": self.expires.isoformat(), "sequence": self.sequence}


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
    limit: Limit
    """The limit that is decisive: it says how full the budget is."""
    committed: float
    """How much of that limit is used by what is committed; of filters without prices, by all that is charged."""
    held: tuple[Held, ...]
    time: datetime

    def left(self, increment: Any) -> int:
        """Return how many more such steps would be admitted now, if nothing else is asked."""
        return self.budget.remaining(increment)

    @property
    def used(self) -> float:
        """How much of the budget is used, reservations included: from 0 to 1, of the limit that is decisive."""
        return min(part_used(self.limit), 1.0)

    @property
    def held_part(self) -> float:
        """How much of the same limit is only reserved."""
        return max(self.used - self.committed, 0.0)

    @property
    def free(self) -> float:
        return 1.0 - self.used

    @cached_property
    def tally(self) -> dict[str, int]:
        """How often each step was committed."""
        return dict(tally_of(self.budget))

    @cached_property
    def running(self) -> tuple[RunningLoss, ...]:
        """What the odometers show; reservations count."""
        return running_losses(self.budget.terms, self._counts)

    @cached_property
    def fixed_plan(self) -> Bracket | None:
        """The tight epsilon of these very steps, had they been fixed in advance. NOT a guarantee for adaptive use.

        Reservations count. None if there are too many different steps.
        """
        return fixed_plan(self.budget.terms, self._counts)

    @cached_property
    def naive(self) -> float | None:
        """The sum of the epsilons of all steps, each at its share of delta; None if too many are different."""
        return naive_sum(self.budget.terms, self._counts)

    @cached_property
    def last(self) -> Entry | None:
        """The last charge that was committed or reserved."""
        return self._recent[0] if self._recent else None

    @cached_property
    def more_of_last(self) -> int | None:
        """About how many more of the last step would be admitted."""
        return None if self.last is None or self.state != "open" else self.left(self.last.increment)

    @cached_property
    def exhausted_at(self) -> datetime | None:
        """When the budget will be used up, if it goes on as in its last charges; None if that cannot be said."""
        if len(self._recent) < 2 or self.state != "open" or not self.free:
            return None
        seconds = (self.time - self._recent[-1].time).total_seconds()
        pace = (self.used - self._used_after_first()) / max(seconds, LEAST_SECONDS)
        if seconds < LEAST_SECONDS or pace * MOST_SECONDS <= self.free:
            return None
        return self.time + timedelta(seconds=self.free / pace)

    def plot(self, ax: Any = None) -> Any:
        """Draw what was spent and reserved over time; see `budget.plot`."""
        return self.budget.plot(ax)

    @cached_property
    def _recent(self) -> list[Entry]:
        return standing_charges(self.budget, RECENT)

    def _used_after_first(self) -> float:
        """Return how much of the budget was used after the first of the recent charges."""
        book, place = self.budget._book, self.budget._place
        row = book.row(place.id)
        rules = book.rules(row, place.relation)
        then = row.spent
        if isinstance(rules.filter, SumFilter):
            for entry in self._recent[:-1]:
                then = rules.given_back(then, entry.price or {})
        else:
            then = self._bodies([self._recent[-1].sequence])[0]["after"]
        return min(part_used(rules.decisive(rules.limits(then))), 1.0)

    @cached_property
    def _counts(self) -> dict[str, int]:
        """How often each step was committed or is reserved."""
        counts = dict(self.tally)
        for body in self._bodies([held.sequence for held in self.held]):
            counts[body["increment"]] = counts.get(body["increment"], 0) + 1
        return counts

    def _bodies(self, sequences: Sequence[int]) -> list[dict[str, Any]]:
        """Return the entries of these numbers, as they were written."""
        found = []
        with self.budget.ledger._database.reading() as connection:
            for start in range(0, len(sequences), AT_ONCE):
                part = table.c.seq.in_(sequences[start : start + AT_ONCE])
                query = select(table.c.body).where(table.c.budget == self.budget._place.id, part)
                found += [read(bytes(body)) for body in connection.execute(query).scalars()]
        return found

    def as_json(self) -> dict[str, Any]:
        """Return all of it fit for JSON; amounts are exact, and `short` says the same to people."""
        plan = self.fixed_plan
        terms = self.budget.terms
        return {
            "name": self.name,
            "state": self.state,
            "time": self.time.isoformat(),
            "epsilon": terms.epsilon,
            "delta": terms.delta,
            "filter": terms.filter["kind"],
            "relation": terms.relation,
            "unit": terms.unit,
            "parent": self.budget.parent,
            "charges": self.charges,
            "spent": {name: _status_amount_written(amount) for name, amount in self.spent.items()},
            "reserved": {name: _status_amount_written(amount) for name, amount in self.reserved.items()},
            "limits": [_limit_as_json(each) for each in self.limits],
            "limit": self.limit.name,
            "used": self.used,
            "reserved_part": self.held_part,
            "free": self.free,
            "held": [each.as_json() for each in self.held],
            "last": None if self.last is None else self.last.increment,
            "more_of_last": self.more_of_last,
            "exhausted_at": self.exhausted_at.isoformat() if self.exhausted_at else None,
            "running": [each.as_json() for each in self.running],
            "fixed_plan": None if plan is None else {"lower": finite(plan.lower), "upper": finite(plan.upper)},
            "fixed_plan_is_a_guarantee": False,
            "naive": None if self.naive is None else finite(self.naive),
        }

    def __str__(self) -> str:
        held = f", {len(self.held)} reserved" if self.held else ""
        many = "1 charge" if self.charges == 1 else f"{self.charges} charges"
        return f"{self.name}: {self.limit}, {100.0 * self.used:.3g} % used, {many} admitted{held} ({self.state})"

    def _repr_html_(self) -> str:
        return status_as_html(self)


def status_of(budget: Budget) -> Status:
    """Return the status of a budget now."""
    book = budget._book
    row = book.row(budget._place.id)
    rules = book.rules(row, budget.terms.relation)
    query = select(reservations).where(reservations.c.budget == row.id).order_by(reservations.c.seq)
    with budget.ledger._database.reading() as connection:
        open_now = connection.execute(query).all()
    total = rules.sums(row.spent)
    reserved: dict[str, Amount] = dict.fromkeys(total, 0) if isinstance(rules.filter, SumFilter) else {}
    for each in open_now:
        for name, amount in rules.amounts_of_text(each.price).items():
            reserved[name] = reserved.get(name, 0) + amount
    spent = {name: _status_rest_of_sum(amount, reserved.get(name, 0)) for name, amount in total.items()}
    held = tuple(Held(each.key, moment(each.expires), each.seq) for each in open_now)
    limits = tuple(rules.limits(row.spent))
    limit = rules.decisive(limits)
    committed = _committed_status(rules, row.spent, [each.price for each in open_now], limits.index(limit))
    now = moment(int(book.clock() * 1e6))
    return Status(budget, row.name, row.state, row.charges, spent, reserved, limits, limit, committed, held, now)


def _committed_status(rules: Rules, spent: str, prices: list[str], place: int) -> float:
    """Return how much of a limit is used without what is only reserved; without prices, all counts."""
    for price in prices:
        spent = rules.given_back(spent, json.loads(price)) if price else spent
    return min(part_used(rules.limits(spent)[place]), 1.0)


def status_as_html(status: Status) -> str:
    """Return a table for notebooks."""
    from tightbudget.markup import html_record

    rows = [("promise", f"epsilon {status.budget.terms.epsilon}, delta {status.budget.terms.delta}"), ("state", status.state)]
    for limit in status.limits:
        if limit.cap or limit.used:
            rows.append((limit.name, limit.shown))
    return html_record([*rows, ("charges", status.charges), ("reserved", len(status.held))], f"budget {status.name}")


def _limit_as_json(limit: Limit) -> dict[str, Any]:
    exactly = {name: _status_amount_written(getattr(limit, name)) for name in ("used", "cap", "left")}
    return {"name": limit.name, **exactly, "part": finite(part_used(limit)), "short": str(limit)}


def _status_rest_of_sum(total: Amount, part: Amount) -> Amount:
    """Return the rest; nobody knows that of an infinite sum, so it counts as spent."""
    return total if total == math.inf else max(total - part, 0)


def _status_amount_written(amount: Amount) -> str:
    return "inf" if amount == math.inf else show(amount)
