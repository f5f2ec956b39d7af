"""Replay of one chain: every entry is checked against the one before it, every decision is taken again.

Prices are computed anew from the notation. They are rounded up, and another processor may round other last digits, so
they need only agree to a part of 1e-8; sums and decisions are then followed exactly, with the prices as they were
written.
"""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tightbudget.adaptive.amounts import amount_to_float
from tightbudget.adaptive.filters.scales import sums_in_ticks_after
from tightbudget.adaptive.filters.sum_filter import SumFilter
from tightbudget.adaptive.states import TOLERANCE
from tightbudget.errors import TightBudgetError
from tightbudget.ledger import entries
from tightbudget.ledger.entries import START, Body, hash_of, read
from tightbudget.ledger.lowering import check_lower
from tightbudget.ledger.rules import Rules

_KEEPS_KEY = (entries.CHARGED, entries.RESERVED)
_SETTLES = (entries.COMMITTED, entries.ABORTED, entries.REFUNDED)
_CLOSE = float(TOLERANCE)


class Broken(Exception):
    """An entry cannot be what was written; the sentence says why."""


class Chain:
    """What follows from the entries of one budget, as far as they were read."""

    def __init__(self, ledger: str, budget: int) -> None:
        self.ledger, self.budget = ledger, budget
        self.seq, self.head, self.time = 0, START, 0
        self.opened: Body = {}
        self.state, self.rules_at, self.last, self.charges = "open", 0, 0, 0
        self.rules: Rules | None = None
        self.sums: tuple[Any, ...] = ()
        self.spent = "{}"
        self.open: dict[int, Body] = {}
        """Reservations by the number of their entry."""
        self.done: dict[int, int] = {}
        """What a refund may settle: entries that committed a charge, and the entry of the charge."""
        self.prices: dict[tuple[str, ...], tuple[Any, ...]] = {}
        self.made: dict[int, tuple[str, str]] = {}
        self.passed: dict[tuple[int, str], tuple[str, str]] = {}
        """Of budgets that are parts, or have parts: kind and increment of each charge, by where it was made and key."""
        self.has_relatives = False
        self.tally: Counter[str] = Counter()
        self._charge: dict[int, Body] = {}
        self._steps = {
            entries.OPENED: self._take_opened,
            entries.CLOSED: self._take_closed,
            entries.LOWERED: self._take_lowered,
            entries.CHARGED: self._take_charge,
            entries.RESERVED: self._take_charge,
            entries.COMMITTED: self._take_settling,
            entries.ABORTED: self._take_settling,
            entries.REFUNDED: self._take_settling,
            entries.CREATED: self._take_created,
        }

    def take(self, seq: int, kind: str, origin: Any, key: Any, settles: Any, digest: bytes, raw: bytes) -> None:
        """Follow one entry, or raise Broken."""
        if seq != self.seq + 1:
            raise Broken(f"entry {self.seq + 1} is missing")
        if hash_of(raw) != digest:
            raise Broken("its hash is not that of its bytes")
        try:
            body = read(raw)
            told = (body["ledger"], body["budget"], body["seq"], body["previous"], body["kind"])
            time = body["time"]
        except (ValueError, KeyError, TypeError):
            raise Broken("it cannot be read") from None
        if told != (self.ledger, self.budget, seq, self.head.hex(), kind):
            raise Broken("it does not follow the entry before it, or is of another place, number or kind")
        columns = (body.get("origin") if key is not None else None, body.get("key") if key is not None else None)
        if columns != (origin, key) or (kind in _KEEPS_KEY) != (key is not None) or body.get("settles") != settles:
            raise Broken("its columns differ from what it says")
        if type(time) is not int or time < self.time:
            raise Broken("it is dated before the entry before it")
        step = self._steps.get(kind)
        if step is None and kind not in entries.KINDS:
            raise Broken(f"there are no entries of kind {kind!r}")
        self.seq, self.time = seq, time
        if step is not None:
            try:
                step(seq, body)
            except (KeyError, TypeError, ValueError, AttributeError, TightBudgetError) as problem:
                raise Broken(f"it cannot be replayed ({problem})") from None
        self.head = digest

    def _take_opened(self, seq: int, body: Body) -> None:
        if seq != 1:
            raise Broken("a budget is opened once, by its first entry")
        self.opened, self.rules_at = body, 1
        if "filter" in body:
            self.rules = Rules(body["filter"], body["relation"])
            self.spent = self.rules.start
            self.sums = self.rules.filter._sums

    def _take_closed(self, seq: int, body: Body) -> None:
        self.state = "closed"

    def _take_lowered(self, seq: int, body: Body) -> None:
        check_lower(self._rules().filter.state(), body["filter"])
        self.rules, self.rules_at = Rules(body["filter"], self.opened["relation"]), seq
        self.prices.clear()

    def _take_charge(self, seq: int, body: Body) -> None:
        if self.state != "open":
            raise Broken("the budget was closed before it")
        rules = self._rules()
        if isinstance(rules.filter, SumFilter):
            self._take_price(rules, rules.filter, body)
        else:
            self._take_decision(rules, body)
        self.last, self.charges = seq, self.charges + 1
        if body["kind"] == entries.RESERVED:
            self.open[seq] = body
        else:
            self.done[seq] = seq
            counted(self.tally, body, None)
        self._charge[seq] = body
        if self.has_relatives:
            self.passed[body["origin"], body["key"]] = body["kind"], body["increment"]

    def _take_price(self, rules: Rules, filter: SumFilter, body: Body) -> None:
        written = body["price"]
        known = (body["increment"], *written.values())
        price = self.prices.get(known)
        if price is None:
            price = self.prices[known] = self._checked_price(rules, filter, body["increment"], written)
        after = sums_in_ticks_after(self.sums, price)
        if not filter._scales.verdict(self.sums, after)[0]:
            raise Broken("the filter would have refused it")
        self.sums = after

    def _checked_price(self, rules: Rules, filter: SumFilter, increment: str, written: Mapping[str, str]) -> tuple[Any, ...]:
        price = filter._scales.read(dict(written))
        step = rules.step(increment)
        if step.text != increment:
            raise Broken("its increment is not written as it is read")
        here = filter._charged(step.increment)
        for name, stored, computed in zip(filter.sums, price, here, strict=True):
            far = abs(amount_to_float(stored) - amount_to_float(computed))
            if stored != computed and not far <= _CLOSE * amount_to_float(computed):
                raise Broken(f"its price of {name} is not that of {increment}")
        return price

    def _take_decision(self, rules: Rules, body: Body) -> None:
        if body["before"] != self.spent:
            raise Broken("it was not decided upon what was spent before it")
        decision = rules.decide(self.spent, rules.step(body["increment"]))
        if not decision.quote.accepted:
            raise Broken("the filter would have refused it")
        if decision.after != body["after"] and not _alike(decision.after, body["after"]):
            raise Broken("it does not leave what the filter would have left")
        self.spent = body["after"]

    def _take_settling(self, seq: int, body: Body) -> None:
        settles, kind = body["settles"], body["kind"]
        if kind == entries.REFUNDED:
            charge = self.done.pop(settles, None)
        else:
            charge = settles if self.open.pop(settles, None) is not None else None
        if charge is None or charge != body["charge"]:
            raise Broken("it settles nothing that could be settled")
        told = self._charge[charge]
        if told["key"] != body["key"]:
            raise Broken("it has the key of another charge")
        counted(self.tally, body, told)
        if kind == entries.COMMITTED:
            self.done[seq] = charge
            return
        del self._charge[charge]
        if self._give_back(told, charge) != body["returned"]:
            raise Broken("it gives back what it should not, or the other way round")

    def _give_back(self, charge: Body, seq: int) -> bool:
        rules = self._rules()
        if isinstance(rules.filter, SumFilter):
            rules.filter._sums = self.sums
            self.sums = rules.filter.sums_without(charge["price"])
            return True
        if self.last != seq:
            return False
        self.spent, self.last = charge["before"], 0
        return True

    def _take_created(self, seq: int, body: Body) -> None:
        self.made[body["id"]] = body["name"], body["hash"]

    def _rules(self) -> Rules:
        if self.rules is None:
            raise Broken("it is about a budget without a filter")
        return self.rules

    def sums_text(self) -> str:
        """Return what the budget's row should say is spent."""
        if self.rules is None or not isinstance(self.rules.filter, SumFilter):
            return self.spent
        self.rules.filter._sums = self.sums
        return self.rules._written()


def counted(tally: Counter[str], body: Body, charge: Body | None) -> None:
    """Count one entry; of a commit or refund, `charge` is the entry it is about."""
    kind = body["kind"]
    if kind == entries.CHARGED:
        tally[body["increment"]] += 1
    elif kind == entries.COMMITTED and charge is not None:
        tally[charge["increment"]] += 1
    elif kind == entries.REFUNDED and charge is not None:
        tally[charge["increment"]] -= 1
        if not tally[charge["increment"]]:
            del tally[charge["increment"]]


def _alike(found: str, stored: str) -> bool:
    """Return whether two states without prices differ by no more than processors do."""
    ours, theirs = json.loads(found), json.loads(stored)
    if set(ours) != set(theirs):
        return False
    return all(_close(ours[name], theirs[name]) for name in ours)


def _close(found: Any, stored: Any) -> bool:
    if found == stored:
        return True
    try:
        first, second = (float(str(each).removesuffix(" ticks")) for each in (found, stored))
    except ValueError:
        return False
    return abs(first - second) <= _CLOSE * abs(first)
