"""Noise on the integers; losses lie on a lattice, so that their grids have no discretisation error (theory D.2)."""

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from tightbudget.engine.reasons import TOO_MANY_SHIFTS
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import positive, real
from tightbudget.mechanisms.integer_vectors import IntegerVectors, OneShift, length_of_vectors, whole_dimension
from tightbudget.mechanisms.laplace import quotient_up
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.noise import AdditiveNoise
from tightbudget.mechanisms.relations import ADD_REMOVE
from tightbudget.mechanisms.renyi_promises import MomentPromise
from tightbudget.mechanisms.shifted import shifted_less
from tightbudget.numerics.rounding import GENEROUS, U, lowered, lowered_by, strictly_raised
from tightbudget.pairs.base import NEGLIGIBLE, REACH, Array, Direction, Pair
from tightbudget.pairs.moments.closed import gaussian_log_moment
from tightbudget.pairs.moments.concentrated import half_square
from tightbudget.pairs.moments.events import Tail
from tightbudget.pairs.points import REMEMBERED, PointPair, point_pair
from tightbudget.pairs.replaced_points import ShiftedNoise, replaced_points
from tightbudget.pairs.revealing import BEYOND, all_but_revealing, all_but_revealing_sample

_MOST_INTEGERS = 4_000_000
_NO_NOISE = 1e-100  # noise that moves the answer with probability e^-1e90 is all but none


def whole_sensitivity(name: str, value: object) -> int:
    """Check that a sensitivity is a whole number from 0."""
    number = real(name, value, "a whole number, 0 or more")
    if not (number >= 0.0 and math.isfinite(number) and number == math.floor(number)):
        raise InvalidParameter(name, value, "a whole number, 0 or more", "Noise on the integers protects integer queries.")
    return int(number)


@dataclass(frozen=True)
class DiscreteLaplace(AdditiveNoise):
    """Integer noise, probabilities proportional to e^(-|x| / scale): geometric.

    scale        above 0
    sensitivity  how far a record can move the query, a whole number from 0;
                 usually 1
    relation     the relation that the sensitivity is for: add_remove,
                 replace_one or zero_out; usually add_remove

    Neighbours: add_remove, unless another relation is stated.

    >>> from tightbudget import DiscreteLaplace
    >>> print((DiscreteLaplace(scale=10) * 100).epsilon(delta=1e-6))
    [4.774..., 4.774...]
    """

    name: ClassVar[str] = "discrete_laplace"
    reveal_more: ClassVar[tuple[str, ...]] = ("sensitivity",)
    hide_more: ClassVar[tuple[str, ...]] = ("scale",)

    scale: float
    sensitivity: int = 1
    relation: str = field(default=ADD_REMOVE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("scale", self.scale)
        whole_sensitivity("sensitivity", self.sensitivity)

    def pair(self, direction: Direction) -> Pair | None:
        shift = whole_sensitivity("sensitivity", self.sensitivity)
        if not shift:
            return None
        if self.scale > _NO_NOISE * shift:
            return _discrete_laplace(float(self.scale), shift)
        return all_but_revealing(self._least_loss)

    @property
    def replaced_in_samples(self) -> bool:
        return True

    def sampled_replacement(self, q: float) -> Pair | None:
        shift = whole_sensitivity("sensitivity", self.sensitivity)
        if not shift:
            return None
        if self.scale > _NO_NOISE * shift:
            return _replaced_laplace(float(self.scale), shift, q)
        return all_but_revealing_sample(self._least_loss, q)

    @property
    def _least_loss(self) -> float:
        return min(BEYOND, 0.9 * quotient_up(self.sensitivity, self.scale))

    def known_to_dominate(self, step: Mechanism) -> bool:
        return shifted_less(self, step)


@REMEMBERED.remember
def _discrete_laplace(scale: float, shift: int) -> PointPair:
    if shift > _MOST_INTEGERS:
        raise InvalidParameter("sensitivity", shift, f"at most {_MOST_INTEGERS}", "Divide the query by a whole number.")
    # A is centred at 0, B at shift: x <= 0 has loss shift/scale, 0 < x < shift has (shift - 2x)/scale, x >= shift the
    # rest.
    x = np.arange(shift + 1, dtype=np.float64)
    losses = (shift - 2.0 * x) / scale
    rare = -math.expm1(-1.0 / scale)  # 1 - a with a = e^(-1/scale)
    log_norm = math.log1p(math.exp(-1.0 / scale))
    log_a = math.log(rare) - x / scale - log_norm
    log_a[0] = -log_norm  # the whole tail x <= 0
    log_a[-1] = -shift / scale - log_norm
    log_b = log_a[::-1].copy()
    top = quotient_up(shift, scale)
    size = float(np.abs(log_a).max()) + 1.0 / scale + abs(math.log(rare))
    return point_pair(
        ("discrete_laplace", scale, shift),
        losses,
        log_a,
        log_b,
        error=16.0 * U * (1.0 + size),
        period=2.0 / scale,
        top=(math.nextafter(top, 0.0), top),
    )


@REMEMBERED.remember
def _replaced_laplace(scale: float, shift: int, q: float) -> PointPair:
    if shift > _MOST_INTEGERS // 2:
        raise InvalidParameter("sensitivity", shift, f"at most {_MOST_INTEGERS // 2}", "Divide the query by a whole number.")
    # all x <= -shift have the same loss, and so have all x >= shift: the first and the last point are whole tails
    x = np.arange(-shift, shift + 1, dtype=np.float64)
    rare = -math.expm1(-1.0 / scale)
    log_norm = math.log1p(math.exp(-1.0 / scale))
    log_mass = math.log(rare) - np.abs(x) / scale - log_norm
    log_mass[[0, -1]] = -shift / scale - log_norm
    down, up = (np.abs(x) - np.abs(x + shift)) / scale, (np.abs(x) - np.abs(x - shift)) / scale
    size = np.abs(log_mass) + 1.0 / scale + abs(math.log(rare))
    ratio_error = 4.0 * U * np.maximum(np.abs(down), np.abs(up))
    noise = ShiftedNoise(log_mass, 16.0 * U * (1.0 + size), down, up, ratio_error)
    return replaced_points(("discrete_laplace", scale, shift), noise, q)


@dataclass(frozen=True)
class DiscreteGaussian(AdditiveNoise):
    """Integer noise, probabilities proportional to e^(-x^2 / (2 sigma^2)).

    sigma        above 0; about the standard deviation
    sensitivity  how far a record can move the query, a whole number from 0;
                 of vectors the Euclidean distance, any number from 1;
                 usually 1
    dimension    how many integers the query answers with, each with noise of
                 its own; usually 1
    relation     the relation that the sensitivity is for: add_remove,
                 replace_one or zero_out; usually add_remove

    Neighbours: add_remove, unless another relation is stated. No single shift
    of a vector is the worst: the upper end is for all of them, the lower end
    for one. Where they are too many, above a sensitivity of 7 or so, the upper
    end is that of the zCDP that all of them have (M38).

    >>> from tightbudget import DiscreteGaussian
    >>> print((DiscreteGaussian(sigma=10) * 100).epsilon(delta=1e-6))
    [4.8864..., 4.8865...]
    """

    name: ClassVar[str] = "discrete_gaussian"
    reveal_more: ClassVar[tuple[str, ...]] = ("sensitivity",)

    sigma: float
    sensitivity: float = field(default=1, metadata={"whole": "of single integers it must be"})
    dimension: int = 1
    relation: str = field(default=ADD_REMOVE, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("sigma", self.sigma)
        if whole_dimension(self.dimension) > 1:
            length_of_vectors(self.sensitivity)
        else:
            whole_sensitivity("sensitivity", self.sensitivity)

    def pair(self, direction: Direction) -> Pair | None:
        if self._vectors is not None:
            return self._vectors.pair(direction)
        shift = whole_sensitivity("sensitivity", self.sensitivity)
        if not shift:
            return None
        if self.sigma > _NO_NOISE * shift:
            return _discrete_gaussian(float(self.sigma), shift)
        return all_but_revealing(self._least_loss)

    @property
    def _vectors(self) -> IntegerVectors | None:
        """What is known where answers are vectors; None of single integers."""
        if self.dimension == 1:
            return None
        return IntegerVectors(float(self.sigma), float(self.sensitivity), int(self.dimension))

    @property
    def orders_exchanged(self) -> bool:
        return self._vectors is None or self._vectors.is_one  # of several shifts each direction has the worst

    @property
    def attains_pair(self) -> bool:  # type: ignore[override]
        # the pair of several shifts is rounded up, also where one of them tells most
        return self.members() == (self,) and self.moment_promise is None

    def member(self) -> Mechanism:
        return self.members()[0]

    def members(self) -> tuple[Mechanism, ...]:
        vectors = self._vectors
        if vectors is None or vectors.is_one or not vectors.square:
            return (self,)
        return tuple(
            replace(self, sensitivity=shift[0], dimension=1)
            if len(shift) == 1
            else OneShift(vectors.sigma, shift, self.relation)
            for shift in vectors.telling
        )

    @property
    def moment_promise(self) -> MomentPromise | None:
        return None if self._vectors is None else self._vectors.promised

    @property
    def class_reason(self) -> str:
        return super().class_reason if self.moment_promise is None else TOO_MANY_SHIFTS

    @property
    def replaced_in_samples(self) -> bool:
        return self.dimension == 1

    def sampled_replacement(self, q: float) -> Pair | None:
        shift = whole_sensitivity("sensitivity", self.sensitivity)
        if not shift:
            return None
        if self.sigma > _NO_NOISE * shift:
            return _replaced_gaussian(float(self.sigma), shift, q)
        return all_but_revealing_sample(self._least_loss, q)

    @property
    def _least_loss(self) -> float:
        ratio = quotient_up(self.sensitivity, self.sigma)
        return min(BEYOND, (0.5 * ratio) * ratio * 0.9)

    def log_moment(self, direction: Direction, orders: Array) -> Array:
        if self._vectors is None or not self._vectors.square:
            return super().log_moment(direction, orders)
        with np.errstate(over="ignore"):
            return strictly_raised(orders * (orders - 1.0) * self._vectors.rho, 8)

    def known_log_moment(self, pair: Pair, direction: Direction, orders: Array) -> Array:
        return discrete_gaussian_log_moment(float(self.sigma), int(self.sensitivity), orders)

    def zcdp_rho(self, direction: Direction) -> float:
        return super().zcdp_rho(direction) if self._vectors is None else self._vectors.rho

    def known_rho(self, pair: Pair, direction: Direction) -> float:
        return half_square(float(self.sensitivity) / float(self.sigma))

    def known_to_dominate(self, step: Mechanism) -> bool:
        return shifted_less(self, step)


@REMEMBERED.remember
def _discrete_gaussian(sigma: float, shift: int) -> PointPair:
    reach = _gaussian_reach(sigma, shift)
    x = np.arange(-reach, reach + shift + 1, dtype=np.float64)
    # pmf of B is that of A moved by shift; A is centred at 0
    exponent_a = -0.5 * (x / sigma) ** 2
    exponent_b = -0.5 * ((x - shift) / sigma) ** 2
    log_norm = _log_gaussian_norm(exponent_a)
    losses = shift * (shift - 2.0 * x) / (2.0 * sigma * sigma)
    return point_pair(
        ("discrete_gaussian", sigma, shift),
        losses,
        exponent_a - log_norm,
        exponent_b - log_norm,
        error=4.0 * U * (8.0 + np.abs(exponent_a) + np.abs(exponent_b) + abs(log_norm)),
        unresolved=NEGLIGIBLE,
        unbounded=True,
        period=shift / (sigma * sigma),
        tail=_gaussian_tail(sigma, shift),
    )


@REMEMBERED.remember
def _replaced_gaussian(sigma: float, shift: int, q: float) -> PointPair:
    end = _gaussian_reach(sigma, 2 * shift) + shift
    x = np.arange(-end, end + 1, dtype=np.float64)
    exponent = -0.5 * (x / sigma) ** 2
    log_norm = _log_gaussian_norm(exponent)
    # log f(x + shift) / f(x), and the same for -shift
    down, up = (-shift * (shift + 2.0 * x) / (2.0 * sigma * sigma), -shift * (shift - 2.0 * x) / (2.0 * sigma * sigma))
    noise = ShiftedNoise(
        exponent - log_norm,
        4.0 * U * (8.0 + np.abs(exponent) + abs(log_norm)),
        down,
        up,
        8.0 * U * np.maximum(np.abs(down), np.abs(up)),
    )
    return replaced_points(("discrete_gaussian", sigma, shift), noise, q, _gaussian_tail(sigma, 2 * shift))


def _gaussian_reach(sigma: float, shift: int) -> int:
    """Return how far out the noise is listed; what lies beyond has less than 1e-300 of it."""
    if not 2.0 * (REACH * sigma + 3.0) + shift <= _MOST_INTEGERS:  # which may be more than any float
        raise InvalidParameter(
            "sigma",
            sigma,
            f"such that {REACH:g} sigma on both sides and the sensitivity stay below {_MOST_INTEGERS} integers",
            "At this size discrete and continuous noise are the same: use gaussian.",
        )
    return math.ceil(REACH * sigma) + 2


def _log_gaussian_norm(exponent: Array) -> float:
    central = np.exp(exponent[exponent > -800.0])
    return math.log(math.fsum(central.tolist()) if central.size < 100_000 else float(np.sum(central)))


def discrete_gaussian_log_moment(sigma: float, shift: int, orders: Array) -> Array:
    """D_a (a-1) = a(a-1) m^2 / 2 + log S(a shift) / S(0), S(c) = sum_x e^{-(x-c)^2 / 2 sigma^2} <= S(0)."""
    bound = gaussian_log_moment(shift / sigma, orders)
    if sigma > 4.0:  # the sums differ by less than e^{-2 pi^2 sigma^2} < 1e-137, of themselves
        return bound
    c = np.mod((orders - 1.0) * shift, 1.0)
    reach = math.ceil(40.0 * sigma) + 2
    x = np.arange(-reach, reach + 1.0)
    exponent = -0.5 * ((x[None, :] - c[:, None]) / sigma) ** 2
    peak = exponent.max(axis=1)
    log_moved = peak + np.log(np.exp(exponent - peak[:, None]).sum(axis=1))
    log_still = math.log(float(np.exp(-0.5 * (x / sigma) ** 2).sum()))
    # c is off by 2u a shift, which moves the logarithm by at most that over sigma^2; exponents are rounded at their
    # size
    error_bound = 64.0 * U * (1.0 + orders * shift / (sigma * sigma) + np.abs(peak))
    exact: Array = np.minimum(bound, bound + log_moved - log_still + error_bound)
    return np.maximum(exact, 0.0)


def _gaussian_tail(sigma: float, shift: int) -> Tail:
    """Return x < -R: e^{a(a-1)m^2/2} sum_{y > R} e^{-(y - (a-1)shift)^2 / 2 sigma^2} over a norm of at least 1."""
    m, end = shift / sigma, math.ceil(REACH * sigma) + 2

    def log_moment(orders: Array) -> Array:
        gap = (end - (orders - 1.0) * shift) / sigma
        # terms fall: the first and the integral; or, where they do not yet, the sum over all, at most that of the norm
        far = -lowered(0.5 * gap * gap, 16) + math.log1p(sigma * math.sqrt(0.5 * math.pi)) + GENEROUS
        return gaussian_log_moment(m, orders) + np.where(gap > 0.0, np.minimum(far, 0.0), 0.0)

    return Tail(lowered_by(m * (end / sigma), GENEROUS), log_moment)
