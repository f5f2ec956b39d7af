"""Mixture odometer: the walk of losses against a normal mixture of lines, on both sides (M16)."""

from typing import ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import binary_up
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.odometers.base import Sums, from_ticks
from tightbudget.adaptive.odometers.boundaries import mixture_boundary
from tightbudget.adaptive.odometers.mixing import MixingOdometer
from tightbudget.numerics.remembered import remembered


class MixtureOdometer(MixingOdometer):
    r"""Good over a wide range round the variance $V=\sum\varepsilon_i^2$ of `tight_at`; `gamma` may be given instead.

    It bounds the absolute value of the loss, for which it needs steps whose losses are bounded: pure and approximate
    ones.

    >>> from tightbudget import PureDP
    >>> odometer = MixtureOdometer(delta=1e-6, tight_at=1)
    >>> print(f"{odometer.spend(PureDP(epsilon=0.1) * 100):.3f}")
    6.165
    """

    kind: ClassVar[str] = "mixture"
    sums: ClassVar[tuple[str, ...]] = ("drift", "epsilon_squared", "delta", "epsilon")
    two_sided: ClassVar[bool] = True

    def _price(self, increment: Increment) -> Sums:
        return _mixture_sums(increment)

    def _bound(self, sums: Sums) -> float:
        return binary_up(sums["drift"]) + mixture_boundary(binary_up(sums["epsilon_squared"]), self._level, self._rate)


@remembered(prices.REMEMBERED)
def _mixture_sums(increment: Increment) -> Sums:
    drift, squares, delta, epsilon = prices.exact_drift(increment)
    return {"drift": from_ticks(drift), "epsilon_squared": from_ticks(squares), "delta": delta, "epsilon": epsilon}
