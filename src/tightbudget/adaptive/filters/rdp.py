"""Rényi privacy as a filter: at one order fixed in advance, or at several with weights."""

import re
from collections.abc import Iterable
from fractions import Fraction
from operator import le
from typing import Any, ClassVar

import numpy as np

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import Amount, exact, show, to_float
from tightbudget.adaptive.filters.base import Sums
from tightbudget.adaptive.filters.concentration import ConcentrationFilter
from tightbudget.adaptive.filters.thresholds import CLOSEST_ORDER, LARGEST_ORDER, least_order, renyi_budget
from tightbudget.adaptive.increments import Increment, exact_order
from tightbudget.adaptive.prices import TICKS, in_float
from tightbudget.adaptive.states import TOLERANCE, State
from tightbudget.errors import InvalidParameter

MOST_ORDERS = 1000


class RDPFilter(ConcentrationFilter):
    """Admit steps while at some order the sum of divergences is within that order's budget.

    One order gets all of delta'. Several share it by weights that add up to at most 1 (equal ones if none are given):
    without weights "some order is within budget" is not a privacy guarantee.
    """

    kind: ClassVar[str] = "rdp"
    _unit: ClassVar[int] = TICKS

    def __init__(
        self,
        epsilon: Any,
        delta: Any,
        orders: Any,
        weights: Any = None,
        delta_for_steps: Any = 0,
        or_basic: bool = False,
        *,
        mix_relations: bool = False,
    ) -> None:
        self._orders = _checked_orders(orders)
        self._weights = _checked_weights(weights, len(self._orders))
        self._names = tuple(f"order {show(order)}" for order in self._orders)
        super().__init__(epsilon, delta, delta_for_steps, or_basic, mix_relations=mix_relations)
        each = zip(self._orders, self._weights, strict=True)
        budgets = [renyi_budget(order, self._epsilon, weight * self._tail) for order, weight in each]
        self._prices: dict[Increment, Sums] = {}  # keyed by the step alone: hashing many orders takes longer than a decision
        self._budgets = tuple(budget.numerator * TICKS // budget.denominator for budget in budgets)
        if max(self._budgets) <= 0 and not self._or_basic:
            raise self._without_budget(orders)

    def _without_budget(self, orders: Any) -> InvalidParameter:
        """Return why no order can ever admit a step: to leave so small a delta takes a larger one."""
        guarantee = f"epsilon {show(self._epsilon)} and delta {show(self._delta)}"
        least = least_order(self._epsilon, max(self._weights) * self._tail)
        if least is None:
            return InvalidParameter("orders", orders, f"those of another filter: none has a budget at {guarantee}")
        allowed = f"at least {show(least)}, one of them: smaller ones have no budget at {guarantee}"
        return InvalidParameter("orders", orders, allowed, "tb.filters.best finds the best order for the steps to come.")

    @property
    def orders(self) -> tuple[float, ...]:
        """The orders, fixed before the first step."""
        return tuple(to_float(order) for order in self._orders)

    @property
    def _own_sums(self) -> tuple[str, ...]:
        return self._names

    def _full_price(self, increment: Increment) -> Sums:
        price = self._prices.get(increment)
        if price is None:
            if len(self._prices) >= prices.REMEMBERED:
                self._prices.clear()
            price = self._prices[increment] = prices.renyi_ticks(increment, self._orders)
        return price

    def _tail_verdict(self, sums: Sums) -> tuple[bool, str, Amount]:
        """Return whether some order admits the sums; the limit is the first that does or, if none, the one with most left."""
        accepted = any(map(le, sums, self._budgets))
        if accepted:
            index = next(i for i, budget in enumerate(self._budgets) if sums[i] <= budget)
        else:
            index = max(range(len(self._budgets)), key=lambda i: self._budgets[i] - self._sums[i])
        return accepted, self._names[index], in_float(sums[index])

    def _used(self, limit: str, sums: Sums) -> Amount:
        return super()._used(limit, sums) if limit not in self._names else in_float(sums[self._names.index(limit)])

    def _cap(self, limit: str) -> Amount:
        return super()._cap(limit) if limit not in self._names else in_float(self._budgets[self._names.index(limit)])

    def _constants(self) -> State:
        return {"caps": [str(budget) for budget in self._budgets]}

    def _adopt(self, constants: State) -> None:
        caps = constants["caps"]
        if not isinstance(caps, list) or len(caps) != len(self._budgets):
            raise InvalidParameter("caps", caps, f"a list of {len(self._budgets)} whole numbers")
        self._budgets = tuple(map(_cap_at_most, caps, self._budgets))

    def _settings(self) -> State:
        orders, weights = ([show(number) for number in numbers] for numbers in (self._orders, self._weights))
        return {**super()._settings(), "orders": orders, "weights": weights}


def _cap_at_most(written: object, computed: int) -> int:
    """Return the budget of an order, in ticks, as it was written; it may be below 0."""
    if not isinstance(written, str) or not re.fullmatch(r"-?\d{1,1000}", written, re.ASCII):
        raise InvalidParameter("caps", written, "a whole number, as the state had it")
    budget = int(written)
    if budget - computed > TOLERANCE * abs(computed):
        raise InvalidParameter("caps", written, f"at most {computed}, which is what these settings allow")
    return budget


def _checked_orders(orders: Any) -> tuple[Fraction, ...]:
    given = tuple(exact_order(order) for order in _several(orders))
    if not 1 <= len(set(given)) == len(given) <= MOST_ORDERS:
        raise InvalidParameter("orders", orders, f"from 1 to {MOST_ORDERS} different orders")
    for order in given:
        if not 1 + CLOSEST_ORDER <= order <= LARGEST_ORDER:
            raise InvalidParameter("order", show(order), "from 1 + 1e-9 to 1e9")
    return given


def _checked_weights(weights: Any, count: int) -> tuple[Fraction, ...]:
    if weights is None:
        return (Fraction(1, count),) * count
    given = tuple(exact("weight", weight, "a number above 0") for weight in _several(weights))
    if len(given) != count or min(given) <= Fraction(1, 10**100) or sum(given) > 1:
        raise InvalidParameter("weights", weights, f"{count} numbers above 0 that add up to at most 1")
    return given


def _several(value: Any) -> list[Any]:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return [value[()]]
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str | bytes) else [value]
