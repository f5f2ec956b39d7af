"""Odometers of one sum: every step is rho-zCDP, which makes the loss a walk with drift rho and variance 2 rho (M16)."""

from typing import ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import binary_up
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.odometers.base import Sums
from tightbudget.adaptive.odometers.concentration import ConcentrationOdometer


class RhoOdometer(ConcentrationOdometer):
    """Drift and variance are the sum of the rhos, and twice it.

    A pure step has rho = epsilon tanh(epsilon/2), so its variance is below the epsilon^2 of the published forms. The
    parameter of a boundary may be any positive number, so its conversion to a float may round either way.
    """

    sums: ClassVar[tuple[str, ...]] = ("rho", "delta", "epsilon")
    two_sided: ClassVar[bool] = False

    def _price(self, increment: Increment) -> Sums:
        rho, delta, epsilon = prices.zcdp_price(increment)
        return {"rho": rho, "delta": delta, "epsilon": epsilon}


def drift_and_variance(sums: Sums) -> tuple[float, float]:
    """Return the mean of the walk at most, rounded up, and the variance that goes with it."""
    drift = binary_up(sums["rho"])
    return drift, 2.0 * drift
