"""Noisy counts that are clamped at 0 themselves: ceil(max(0, noise)), the mean moved by what is to be hidden."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import positive, real
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.numerics.logs import log_fraction
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.normal import log_normal_mass
from tightbudget.numerics.rounding import GENEROUS, U, lowered_by, raised, strictly_raised
from tightbudget.pairs.base import NEGLIGIBLE, REACH, Direction, Pair
from tightbudget.pairs.infinite_mass import NOWHERE, InfiniteMass
from tightbudget.pairs.moments.closed import gaussian_log_moment
from tightbudget.pairs.moments.concentrated import half_square
from tightbudget.pairs.moments.events import Tail, normal_tail
from tightbudget.pairs.points import REMEMBERED, PointPair, point_pair

Array = NDArray[np.float64]

_MOST_COUNTS = 2_000_000
_TINY_NOISE = 1e-100  # noise below this is looked at as if it were none, where that makes no difference
_ROUNDED = 64.0 * U  # of logarithms of 1/2 and 1
_NEVER = 1e4  # times its scale: Laplace noise is as large with probability e^-10000


def finite_setting(name: str, value: object) -> float:
    number = real(name, value, "a finite number")
    if not math.isfinite(number):
        raise InvalidParameter(name, value, "a finite number")
    return number


@dataclass(frozen=True)
class ClampedGaussian(Mechanism):
    """A noisy count that is clamped itself: ceil(max(0, X)), X normal.

    That number is what is released. The bracket is that of ceil(max(0, X))
    against ceil(max(0, X + sensitivity)), where clamping hides. It does not
    hold for a true count to which ceil(max(0, X)) dummies are added, where
    clamping reveals: for that see `tb.studies.vuvuzela` and
    docs/how-to/vuvuzela.md.

    mean         mean of X without the record, any finite number
    sigma        its standard deviation, above 0
    sensitivity  by how much a record moves the mean, 0 or more

    Neighbours: add_remove.

    >>> from tightbudget import ClampedGaussian
    >>> print(ClampedGaussian(300, sigma=40, sensitivity=2).delta(epsilon=0.1))
    [0.0004..., 0.0004...]
    """

    name: ClassVar[str] = "clamped_gaussian"

    mean: float
    sigma: float
    sensitivity: float

    def __post_init__(self) -> None:
        self._check_parameters()
        finite_setting("mean", self.mean)
        positive("sigma", self.sigma)
        positive("sensitivity", self.sensitivity, zero=True)

    @property
    def orders_exchanged(self) -> bool:
        return True

    def pair(self, direction: Direction) -> Pair | None:
        if self.sensitivity == 0:
            return None
        return _clamped_gaussian(float(self.mean), float(self.sigma), float(self.sensitivity), direction)

    # A count is the Gaussian mechanism's output, rounded.

    def known_log_moment(self, pair: Pair, direction: Direction, orders: Array) -> Array:
        return np.minimum(
            pair.log_moment(orders), gaussian_log_moment(_noise_ratio(float(self.sigma), float(self.sensitivity)), orders)
        )

    def known_rho(self, pair: Pair, direction: Direction) -> float:
        return half_square(float(self.sensitivity) / float(self.sigma))

    def known_mu(self) -> float:
        return strictly_raised(float(self.sensitivity) / float(self.sigma), 4)


def _noise_ratio(sigma: float, shift: float) -> float:
    return raised(shift / sigma, 2)


@dataclass(frozen=True)
class ClampedLaplace(Mechanism):
    """A noisy count that is clamped itself: ceil(max(0, X)), X Laplace.

    That number is what is released. The bracket is that of ceil(max(0, X))
    against ceil(max(0, X + sensitivity)), where clamping hides. It does not
    hold for a true count to which ceil(max(0, X)) dummies are added, where
    clamping reveals: for that see `tb.studies.vuvuzela` and
    docs/how-to/vuvuzela.md.

    mean         mean of X without the record, any finite number
    scale        its scale b, above 0
    sensitivity  by how much a record moves the mean, 0 or more

    Neighbours: add_remove.

    >>> from tightbudget import ClampedLaplace
    >>> print(ClampedLaplace(300, scale=20, sensitivity=2).delta(epsilon=0.05))
    [0.0243..., 0.0243...]
    """

    name: ClassVar[str] = "clamped_laplace"

    mean: float
    scale: float
    sensitivity: float

    def __post_init__(self) -> None:
        self._check_parameters()
        finite_setting("mean", self.mean)
        positive("scale", self.scale)
        positive("sensitivity", self.sensitivity, zero=True)

    @property
    def orders_exchanged(self) -> bool:
        return True

    def pair(self, direction: Direction) -> Pair | None:
        if self.sensitivity == 0:
            return None
        return _clamped_laplace(float(self.mean), float(self.scale), float(self.sensitivity), direction)


def _almost_certain(mean: Fraction, scale: float) -> dict[int, Fraction] | None:
    """Return the law of ceil(max(0, mean + noise)) without all but 1e-300 of it, where the noise hardly ever matters.

    None if it does: it reaches the next whole number, which is not _NEVER times the noise away.
    """
    if mean < 0:
        return {0: Fraction(1)} if -mean > _NEVER * Fraction(scale) else None
    above = math.ceil(mean)
    if above == mean:  # whichever side the noise falls on
        return {above: Fraction(1, 2), above + 1: Fraction(1, 2)}
    away = min(mean - math.floor(mean), above - mean)
    return {above: Fraction(1)} if away > _NEVER * Fraction(scale) else None


def _hardly_any_noise(
    name: str, mean: float, scale: float, shift: float, direction: Direction, tail: Tail | None = None
) -> PointPair | None:
    """Return the pair of counts that are almost certain; None if the noise is not that small."""
    if scale > _TINY_NOISE:
        return None
    laws = [_almost_certain(Fraction(mean) + moved, scale) for moved in (Fraction(shift), Fraction(0))]
    if laws[0] is None or laws[1] is None:
        least = f"at least {_TINY_NOISE:g}, or far below the distance to the next whole number"
        raise InvalidParameter("sigma" if name == "clamped_gaussian" else "scale", scale, least)
    a, b = (laws[0], laws[1]) if direction is Direction.REMOVE else (laws[1], laws[0])
    both = sorted(set(a) & set(b))
    log_a, log_b = (np.array([log_fraction(law[count]) for count in both]) for law in (a, b))
    alone = (sum((law[count] for count in law if count not in both), Fraction(0)) for law in (a, b))
    infinity, minus_infinity = (
        InfiniteMass(Mass.about(log_fraction(mass), _ROUNDED), _NEVER - 1.0) if mass else NOWHERE for mass in alone
    )
    return point_pair(
        (name, mean, scale, shift, direction),
        log_a - log_b,
        log_a,
        log_b,
        error=_ROUNDED,
        infinity=infinity,
        minus_infinity=minus_infinity,
        unresolved=NEGLIGIBLE,
        tail=tail,
    )


@REMEMBERED.remember
def _clamped_gaussian(mean: float, sigma: float, shift: float, direction: Direction) -> PointPair:
    # where the list is long, it ends at least 45 sigma beyond both means
    m = _noise_ratio(sigma, shift)
    tail = normal_tail(m, lowered_by(REACH, GENEROUS) + m)
    certain = _hardly_any_noise("clamped_gaussian", mean, sigma, shift, direction, tail)
    if certain is not None:
        return certain
    if abs(mean) + shift + REACH * sigma > 2.0**52:
        raise InvalidParameter("mean", mean, "such that counts stay below 2^52", "Measure counts in larger units.")
    first = max(0, math.floor(mean - REACH * sigma))
    last = max(1, math.ceil(mean + shift + REACH * sigma))
    if last - first > _MOST_COUNTS:
        raise InvalidParameter("sigma", sigma, f"at most {_MOST_COUNTS / (2 * REACH):g}", "Use gaussian for wider noise.")
    # Outcome n > 0 is noise in (n-1, n], outcome 0 is noise <= 0; what lies below `first` goes with it.
    edges = np.arange(first, last + 1, dtype=np.float64)
    width = np.full(edges.size - 1, 1.0 / sigma)
    parts = []
    for moved in (0.0, shift):  # subtracted last, so that a large mean does not swallow it
        z = ((edges - mean) - moved) / sigma
        inner_z = ((edges[:-1] + 0.5 - mean) - moved) / sigma
        inner, error = log_normal_mass(inner_z, width)
        parts.append(
            (
                np.concatenate([[special.log_ndtr(z[0])], inner, [special.log_ndtr(-z[-1])]]),
                np.concatenate(
                    [
                        [16.0 * U * (1.0 + z[0] ** 2)],
                        error + 4.0 * U * np.abs(inner_z) * (np.abs(inner_z) + shift / sigma),
                        [16.0 * U * (1.0 + z[-1] ** 2)],
                    ]
                ),
            )
        )
    (log_a, error_a), (log_b, error_b) = parts
    return _clamped_pair(("clamped_gaussian", mean, sigma, shift), log_a, log_b, error_a + error_b, direction, NEGLIGIBLE, tail)


@REMEMBERED.remember
def _clamped_laplace(mean: float, scale: float, shift: float, direction: Direction) -> PointPair:
    certain = _hardly_any_noise("clamped_laplace", mean, scale, shift, direction)
    if certain is not None:
        return certain
    # Between the two centres the loss changes; to either side of both it is +-shift/scale and all outcomes count as
    # one.
    if abs(mean) + shift > 2.0**52:
        raise InvalidParameter("mean", mean, "such that counts stay below 2^52", "Measure counts in larger units.")
    first, last = max(0, math.floor(mean) - 1), max(1, math.ceil(mean + shift) + 1)
    if last - first > _MOST_COUNTS:
        raise InvalidParameter("sensitivity", shift, f"at most {_MOST_COUNTS}", "Measure counts in larger units.")
    edges = np.arange(first, last + 1, dtype=np.float64)
    low = np.concatenate([[0.0], edges]) if first > 0 else edges
    parts = []
    for moved in (0.0, shift):
        x = ((low - mean) - moved) / scale
        with np.errstate(divide="ignore"):
            parts.append(np.concatenate([[_log_laplace_cdf(x[0])], _log_laplace_mass(x), [_log_laplace_cdf(-x[-1])]]))
    log_a, log_b = parts
    size = float(np.abs(np.concatenate(parts)).max()) + (abs(mean) + shift + float(low[-1])) / scale
    return _clamped_pair(("clamped_laplace", mean, scale, shift), log_a, log_b, 32.0 * U * (1.0 + size), direction)


def _log_laplace_cdf(x: float) -> float:
    return x - math.log(2.0) if x <= 0 else math.log1p(-0.5 * math.exp(-x))


def _log_laplace_mass(x: Array) -> Array:
    """Return log P(x[i] < noise <= x[i+1]) for standard Laplace noise, from pieces that lie on one side of 0."""
    left, right = x[:-1], x[1:]

    def side(near: Array, far: Array) -> Array:  # mass of [near, far] with 0 <= near <= far
        return -math.log(2.0) - near + np.log(-np.expm1(near - far))

    positive_part = side(np.maximum(left, 0.0), np.maximum(right, 0.0))
    negative_part = side(np.maximum(-right, 0.0), np.maximum(-left, 0.0))
    return np.logaddexp(positive_part, negative_part)


def _clamped_pair(
    key: tuple[object, ...],
    log_a: Array,
    log_b: Array,
    error: float | Array,
    direction: Direction,
    unresolved: float = 0.0,
    tail: Tail | None = None,
) -> PointPair:
    """Return the pair (with the record, without) or its mirror; the record moves the mean up."""
    if direction is Direction.REMOVE:
        log_a, log_b = log_b, log_a
    with np.errstate(invalid="ignore"):
        losses = log_a - log_b
    error = np.broadcast_to(error, losses.shape)
    keep = np.isfinite(losses)
    if not keep.all():  # both tails are below 1e-440 there, or the cell is empty
        log_a, log_b, losses, error = log_a[keep], log_b[keep], losses[keep], error[keep]
    return point_pair(
        (*key, direction),
        losses,
        log_a,
        log_b,
        error=error,
        unresolved=unresolved,
        unbounded=unresolved > 0.0 and direction is Direction.REMOVE,  # large counts tell ever more for the larger mean
        loss_error=2.0 * float(error.max()),
        tail=tail,
    )
