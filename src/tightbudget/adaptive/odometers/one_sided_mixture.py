"""One-sided mixture odometer: the walk of losses against a mixture of rising lines (M16)."""

from typing import ClassVar

from tightbudget.adaptive.odometers.base import Sums
from tightbudget.adaptive.odometers.boundaries import one_sided_mixture_boundary
from tightbudget.adaptive.odometers.mixing import MixingOdometer
from tightbudget.adaptive.odometers.rho import RhoOdometer, drift_and_variance


class OneSidedMixtureOdometer(MixingOdometer, RhoOdometer):
    """Good over a wide range round the variance `tight_at`; `gamma` may be given instead.

    >>> from tightbudget import PureDP
    >>> odometer = OneSidedMixtureOdometer(delta=1e-6, tight_at=1)
    >>> print(f"{odometer.spend(PureDP(epsilon=0.1) * 100):.3f}")
    6.035
    """

    kind: ClassVar[str] = "one_sided_mixture"

    def _bound(self, sums: Sums) -> float:
        drift, variance = drift_and_variance(sums)
        return drift + one_sided_mixture_boundary(variance, self._level, self._rate)
