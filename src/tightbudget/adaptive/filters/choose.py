"""Which filter admits how many of the steps that are expected: to be asked before the first step, never after."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

import numpy as np

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import Amount, exact, exact_probability, show, to_float
from tightbudget.adaptive.filters.advanced import AdvancedFilter, SharpenedFilter
from tightbudget.adaptive.filters.base import MOST, Filter, largest
from tightbudget.adaptive.filters.basic import BasicFilter
from tightbudget.adaptive.filters.concentration import check_guarantee
from tightbudget.adaptive.filters.gdp import GDPFilter
from tightbudget.adaptive.filters.rdp import RDPFilter
from tightbudget.adaptive.filters.residual import ResidualFilter
from tightbudget.adaptive.filters.slots import SlotFilter
from tightbudget.adaptive.filters.thresholds import renyi_budget
from tightbudget.adaptive.filters.whitehouse import WhitehouseFilter
from tightbudget.adaptive.filters.zcdp import ZCDPFilter
from tightbudget.adaptive.increments import RDP, Increment, checked_increment
from tightbudget.adaptive.relations import relations_of
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import ApproximateDP, Composable
from tightbudget.numerics.rounding import float_below

SEVERAL_ORDERS = tuple(float(f"{order:.4g}") for order in np.geomspace(1.5, 64.0, 32))
"""For a filter over several orders when the steps to come are not known."""

_ORDERS_TRIED, _REFINED = 60, 3
MOST_SLOTS = 2**20  # each try is priced by the engine
CLOSE_ENOUGH = 500  # a plan is the longest to this part of its length
MOST_WORK = 6000  # comparisons of the residual filter, a few seconds: a limit by time would not give the same table twice


@dataclass(frozen=True)
class Choice:
    """A filter, ready to be used, and how many of the expected steps it admits; or why it does not apply.

    `or_more` says that the counting was cut off: the filter admits `count` steps and perhaps many more.
    """

    name: str
    count: int
    filter: Filter | None
    note: str
    or_more: bool = False


@dataclass(frozen=True)
class Choices(Sequence[Choice]):
    """All filters, those that admit most first; of equal counts, one that was cut off comes first."""

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

    Choose one before the first step and stay with it: the choice must not depend on any answer. `delta_for_steps` is
    the part of delta kept for the deltas of steps; if it is not given, none for a step without delta and half of delta
    for one with.

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
    mix = {"mix_relations": len(relations_of(expected)) > 1}  # if so, whoever composed it has said that it is meant
    rows = [
        _row("basic", lambda: BasicFilter(epsilon, delta, **mix), expected),
        _row("advanced", lambda: AdvancedFilter(epsilon, delta, **mix), expected),
        _row("sharpened", lambda: SharpenedFilter(epsilon, delta, delta_for_steps=for_steps, **mix), expected),
        _row("whitehouse", lambda: WhitehouseFilter(epsilon, delta, delta_for_steps=for_steps, **mix), expected),
        _row("zcdp", lambda: ZCDPFilter(epsilon, delta, delta_for_steps=for_steps, **mix), expected),
        _row("rdp, one order", lambda: best_order(epsilon, delta, expected, for_steps), expected),
        _row(
            "rdp, 32 orders",
            lambda: RDPFilter(epsilon, delta, orders=SEVERAL_ORDERS, delta_for_steps=for_steps, **mix),
            expected,
        ),
        _row("gdp", lambda: GDPFilter(epsilon, delta, delta_for_steps=for_steps, **mix), expected),
        _row("residual", lambda: ResidualFilter(epsilon, delta, delta_for_steps=for_steps, **mix), expected),
    ]
    known = max(row.count for row in rows)
    rows.append(_row("slots", lambda: _most_slots(epsilon, delta, expected, known), expected))
    return Choices(expected, promised["epsilon"], promised["delta"], tuple(sorted(rows, key=_rank)))


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
    mix = len(relations_of(expected)) > 1
    return RDPFilter(epsilon, delta, orders=order, delta_for_steps=delta_for_steps, mix_relations=mix)


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
        count, or_more = _counted(made, expected)
    except InvalidParameter as problem:
        return Choice(name, 0, None, _why_not(problem))
    return Choice(name, count, made, _note(made, count, or_more, expected), or_more)


def _rank(row: Choice) -> tuple[int, bool]:
    return -row.count, not row.or_more


def _counted(made: Filter, expected: Increment) -> tuple[int, bool]:
    """Return how many steps are admitted, and whether there may be more."""
    if isinstance(made, ResidualFilter):
        return made.counted(expected, MOST_WORK)
    count = made.remaining(expected)
    return count, count >= (MOST_SLOTS if isinstance(made, SlotFilter) else MOST)


def _why_not(problem: InvalidParameter) -> str:
    """Return what a filter needs: a step of another kind, or another epsilon or delta."""
    needed = problem.allowed.removesuffix(" for this filter")
    return f"needs {needed}" if problem.name == "increment" else f"needs {problem.name} {needed}"


def _note(made: Filter, count: int, or_more: bool, expected: Increment) -> str:
    if isinstance(made, ZCDPFilter | GDPFilter) and _sees_no_subsampling(made, expected):
        return "charged as without subsampling: this notion does not see it"
    note = ""
    if isinstance(made, SlotFilter) and count:
        note = "this very plan, fixed in advance"
    elif isinstance(made, RDPFilter) and len(made.orders) == 1:
        note = f"order {made.orders[0]:.6g}"
    more = "" if not or_more else "or more: counting stopped" if isinstance(made, ResidualFilter) else "or more"
    return ", ".join(filter(None, [more, note]))


def _sees_no_subsampling(made: ZCDPFilter | GDPFilter, expected: Increment) -> bool:
    """Return whether some subsampled part costs as much as it does without subsampling."""
    price = prices.zcdp if isinstance(made, ZCDPFilter) else prices.gdp
    # a promise about moments is no mechanism: it has no parts
    parts = (part for part, _ in expected._parts if part.subsamples) if isinstance(expected, Composable) else ()
    return any(_close(price(part)[0], price(part.whole)[0]) for part in parts)


def _close(one: Amount, other: Amount) -> bool:
    return abs(to_float(one) - to_float(other)) <= 1e-9 * to_float(other)


def _most_slots(epsilon: Any, delta: Any, expected: Increment, known: int) -> SlotFilter:
    """Return about the longest plan of such steps; `known` is a number of steps that another filter admits.

    The search starts there, since short plans may be certified less easily than long ones: their delta is far too
    small.
    """
    if not isinstance(expected, Composable):
        raise InvalidParameter("increment", str(expected), "a mechanism or composition for this filter")
    filters = dict[int, SlotFilter]()

    target, room = float_below(exact("epsilon", epsilon)), float_below(exact("delta", delta))

    def certified(count: int) -> bool:
        try:
            filters[count] = SlotFilter(epsilon, delta, plan=expected * count, mix_relations=len(expected.relations) > 1)
        except InvalidParameter:
            return False
        return True

    def fits(count: int) -> bool:
        """Return whether so many fit; a rough price, a hundred times as fast, says so for all but a few counts."""
        try:
            rough = (expected * count).delta(target)
        except InvalidParameter:
            return False
        return rough.upper <= room or (rough.lower <= room and certified(count))

    def longest(count: int) -> SlotFilter:
        while count and not (count in filters or certified(count)):
            count -= max(1, count // CLOSE_ENOUGH)
        return filters[count] if count in filters else SlotFilter(epsilon, delta, plan=expected * 0)

    low = min(known, MOST_SLOTS)
    if not (low and fits(low)):
        return longest(largest(fits, MOST_SLOTS))
    high = low
    while high < MOST_SLOTS and fits(min(2 * high, MOST_SLOTS)):
        high = low = min(2 * high, MOST_SLOTS)
    high = min(2 * high, MOST_SLOTS)
    while high - low > max(1, low // CLOSE_ENOUGH):
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return longest(low)


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
