"""The filter of Whitehouse, Ramdas, Rogers and Wu 2023 (Theorem 2): advanced composition with the constants of a fixed plan."""

from typing import Any, ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.filters.base import Sums
from tightbudget.adaptive.filters.concentration import ConcentrationFilter
from tightbudget.adaptive.filters.thresholds import most_squares
from tightbudget.adaptive.increments import Increment


class WhitehouseFilter(ConcentrationFilter):
    """Admit steps while sqrt(2 V log(1/delta')) + V/2 <= epsilon, V the sum of squared epsilons."""

    kind: ClassVar[str] = "whitehouse"
    limit: ClassVar[str] = "the sum of squared epsilons"
    _own_sums: ClassVar[tuple[str, ...]] = ("squares",)

    def __init__(
        self, epsilon: Any, delta: Any, delta_for_steps: Any = 0, or_basic: bool = False, *, mix_relations: bool = False
    ) -> None:
        super().__init__(epsilon, delta, delta_for_steps, or_basic, mix_relations=mix_relations)
        self._budget = most_squares(self._epsilon, self._tail)

    def _full_price(self, increment: Increment) -> Sums:
        return prices.squares(increment)
