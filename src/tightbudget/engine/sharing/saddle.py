"""The saddle point of a question whose neighbour's is known: Newton's method begins there, and needs no table (M9)."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tightbudget.engine.saddle import Cumulants, Saddle, SaddlePoint, Tilt, plain_numbers
from tightbudget.engine.steps import Steps

_PER_OCTAVE = 8.0  # tilts: then one is within a third of a standard deviation of the best, down to a delta of 1e-20
_LOWEST = -1024.0  # octaves: indices count from there
_NEAR, _CLOSE = 1.0, 0.03  # in log theta: how far a neighbour's saddle point may be, and how well it is looked for
_LEAST = 1e-280  # variance, as in `Saddle`
_NEWTON = 6  # corrections: with more it is no neighbour's


class _CumulantsHere(NamedTuple):
    """Cumulants at one tilt, in plain numbers: `Cumulants` is for many."""

    theta: float
    k: float
    mean: float
    variance: float

    @property
    def curvature(self) -> float:
        return self.variance + 1.0 / self.theta**2 + 1.0 / (1.0 + self.theta) ** 2

    @property
    def epsilon(self) -> float:
        return self.mean - 1.0 / self.theta - 1.0 / (1.0 + self.theta)

    @property
    def log_delta(self) -> float:
        exponent = self.k - self.theta * self.epsilon - math.log(self.theta) - math.log1p(self.theta)
        return exponent - 0.5 * math.log(2.0 * math.pi * self.curvature)


class WarmSaddle(Saddle):
    """Saddle points found from those of a neighbour.

    Tilts are powers of 2^(1/8), the same for all compositions.
    """

    def __init__(self, steps: Steps, log_tail_mass: float, starts: dict[str, float], name: str) -> None:
        super().__init__(steps, log_tail_mass)
        self._starts, self._name = starts, name  # log theta of the saddle point found last, by name
        self._tilts: dict[int, Tilt] = {}

    def at_index(self, tilt_index: int) -> Tilt:
        if tilt_index not in self._tilts:
            self._tilts[tilt_index] = self._measure(float(2.0 ** min(tilt_index / _PER_OCTAVE + _LOWEST, 1000.0)))
        return self._tilts[tilt_index]

    @plain_numbers
    def _measure(self, theta: float, more: float = 1.0) -> Tilt:
        there = self._here(theta)
        there = there._replace(variance=more * there.variance)
        return Tilt(theta, math.sqrt(max(there.variance, _LEAST)), math.sqrt(max(there.curvature, _LEAST)))

    def of_more(self, theta: float, more: float) -> Tilt:
        """Return a tilt of `more` times as many steps."""
        return self._measure(theta, more)

    def for_epsilon(self, epsilon: float) -> SaddlePoint:
        found = self._nearby(lambda here: here.theta * (epsilon - here.epsilon))
        if found is None:
            return super().for_epsilon(epsilon)
        tangent = found.log_delta - found.theta * (epsilon - found.epsilon)
        return SaddlePoint(epsilon, tangent, self._index_of(found.theta), found.theta)

    def for_delta(self, log_delta: float) -> SaddlePoint:
        found = self._nearby(lambda here: here.log_delta - log_delta)
        if found is None:
            return super().for_delta(log_delta)
        return SaddlePoint(found.epsilon, found.log_delta, self._index_of(found.theta), found.theta)

    @plain_numbers
    def _nearby(self, missing: Callable[[_CumulantsHere], float]) -> _CumulantsHere | None:
        """Return the tilt where nothing is missing, if it is near the one found last."""
        start = self._starts.get(self._name)
        log_theta = start
        for _ in range(_NEWTON):
            if start is None or log_theta is None or not abs(log_theta - start) < _NEAR:
                return None
            here = self._here(math.exp(log_theta))
            rest = missing(here) if 0.0 < here.variance < math.inf else math.nan
            step = rest / (here.theta**2 * here.curvature)
            if abs(step) < _CLOSE and abs(rest) < 1.0 and math.isfinite(here.epsilon + here.log_delta):
                return here
            log_theta += step
        return None

    def _here(self, theta: float) -> _CumulantsHere:
        k = mean = variance = 0.0
        for loss, log_a, count in zip(self._loss, self._log_a, self._counts.tolist(), strict=True):
            exponent = theta * loss + log_a
            peak = float(exponent.max())
            weight = np.exp(exponent - peak)
            weighted = weight * loss
            total = float(weight.sum())
            first = float(weighted.sum()) / total
            k += count * (math.log(total) + peak) if 0.0 < total < math.inf else math.nan
            mean += count * first
            variance += count * (float(weighted @ loss) / total - first * first)
        return _CumulantsHere(theta, k, mean, variance)

    def _depth_at(self, here: Cumulants) -> float:
        theta = float(here.theta[0])
        return float(self._index_of(theta)) if 0.0 < theta < math.inf else math.nan

    def _index_of(self, theta: float) -> int:
        """Return the index of the nearest tilt, and leave it for the next."""
        self._starts[self._name] = math.log(theta)
        return round(_PER_OCTAVE * (math.log2(theta) - _LOWEST))
