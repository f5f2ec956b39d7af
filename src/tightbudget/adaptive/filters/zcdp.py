"""Zero-concentrated privacy as a filter: rho adds up, and the tight conversion says how much of it fits."""

from typing import Any, ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.filters.base import Sums
from tightbudget.adaptive.filters.concentration import ConcentrationFilter
from tightbudget.adaptive.filters.thresholds import most_rho
from tightbudget.adaptive.increments import Increment


class ZCDPFilter(ConcentrationFilter):
    """Admit steps while the sum of rho is at most the largest that the tight conversion turns into (epsilon, delta').

    An epsilon-private step costs epsilon tanh(epsilon/2), a mu-Gaussian one mu^2/2.
    """

    kind: ClassVar[str] = "zcdp"
    limit: ClassVar[str] = "rho"
    _own_sums: ClassVar[tuple[str, ...]] = ("rho",)

    def __init__(
        self, epsilon: Any, delta: Any, delta_for_steps: Any = 0, or_basic: bool = False, *, mix_relations: bool = False
    ) -> None:
        super().__init__(epsilon, delta, delta_for_steps, or_basic, mix_relations=mix_relations)
        self._budget = most_rho(self._epsilon, self._tail)

    def _full_price(self, increment: Increment) -> Sums:
        return prices.zcdp(increment)
