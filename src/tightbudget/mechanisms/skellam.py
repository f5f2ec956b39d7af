"""Skellam noise, the difference of two Poisson numbers, with masses from ratios of Bessel functions (M22)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import positive
from tightbudget.mechanisms.discrete import whole_sensitivity
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.noise import AdditiveNoise
from tightbudget.mechanisms.relations import ADD_REMOVE
from tightbudget.mechanisms.shifted import shifted_less
from tightbudget.numerics.rounding import GENEROUS, U, lowered_by, raised_by
from tightbudget.pairs.base import NEGLIGIBLE, Array, Direction, Pair
from tightbudget.pairs.moments.concentrated import steepest_until
from tightbudget.pairs.moments.events import Tail
from tightbudget.pairs.points import REMEMBERED, PointPair, point_pair
from tightbudget.pairs.replaced_points import ShiftedNoise, replaced_points

_MOST_INTEGERS = 1_000_000
_LEAST_MU = 1e-200
_BITS = 192  # of ratios, behind the point
_SUM_BITS = 120  # of sums of their logarithms: floats from 2^-60 on have no digit beyond
_LOG_TAIL = 725.0  # what is left out has probability e^-725 at most, well below 1e-300
_TANGENTS = np.concatenate([[0.0], np.geomspace(1e-6, 1e3, 400)])  # where the loss is bounded by a line
_FAR = 3.0  # times mu / sensitivity: at higher orders a bound on D_a / a falls


@dataclass(frozen=True)
class Skellam(AdditiveNoise):
    """Integer noise: the difference of two Poisson numbers of mean mu / 2.

    mu           variance of the noise, above 0
    sensitivity  how far a record can move the query, a whole number from 0;
                 usually 1
    relation     the relation that the sensitivity is for: add_remove,
                 replace_one or zero_out; usually add_remove

    Neighbours: add_remove, unless another relation is stated. The masses are
    e^-mu I_|x|(mu) (M22).

    >>> from tightbudget import Skellam
    >>> print((Skellam(mu=100) * 100).epsilon(delta=1e-6))
    [4.8837..., 4.8857...]
    """

    name: ClassVar[str] = "skellam"
    reveal_more: ClassVar[tuple[str, ...]] = ("sensitivity",)
    hide_more: ClassVar[tuple[str, ...]] = ("mu",)
    often_called: ClassVar[Mapping[str, str]] = {"variance": "mu"}

    mu: float
    sensitivity: int = 1
    relation: str = field(default=ADD_REMOVE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("mu", self.mu, "It is the variance of the noise.")
        whole_sensitivity("sensitivity", self.sensitivity)
        if self.mu < _LEAST_MU:
            raise InvalidParameter("mu", self.mu, f"at least {_LEAST_MU:g}", "The noise is none.")

    def pair(self, direction: Direction) -> Pair | None:
        shift = whole_sensitivity("sensitivity", self.sensitivity)
        return _skellam(float(self.mu), shift) if shift else None  # the noise is symmetric: both directions have the same

    @property
    def replaced_in_samples(self) -> bool:
        return True

    def sampled_replacement(self, q: float) -> Pair | None:
        shift = whole_sensitivity("sensitivity", self.sensitivity)
        return _replaced_skellam(float(self.mu), shift, q) if shift else None

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
    reach = _listed_reach(mu, shift)
    noise = _skellam_noise(mu, reach + shift)
    # A is centred at 0, B at shift
    x = np.arange(-reach, reach + shift + 1)
    at_a, at_b = np.abs(x), np.abs(x - shift)
    losses = noise.log_ratio(at_a, at_b)
    return point_pair(
        ("skellam", mu, shift),
        losses,
        -noise.fall[at_a] - noise.log_norm,
        -noise.fall[at_b] - noise.log_norm,
        error=noise.error(np.maximum(noise.fall[at_a], noise.fall[at_b])),
        unresolved=NEGLIGIBLE,
        unbounded=True,
        loss_error=16.0 * U * float(np.abs(losses).max()),
        tail=_skellam_tail(mu, shift, reach),
    )


@REMEMBERED.remember
def _replaced_skellam(mu: float, shift: int, q: float) -> PointPair:
    reach = _listed_reach(mu, 2 * shift)
    noise = _skellam_noise(mu, reach + 2 * shift)
    x = np.arange(-reach - shift, reach + shift + 1)
    at = np.abs(x)
    down, up = noise.log_ratio(np.abs(x + shift), at), noise.log_ratio(np.abs(x - shift), at)
    moved = ShiftedNoise(
        -noise.fall[at] - noise.log_norm,
        noise.error(noise.fall[at]),
        down,
        up,
        16.0 * U * np.maximum(np.abs(down), np.abs(up)),
    )
    return replaced_points(("skellam", mu, shift), moved, q, _skellam_tail(mu, 2 * shift, reach))


class _SkellamNoise(NamedTuple):
    """Skellam noise at 0, 1, 2, ...

    sums      log f(0) / f(k) as whole numbers: differences of them are exact
    fall      the same as floats
    log_norm  -log f(0)
    mean      of `fall` over the noise: by as many roundings are masses off, and their sum
    """

    sums: list[int]
    fall: Array
    log_norm: float
    mean: float

    def log_ratio(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
        """Return log f(first) / f(second)."""
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        return np.array([(self.sums[b] - self.sums[a]) / (1 << _SUM_BITS) for a, b in pairs])

    def error(self, fall: Array) -> Array:
        """Bound on the error of the logarithm of masses that lie this far below f(0)."""
        return U * (32.0 + 16.0 * (fall + self.mean) + 4.0 * self.log_norm)


def _skellam_noise(mu: float, count: int) -> _SkellamNoise:
    sums = [0, *accumulate(int(rise) for rise in np.ldexp(_log_ratios(mu, count), _SUM_BITS).tolist())]
    fall = np.array([total / (1 << _SUM_BITS) for total in sums])
    masses = np.exp(-fall)
    norm = 2.0 * math.fsum(masses[1:].tolist()) + 1.0
    return _SkellamNoise(sums, fall, math.log(norm), 2.0 * float(masses @ fall) / norm)


def _listed_reach(mu: float, shift: int) -> int:
    reach = _skellam_reach(mu)
    if 2 * reach + shift > _MOST_INTEGERS:
        name, value = ("mu", mu) if 2 * reach > _MOST_INTEGERS else ("sensitivity", shift)
        least = f"such that the noise and the sensitivity stay within {_MOST_INTEGERS} integers"
        raise InvalidParameter(name, value, least, "Measure the query in larger units.")
    return reach


def _skellam_reach(mu: float) -> int:
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
    h = _skellam_exponent(mu, shift, thetas, z0) + 2.0 * mu * np.sinh(0.5 * thetas * (shift / mu) / np.hypot(1.0, z0)) ** 2
    bound: Array = raised_by(np.logaddexp(0.0, h), GENEROUS)
    return bound


def _skellam_exponent(mu: float, shift: int, thetas: Array, z0: Array | float) -> Array:
    """Return theta times what a tangent says of the loss at x = 0."""
    w = np.hypot(1.0, z0)
    exponent: Array = thetas * shift * (np.arcsinh(z0) - z0 / w + 0.5 * (shift + 1.0) / mu / w)
    return exponent


def _skellam_tail(mu: float, shift: int, reach: int) -> Tail:
    """Return the noise below -R: e^{theta L} is at most an exponential there, by the tangent at its edge (M22)."""
    edge = reach / mu
    slope = math.asinh(edge)

    @np.errstate(over="ignore", invalid="ignore")
    def log_moment(orders: Array) -> Array:
        thetas = orders - 1.0
        s = thetas * (shift / mu) / math.hypot(1.0, edge)
        t = np.maximum(s, slope)
        parts = _skellam_exponent(mu, shift, thetas, edge), s * reach, 2.0 * mu * np.sinh(0.5 * t) ** 2, t * reach
        result: Array = parts[0] + parts[1] + parts[2] - parts[3] + GENEROUS * (parts[0] + parts[1] + parts[2] + parts[3])
        return np.where(np.isnan(result), np.inf, result)

    return Tail(lowered_by(shift * slope, GENEROUS), log_moment)
