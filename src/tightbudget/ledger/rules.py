"""What a budget's filter says to a step, from the sums in the database: state in, decision out.

Filters of sums have prices: those are added, and subtracted again when nothing was released. The residual and the slot
filter go from state to state instead, and can only take back the last step: after that, others were decided upon what
it left.
"""

import json
import os
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tightbudget.adaptive.amounts import amount_to_float
from tightbudget.adaptive.filters.base import Filter
from tightbudget.adaptive.filters.limits import Limit
from tightbudget.adaptive.filters.quotes import Quote
from tightbudget.adaptive.filters.registry import from_state
from tightbudget.adaptive.filters.sum_filter import SumFilter
from tightbudget.adaptive.increments import Increment, checked_increment, parse_increment
from tightbudget.errors import InvalidParameter, TightBudgetError, UnknownRelation
from tightbudget.ledger.entries import text_of
from tightbudget.mechanisms import Composable, compose
from tightbudget.notation import MAX_CHARACTERS
from tightbudget.numerics.remembered import remember

_REMEMBERED = 1024

State = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """An increment as the ledger sees it: for the budget's relation, and in words that any machine can read."""

    increment: Increment
    text: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What the filter says: `price` of a filter of sums, `before` and `after` of others, ready to be written down."""

    quote: Quote
    before: str
    after: str
    price: State | None

    def cost(self) -> State:
        """Return what the entry of the charge says about its cost."""
        return {"price": self.price} if self.price is not None else {"before": self.before, "after": self.after}


class Rules:
    """A filter with its constants, as they were written when the budget was made. Threads may share it."""

    def __init__(self, state: State, relation: str) -> None:
        self.filter: Filter = from_state(state)
        self.relation = relation
        # names of sums as `text_of` writes them, in its order: one decision in three was spent on that
        self._columns = sorted((f"{text_of(name)}:", index) for index, name in enumerate(self.filter.sums))
        self.start: str = self._written()
        self._lock = threading.Lock()
        self._steps: dict[Any, Step] = {}
        self._prices: dict[str, State] = {}
        self._at = self.start  # the text of the sums that the filter has now
        _EVERY_RULES.add(self)

    def step(self, increment: Any) -> Step:
        """Return the increment for the relation of the budget, with its notation; raise what is wrong with it."""
        try:
            known = self._steps.get(increment)
        except TypeError:  # it cannot be looked up
            known = None
        if known is None:
            known = self._read(increment)
            remember(self._steps, increment, known, _REMEMBERED)
        return known

    def _read(self, increment: Any) -> Step:
        if isinstance(increment, str):
            read = parse_increment(increment)
        elif isinstance(increment, Composable):
            read = increment
        else:
            hint = "For example tb.Gaussian(sigma=20), or its notation."
            raise InvalidParameter("increment", increment, "a mechanism, a composition or its notation", hint)
        numbers = checked_increment(_in_numbers(read))
        text = str(numbers)
        if len(text) > MAX_CHARACTERS:
            raise InvalidParameter("increment", f"of {len(text)} characters", f"at most {MAX_CHARACTERS} long to be logged")
        return Step(self._under_relation(numbers), text)

    def _under_relation(self, read: Increment) -> Increment:
        """Return the increment for the relation of the budget, which whoever charges has not chosen."""
        try:
            return read.under(self.relation)
        except UnknownRelation as problem:
            one = next(iter(problem.known), None)
            other = f" Or charge a budget made with relation={one!r}, on the command line --relation {one}." if one else ""
            raise UnknownRelation(
                self.relation, problem.step, problem.known, problem.hint + other, name="The relation of this budget"
            ) from None

    def weigh_ahead(self, step: Step) -> None:
        """Work out the price of a step, if it has one and it is not known; what is wrong with it, `decide` will say."""
        if step.text not in self._prices and isinstance(self.filter, SumFilter):
            with suppress(TightBudgetError):
                self._price(self.filter, step)

    def decide(self, spent: str, step: Step) -> Decision:
        """Return the decision about a step at these sums; raise InvalidParameter if the filter takes none such."""
        with self._lock:
            self._go_to(spent)
            filter = self.filter
            quote, after = filter._weigh(step.increment)
            price = self._price(filter, step) if isinstance(filter, SumFilter) else None
            if not quote.accepted:
                return Decision(quote, spent, spent, price)
            self._at = ""  # whoever is interrupted here leaves sums that nobody may rely on
            filter._sums = after
            self._at = self._written()
            return Decision(quote, spent, self._at, price)

    def given_back(self, spent: str, price: State) -> str:
        """Return the sums without a price that was added to them before; only filters of sums have prices."""
        with self._lock:
            self._go_to(spent)
            assert isinstance(self.filter, SumFilter)
            self._at = ""
            self.filter._sums = self.filter.sums_without(price)
            self._at = self._written()
            return self._at

    def remaining(self, spent: str, step: Step) -> int:
        with self._lock:
            self._go_to(spent)
            return self.filter.remaining(step.increment)

    def sums(self, spent: str) -> dict[str, Any]:
        """Return the sums as exact amounts."""
        with self._lock:
            self._go_to(spent)
            return dict(self.filter.spent)

    def amounts(self, price: State | None) -> dict[str, Any]:
        """Return a price as exact amounts."""
        if price is None or not isinstance(self.filter, SumFilter):
            return {}
        return self.filter._scales.amounts(self.filter._scales.read(price))

    def amounts_of_text(self, price: str) -> dict[str, Any]:
        """Return a price as exact amounts, from the text that a reservation keeps."""
        return self.amounts(json.loads(price)) if price else {}

    def limits(self, spent: str) -> list[Any]:
        """Return the limits with what is used of each."""
        with self._lock:
            self._go_to(spent)
            return list(self.filter.limits)

    def decisive(self, limits: Sequence[Limit]) -> Limit:
        """Return the limit that says how full the budget is: the fullest of those that must all hold.

        Where one of several is enough to admit a step, such as the orders of an rdp filter, only the emptiest counts.
        """
        if not isinstance(self.filter, SumFilter):
            return max(limits, key=part_used)
        first = len(self.filter._scales.limits.needed)
        return max([min(limits[first:], key=part_used), *limits[:first]], key=part_used)

    def _price(self, filter: SumFilter, step: Step) -> State:
        price = self._prices.get(step.text)
        if price is None:
            price = filter._scales.written(filter._charged(step.increment))
            remember(self._prices, step.text, price, _REMEMBERED)
        return price

    def _written(self) -> str:
        """Return the sums of the filter as they are kept: in plain ticks where it has them, which takes no time."""
        filter = self.filter
        if not isinstance(filter, SumFilter):
            return text_of(filter._written())
        return "{" + ",".join([f'{name}"{_ticks_in_rules(filter._sums[index])}"' for name, index in self._columns]) + "}"

    def _go_to(self, spent: str) -> None:
        if spent != self._at:
            self._at = ""  # until it is there: reading may fail
            sums = json.loads(spent)
            if isinstance(self.filter, SumFilter):  # they may be above a limit that was lowered since
                self.filter._sums = _whole_ticks(sums, self.filter.sums) or self.filter._scales.read(sums)
            else:
                self.filter._restore(sums)
            self._at = spent


_EVERY_RULES: "weakref.WeakSet[Rules]" = weakref.WeakSet()


def _begin_rules_anew() -> None:
    """Free rules that another thread was using when this child was forked; where it had got to, nobody knows."""
    for rules in list(_EVERY_RULES):
        rules._lock, rules._at = threading.Lock(), ""


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_rules_anew)


def _whole_ticks(written: State, names: tuple[str, ...]) -> tuple[int, ...] | None:
    """Return sums that are whole numbers of ticks, as nearly all are; None of others, which take longer to read."""
    if len(written) != len(names):
        return None
    counts = [written.get(name, "").removesuffix(" ticks") for name in names]
    whole = all(count.isdigit() and count.isascii() for count in counts) and all(text[-1] == "s" for text in written.values())
    return tuple(map(int, counts)) if whole else None


def _ticks_in_rules(count: Any) -> str:
    return "inf" if isinstance(count, float) else f"{count} ticks"


def part_used(limit: Limit) -> float:
    """Return how much of a limit is used, from 0; of a limit of 0, nothing is, until it is exceeded."""
    total = amount_to_float(limit.cap)
    if total <= 0.0:
        return 1.0 if limit.used > limit.cap else 0.0
    return amount_to_float(limit.used) / total


def _in_numbers(increment: Composable) -> Composable:
    """Return the increment without names of files, which may change or be missing where the log is verified."""
    parts = [(step.in_numbers(), count) for step, count in increment._parts]
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0]
    return compose([step * count for step, count in parts], mix_relations=True)
