"""Rényi mixture odometer: one bound for each of several orders, all of them right at once (M16)."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import Amount, binary_up, exact, show
from tightbudget.adaptive.filters.thresholds import CLOSEST_ORDER, LARGEST_ORDER
from tightbudget.adaptive.increments import Increment, exact_order
from tightbudget.adaptive.odometers.base import Sums, exact_sums
from tightbudget.adaptive.odometers.boundaries import ROUNDINGS
from tightbudget.adaptive.odometers.concentration import SMALLEST_DELTA, ConcentrationOdometer
from tightbudget.adaptive.odometers.totals import Totals
from tightbudget.adaptive.states import State, written_at_least
from tightbudget.deprecated import formerly_positional
from tightbudget.errors import InvalidParameter
from tightbudget.numerics.logs import log_reciprocal
from tightbudget.numerics.remembered import remembered
from tightbudget.numerics.rounding import raised

ORDERS: tuple[Fraction, ...] = tuple(1 + Fraction(m * 2**j, 8) for j in range(16) for m in (2, 3))
"""a - 1 from 1/4 to 12288, two to an octave: orders in between would save at most 2.1% of what lies above the drift."""


class RenyiOdometer(ConcentrationOdometer):
    r"""The least of $R_a+\ln(1/(w_a\delta))/(a-1)$ over orders a fixed in advance, with weights of at most 1 in all.

    $R_a$ is the sum of the steps' Rényi divergences at order a. Takes every kind of step that has divergences.

    >>> from tightbudget import GaussianDP
    >>> odometer = RenyiOdometer(delta=1e-6)
    >>> print(f"{odometer.spend(GaussianDP(mu=0.1) * 100):.3f}")
    6.380
    """

    kind: ClassVar[str] = "renyi"
    sums: ClassVar[tuple[str, ...]] = ("renyi", "delta", "epsilon")
    two_sided: ClassVar[bool] = False

    @formerly_positional("delta_for_steps", "orders", "weights")
    def __init__(
        self,
        delta: Any,
        *,
        delta_for_steps: Any = 0,
        orders: Any = ORDERS,
        weights: Any = None,
        mix_relations: bool = False,
    ) -> None:
        super().__init__(delta, delta_for_steps=delta_for_steps, mix_relations=mix_relations)
        self._orders = tuple(exact_order(order) for order in _listed_odometer_orders("orders", orders))
        if not self._orders or len(set(self._orders)) < len(self._orders):
            raise InvalidParameter("orders", orders, "one or more different numbers above 1")
        if not all(1 + CLOSEST_ORDER <= order <= LARGEST_ORDER for order in self._orders):
            raise InvalidParameter("orders", orders, "from 1 + 1e-9 to 1e9")
        even = [Fraction(1, len(self._orders))] * len(self._orders)
        self._weights = tuple(
            even if weights is None else [exact("weight", each) for each in _listed_odometer_orders("weights", weights)]
        )
        if len(self._weights) != len(self._orders) or not all(self._weights) or sum(self._weights) > 1:
            raise InvalidParameter("weights", weights, "a number above 0 for each order, adding up to 1 at most")
        self._tails = np.array([self._tail(order, weight) for order, weight in zip(self._orders, self._weights, strict=True)])
        self._sums = {**self._sums, "renyi": Totals.zero(len(self._orders))}

    def _tail(self, order: Fraction, weight: Fraction) -> float:
        share = weight * (self._delta - self._for_steps)
        if share < SMALLEST_DELTA:
            raise InvalidParameter("weights", show(weight), "such that weight times delta is at least 1e-300")
        return binary_up(Fraction(log_reciprocal(share)) / (order - 1))

    @property
    def orders(self) -> tuple[Fraction, ...]:
        return self._orders

    @property
    def weights(self) -> tuple[Fraction, ...]:
        return self._weights

    def _price(self, increment: Increment) -> Sums:
        return _renyi_sums(increment, self._orders)

    def _after(self, price: Sums, count: int = 1) -> Sums:
        divergences = self._sums["renyi"].plus(price["renyi"], count)
        return {"renyi": divergences, **exact_sums(("delta", "epsilon"), self._sums, price, count)}

    def _bound(self, sums: Sums) -> float:
        return raised(float((sums["renyi"].up() + self._tails).min()), ROUNDINGS)

    @property
    def spent(self) -> dict[str, Amount]:
        """The sums so far, those of the divergences by their order, as in `tb.filters.RDPFilter`."""
        sums = self._sums
        divergences = zip(self._orders, sums["renyi"].exact(), strict=True)
        each = {f"order {show(order)}": divergence for order, divergence in divergences}
        return {**each, "delta": sums["delta"], "epsilon": sums["epsilon"]}

    def _constants(self) -> State:
        return {"logs": [repr(tail) for tail in self._tails.tolist()]}

    def _use_constants(self, constants: State) -> None:
        logs = constants["logs"]
        if not isinstance(logs, list) or len(logs) != len(self._orders):
            raise InvalidParameter("logs", logs, f"a list of {len(self._orders)} numbers")
        tails = zip(logs, self._tails.tolist(), strict=True)
        self._tails = np.array([written_at_least("logs", written, computed) for written, computed in tails])

    def _settings(self) -> State:
        return {
            **super()._settings(),
            "orders": [show(order) for order in self._orders],
            "weights": [show(weight) for weight in self._weights],
        }

    def _written(self) -> State:
        totals = self._sums["renyi"]
        pairs = [[high.hex(), low.hex()] for high, low in zip(totals.high.tolist(), totals.low.tolist(), strict=True)]
        return {"renyi": pairs, "delta": show(self._sums["delta"]), "epsilon": show(self._sums["epsilon"])}

    def _restore(self, spent: object) -> None:
        pairs = spent.get("renyi") if isinstance(spent, dict) else None
        try:
            high, low = np.array([[float.fromhex(text) for text in pair] for pair in pairs or ()]).T
        except (TypeError, ValueError, OverflowError):
            raise InvalidParameter("renyi", pairs, "as the renyi odometer wrote it") from None
        if len(high) != len(self._orders) or not Totals(high, low).plausible():
            raise InvalidParameter("renyi", pairs, "as the renyi odometer wrote it")
        super()._restore({**spent, "renyi": "0"} if isinstance(spent, dict) else spent)
        self._sums = {**self._sums, "renyi": Totals(high, low)}


@remembered(prices.REMEMBERED)
def _renyi_sums(increment: Increment, orders: tuple[Fraction, ...]) -> Sums:
    *divergences, delta, epsilon = prices.renyi_price(increment, orders)
    return {"renyi": np.array([binary_up(divergence) for divergence in divergences]), "delta": delta, "epsilon": epsilon}


def _listed_odometer_orders(name: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidParameter(name, values, "a list of numbers")
    return list(values)
