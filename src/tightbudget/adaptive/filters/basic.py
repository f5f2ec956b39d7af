"""Basic composition as a filter (Theorem 3.3 of Rogers, Roth, Ullman and Vadhan 2016): the parameters add up."""

from typing import ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import Amount, show
from tightbudget.adaptive.filters.base import SumFilter, Sums
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.states import State


class BasicFilter(SumFilter):
    """Admit steps while the sums of epsilon and delta are within the budget.

    >>> from tightbudget import PureDP
    >>> budget = BasicFilter(epsilon=1, delta=0)
    >>> all(budget.spend(PureDP(epsilon=0.1)).accepted for _ in range(10))
    True
    >>> print(budget.quote(PureDP(epsilon=0.1)).reason)
    pure_dp(epsilon=0.1) is refused by the basic filter: it asks for 0.1 of epsilon, but 0 is left.
    """

    kind: ClassVar[str] = "basic"

    @property
    def sums(self) -> tuple[str, ...]:
        return "epsilon", "delta"

    def _price(self, increment: Increment) -> Sums:
        return prices.basic(increment)

    def _verdict(self, sums: Sums) -> tuple[bool, str, Amount]:
        if sums[1] > self._delta:
            return False, "delta", sums[1]
        return sums[0] <= self._epsilon, "epsilon", sums[0]

    def _used(self, limit: str, sums: Sums) -> Amount:
        return sums[limit == "delta"]

    def _cap(self, limit: str) -> Amount:
        return self._delta if limit == "delta" else self._epsilon

    def _settings(self) -> State:
        return {"epsilon": show(self._epsilon), "delta": show(self._delta)}
