"""The advanced odometer of Rogers, Roth, Ullman and Vadhan 2016, Theorem 6.2, formulas (3) and (4), as printed."""

import math
from fractions import Fraction
from typing import Any, ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import binary_up, exact, show
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.odometers.base import Sums, from_ticks
from tightbudget.adaptive.odometers.boundaries import ROUNDINGS
from tightbudget.adaptive.odometers.concentration import ConcentrationOdometer
from tightbudget.adaptive.states import State
from tightbudget.deprecated import formerly_positional
from tightbudget.errors import InvalidParameter
from tightbudget.numerics.logs import log_reciprocal
from tightbudget.numerics.remembered import remembered
from tightbudget.numerics.rounding import raised


class RogersOdometer(ConcentrationOdometer):
    r"""The first advanced odometer, kept as it was published; the others are tighter.

    With $V=\sum\varepsilon_i^2$, $J=\lceil2\log_2n\rceil$ and $\ell=\ln(2J/\delta)$ the root is
    $2\sqrt{V(1+\ln\sqrt3)\,\ell}$ for $1/n^2\le V\le1$ and $\sqrt{2(1/n^2+V)(1+\frac12\ln(1+n^2V))\,\ell}$ elsewhere;
    the drift is $\sum\varepsilon_i(e^{\varepsilon_i}-1)/2$. Half of delta is for the deltas of steps. n is any public
    number fixed in advance. The bound jumps up where V exceeds 1, by a factor that grows with n; below n = 8 it falls
    there instead.

    >>> from tightbudget import PureDP
    >>> odometer = RogersOdometer(delta=0.05, n=1000)
    >>> print(f"{odometer.spend(PureDP(epsilon=0.1) * 1000):.1f}")
    40.1
    """

    kind: ClassVar[str] = "rogers"
    sums: ClassVar[tuple[str, ...]] = ("drift", "epsilon_squared", "delta", "epsilon")
    two_sided: ClassVar[bool] = True
    or_basic: ClassVar[bool] = False  # as printed

    @formerly_positional("n")
    def __init__(self, delta: Any, *, n: Any = 10**6, mix_relations: bool = False) -> None:
        half = exact("delta", delta) / 2
        super().__init__(delta, delta_for_steps=half, mix_relations=mix_relations)
        size = exact("n", n, "a whole number from 2 to 1e18")
        if size.denominator != 1 or not 2 <= size <= 10**18:
            raise InvalidParameter("n", n, "a whole number from 2 to 1e18")
        self._n = size.numerator
        events = (self._n**2 - 1).bit_length()  # the least J with 2^J >= n^2
        self._level = log_reciprocal(half / events)

    @property
    def n(self) -> int:
        return self._n

    def _price(self, increment: Increment) -> Sums:
        return _rogers_sums(increment)

    def _bound(self, sums: Sums) -> float:
        squares = sums["epsilon_squared"]
        variance, floor = binary_up(squares), Fraction(1, self._n**2)
        if floor <= squares <= 1:
            root = 2.0 * math.sqrt(variance * (1.0 + 0.5 * math.log(3.0)) * self._level)
        else:
            growth = 1.0 + 0.5 * math.log1p(self._n**2 * variance)
            root = math.sqrt(2.0 * (binary_up(floor) + variance) * growth * self._level)
        return raised(binary_up(sums["drift"]) + raised(root, ROUNDINGS), ROUNDINGS)

    def _highest(self, price: Sums, count: int) -> float:
        """Return the larger of the last running epsilon and the last before V exceeds 1, where the bound may fall."""
        spent, each = self._sums["epsilon_squared"], price["epsilon_squared"]
        before = min(count, int((1 - spent) // each)) if each and spent <= 1 else 0
        return max(super()._highest(price, count), self._running(self._after(price, before)) if before else 0.0)

    def _settings(self) -> State:
        return {"delta": show(self._delta), "n": self._n}


@remembered(prices.REMEMBERED)
def _rogers_sums(increment: Increment) -> Sums:
    drift, _, delta, epsilon = prices.printed_drift(increment)
    # the sum of squares exactly, because the formula changes where it exceeds 1
    squares = prices.squares_price(increment)[0]
    return {"drift": from_ticks(drift), "epsilon_squared": squares, "delta": delta, "epsilon": epsilon}
