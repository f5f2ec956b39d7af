"""Noise on the integers; losses lie on a lattice, so that their grids have no discretisation error (theory D.2)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.base import Mechanism
from tightbudget.mechanisms.checks import positive, real
from tightbudget.mechanisms.laplace import quotient_up
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import NEGLIGIBLE, REACH, Direction, Pair
from tightbudget.pairs.points import REMEMBERED, PointPair, point_pair
from tightbudget.pairs.revealing import BEYOND, all_but_revealing

_MOST_INTEGERS = 4_000_000
_NO_NOISE = 1e-100  # noise that moves the answer with probability e^-1e90 is all but none


def whole(name: str, value: object) -> int:
    """Check that a sensitivity is a whole number from 0."""
    number = real(name, value, "a whole number from 0")
    if not (number >= 0.0 and math.isfinite(number) and number == math.floor(number)):
        raise InvalidParameter(name, value, "a whole number from 0", "Noise on the integers protects integer queries.")
    return int(number)


@dataclass(frozen=True)
class DiscreteLaplace(Mechanism):
    """Integer noise with probabilities proportional to e^(-|x| / scale), also called geometric."""

    name: ClassVar[str] = "discrete_laplace"

    scale: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("scale", self.scale)
        whole("sensitivity", self.sensitivity)

    def pair(self, direction: Direction) -> Pair | None:
        shift = whole("sensitivity", self.sensitivity)
        if not shift:
            return None
        if self.scale > _NO_NOISE * shift:
            return _discrete_laplace(float(self.scale), shift)
        return all_but_revealing(min(BEYOND, 0.9 * quotient_up(shift, self.scale)))


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


@dataclass(frozen=True)
class DiscreteGaussian(Mechanism):
    """Integer noise with probabilities proportional to e^(-x^2 / (2 sigma^2))."""

    name: ClassVar[str] = "discrete_gaussian"

    sigma: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("sigma", self.sigma)
        whole("sensitivity", self.sensitivity)

    def pair(self, direction: Direction) -> Pair | None:
        shift = whole("sensitivity", self.sensitivity)
        if not shift:
            return None
        if self.sigma > _NO_NOISE * shift:
            return _discrete_gaussian(float(self.sigma), shift)
        return all_but_revealing(min(BEYOND, (0.5 * quotient_up(shift, self.sigma)) * quotient_up(shift, self.sigma) * 0.9))


@REMEMBERED.remember
def _discrete_gaussian(sigma: float, shift: int) -> PointPair:
    reach = math.ceil(REACH * sigma) + 2
    if 2 * reach + shift > _MOST_INTEGERS:
        raise InvalidParameter(
            "sigma",
            sigma,
            f"such that {REACH:g} sigma on both sides and the sensitivity stay below {_MOST_INTEGERS} integers",
            "At this size discrete and continuous noise are the same: use gaussian.",
        )
    x = np.arange(-reach, reach + shift + 1, dtype=np.float64)
    # pmf of B is that of A moved by shift; A is centred at 0
    exponent_a = -0.5 * (x / sigma) ** 2
    exponent_b = -0.5 * ((x - shift) / sigma) ** 2
    central = np.exp(exponent_a[exponent_a > -800.0])
    log_norm = math.log(math.fsum(central.tolist()) if central.size < 100_000 else float(np.sum(central)))
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
    )
