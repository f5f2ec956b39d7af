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
from tightbudget.adaptive.filters.scales import saturated_sums, sums_in_ticks_after
from tightbudget.adaptive.filters.sum_filter import SumFilter
from tightbudget.adaptive.states import TOLERANCE
from tightbudget.adaptive.ticks import BEYOND
from tightbudget.errors import TightBudgetError
from tightbudget.ledger import entries
from tightbudget.ledger.entries import START, Body, hash_of, read
from tightbudget.ledger.individual_rules import IndividualRules, rules_of
from tightbudget.ledger.lowering import in_force
from tightbudget.ledger.rules import Rules

_KEEPS_KEY = (entries.CHARGED, entries.RESERVED)
_SETTLES = (entries.COMMITTED, entries.ABORTED, entries.REFUNDED)
_CLOSE = float(TOLERANCE)


_Charge = tuple[str, Mapping[str, str] | None]
"""The increment of a charge and its price, if it has one; charges of one kind share it."""


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
        self.commits: dict[int, int] = {}
        """Entries that committed a reservation, each with the entry of the reservation."""
        self.charged: dict[int, _Charge] = {}
        """What can be aborted or refunded, by its entry; a million of them must find room."""
        self.prices: dict[tuple[str, ...], tuple[_Charge, tuple[Any, ...]]] = {}
        self.made: dict[int, tuple[str, str]] = {}
        self.passed: dict[tuple[int, str], tuple[str, str]] = {}
        """Of budgets that are parts, or have parts: kind and increment of each charge, by where it was made and key."""
        self.has_relatives = False
        self.tally: Counter[str] = Counter()
        self._before_last = ""
        self._reserved: set[int] = set()  # those that were committed after they had been reserved
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
            self.rules = rules_of(body["filter"], body["relation"])
            self.spent = self.rules.start
            if not isinstance(self.rules, IndividualRules):
                self.sums = self.rules.filter._sums

    def _take_closed(self, seq: int, body: Body) -> None:
        self.state = "closed"

    def _take_lowered(self, seq: int, body: Body) -> None:
        now = in_force(self._rules().filter.state(), body["filter"])
        self.rules, self.rules_at = Rules(now, self.opened["relation"]), seq
        self.prices.clear()

    def _take_charge(self, seq: int, body: Body) -> None:
        if self.state != "open":
            raise Broken("the budget was closed before it")
        rules = self._rules()
        if isinstance(rules, IndividualRules):
            self.spent = rules.replayed(self.spent, body)
            charge: _Charge = (body["increment"], None)
        elif isinstance(rules.filter, SumFilter):
            charge = self._take_price(rules.filter, rules, body)
        else:
            charge = self._take_step(rules, body)
        self.charged[seq] = charge
        self.last, self.charges = seq, self.charges + 1
        if body["kind"] == entries.RESERVED:
            self.open[seq] = body
        else:
            counted(self.tally, body["kind"], charge[0])
        if self.has_relatives:
            self.passed[body["origin"], body["key"]] = body["kind"], body["increment"]

    def _take_price(self, filter: SumFilter, rules: Rules, body: Body) -> "_Charge":
        written = body["price"]
        known = (body["increment"], *written.values())
        found = self.prices.get(known)
        if found is None:
            price = self._checked_price(rules, filter, body["increment"], written)
            found = self.prices[known] = (body["increment"], written), price
        charge, price = found
        after = sums_in_ticks_after(self.sums, price)
        if not filter._scales.verdict(self.sums, after)[0]:
            raise Broken("the filter would have refused it")
        self.sums = after if max(price) <= BEYOND else saturated_sums(after)  # as the filter keeps them
        return charge

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

    def _take_step(self, rules: Rules, body: Body) -> "_Charge":
        if body["before"] != self.spent:
            raise Broken("it was not decided upon what was spent before it")
        decision = rules.decide(self.spent, rules.step(body["increment"]))
        if not decision.quote.accepted:
            raise Broken("the filter would have refused it")
        if decision.after != body["after"] and not _replayed_states_alike(decision.after, body["after"]):
            raise Broken("it does not leave what the filter would have left")
        self._before_last, self.spent = self.spent, body["after"]
        return body["increment"], None

    def _take_settling(self, seq: int, body: Body) -> None:
        settles, kind = body["settles"], body["kind"]
        if kind == entries.REFUNDED:
            about = self.commits.pop(settles, settles)
            fits = about in self.charged and about not in self.open and (about == settles) == (about not in self._reserved)
        else:
            about = settles
            fits = self.open.pop(settles, None) is not None
        if not fits or about != body["charge"]:
            raise Broken("it settles nothing that could be settled")
        charge = self.charged[about]
        counted(self.tally, kind, charge[0])
        if kind == entries.COMMITTED:
            self.commits[seq] = about
            self._reserved.add(about)
            return
        del self.charged[about]
        if self._give_back(charge, about) != body["returned"]:
            raise Broken("it gives back what it should not, or the other way round")

    def _give_back(self, charge: "_Charge", seq: int) -> bool:
        rules = self._rules()
        if isinstance(rules, IndividualRules):
            return True  # to the balances, which the log does not know
        filter = rules.filter
        if isinstance(filter, SumFilter):
            filter._sums = self.sums
            self.sums = filter.sums_without(dict(charge[1] or {}))
            return True
        if self.last != seq:
            return False
        self.spent, self.last = self._before_last, 0
        return True

    def _take_created(self, seq: int, body: Body) -> None:
        self.made[body["id"]] = body["name"], body["hash"]

    def _rules(self) -> Rules:
        if self.rules is None:
            raise Broken("it is about a budget without a filter")
        return self.rules

    def sums_text(self) -> str:
        """Return what the budget's row should say is spent."""
        if self.rules is None or isinstance(self.rules, IndividualRules) or not isinstance(self.rules.filter, SumFilter):
            return self.spent
        self.rules.filter._sums = self.sums
        return self.rules._written()


def counted(tally: Counter[str], kind: str, increment: str) -> None:
    """Count one entry about a charge of this increment."""
    if kind in (entries.CHARGED, entries.COMMITTED):
        tally[increment] += 1
    elif kind == entries.REFUNDED:
        tally[increment] -= 1
        if not tally[increment]:
            del tally[increment]


def _replayed_states_alike(found: str, stored: str) -> bool:
    """Return whether two states without prices differ by no more than processors do."""
    ours, theirs = json.loads(found), json.loads(stored)
    if set(ours) != set(theirs):
        return False
    return all(_replayed_amounts_close(ours[name], theirs[name]) for name in ours)


def _replayed_amounts_close(found: Any, stored: Any) -> bool:
    if found == stored:
        return True
    try:
        first, second = (float(str(each).removesuffix(" ticks")) for each in (found, stored))
    except ValueError:
        return False
    return abs(first - second) <= _CLOSE * abs(first)
