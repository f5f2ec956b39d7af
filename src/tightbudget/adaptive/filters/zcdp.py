"""Zero-concentrated privacy as a filter: rho adds up, and the tight conversion says how much of it fits."""

from collections.abc import Mapping
from typing import ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import Amount
from tightbudget.adaptive.filters.concentration import ConcentrationFilter
from tightbudget.adaptive.filters.limits import Cap, Limits
from tightbudget.adaptive.filters.subsampling import NOT_SEEN, sees_no_subsampling
from tightbudget.adaptive.filters.thresholds import most_rho
from tightbudget.adaptive.increments import Increment


class ZCDPFilter(ConcentrationFilter):
    """Admit steps while the sum of rho is at most the largest that the tight conversion turns into (epsilon, delta').

    An epsilon-private step costs epsilon tanh(epsilon/2), a mu-Gaussian one mu^2/2.
    """

    kind: ClassVar[str] = "zcdp"

    def _price(self, increment: Increment) -> Mapping[str, Amount]:
        rho, delta, epsilon = prices.zcdp_price(increment)
        return {"rho": rho, "delta": delta, "epsilon": epsilon}

    def note(self, increment: Increment, count: int, or_more: bool) -> str:
        if sees_no_subsampling(increment, lambda step: self._price(step)["rho"]):
            return NOT_SEEN
        return super().note(increment, count, or_more)

    def _limits(self) -> Limits:
        most = most_rho(self._epsilon, self._tail)
        return self._within({"rho": most}, Cap("rho", most, constant=True))
