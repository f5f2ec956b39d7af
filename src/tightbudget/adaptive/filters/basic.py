"""Basic composition as a filter (Theorem 3.3 of Rogers, Roth, Ullman and Vadhan 2016): the parameters add up."""

from collections.abc import Mapping
from typing import ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import Amount, show
from tightbudget.adaptive.filters.limits import Cap, Limits
from tightbudget.adaptive.filters.sum_filter import SumFilter
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

    def _price(self, increment: Increment) -> Mapping[str, Amount]:
        epsilon, delta = prices.basic_price(increment)
        return {"epsilon": epsilon, "delta": delta}

    def _limits(self) -> Limits:
        return Limits(
            sums={"epsilon": self._epsilon, "delta": self._delta},
            needed=(Cap("delta", self._delta),),
            enough=(Cap("epsilon", self._epsilon),),
        )

    def _settings(self) -> State:
        return {"epsilon": show(self._epsilon), "delta": show(self._delta)}
