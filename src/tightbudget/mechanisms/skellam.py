"""Skellam noise, the difference of two Poisson numbers, with masses from ratios of Bessel functions (M22)."""

import math
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.base import Mechanism
from tightbudget.mechanisms.checks import positive
from tightbudget.mechanisms.discrete import whole_sensitivity
from tightbudget.mechanisms.shifted import shifted_less
from tightbudget.numerics.rounding import GENEROUS, U, lowered_by, raised_by
from tightbudget.pairs.base import NEGLIGIBLE, Array, Direction, Pair
from tightbudget.pairs.moments.concentrated import steepest_until
from tightbudget.pairs.moments.events import Tail
from tightbudget.pairs.points import REMEMBERED, PointPair, point_pair

_MOST_INTEGERS = 1_000_000
_LEAST_MU = 1e-200
_BITS = 192  # of ratios, behind the point
_SUM_BITS = 120  # of sums of their logarithms: floats from 2^-60 on have no digit beyond
_LOG_TAIL = 725.0  # what is left out has probability e^-725 at most, well below 1e-300
_TANGENTS = np.concatenate([[0.0], np.geomspace(1e-6, 1e3, 400)])  # where the loss is bounded by a line
_FAR = 3.0  # times mu / sensitivity: at higher orders a bound on D_a / a falls


@dataclass(frozen=True)
class Skellam(Mechanism):
    """Integer noise: the difference of two Poisson numbers of mean mu / 2.

    mu           variance of the noise, above 0
    sensitivity  how far a record can move the query, a whole number from 0;
                 usually 1

    Neighbours: add_remove. The masses are e^-mu I_|x|(mu) (M22).

    >>> from tightbudget import Skellam
    >>> print((Skellam(mu=100) * 100).epsilon(delta=1e-6))
    [4.8837..., 4.8857...]
    """

    name: ClassVar[str] = "skellam"
    reveal_more: ClassVar[tuple[str, ...]] = ("sensitivity",)
    hide_more: ClassVar[tuple[str, ...]] = ("mu",)

    mu: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("mu", self.mu, "It is the variance of the noise.")
        whole_sensitivity("sensitivity", self.sensitivity)
        if self.mu < _LEAST_MU:
            raise InvalidParameter("mu", self.mu, f"at least {_LEAST_MU:g}", "The noise is none.")

    def pair(self, direction: Direction) -> Pair | None:
        shift = whole_sensitivity("sensitivity", self.sensitivity)
        return _skellam(float(self.mu), shift) if shift else None  # the noise is symmetric: both directions have the same

    def known_to_dominate(self, step: Mechanism) -> bool:
        return shifted_less(self, step)

    def known_log_moment(self, pair: Pair, direction: Direction, orders: Array) -> Array:
        return np.minimum(pair.log_moment(orders), _log_moment(float(self.mu), int(self.sensitivity), orders - 1.0))

    def known_rho(self, pair: Pair, direction: Direction) -> float:
        mu, shift = float(self.mu), float(self.sensitivity)
        last = max(1.0, _FAR * mu / shift)
        s = last * shift / mu
        beyond = ((math.log(2.0 * s) - 1.0) / s + (0.5 * math.e + shift / mu) / s / s) * shift * (shift / mu)
        return steepest_until(lambda orders: self.log_moment(direction, orders), last, raised_by(beyond, GENEROUS))


@REMEMBERED.remember
def _skellam(mu: float, shift: int) -> PointPair:
    reach = _reach(mu)
    if 2 * reach + shift > _MOST_INTEGERS:
        name, value = ("mu", mu) if 2 * reach > _MOST_INTEGERS else ("sensitivity", shift)
        least = f"such that the noise and the sensitivity stay within {_MOST_INTEGERS} integers"
        raise InvalidParameter(name, value, least, "Measure the query in larger units.")
    # sums[k] = log f(0) / f(k), as whole numbers: differences of them are exact
    sums = [0, *accumulate(int(rise) for rise in np.ldexp(_log_ratios(mu, reach + shift), _SUM_BITS).tolist())]
    fall = np.array([total / (1 << _SUM_BITS) for total in sums])
    masses = np.exp(-fall)
    norm = 2.0 * math.fsum(masses[1:].tolist()) + 1.0
    log_norm = math.log(norm)
    mean = 2.0 * float(masses @ fall) / norm  # by as many roundings are masses off, and their sum
    # A is centred at 0, B at shift
    x = np.arange(-reach, reach + shift + 1)
    at_a, at_b = np.abs(x), np.abs(x - shift)
    losses = np.array([(sums[b] - sums[a]) / (1 << _SUM_BITS) for a, b in zip(at_a.tolist(), at_b.tolist(), strict=True)])
    return point_pair(
        ("skellam", mu, shift),
        losses,
        -fall[at_a] - log_norm,
        -fall[at_b] - log_norm,
        error=U * (32.0 + 16.0 * (np.maximum(fall[at_a], fall[at_b]) + mean) + 4.0 * log_norm),
        unresolved=NEGLIGIBLE,
        unbounded=True,
        loss_error=16.0 * U * float(np.abs(losses).max()),
        tail=_tail(mu, shift, reach),
    )


def _reach(mu: float) -> int:
    """Return R with P(noise > R) <= e^-725, by Chernoff's bound at its best slope."""
    low, high = 0, 1
    while _log_chernoff(mu, high) > -_LOG_TAIL:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _log_chernoff(mu, middle) > -_LOG_TAIL else (low, middle)
    return high


def _log_chernoff(mu: float, reach: float) -> float:
    """Return mu (cosh t - 1) - t R at sinh t = R / mu, which bounds log P(noise >= R)."""
    return reach / (math.hypot(mu, reach) + mu) * reach - reach * math.asinh(reach / mu)


def _log_ratios(mu: float, count: int) -> Array:
    """Return log f(k) / f(k+1) for k = 0 ... count - 1, count at least the reach; each is good to 8 roundings.

    The ratio y_k is I_k(mu) / I_{k+1}(mu) = 2 (k+1) / mu + 1 / y_{k+1}. In whole numbers of 2^-192, from far enough
    out, the recurrence has no error that a float would show.
    """
    above, below = mu.as_integer_ratio()
    one = 1 << _BITS
    square, step = one * one, 2 * below * one
    start = count + count // 4 + 2
    y = (start + 1) * step // above + one  # 1 / y_{start+1} is at most 1
    found = []
    for k in range(start - 1, -1, -1):
        y = (k + 1) * step // above + square // y
        if k < count:
            found.append((y - one) / one)
    logs: Array = np.log1p(np.array(found[::-1]))
    return logs


@np.errstate(over="ignore")
def _log_moment(mu: float, shift: int, thetas: Array) -> Array:
    """Return log(1 + e^h), h = theta shift (c + (shift + 1) / (2 mu w)) + mu (cosh(theta shift / (mu w)) - 1).

    asinh(z) <= c + z / w is the tangent at z0, w = sqrt(1 + z0^2). Every z0 gives a bound, and
    z0 = sinh(theta shift / (mu w)) the best.
    """
    w = np.hypot(1.0, _TANGENTS)
    z0 = np.interp(thetas * (shift / mu), w * np.arcsinh(_TANGENTS), _TANGENTS)
    h = _exponent(mu, shift, thetas, z0) + 2.0 * mu * np.sinh(0.5 * thetas * (shift / mu) / np.hypot(1.0, z0)) ** 2
    bound: Array = raised_by(np.logaddexp(0.0, h), GENEROUS)
    return bound


def _exponent(mu: float, shift: int, thetas: Array, z0: Array | float) -> Array:
    """Return theta times what a tangent says of the loss at x = 0."""
    w = np.hypot(1.0, z0)
    exponent: Array = thetas * shift * (np.arcsinh(z0) - z0 / w + 0.5 * (shift + 1.0) / mu / w)
    return exponent


def _tail(mu: float, shift: int, reach: int) -> Tail:
    """Return the noise below -R: e^{theta L} is at most an exponential there, by the tangent at its edge (M22)."""
    edge = reach / mu
    slope = math.asinh(edge)

    @np.errstate(over="ignore", invalid="ignore")
    def log_moment(orders: Array) -> Array:
        thetas = orders - 1.0
        s = thetas * (shift / mu) / math.hypot(1.0, edge)
        t = np.maximum(s, slope)
        parts = _exponent(mu, shift, thetas, edge), s * reach, 2.0 * mu * np.sinh(0.5 * t) ** 2, t * reach
        result: Array = parts[0] + parts[1] + parts[2] - parts[3] + GENEROUS * (parts[0] + parts[1] + parts[2] + parts[3])
        return np.where(np.isnan(result), np.inf, result)

    return Tail(lowered_by(shift * slope, GENEROUS), log_moment)
