"""Odometers of one sum: every step is rho-zCDP, which makes the loss a walk with drift rho and variance 2 rho (M16)."""

import math
from abc import abstractmethod
from typing import Any, ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import exact_probability, show
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.log_reciprocal import log_reciprocal, up
from tightbudget.adaptive.odometers.base import SMALLEST_DELTA, ConcentrationOdometer, Sums, positive
from tightbudget.adaptive.odometers.boundaries import line, one_sided_mixture, stitched
from tightbudget.adaptive.odometers.mixture import MixingOdometer
from tightbudget.adaptive.states import State
from tightbudget.errors import InvalidParameter
from tightbudget.numerics.rounding import float_below


class RhoOdometer(ConcentrationOdometer):
    """Drift and variance are the sum of the rhos, and twice it.

    A pure step has rho = epsilon tanh(epsilon/2), so its variance is below the epsilon^2 of the published forms. The
    parameter of a boundary may be any positive number, so its conversion to a float may round either way.
    """

    sums: ClassVar[tuple[str, ...]] = ("rho", "delta", "epsilon")
    two_sided: ClassVar[bool] = False

    @abstractmethod
    def _boundary(self, variance: float) -> float:
        """Return what the walk exceeds with probability delta at most, at any time, rounded up."""

    def _price(self, increment: Increment) -> Sums:
        return prices.zcdp(increment)

    def _concentrated(self, sums: Sums) -> float:
        drift = up(sums[0])
        return drift + self._boundary(2.0 * drift)


class LineOdometer(RhoOdometer):
    """Tight where the variance is `tight_at`, that is, where the rhos add up to half of it; poor far from there.

    `tb.odometers.variance_at(epsilon, delta)` says which variance goes with an expected epsilon.

    >>> from tightbudget import PureDP
    >>> odometer = LineOdometer(delta=1e-6, tight_at=1)
    >>> print(f"{odometer.spend(PureDP(epsilon=0.1) * 100):.3f}")
    5.754
    """

    kind: ClassVar[str] = "line"

    def __init__(self, delta: Any, delta_for_steps: Any = 0, tight_at: Any = 1, *, mix_relations: bool = False) -> None:
        super().__init__(delta, delta_for_steps, mix_relations=mix_relations)
        self._tight_at = positive("tight_at", tight_at)
        self._touch = float_below(self._tight_at)

    def _boundary(self, variance: float) -> float:
        return line(variance, self._level, self._touch)

    def _settings(self) -> State:
        return {**super()._settings(), "tight_at": show(self._tight_at)}


class OneSidedMixtureOdometer(MixingOdometer, RhoOdometer):
    """Good over a wide range round the variance `tight_at`; `gamma` may be given instead.

    >>> from tightbudget import PureDP
    >>> odometer = OneSidedMixtureOdometer(delta=1e-6, tight_at=1)
    >>> print(f"{odometer.spend(PureDP(epsilon=0.1) * 100):.3f}")
    6.035
    """

    kind: ClassVar[str] = "one_sided_mixture"

    def _boundary(self, variance: float) -> float:
        return one_sided_mixture(variance, self._level, self._rate)


class StitchedOdometer(RhoOdometer):
    """Never far off, from the variance `start` to any length: it grows like the root of V log log V.

    >>> from tightbudget import PureDP
    >>> odometer = StitchedOdometer(delta=1e-6)
    >>> print(f"{odometer.spend(PureDP(epsilon=0.1) * 100):.3f}")
    6.553
    """

    kind: ClassVar[str] = "stitched"

    def __init__(self, delta: Any, delta_for_steps: Any = 0, start: Any = 0.01, *, mix_relations: bool = False) -> None:
        super().__init__(delta, delta_for_steps, mix_relations=mix_relations)
        self._start = positive("start", start)
        self._from = float_below(self._start)

    def _boundary(self, variance: float) -> float:
        return stitched(variance, self._level, self._from)

    def _settings(self) -> State:
        return {**super()._settings(), "start": show(self._start)}


def variance_at(epsilon: float, delta: float) -> float:
    r"""Return the V with $V/2+\sqrt{2V\ln(1/\delta)}=\varepsilon$: where a good bound reaches epsilon, for `tight_at`.

    >>> print(f"{variance_at(epsilon=1, delta=1e-6):.4f}")
    0.0349
    """
    target, probability = float(positive("epsilon", epsilon)), exact_probability("delta", delta)
    if not SMALLEST_DELTA <= probability < 1:
        raise InvalidParameter("delta", delta, "from 1e-300 to below 1", "1e-6 is a usual choice.")
    level = 2.0 * log_reciprocal(probability)
    return (2.0 * target / (math.sqrt(level + 2.0 * target) + math.sqrt(level))) ** 2
