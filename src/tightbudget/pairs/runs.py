"""How often a mechanism is run before its best answer is released: laws of a random number K (M39).

With f the generating function of K and F the distribution of the score of one run, that of the best score is f(F). A
law says what is needed of f: the largest slope, how much slopes at two places may differ, and differences of f.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from tightbudget.numerics.rounding import AMPLE, U, float_above, lowered_by, raised, raised_by, strictly_raised
from tightbudget.pairs.base import Array
from tightbudget.pairs.profile_grid import MOST_LOSS, Profile

_LEAST_LOSS = 1e-18
_LIKE_X = 1e-17  # log(1 + x) is x but for half of this, relatively
_TRIED, _ROUNDS = 256, 7  # losses that are tried at once, and how often between two of those before


class Runs(Protocol):
    """The law of the number of runs."""

    @property
    def mean(self) -> float:
        """The mean, rounded up: the largest slope of the generating function, at 1."""

    @property
    def some(self) -> float:
        """The probability of at least one run, rounded up."""

    @property
    def log_none(self) -> float:
        """The logarithm of the probability of no run; -inf if there is always one."""

    def slopes_apart(self, profile: Profile, reverse: Profile) -> float:
        """Return c such that slopes of f at F_A and F_B differ by a factor of at most e^c, wherever that is.

        `profile` bounds H_g(A||B), `reverse` H_g(B||A); inf if there is no such c.
        """

    def log_gain(self, mass: Array, above: Array) -> Array:
        """Return log(f(1 - above) - f(1 - above - mass)): how likely the best score lies in an event."""

    def error(self, relative: Array) -> Array:
        """Return a bound on the error of `log_gain` if masses and sums of them are good to these relative errors."""


@dataclass(frozen=True)
class NegativeBinomial:
    """At least one run: f(z) = ((1-(1-gamma)z)^-eta - 1) / (gamma^-eta - 1), with odds (1-gamma)/gamma."""

    odds: float  # rounded up
    eta: float

    @property
    def _rate(self) -> float:
        return math.log1p(self.odds)  # log 1/gamma

    @property
    def mean(self) -> float:
        x = self.eta * self._rate
        mean = self.odds / self._rate * math.exp(-float(_log_growth(np.array([-x]))[0]))
        return max(1.0, raised_by(raised(mean, 64.0 + 16.0 * math.ceil(abs(x))), AMPLE))

    @property
    def some(self) -> float:
        return 1.0

    @property
    def log_none(self) -> float:
        return -math.inf

    def slopes_apart(self, profile: Profile, reverse: Profile) -> float:
        # 1-(1-gamma)F = gamma (1 + odds (1-F)), and 1-F_B <= e^x (1-F_A) + H(B||A)
        return raised((self.eta + 1.0) * _least_loss(reverse, self.odds), 4)

    def log_gain(self, mass: Array, above: Array) -> Array:
        ratio = np.log1p(self.odds * mass / (1.0 + self.odds * above))
        log_ratio = _log_of_log1p(ratio, math.log(self.odds) + np.log(mass) - np.log1p(self.odds * above))
        powers = self.eta * (self._rate - np.log1p(self.odds * (above + mass)))
        whole = math.log(self._rate) + float(_log_growth(np.array([self.eta * self._rate]))[0])
        gain: Array = powers + log_ratio + _log_growth(self.eta * ratio) - whole
        return gain

    def error(self, relative: Array) -> Array:
        share = 4.0 + 4.0 * abs(self.eta) * (1.0 + self._rate)
        return share * (relative + 32.0 * U) + 64.0 * U * (1.0 + abs(self.eta)) * (1.0 + self._rate)


@dataclass(frozen=True)
class PoissonRuns:
    """A Poisson number of runs: f(z) = e^(m(z-1))."""

    rate: float

    @property
    def mean(self) -> float:
        return self.rate

    @property
    def some(self) -> float:
        return min(1.0, raised(-math.expm1(-self.rate), 8))

    @property
    def log_none(self) -> float:
        return -self.rate

    def slopes_apart(self, profile: Profile, reverse: Profile) -> float:
        # the ratio of the slopes is e^{m (F_A - F_B)}
        zero = np.zeros(1)
        return strictly_raised(self.rate * min(float(profile(zero)[0]), float(reverse(zero)[0])), 4)

    def log_gain(self, mass: Array, above: Array) -> Array:
        # the product of the two may be denormal, or 0
        gain: Array = math.log(self.rate) + np.log(mass) + _log_growth(self.rate * mass) - self.rate * (above + mass)
        return gain

    def error(self, relative: Array) -> Array:
        return (2.0 + 4.0 * self.rate) * (relative + 16.0 * U) + 32.0 * U


@dataclass(frozen=True)
class BinomialRuns:
    """As many runs as of n trials succeed: f(z) = (1-p+pz)^n with 0 < p < 1."""

    trials: int
    p: float

    @property
    def mean(self) -> float:
        return float_above(self.trials * Fraction(self.p))

    @property
    def some(self) -> float:
        return min(1.0, raised_by(-math.expm1(self.log_none), AMPLE))

    @property
    def log_none(self) -> float:
        return self.trials * math.log1p(-self.p)

    @property
    def _odds(self) -> float:
        return float_above(Fraction(self.p) / (1 - Fraction(self.p)))

    def slopes_apart(self, profile: Profile, reverse: Profile) -> float:
        # the ratio of the slopes is ((1-p+p F_A) / (1-p+p F_B))^(n-1), and F_A <= e^x F_B + H(A||B)
        return 0.0 if self.trials == 1 else raised((self.trials - 1) * _least_loss(profile, self._odds), 4)

    def log_gain(self, mass: Array, above: Array) -> Array:
        from_here = self.p * np.minimum(above + mass, 1.0)
        ratio = np.log1p(self.p * mass / (1.0 - from_here))
        log_ratio = _log_of_log1p(ratio, math.log(self.p) + np.log(mass) - np.log1p(-from_here))
        powers = self.trials * np.log1p(-from_here) + math.log(self.trials)
        gain: Array = powers + log_ratio + _log_growth(self.trials * ratio)
        return gain

    def error(self, relative: Array) -> Array:
        share = 2.0 + (4.0 + 4.0 * self._odds) * (1.0 - self.log_none) + 4.0 * self.trials * self._odds
        return share * (relative + 32.0 * U)


def _log_of_log1p(value: Array, log_x: Array) -> Array:
    """Return log log(1 + x) of a value log(1 + x), and of log x where the value is so small that it is x.

    Products of small masses and small probabilities may be denormal, and have no digits then, or 0.
    """
    some = value > _LIKE_X
    result: Array = np.where(some, np.log(np.where(some, value, 1.0)), log_x)
    return result


def _log_growth(x: Array) -> Array:
    """Return log((e^x - 1) / x), 0 at 0."""
    size = np.maximum(np.abs(x), 1e-300)
    growth: Array = np.maximum(x, 0.0) + np.log(-np.expm1(-size) / size)
    return growth


def _least_loss(profile: Profile, odds: float) -> float:
    """Return a small x with odds H_{e^x} <= e^x - 1; inf if none is found. Any x that passes the test is sound."""
    if not float(profile(np.zeros(1))[0]) > 0.0:
        return 0.0
    low, high = 0.0, math.inf
    for step in range(_ROUNDS):
        losses = np.linspace(low, high, _TRIED)[1:] if step else np.geomspace(_LEAST_LOSS, MOST_LOSS, _TRIED)
        passed = np.flatnonzero(strictly_raised(odds * profile(losses), 4) <= lowered_by(np.expm1(losses), AMPLE))
        if not passed.size:
            break
        first = int(passed[0])
        low, high = float(losses[first - 1]) if first else low, float(losses[first])
    return high
