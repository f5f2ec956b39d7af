"""The course of a budget: how much of it was spent and reserved at each moment, and when something was refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from tightbudget.adaptive.amounts import Amount, amount_to_float
from tightbudget.adaptive.filters.sum_filter import SumFilter
from tightbudget.ledger import entries
from tightbudget.ledger.budget import Budget
from tightbudget.ledger.entries import Body, read
from tightbudget.ledger.lowering import in_force
from tightbudget.ledger.receipts import moment
from tightbudget.ledger.rules import Rules
from tightbudget.ledger.storage.schema import entries as table

MOST_POINTS = 1000
"""Moments that are kept, twice as many at most: a picture shows no more, and a log may have millions."""

_AT_ONCE = 2000
_SHOWN = (
    entries.OPENED, entries.CHARGED, entries.RESERVED, entries.COMMITTED, entries.ABORTED, entries.REFUNDED, entries.LOWERED,
    entries.REFUSED, entries.CLOSED,
)  # fmt: skip

Sums = tuple[Amount, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A moment: how much of the limit was used by what was committed and with what was reserved, and how much it is."""

    time: datetime
    committed: float
    used: float
    cap: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """Points in the order of time. Each holds until the next one; `limit` is what is counted."""

    limit: str
    points: tuple[Point, ...]
    refusals: tuple[tuple[datetime, float], ...]
    """When something was refused, and how much was used then."""
    closed: datetime | None


def timeline_of(budget: Budget) -> Timeline:
    """Return the course of a budget from its log."""
    course = _TimelineCourse(budget)
    for body in _timeline_bodies(budget):
        course.take(body)
    return course.timeline()


def _timeline_bodies(budget: Budget) -> Iterator[Body]:
    query = (
        select(table.c.body)
        .where(table.c.budget == budget._place.id, table.c.kind.in_(_SHOWN))
        .order_by(table.c.seq)
        .execution_options(yield_per=_AT_ONCE)
    )
    with budget.ledger._database.reading() as connection:
        for raw in connection.execute(query).scalars():
            yield read(bytes(raw))


class _TimelineCourse:
    """Follows the log. What is used is kept in ticks, or as the state of a filter without prices."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._rules = Rules(budget.terms.filter, budget.terms.relation)
        self._used: Any = self._rules.filter._sums if self._has_prices else self._rules.start
        self._held: dict[int, Sums] = {}
        self._held_sum: Sums = tuple(0 for _ in self._used) if self._has_prices else ()
        self._kept: list[tuple[int, Rules, Any, Sums]] = []
        self._refused: list[tuple[int, Rules, Any]] = []
        self._strides = [1, 1]
        self._seen = [0, 0]
        self._closed: datetime | None = None

    @property
    def _has_prices(self) -> bool:
        return isinstance(self._rules.filter, SumFilter)

    def take(self, body: Body) -> None:
        kind, time = body["kind"], body["time"]
        if kind == entries.REFUSED:
            self._refused = self._thinned(1, self._refused, (time, self._rules, self._used))
            return
        if kind == entries.LOWERED:
            self._rules = Rules(in_force(self._rules.filter.state(), body["filter"]), self._budget.terms.relation)
        elif kind == entries.CLOSED:
            self._closed = moment(time)
        elif kind in (entries.CHARGED, entries.RESERVED):
            self._add(body)
        elif kind != entries.OPENED:
            self._settle(body)
        self._last = time, self._rules, self._used, self._held_sum
        self._kept = self._thinned(0, self._kept, self._last)

    def _thinned(self, which: int, kept: list[Any], new: Any) -> list[Any]:
        """Return what is kept with one more; if there is too much, every other one is left out from now on."""
        if self._seen[which] % self._strides[which] == 0:
            kept.append(new)
        self._seen[which] += 1
        if len(kept) > 2 * MOST_POINTS:
            self._strides[which] *= 2
            return kept[::2]
        return kept

    def _add(self, body: Body) -> None:
        if not self._has_prices:
            self._used = body["after"]
            return
        price = self._price(body)
        self._used = _timeline_sums_plus(self._used, price)
        if body["kind"] == entries.RESERVED:
            self._held[body["seq"]] = price
            self._held_sum = _timeline_sums_plus(self._held_sum, price)

    def _settle(self, body: Body) -> None:
        held = self._held.pop(body["charge"], None)
        if held is not None:
            self._held_sum = _timeline_sums_plus(self._held_sum, held, -1)
        if body["kind"] == entries.COMMITTED or not body["returned"]:
            return
        if not self._has_prices:
            self._used = self._charge(body["charge"])["before"]
        else:
            self._used = _timeline_sums_plus(
                self._used, self._price(self._charge(body["charge"])) if held is None else held, -1
            )

    def _charge(self, sequence: int) -> Body:
        query = select(table.c.body).where(table.c.budget == self._budget._place.id, table.c.seq == sequence)
        with self._budget.ledger._database.reading() as connection:
            return read(bytes(connection.execute(query).scalar_one()))

    def _price(self, body: Body) -> Sums:
        assert isinstance(self._rules.filter, SumFilter)
        return self._rules.filter._scales.read(body["price"])

    def timeline(self) -> Timeline:
        kept = self._kept if self._kept[-1] == self._last else [*self._kept, self._last]
        limits = _timeline_limits(self._rules, self._used)
        place = limits.index(self._rules.decisive(limits))
        return Timeline(
            limits[place].name,
            tuple(_timeline_point(place, *each) for each in kept),
            tuple(
                (moment(time), amount_to_float(_timeline_limits(rules, used)[place].used))
                for time, rules, used in self._refused
            ),
            self._closed,
        )


def _timeline_point(place: int, time: int, rules: Rules, used: Any, held: Sums) -> Point:
    limit = _timeline_limits(rules, used)[place]
    committed = _timeline_limits(rules, _timeline_sums_plus(used, held, -1))[place].used if held and any(held) else limit.used
    return Point(moment(time), amount_to_float(committed), amount_to_float(limit.used), amount_to_float(limit.cap))


def _timeline_limits(rules: Rules, used: Any) -> list[Any]:
    if isinstance(rules.filter, SumFilter):
        return list(rules.filter._scales.at(used))
    return rules.limits(used)


def _timeline_sums_plus(sums: Sums, price: Sums, sign: int = 1) -> Sums:
    return tuple(max(total + sign * amount, 0) for total, amount in zip(sums, price, strict=True))
