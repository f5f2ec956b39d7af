"""Gaussian privacy as a filter: mu^2 adds up (Koskela, Tobaben and Honkela 2023; Smith and Thakurta 2022)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import Amount
from tightbudget.adaptive.filters.concentration import ConcentrationFilter
from tightbudget.adaptive.filters.limits import Cap, Limits
from tightbudget.adaptive.filters.subsampling import NOT_SEEN, sees_no_subsampling
from tightbudget.adaptive.filters.thresholds import most_mu
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.states import State
from tightbudget.deprecated import formerly_positional


class GDPFilter(ConcentrationFilter):
    """Admit steps while the sum of mu^2 is at most that of the mu whose delta(epsilon) is delta'.

    An epsilon-private step is mu-Gaussian with Phi(-mu/2) = 1/(1 + e^epsilon).
    """

    kind: ClassVar[str] = "gdp"

    @formerly_positional("delta_for_steps")
    def __init__(self, epsilon: Any, delta: Any, *, delta_for_steps: Any = 0, mix_relations: bool = False) -> None:
        super().__init__(epsilon, delta, delta_for_steps=delta_for_steps, mix_relations=mix_relations)

    def _price(self, increment: Increment) -> Mapping[str, Amount]:
        squares, delta = prices.gdp_price(increment)
        return {"squared mu": squares, "delta": delta}

    def note(self, increment: Increment, count: int, or_more: bool) -> str:
        if sees_no_subsampling(increment, lambda step: self._price(step)["squared mu"]):
            return NOT_SEEN
        return super().note(increment, count, or_more)

    def _limits(self) -> Limits:
        most = Fraction(most_mu(self._epsilon, self._tail)) ** 2
        return self._within({"squared mu": most}, Cap("the sum of squared mu", most, of="squared mu", constant=True))

    def _settings(self) -> State:
        settings = super()._settings()
        del settings["or_basic"]
        return settings
