"""Filters that look at nothing but sums: each step has a price, and the sums of prices must stay within limits.

Such a filter is three things: the price of a step, the limits of the sums, and the settings it was made with (M14).
"""

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from tightbudget.adaptive.amounts import Amount, exact, sums_after
from tightbudget.adaptive.filters.base import MOST, Filter, Sums
from tightbudget.adaptive.filters.limits import Limits
from tightbudget.adaptive.filters.quotes import Quote
from tightbudget.adaptive.filters.scales import Scales, saturated_sums, sums_in_ticks_after
from tightbudget.adaptive.increments import Increment, checked_increment
from tightbudget.adaptive.prices import REMEMBERED
from tightbudget.adaptive.states import State, check_spent
from tightbudget.adaptive.ticks import BEYOND, short_ticks
from tightbudget.errors import InvalidParameter
from tightbudget.numerics.remembered import remember
from tightbudget.numerics.search import largest_that_fits


class SumFilter(Filter):
    """A filter that is its price, its limits and its settings: the three methods to be written for a new one."""

    @abstractmethod
    def _price(self, increment: Increment) -> Mapping[str, Amount]:
        """Return what the step adds to each sum, no less; raise InvalidParameter if this filter takes none such."""

    @abstractmethod
    def _limits(self) -> Limits:
        """Return the sums and their caps, worked out from the settings alone."""

    def __init__(self, epsilon: Any, delta: Any, *, mix_relations: bool = False) -> None:
        super().__init__(epsilon, delta, mix_relations=mix_relations)
        self._scales = Scales.of(self._limits())
        self._sums: Sums = (0,) * len(self.sums)

    @property
    def sums(self) -> tuple[str, ...]:
        return tuple(self._scales.limits.sums)

    @property
    def spent(self) -> dict[str, Amount]:
        """The sums so far, exact. They say how much of the budget is used, not what has been lost: see odometers."""
        return self._scales.amounts(self._sums)

    def price(self, increment: Increment | str) -> dict[str, Amount]:
        """Return what the step adds to each sum, exactly as it is charged; whoever keeps the sums can add them up.

        A price says nothing of the neighbouring relation, which `spend` minds: add up steps for one relation only. The
        filter itself may keep a sum of many different fractions a tick higher.

        >>> from tightbudget import ApproximateDP, filters
        >>> filters.BasicFilter(epsilon=1, delta=1e-6).price(ApproximateDP(0.1, 1e-9) * 3)
        {'epsilon': Fraction(3, 10), 'delta': Fraction(3, 1000000000)}
        """
        return self._scales.amounts(self._charged(checked_increment(increment)))

    def admits(self, sums: Mapping[str, Any]) -> bool:
        """Return whether totals of prices are within the limits: what `spend` asks of the sums after a step.

        >>> from tightbudget import filters
        >>> budget = filters.BasicFilter(epsilon=1, delta=1e-6)
        >>> budget.admits({"epsilon": 1, "delta": 0}), budget.admits({"epsilon": "1.01", "delta": 0})
        (True, False)
        """
        if not isinstance(sums, Mapping) or set(sums) != set(self.sums):
            raise InvalidParameter("sums", sums, f"a mapping of {', '.join(self.sums)}")
        totals = {name: _exact_sum(name, amount) for name, amount in sums.items()}
        after = self._scales.in_ticks(totals)
        return self._scales.verdict(after, after)[0]

    def sums_without(self, price: State) -> Sums:
        """Return the sums in ticks less a price that is part of them, as it was written; never less than the rest.

        What the rest of an infinite sum was, nobody knows: it stays infinite.
        """
        parts = zip(self._sums, self._scales.read(price), strict=True)
        return tuple(total if isinstance(total, float) else short_ticks(max(total - part, 0)) for total, part in parts)

    def lowered_from(self, old: Self) -> Self:
        """Take over the ticks of `old`, a filter with higher limits, and what it fixed in advance; return this filter.

        This filter then admits nothing that `old` would refuse at the same sums (M14).
        """
        self._scales = self._scales.lowered_from(old._scales)
        return self

    def _charged(self, increment: Increment) -> Sums:
        """Return the price in ticks."""
        known = self._scales.known
        price = known.get(increment)
        if price is None:
            price = self._scales.in_ticks(self._price(increment))
            remember(known, increment, price, REMEMBERED)
        return price

    def _weigh(self, increment: Increment) -> tuple[Quote, Sums]:
        before, scales = self._sums, self._scales
        price = self._charged(increment)
        after = sums_in_ticks_after(before, price)
        accepted, place = scales.verdict(before, after)
        quote = Quote(accepted, increment, self.kind, scales.at(before), scales.at(after), place)
        return quote, after if max(price) <= BEYOND else saturated_sums(after)

    def remaining(self, increment: Increment | str) -> int:
        with self._reading():
            price = self._charged(self._checked(increment))
            first = sums_in_ticks_after(
                self._sums, price
            )  # whatever is rounded up is rounded here; more of the same stays exact

            def fits(count: int) -> bool:
                return self._scales.verdict(self._sums, sums_after(first, price, count - 1) if count > 1 else first)[0]

            return largest_that_fits(fits, MOST)

    def _written(self) -> State:
        return self._scales.written(self._sums)

    def _restore(self, spent: object) -> None:
        self._sums = self._scales.read(spent)
        accepted, place = self._scales.verdict(self._sums, self._sums)
        if any(self._sums) and not accepted:  # what is fresh is fine, even if nothing will ever be admitted
            check_spent(self._scales.limit(place, self._sums))

    def _constants(self) -> State:
        return self._scales.constants()

    def _use_constants(self, constants: State) -> None:
        self._scales = self._scales.with_constants(constants, f"as a filter of kind {self.kind} wrote it")

    def _upgraded(self, constants: State) -> State:
        """Return constants of version 2, which had no ticks and, of most kinds, one cap."""
        here = self._scales.constants()
        rest = {name: value for name, value in constants.items() if name != "cap"}
        if "cap" in constants and "caps" in here:
            rest["caps"] = dict.fromkeys(here["caps"], constants["cap"])
        return {"ticks": here["ticks"], **rest}


def _exact_sum(name: str, amount: Any) -> Amount:
    return math.inf if isinstance(amount, float) and amount == math.inf else exact(name, amount)
