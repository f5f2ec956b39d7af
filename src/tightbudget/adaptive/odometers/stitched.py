"""Stitched odometer: the walk of losses against a line for each doubling of its variance (M16)."""

from typing import Any, ClassVar

from tightbudget.adaptive.amounts import show
from tightbudget.adaptive.odometers.base import Sums, positive_setting
from tightbudget.adaptive.odometers.boundaries import stitched_boundary
from tightbudget.adaptive.odometers.rho import RhoOdometer, drift_and_variance
from tightbudget.adaptive.states import State
from tightbudget.deprecated import formerly_positional
from tightbudget.numerics.rounding import float_below


class StitchedOdometer(RhoOdometer):
    """Never far off, from the variance `start` to any length: it grows like the root of V log log V.

    >>> from tightbudget import PureDP
    >>> odometer = StitchedOdometer(delta=1e-6)
    >>> print(f"{odometer.spend(PureDP(epsilon=0.1) * 100):.3f}")
    6.553
    """

    kind: ClassVar[str] = "stitched"

    @formerly_positional("delta_for_steps", "start")
    def __init__(self, delta: Any, *, delta_for_steps: Any = 0, start: Any = 0.01, mix_relations: bool = False) -> None:
        super().__init__(delta, delta_for_steps=delta_for_steps, mix_relations=mix_relations)
        self._start = positive_setting("start", start)
        self._from = float_below(self._start)

    def _bound(self, sums: Sums) -> float:
        drift, variance = drift_and_variance(sums)
        return drift + stitched_boundary(variance, self._level, self._from)

    def _settings(self) -> State:
        return {**super()._settings(), "start": show(self._start)}
