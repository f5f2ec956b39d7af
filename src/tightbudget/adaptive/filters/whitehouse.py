"""The filter of Whitehouse, Ramdas, Rogers and Wu 2023 (Theorem 2): the constants of advanced composition."""

from collections.abc import Mapping
from typing import ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import Amount
from tightbudget.adaptive.filters.concentration import ConcentrationFilter
from tightbudget.adaptive.filters.limits import Cap, Limits
from tightbudget.adaptive.filters.thresholds import most_squares
from tightbudget.adaptive.increments import Increment


class WhitehouseFilter(ConcentrationFilter):
    """Admit steps while sqrt(2 V log(1/delta')) + V/2 <= epsilon, V the sum of squared epsilons."""

    kind: ClassVar[str] = "whitehouse"

    def _price(self, increment: Increment) -> Mapping[str, Amount]:
        squares, delta, epsilon = prices.squares_price(increment)
        return {"squares": squares, "delta": delta, "epsilon": epsilon}

    def _limits(self) -> Limits:
        most = most_squares(self._epsilon, self._tail)
        return self._within({"squares": most}, Cap("the sum of squared epsilons", most, of="squares", constant=True))
