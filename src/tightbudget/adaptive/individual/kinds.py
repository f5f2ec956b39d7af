"""The individual filters: Rényi divergence at one order, zero-concentrated, and Gaussian privacy."""

from fractions import Fraction
from typing import Any, ClassVar

from tightbudget.adaptive.amounts import show
from tightbudget.adaptive.increments import exact_order
from tightbudget.adaptive.individual.balances import Array
from tightbudget.adaptive.individual.base import IndividualFilter
from tightbudget.deprecated import formerly_positional
from tightbudget.divergences import gdp_epsilon, rdp_epsilon, zcdp_epsilon
from tightbudget.errors import InvalidParameter
from tightbudget.numerics.rounding import float_above, float_below


class RenyiFilter(IndividualFilter):
    """Everybody's Rényi divergences at one order add up to at most the budget (Feldman and Zrnic 2021).

    The release has Rényi divergence at most the budget at that order, for adding or removing any one person.

    >>> import numpy as np
    >>> group = RenyiFilter(order=8, budget=0.5, people=3)
    >>> group.spend(np.array([0.1, 0.3, 0.6]))
    array([ True,  True, False])
    >>> group.spend(0.3)
    array([ True, False,  True])
    >>> print(f"{group.epsilon(delta=1e-6):.3f}")
    2.043
    """

    kind: ClassVar[str] = "renyi"

    settings: ClassVar[tuple[str, ...]] = ("order", "budget")

    @formerly_positional("order", "budget", "people")
    def __init__(
        self, *, order: Any, budget: Any, people: int | None = None, balances: Array | None = None, durable: bool = True
    ) -> None:
        self._order = exact_order(order)
        if not Fraction(1001, 1000) <= self._order <= 10**6:
            raise InvalidParameter("order", order, "from 1.001 to 1e6")
        super().__init__(budget, people=people, balances=balances, durable=durable)

    @property
    def sums(self) -> tuple[str]:
        return (f"order {show(self._order)}",)

    @property
    def order(self) -> Fraction:
        return self._order

    def _settings(self) -> dict[str, str]:
        return {"order": show(self._order), **super()._settings()}

    def epsilon(self, delta: float) -> float:
        # divergences grow with the order, so the order may be rounded down
        return float(rdp_epsilon(float_below(self._order), float_above(self.guaranteed), delta))


class ZCDPFilter(IndividualFilter):
    """Everybody's rhos add up to at most the budget: the release is budget-zCDP.

    >>> group = ZCDPFilter(budget=0.1, people=2)
    >>> [bool(group.spend(0.01).all()) for _ in range(11)].count(True)
    10
    >>> print(f"{group.epsilon(delta=1e-6):.3f}")
    2.142
    """

    kind: ClassVar[str] = "zcdp"

    @property
    def sums(self) -> tuple[str]:
        return ("rho",)

    def epsilon(self, delta: float) -> float:
        return zcdp_epsilon(float_above(self.guaranteed), delta)


class GDPFilter(IndividualFilter):
    """The squares of everybody's mus add up to at most the square of the budget: the release is budget-GDP (Koskela,
    Tobaben and Honkela 2023; Smith and Thakurta 2022).

    >>> group = GDPFilter(budget=1, people=2)
    >>> [bool(group.spend(0.5).all()) for _ in range(5)]
    [True, True, True, True, False]
    >>> print(f"{group.epsilon(delta=1e-6):.3f}")
    4.887
    """

    kind: ClassVar[str] = "gdp"
    squares: ClassVar[bool] = True

    @property
    def sums(self) -> tuple[str]:
        return ("squared mu",)

    def epsilon(self, delta: float) -> float:
        return gdp_epsilon(float_above(self.guaranteed), delta)
