"""Gaussian privacy as a filter: mu^2 adds up (Koskela, Tobaben and Honkela 2023; Smith and Thakurta 2022)."""

from fractions import Fraction
from typing import Any, ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import show
from tightbudget.adaptive.filters.base import Sums
from tightbudget.adaptive.filters.concentration import ConcentrationFilter
from tightbudget.adaptive.filters.thresholds import most_mu
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.states import State


class GDPFilter(ConcentrationFilter):
    """Admit steps while the sum of mu^2 is at most that of the mu whose delta(epsilon) is delta'.

    An epsilon-private step is mu-Gaussian with Phi(-mu/2) = 1/(1 + e^epsilon).
    """

    kind: ClassVar[str] = "gdp"
    limit: ClassVar[str] = "the sum of squared mu"
    _own_sums: ClassVar[tuple[str, ...]] = ("squared mu",)

    def __init__(self, epsilon: Any, delta: Any, delta_for_steps: Any = 0, *, mix_relations: bool = False) -> None:
        super().__init__(epsilon, delta, delta_for_steps, mix_relations=mix_relations)
        self._budget = Fraction(most_mu(self._epsilon, self._tail)) ** 2

    def _full_price(self, increment: Increment) -> Sums:
        return (*prices.gdp(increment), Fraction(0))

    def _settings(self) -> State:
        return {"epsilon": show(self._epsilon), "delta": show(self._delta), "delta_for_steps": show(self._for_steps)}
