"""Line odometer: the walk of losses against one line (M16)."""

import math
from typing import Any, ClassVar

from tightbudget.adaptive.amounts import exact_probability, show
from tightbudget.adaptive.odometers.base import Sums, positive_setting
from tightbudget.adaptive.odometers.boundaries import line_boundary
from tightbudget.adaptive.odometers.concentration import SMALLEST_DELTA
from tightbudget.adaptive.odometers.rho import RhoOdometer, drift_and_variance
from tightbudget.adaptive.states import State
from tightbudget.deprecated import formerly_positional
from tightbudget.errors import InvalidParameter
from tightbudget.numerics.logs import log_reciprocal
from tightbudget.numerics.rounding import float_below


class LineOdometer(RhoOdometer):
    """Tight where the variance is `tight_at`, that is, where the rhos add up to half of it; poor far from there.

    `tb.odometers.variance_at(epsilon, delta)` says which variance goes with an expected epsilon.

    >>> from tightbudget import PureDP
    >>> odometer = LineOdometer(delta=1e-6, tight_at=1)
    >>> print(f"{odometer.spend(PureDP(epsilon=0.1) * 100):.3f}")
    5.754
    """

    kind: ClassVar[str] = "line"

    @formerly_positional("delta_for_steps", "tight_at")
    def __init__(self, delta: Any, *, delta_for_steps: Any = 0, tight_at: Any = 1, mix_relations: bool = False) -> None:
        super().__init__(delta, delta_for_steps=delta_for_steps, mix_relations=mix_relations)
        self._tight_at = positive_setting("tight_at", tight_at)
        self._touch = float_below(self._tight_at)

    def _bound(self, sums: Sums) -> float:
        drift, variance = drift_and_variance(sums)
        return drift + line_boundary(variance, self._level, self._touch)

    def _settings(self) -> State:
        return {**super()._settings(), "tight_at": show(self._tight_at)}


def variance_at(epsilon: float, delta: float) -> float:
    r"""Return the V with $V/2+\sqrt{2V\ln(1/\delta)}=\varepsilon$: where a good bound reaches epsilon, for `tight_at`.

    >>> print(f"{variance_at(epsilon=1, delta=1e-6):.4f}")
    0.0349
    """
    target, probability = float(positive_setting("epsilon", epsilon)), exact_probability("delta", delta)
    if not SMALLEST_DELTA <= probability < 1:
        raise InvalidParameter("delta", delta, "from 1e-300 to below 1", "1e-6 is a usual choice.")
    level = 2.0 * log_reciprocal(probability)
    return (2.0 * target / (math.sqrt(level + 2.0 * target) + math.sqrt(level))) ** 2
