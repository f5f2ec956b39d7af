"""The saddle point of a question whose neighbour's is known: Newton's method begins there, and needs no table (M9)."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.saddle import Cumulants, Saddle, SaddlePoint, Tilt, plain_numbers
from tightbudget.engine.steps import Steps

Array = NDArray[np.float64]
Missing = Callable[[Cumulants], Array]

_PER_OCTAVE = 8.0  # tilts: then one is within a third of a standard deviation of the best, down to a delta of 1e-20
_LOWEST = -1024.0  # octaves: indices count from there
_NEAR = 1.0  # in log theta: a saddle point farther away is looked for as if nothing were known


class WarmSaddle(Saddle):
    """Saddle points found from those of a neighbour.

    Tilts are powers of 2^(1/8), the same for all compositions, so that neighbours have lists of masses in common.
    """

    def __init__(self, steps: Steps, log_tail_mass: float, starts: dict[str, float], name: str) -> None:
        super().__init__(steps, log_tail_mass)
        self._starts, self._name = starts, name  # log theta of the saddle point found last, by name
        self._tilts: dict[int, Tilt] = {}

    def at_index(self, tilt_index: int) -> Tilt:
        return self._tilts[tilt_index] if tilt_index in self._tilts else self._measure(tilt_index)

    @plain_numbers
    def _measure(self, tilt_index: int) -> Tilt:
        octaves = min(tilt_index / _PER_OCTAVE + _LOWEST, 1000.0)
        return _tilt(2.0**octaves, self._cumulants(np.array([2.0**octaves])))

    @plain_numbers
    def for_epsilon(self, epsilon: float) -> SaddlePoint:
        found = self._nearby(lambda here: here.theta * (epsilon - here.epsilon), epsilon)
        return super().for_epsilon(epsilon) if found is None else found

    @plain_numbers
    def for_delta(self, log_delta: float) -> SaddlePoint:
        found = self._nearby(lambda here: here.log_delta - log_delta, None)
        return super().for_delta(log_delta) if found is None else found

    def _nearby(self, missing: Missing, epsilon: float | None) -> SaddlePoint | None:
        """Return the saddle point if it is near the one found last."""
        start = self._starts.get(self._name)
        if start is None:
            return None
        here = self._newton(start, missing, start - _NEAR, start + _NEAR)
        rest = float(missing(here)[0])
        return self._point(here, epsilon, self._depth_at(here)) if abs(rest) < 1.0 else None

    def _depth_at(self, here: Cumulants) -> float:
        theta = float(here.theta[0])
        if not 0.0 < theta < math.inf:
            return math.nan
        self._starts[self._name] = math.log(theta)
        depth = _PER_OCTAVE * (math.log2(theta) - _LOWEST)
        index = round(depth)
        self._tilts[index] = _tilt(2.0 ** (index / _PER_OCTAVE + _LOWEST), here)
        return depth


def _tilt(theta: float, near: Cumulants) -> Tilt:
    """Return the tilt, with the spread that the loss has at one nearby."""
    return Tilt(theta, math.sqrt(float(near.variance[0])), math.sqrt(float(near.curvature[0])))
