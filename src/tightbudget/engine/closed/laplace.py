"""Repeated Laplace noise in closed form: sums of positive terms, by the number of losses that are the largest (M21)."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.steps import Steps
from tightbudget.numerics.rounding import GENEROUS, U, raised_by

Array = NDArray[np.float64]

_MOST_COUNT, _MOST_SIZE = 4096, 50  # steps, and rows of the tables; beyond, other routes answer
_LOG_NEGLIGIBLE = -29.0  # what more inner losses may weigh; they are charged, so this decides only about the width
_REST = 1e-13  # the same for more powers of sinh
_SMALLEST = 1e-200  # below this, denormal numbers could be among the terms
_FAINTEST, _LARGEST = 1e-100, 1.0  # largest losses of one step
_STEEPEST = 0.999999  # of the largest loss: beyond this a Chernoff bound is not made steeper
_SLOWEST = 0.5  # ratio of a geometric series that is summed
_GUESSES = 20  # corrections of a guess, at most: a poor one costs time, never a bound
_CLOSE = 1e-7  # of delta: one step more is as close as rounding lets us come
_NEAR_TOP = 0.5  # of the probability that all losses are the largest


class _LaplaceTable(NamedTuple):
    """All that depends on the whole number below s alone."""

    first: int
    base: float  # the probability of that many largest losses
    above: Array  # those of more, relative to it
    spare: Array  # what the other losses lack of the largest, in the mean
    below: Array  # weights of B-splines, relative to the base


class LaplaceDirection:
    """Bounds on delta of `count` Laplace mechanisms whose largest loss is `top`; `inner` losses inside are followed."""

    route = "closed form"

    def __init__(self, top: float, count: int, inner: int) -> None:
        self.top, self.count, self.inner = top, count, inner
        self.last, self._rest = _laplace_sinh_power(top * inner)
        self.size = inner + self.last + 1
        self._table: _LaplaceTable | None = None  # the one used last

    def delta(self, epsilon: float) -> tuple[float, float] | None:
        """Return bounds on delta(epsilon), if the sum can be used there."""
        lower, upper = self.delta_lower(epsilon), self.delta_upper(epsilon)
        return (lower, upper) if lower > 0.0 and upper < 1.0 else None

    def delta_upper(self, epsilon: float) -> float:
        """Return a number no smaller than delta(epsilon); 1 where the sum is not used."""
        value = self._sum(epsilon, -1.0)
        return 1.0 if value is None else min(1.0, value * (1.0 + self._error) + self._beyond(epsilon))

    def delta_lower(self, epsilon: float) -> float:
        """Return a number no larger than delta(epsilon): leaving out positive terms is sound."""
        value = self._sum(epsilon, 1.0)
        return 0.0 if value is None else value * (1.0 - self._error)

    @property
    def _error(self) -> float:
        """The relative error of sums, from rounding and from powers of sinh that are left out."""
        tables = 6.0 * self.size + 10.0 * self.inner + 3.0 * self.last + 0.5 * self.size * (self.size + 1.0)
        return 2.0 * U * (100.0 + tables + 3.0 * self.count + 5.0 * self.count * self.top) + self._rest

    def _sum(self, epsilon: float, side: float) -> float | None:
        """Return delta at an epsilon a few roundings to the given side, without more inner losses."""
        e, r = self.top, self.count
        s = 0.5 * (epsilon / e + r)
        s += side * 16.0 * U * (s + r)
        if not (epsilon >= 0.0 and s < r):
            return None
        table = self._at(s)
        first = table.first
        whole = -float(table.above @ np.expm1(2.0 * e * (s - np.arange(first + 1.0, r + 1.0)) - table.spare))
        cut = float(table.below @ np.array(_laplace_b_splines(s - first, self.size)))
        value = table.base * (whole + math.exp(-e * (r - s)) * cut)
        return value if value > _SMALLEST < table.base else None

    def _at(self, s: float) -> _LaplaceTable:
        table, first = self._table, math.floor(s)
        if table is None or table.first != first:
            table = self._table = self._tabulate(first)
        return table

    def _tabulate(self, first: int) -> _LaplaceTable:
        e, r, most = self.top, self.count, self.inner
        base = math.comb(r, first) / 2**r
        n = np.arange(first, r, dtype=np.float64)
        above = np.cumprod((r - n) / (n + 1.0), dtype=np.float64)
        spare = (r - 1.0 - n) * -math.log1p(-(math.expm1(-e) ** 2))
        i = np.arange(float(most))
        fewer = np.cumprod(np.concatenate([[1.0], np.maximum(first - i, 0.0) / (r - first + i + 1.0)])[:most])
        # C(m, j) e^j for m = r - first + i losses that are not the largest, j = 1, 2, ... down, i across
        inside = np.cumprod(np.maximum(r - first + i - i[:, None], 0.0) * (e / (i[:, None] + 1.0)), axis=0)
        weights = inside * fewer
        below = np.zeros((self.size, self.size))
        for q, paths in _laplace_path_counts(most, self.last):
            below[q + 1 : q + most + 1] += weights @ (2.0 * e**q * paths)
        return _LaplaceTable(first, base, above, spare, below[_laplace_triangle(self.size)])

    def _beyond(self, epsilon: float) -> float:
        """Return a bound on what compositions with more inner losses give, by Chernoff's at about the saddle point."""
        e, r, j = self.top, self.count, self.inner + 1
        if j > r:
            return 0.0
        z = max(0.5 * e, math.atanh(min(epsilon / (r * e), _STEEPEST)))
        theta = z / e - 0.5
        ratio = (r - j) / (j + 1.0) * 0.5 * e * math.tanh(z) / z
        if ratio > _SLOWEST:
            return 1.0
        log_ways = math.lgamma(r + 1.0) - math.lgamma(j + 1.0) - math.lgamma(r - j + 1.0)
        log_term = log_ways + j * math.log(0.5 * e * math.sinh(z) / z) + (r - j) * math.log(math.cosh(z))
        log_moment = log_term - 0.5 * r * e - theta * epsilon
        # the terms of the exponent are some 1e5 at most, and good to 1e-10 together
        return math.exp(log_moment) / ((1.0 + theta) * (1.0 - ratio)) * (1.0 + 1e-6) if log_moment < 0.0 else 1.0

    def guess(self, delta: float) -> tuple[float, float] | None:
        """Return about the epsilon at which the sum is delta, and how steeply its log falls there; None if not used."""
        epsilon, slope = self._rough_guess(delta)
        low, high = -1.0, self.count * self.top
        seen = (math.inf, 0.0)
        for _ in range(_GUESSES):
            value = self._sum(epsilon, 0.0)
            if value is None:
                return None
            gap = math.log(value) - math.log(delta)
            secant = (gap - seen[1]) / (seen[0] - epsilon)
            slope = secant if secant > 0.0 else slope
            if abs(gap) < _CLOSE or (epsilon == 0.0 and gap < 0.0):
                return max(0.0, epsilon + gap / slope), slope
            low, high = (epsilon, high) if gap > 0.0 else (low, epsilon)
            seen, epsilon = (epsilon, gap), max(0.0, epsilon + gap / slope)
            if not low < epsilon < high:
                epsilon = 0.5 * (max(low, 0.0) + high)
            if epsilon == seen[0]:
                return None
        return epsilon, slope

    def _rough_guess(self, delta: float) -> tuple[float, float]:
        e, r = self.top, self.count
        share = math.ldexp(delta, r) if r < 1024 else math.inf
        if share < min(_NEAR_TOP, r * e):  # so near the end that only compositions of largest losses count
            return max(0.0, r * e + math.log1p(-share)), 1.0 / share
        return self._saddle_point(math.log(delta))

    def _saddle_point(self, wanted: float) -> tuple[float, float]:
        e, r = self.top, self.count
        theta, epsilon = math.sqrt((1.0 - 2.0 * wanted) / r) / e, 0.0
        for _ in range(_GUESSES):
            z = (theta + 0.5) * e
            sinh, cosh = math.sinh(z), math.cosh(z)
            mean = sinh / z
            slope = (cosh - mean) / z
            moment = cosh + 0.5 * e * mean
            first = (sinh + 0.5 * e * slope) / moment
            second = (cosh + 0.5 * e * (mean - 2.0 * slope / z)) / moment - first * first
            epsilon = r * e * first - 1.0 / theta - 1.0 / (1.0 + theta)
            spread = r * e * e * second + theta**-2.0 + (1.0 + theta) ** -2.0
            log_delta = r * (math.log(moment) - 0.5 * e) - theta * epsilon
            log_delta -= math.log(theta * (1.0 + theta) * math.sqrt(2.0 * math.pi * spread))
            change = (log_delta - wanted) / (theta * spread)
            theta = min(max(0.3 * theta, theta + change), 3.0 * theta, 20.0 / e)
            if abs(change) < 1e-6 * theta:
                break
        return max(0.0, epsilon), theta


def _laplace_sinh_power(widest: float) -> tuple[int, float]:
    """Return the last power of sinh to take for arguments up to `widest`, and what the rest is of the first at most."""
    last, rest = 1, widest**2 / 6.0
    while rest * math.cosh(widest) > _REST and last < _MOST_SIZE:
        last += 2
        rest *= widest**2 / ((last + 1.0) * (last + 2.0))
    return last, raised_by(rest * math.cosh(widest), GENEROUS)


@lru_cache(maxsize=16)
def _laplace_path_counts(most: int, last: int) -> list[tuple[int, Array]]:
    """Return how often a sum over all later places, taken q + 1 times, counts place k beyond place i, for odd q."""
    size = most + last + 1
    counts = [(q, [[math.comb(max(k - i - 1, 0), q) for k in range(size)] for i in range(most)]) for q in range(1, last + 1, 2)]
    return [(q, np.array(rows, dtype=np.float64).reshape(most, size)) for q, rows in counts]


@lru_cache(maxsize=16)
def _laplace_triangle(size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.tril_indices(size)


def _laplace_b_splines(f: float, size: int) -> list[float]:
    """Return B-splines of orders 1 to size, each at f, f + 1, ... as far as it goes. For f in [0, 1)."""
    up, down = [f + i for i in range(size)], [(1.0 - f) + i for i in range(size)]
    row = [1.0]
    found = [1.0]
    for p in range(1, size):
        pairs = zip(up, [*row, 0.0], down[p::-1], [0.0, *row], strict=False)
        row = [(x * a + y * b) / p for x, a, y, b in pairs]
        found += row
    return found


def laplace_direction(steps: Steps) -> LaplaceDirection | None:
    """Return the closed form, if the composition is repeated Laplace noise with few losses that are not the largest."""
    if len(steps.items) != 1:
        return None
    pair, count = steps.items[0]
    top = pair.laplace_loss
    if top is None or not (2 <= count <= _MOST_COUNT and _FAINTEST <= top <= _LARGEST):
        return None
    mean = 0.5 * top * count
    inner = 1
    while inner < min(count, _MOST_SIZE) and inner * math.log(mean) - math.lgamma(inner + 1.0) > _LOG_NEGLIGIBLE:
        inner += 1
    found = LaplaceDirection(top, count, inner)
    return found if found.size <= _MOST_SIZE else None
