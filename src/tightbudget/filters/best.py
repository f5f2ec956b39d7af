"""Which filter admits how many of the steps that are expected: to be asked before the first step, never after."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.filters import prices
from tightbudget.filters.advanced import AdvancedFilter, SharpenedFilter
from tightbudget.filters.base import MOST, Filter, largest
from tightbudget.filters.basic import BasicFilter
from tightbudget.filters.concentration import check_guarantee
from tightbudget.filters.exact import exact, exact_probability, show, to_float
from tightbudget.filters.gdp import GDPFilter
from tightbudget.filters.increments import RDP, Increment, checked_increment
from tightbudget.filters.rdp import RDPFilter
from tightbudget.filters.residual import MOST_COUNTED, ResidualFilter
from tightbudget.filters.slots import SlotFilter
from tightbudget.filters.thresholds import renyi_budget
from tightbudget.filters.whitehouse import WhitehouseFilter
from tightbudget.filters.zcdp import ZCDPFilter
from tightbudget.mechanisms import ApproximateDP, Composable

SEVERAL_ORDERS = tuple(float(f"{order:.4g}") for order in np.geomspace(1.5, 64.0, 32))
"""For a filter over several orders when the steps to come are not known."""

_ORDERS_TRIED, _REFINED = 60, 3
MOST_SLOTS = 2**20  # each try is priced by the engine


@dataclass(frozen=True)
class Choice:
    """A filter, ready to be used, and how many of the expected steps it admits; or why it does not apply."""

    name: str
    count: int
    filter: Filter | None
    note: str


@dataclass(frozen=True)
class Choices(Sequence[Choice]):
    """All filters, those that admit most first."""

    increment: Increment
    epsilon: str
    delta: str
    rows: tuple[Choice, ...]

    @overload
    def __getitem__(self, index: int) -> Choice: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Choice, ...]: ...
    def __getitem__(self, index: int | slice) -> Choice | tuple[Choice, ...]:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Choice]:
        return iter(self.rows)

    def __str__(self) -> str:
        width = max(len(row.name) for row in self.rows)
        lines = [f"steps like {self.increment} within epsilon {self.epsilon}, delta {self.delta}"]
        lines += [f"  {row.name:<{width}}  {_count(row):>12}  {row.note}".rstrip() for row in self.rows]
        return "\n".join(lines)


def best(epsilon: Any, delta: Any, expected: Increment, delta_for_steps: Any = None) -> Choices:
    """Return how many steps like the expected one each filter admits, with the filters ready to be used.

    Choose one before the first step and stay with it: the choice must not depend on any answer. `delta_for_steps` is the part
    of delta kept for the deltas of steps; if it is not given, none for a step without delta and half of delta for one with.

    >>> from tightbudget import PureDP
    >>> print(best(epsilon=1, delta=1e-6, expected=PureDP(epsilon=0.1)))
    steps like pure_dp(epsilon=0.1) within epsilon 1, delta 1e-06
      basic                     10
      rdp, one order            10  order 1583.5
      slots                     10  this very plan, fixed in advance
      rdp, 32 orders             8
      ...
    """
    checked_increment(expected)
    promised = BasicFilter(epsilon, delta).state()
    for_steps = _share(delta, expected) if delta_for_steps is None else _checked_share(delta, delta_for_steps)
    rows = [
        _row("basic", lambda: BasicFilter(epsilon, delta), expected),
        _row("advanced", lambda: AdvancedFilter(epsilon, delta), expected),
        _row("sharpened", lambda: SharpenedFilter(epsilon, delta, for_steps), expected),
        _row("whitehouse", lambda: WhitehouseFilter(epsilon, delta, for_steps), expected),
        _row("zcdp", lambda: ZCDPFilter(epsilon, delta, for_steps), expected),
        _row("rdp, one order", lambda: best_order(epsilon, delta, expected, for_steps), expected),
        _row("rdp, 32 orders", lambda: RDPFilter(epsilon, delta, SEVERAL_ORDERS, None, for_steps), expected),
        _row("gdp", lambda: GDPFilter(epsilon, delta, for_steps), expected),
        _row("residual", lambda: ResidualFilter(epsilon, delta, for_steps), expected),
        _row("slots", lambda: _most_slots(epsilon, delta, expected), expected),
    ]
    return Choices(expected, promised["epsilon"], promised["delta"], tuple(sorted(rows, key=lambda row: -row.count)))


def best_order(epsilon: Any, delta: Any, expected: Increment, delta_for_steps: Any = 0) -> RDPFilter:
    """Return the Rényi filter at the one order that admits most of the expected steps."""
    check_guarantee(exact("epsilon", epsilon), exact("delta", delta), exact("delta_for_steps", delta_for_steps))
    if isinstance(expected, RDP):
        candidates = expected.orders
    else:
        low, high = Fraction(1, 20), Fraction(10**4)
        for _ in range(_REFINED):
            candidates = _spaced(low, high)
            place = candidates.index(_most_admitting(epsilon, delta, expected, delta_for_steps, candidates))
            low, high = candidates[max(place - 1, 0)] - 1, candidates[min(place + 1, len(candidates) - 1)] - 1
    order = _most_admitting(epsilon, delta, expected, delta_for_steps, candidates)
    return RDPFilter(epsilon, delta, order, None, delta_for_steps)


def _most_admitting(
    epsilon: Any, delta: Any, expected: Increment, for_steps: Any, candidates: tuple[Fraction, ...]
) -> Fraction:
    """Return the order whose budget, alone, holds most of the steps."""
    whole, tail = exact("epsilon", epsilon), exact("delta", delta) - exact("delta_for_steps", for_steps)
    divergences = prices.renyi(expected, candidates)[: len(candidates)]
    budgets = [renyi_budget(order, whole, tail) for order in candidates]
    shares = [to_float(b) / max(to_float(d), 1e-300) for b, d in zip(budgets, divergences, strict=True)]
    return candidates[shares.index(max(shares))]


def _spaced(low: Fraction, high: Fraction) -> tuple[Fraction, ...]:
    """Return orders whose distances from 1 grow evenly from one to the other, with few digits."""
    rests = np.geomspace(float(low), float(high), _ORDERS_TRIED).tolist()
    return tuple(dict.fromkeys(1 + exact("order", float(f"{rest:.6g}")) for rest in rests))


def _row(name: str, make: Callable[[], Filter], expected: Increment) -> Choice:
    try:
        made = make()
        count = made.remaining(expected)
    except InvalidParameter as problem:
        return Choice(name, 0, None, _why_not(problem))
    return Choice(name, count, made, _note(made, count))


def _why_not(problem: InvalidParameter) -> str:
    """Return what a filter needs: a step of another kind, or another epsilon or delta."""
    needed = problem.allowed.removesuffix(" for this filter")
    return f"needs {needed}" if problem.name == "increment" else f"needs {problem.name} {needed}"


def _note(made: Filter, count: int) -> str:
    if isinstance(made, SlotFilter):
        return "this very plan, fixed in advance" if count else ""
    if count >= MOST or (isinstance(made, ResidualFilter) and count >= MOST_COUNTED):
        return "or more"
    return f"order {made.orders[0]:.6g}" if isinstance(made, RDPFilter) and len(made.orders) == 1 else ""


def _most_slots(epsilon: Any, delta: Any, expected: Increment) -> SlotFilter:
    if not isinstance(expected, Composable):
        raise InvalidParameter("increment", str(expected), "a mechanism or composition for this filter")
    filters = dict[int, SlotFilter]()

    def fits(count: int) -> bool:
        try:
            filters[count] = SlotFilter(epsilon, delta, expected * count)
        except InvalidParameter:
            return False
        return True

    fits(0)
    return filters[largest(fits, MOST_SLOTS)]


def _share(delta: Any, expected: Increment) -> Fraction:
    """Return half of delta if the expected step has a delta itself."""
    if isinstance(expected, Composable):
        carries = any(isinstance(mechanism, ApproximateDP) for mechanism, _ in expected._parts)
    else:
        carries = expected.delta > 0
    return exact("delta", delta) / 2 if carries else Fraction(0)


def _checked_share(delta: Any, delta_for_steps: Any) -> Fraction:
    """Return the part of delta for steps; a budget without delta has nothing to share."""
    whole, part = exact("delta", delta), exact_probability("delta_for_steps", delta_for_steps)
    if part >= whole and part > 0:
        raise InvalidParameter("delta_for_steps", delta_for_steps, f"below delta, which is {show(whole)}")
    return part


def _count(row: Choice) -> str:
    return str(row.count) if row.filter is not None else "-"
