"""Repeated Laplace noise in closed form: sums of positive terms, by the number of losses that are not the largest (M21)."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tightbudget.composition.steps import Steps
from tightbudget.numerics.rounding import U
from tightbudget.pairs.exponential import ExponentialPair

Array = NDArray[np.float64]

_ODD = (1, 3, 5, 7, 9)  # powers of 2 sinh; the rest is below 2e-16 of it for arguments up to _WIDE
_WIDE = 0.15
_MOST_INNER, _MOST_COUNT = 40, 4096
_LOG_NEGLIGIBLE = -50.0  # what more inner losses may weigh; they are charged, so this decides only about the width
_SMALLEST = 1e-200  # below this, denormal numbers could be among the terms


@dataclass(frozen=True)
class LaplaceDirection:
    """A source of readings for `count` Laplace mechanisms whose largest loss is `top`; `inner` losses inside are followed."""

    top: float
    count: int
    inner: int

    def profile(self, cap: int, rung: int, quarter: int, most_points: float) -> "LaplaceDirection":
        return self

    @property
    def points(self) -> float:
        return 1.0

    def delta_upper(self, epsilon: float) -> float:
        """Return a number no smaller than delta(epsilon); 1 where the sum is not used."""
        found = self._sums(epsilon, -1.0)
        if found is None:
            return 1.0
        value, error = found
        return min(1.0, value * (1.0 + error) + self._beyond(epsilon))

    def delta_lower(self, epsilon: float) -> float:
        """Return a number no larger than delta(epsilon): leaving out positive terms is sound."""
        found = self._sums(epsilon, 1.0)
        return 0.0 if found is None else max(0.0, found[0] * (1.0 - found[1]))

    def _sums(self, epsilon: float, side: float) -> tuple[float, float] | None:
        """Return delta at an epsilon a few roundings to the given side, without more inner losses, and its relative error."""
        e, r, most = self.top, self.count, self.inner
        s = 0.5 * (epsilon / e + r)
        s += side * 16.0 * U * (s + r)
        first = math.floor(s)
        if not (epsilon >= 0.0 and first - most >= 0 and first + most + 2 <= r - most):
            return None
        j = np.arange(most + 1.0)
        n = np.arange(first, r, dtype=np.float64)
        base = np.array([math.comb(r - i, first) / 2 ** (r - i) for i in range(most + 1)])[:, None]
        # binomial probabilities beyond s, and the last ones before it
        above = base * np.cumprod(np.maximum(r - j[:, None] - n, 0.0) / (n + 1.0), axis=1)
        down = np.arange(first, first - most + 1, -1.0)
        ones = np.ones((most + 1, 1))
        below = base * np.concatenate([ones, np.cumprod(down / (r - j[:, None] - down + 1.0), axis=1)], axis=1)
        growth = np.expm1(e * ((0.5 * j[:, None] + (n + 1.0)) - s))
        whole = (growth + growth / (1.0 + growth)) * (_mean_growth(e) ** j)[:, None]
        total = float(self._weights @ ((above * whole).sum(axis=1) + (below * self._cut(s - first)).sum(axis=1)))
        value = total * math.exp(0.5 * (epsilon - r * e))
        if not _SMALLEST < value < math.inf:
            return None
        roundings = 400.0 + 20.0 * (most + _ODD[-1] + 2) + 4.0 * (r - first + most) + 16.0 * most + 8.0 * (epsilon + r * e)
        return value, 4.0 * U * roundings

    @cached_property
    def _weights(self) -> Array:
        """C(r, j) (e/2)^j."""
        j = np.arange(float(self.inner))
        return np.concatenate([[1.0], np.cumprod((self.count - j) / (j + 1.0) * (0.5 * self.top))])

    def _cut(self, f: float) -> Array:
        """Return E 2 sinh(e (V_j - f - i))_+ for j = 0, 1, ... and i = 0, 1, ...: V_j is a sum of j uniform numbers."""
        e, most = self.top, self.inner
        size = most + _ODD[-1] + 2
        i = np.arange(float(size))
        # values of B-splines of all orders at f + i
        splines = np.zeros((size, size))
        splines[1, 0] = 1.0
        for p in range(1, size - 1):
            splines[p + 1] = (f + i) * splines[p]
            splines[p + 1, 1:] += ((p + 1.0 - i[1:]) - f) * splines[p, :-1]
            splines[p + 1] = np.maximum(splines[p + 1], 0.0) / p
        found = np.zeros((most + 1, most))
        tails = splines
        for power in range(_ODD[-1] + 1):
            # sums over all later places: each integrates once more
            later = np.zeros_like(tails)
            later[:, :-1] = np.cumsum(tails[:, :0:-1], axis=1)[:, ::-1]
            tails = later
            if power in _ODD:
                found += 2.0 * e**power * tails[power + 1 : power + most + 2, :most]
        found[0] = 0.0
        return found

    def _beyond(self, epsilon: float) -> float:
        """Return a bound on what compositions with more inner losses give: E e^{(L - epsilon) / 2}, times a few constants."""
        e, r, j = self.top, self.count, self.inner + 1
        inside, point = 0.5 * e * _mean_growth(e) * math.exp(0.5 * e), 0.5 * (1.0 + math.exp(e))
        ratio = (r - j) / (j + 1.0) * inside / point
        term = math.comb(r, j) * inside**j * point ** (r - j)
        # e^{(epsilon - r e)/2} e^{-e s} = e^{-r e}
        return term / (1.0 - ratio) * math.exp(-r * e) * (1.0 + 1e-9) if ratio < 0.5 else 1.0


def _mean_growth(e: float) -> float:
    """Return sinh(e/2) / (e/2), the mean of e^{e (V - 1/2)}."""
    return (math.expm1(0.5 * e) - math.expm1(-0.5 * e)) / e


def laplace_direction(steps: Steps) -> LaplaceDirection | None:
    """Return the closed form of the composition, if it is Laplace noise, repeated, with few losses that are not the largest."""
    if len(steps.items) != 1:
        return None
    pair, count = steps.items[0]
    if not isinstance(pair, ExponentialPair) or not 2 <= count <= _MOST_COUNT or pair.infinity.possible:
        return None
    half = math.log(0.5)
    if not (pair.reach == pair.top > 0.0 and pair.log_weight == pair.log_point == half):
        return None
    mean = 0.5 * pair.top * count
    inner, log_term = 0, 0.0
    while log_term > _LOG_NEGLIGIBLE and inner <= _MOST_INNER:
        inner += 1
        log_term = inner * math.log(mean) - math.lgamma(inner + 1.0)
    if inner > min(_MOST_INNER, count) or inner * pair.top > _WIDE:
        return None
    return LaplaceDirection(pair.top, count, inner)
