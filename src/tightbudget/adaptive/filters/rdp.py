"""Rényi privacy as a filter: at one order fixed in advance, or at several with weights."""

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import Amount, amount_to_float, exact, show
from tightbudget.adaptive.filters.base import Candidate
from tightbudget.adaptive.filters.best_order import best_order
from tightbudget.adaptive.filters.concentration import ConcentrationFilter
from tightbudget.adaptive.filters.expected import Expected
from tightbudget.adaptive.filters.limits import Cap, Limits
from tightbudget.adaptive.filters.thresholds import CLOSEST_ORDER, LARGEST_ORDER, least_order, renyi_budget
from tightbudget.adaptive.increments import Increment, exact_order
from tightbudget.adaptive.states import State
from tightbudget.deprecated import formerly_positional
from tightbudget.errors import InvalidParameter

MOST_ORDERS = 1000
SEVERAL = tuple(float(f"{order:.4g}") for order in np.geomspace(1.5, 64.0, 32))
"""Orders for when the steps to come are not known."""


class RDPFilter(ConcentrationFilter):
    """Admit steps while at some order the sum of divergences is within that order's budget.

    One order gets all of delta'. Several share it by weights that add up to at most 1 (equal ones if none are given):
    without weights "some order is within budget" is not a privacy guarantee.
    """

    kind: ClassVar[str] = "rdp"

    @formerly_positional("orders", "weights", "delta_for_steps", "or_basic")
    def __init__(
        self,
        epsilon: Any,
        delta: Any,
        *,
        orders: Any,
        weights: Any = None,
        delta_for_steps: Any = 0,
        or_basic: bool = False,
        mix_relations: bool = False,
    ) -> None:
        self._orders = _checked_orders(orders)
        self._weights = _checked_weights(weights, len(self._orders))
        self._names = tuple(f"order {show(order)}" for order in self._orders)
        super().__init__(epsilon, delta, delta_for_steps=delta_for_steps, or_basic=or_basic, mix_relations=mix_relations)
        if not self._or_basic and all(cap.cap <= 0 for cap in self._scales.limits.enough):
            raise self._without_budget(orders)

    @property
    def orders(self) -> tuple[float, ...]:
        """The orders, fixed before the first step."""
        return tuple(amount_to_float(order) for order in self._orders)

    @classmethod
    def candidates(cls, expected: Expected) -> Iterator[Candidate]:
        """Yield the filter at the one order that admits most of the expected steps, and one at several orders."""
        shared: dict[str, Any] = {"delta_for_steps": expected.delta_for_steps, "mix_relations": expected.mixes}
        yield "rdp, one order", lambda: cls(expected.epsilon, expected.delta, orders=best_order(expected), **shared)
        yield f"rdp, {len(SEVERAL)} orders", partial(cls, expected.epsilon, expected.delta, orders=SEVERAL, **shared)

    def note(self, increment: Increment, count: int, or_more: bool) -> str:
        order = f"order {self.orders[0]:.6g}" if len(self._orders) == 1 else ""
        return ", ".join(filter(None, [super().note(increment, count, or_more), order]))

    def _price(self, increment: Increment) -> Mapping[str, Amount]:
        *divergences, delta, epsilon = prices.renyi_price(increment, self._orders)
        return {**dict(zip(self._names, divergences, strict=True)), "delta": delta, "epsilon": epsilon}

    def _limits(self) -> Limits:
        each = zip(self._orders, self._weights, strict=True)
        budgets = [renyi_budget(order, self._epsilon, weight * self._tail) for order, weight in each]
        caps = [Cap(name, budget, constant=True) for name, budget in zip(self._names, budgets, strict=True)]
        sizes = {name: max(self._epsilon, budget) for name, budget in zip(self._names, budgets, strict=True)}
        return self._within(sizes, *caps)

    def _without_budget(self, orders: Any) -> InvalidParameter:
        """Return why no order can ever admit a step: to leave so small a delta takes a larger one."""
        guarantee = f"epsilon {show(self._epsilon)} and delta {show(self._delta)}"
        least = least_order(self._epsilon, max(self._weights) * self._tail)
        if least is None:
            return InvalidParameter("orders", orders, f"those of another filter: none has a budget at {guarantee}")
        allowed = f"at least {show(least)}, one of them: smaller ones have no budget at {guarantee}"
        return InvalidParameter("orders", orders, allowed, "tb.filters.best finds the best order for the steps to come.")

    def _upgraded(self, constants: State) -> State:
        """Return constants of version 2, whose caps were a list of whole numbers of 2^-400."""
        caps = constants.get("caps")
        if not isinstance(caps, list) or len(caps) != len(self._names):
            raise InvalidParameter("caps", caps, f"a list of {len(self._names)} whole numbers")
        named = {name: _in_parts(cap) for name, cap in zip(self._names, caps, strict=True)}
        return super()._upgraded({**constants, "caps": named})

    def _settings(self) -> State:
        orders, weights = ([show(number) for number in numbers] for numbers in (self._orders, self._weights))
        return {**super()._settings(), "orders": orders, "weights": weights}


def _in_parts(written: object) -> str:
    """Return the budget of an order as a fraction; it may be below 0."""
    if not isinstance(written, str) or not re.fullmatch(r"-?\d{1,800}", written, re.ASCII):
        raise InvalidParameter("caps", written, "a whole number, as the state had it")
    return f"{written}/{prices.TICKS}"


def _checked_orders(orders: Any) -> tuple[Fraction, ...]:
    given = tuple(exact_order(order) for order in _listed_renyi_orders(orders))
    if not 1 <= len(set(given)) == len(given) <= MOST_ORDERS:
        raise InvalidParameter("orders", orders, f"from 1 to {MOST_ORDERS} different orders")
    for order in given:
        if not 1 + CLOSEST_ORDER <= order <= LARGEST_ORDER:
            raise InvalidParameter("order", show(order), "from 1 + 1e-9 to 1e9")
    return given


def _checked_weights(weights: Any, count: int) -> tuple[Fraction, ...]:
    if weights is None:
        return (Fraction(1, count),) * count
    given = tuple(exact("weight", weight, "a number above 0") for weight in _listed_renyi_orders(weights))
    if len(given) != count or min(given) <= Fraction(1, 10**100) or sum(given) > 1:
        raise InvalidParameter("weights", weights, f"{count} numbers above 0 that add up to at most 1")
    return given


def _listed_renyi_orders(value: Any) -> list[Any]:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return [value[()]]
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str | bytes) else [value]
