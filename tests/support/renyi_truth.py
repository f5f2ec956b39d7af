"""Rényi divergences from densities and probabilities, with 50 digits and nothing of the package's own arithmetic."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import mpmath
from mpmath import mpf

from tightbudget import (
    ClampedGaussian,
    ClampedLaplace,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    GaussianDP,
    Histograms,
    Laplace,
    Mechanism,
    Poisson,
    PureDP,
    RandomizedResponse,
)
from tightbudget.pairs.base import Direction

DIGITS = 50


@dataclass(frozen=True)
class Atoms:
    """Probabilities of the same events under A and B."""

    masses: list[tuple[mpf, mpf]]

    def map(self, change: Callable[[mpf, mpf], tuple[mpf, mpf]]) -> "Atoms":
        return Atoms([change(a, b) for a, b in self.masses])

    def moment(self, order: mpf) -> mpf:
        return mpmath.fsum(a * (a / b) ** (order - 1) for a, b in self.masses if a > 0)


@dataclass(frozen=True)
class Densities:
    """Densities under A and B at x, and points between which they are smooth."""

    at: Callable[[mpf], tuple[mpf, mpf]]
    places: list[mpf]

    def map(self, change: Callable[[mpf, mpf], tuple[mpf, mpf]]) -> "Densities":
        return Densities(lambda x: change(*self.at(x)), self.places)

    def integrand(self, x: mpf, order: mpf) -> mpf:
        a, b = self.at(x)
        return a * (a / b) ** (order - 1)

    def moment(self, order: mpf) -> mpf:
        return mpmath.fsum(mpmath.quad(lambda x: self.integrand(x, order), ends) for ends in pairwise(self.places))


@dataclass(frozen=True)
class Smooth(Densities):
    """Densities analytic about the whole line, given at equal distances: the trapezium rule converges geometrically."""

    def map(self, change: Callable[[mpf, mpf], tuple[mpf, mpf]]) -> "Smooth":
        return Smooth(lambda x: change(*self.at(x)), self.places)

    def moment(self, order: mpf) -> mpf:
        step = self.places[1] - self.places[0]
        return step * mpmath.fsum(self.integrand(x, order) for x in self.places)


def renyi_truth(mechanism: Mechanism, direction: Direction, order: float) -> mpf:
    """Return D_a(A || B) of one mechanism."""
    with mpmath.workdps(DIGITS):
        a = mpf(order)
        return mpmath.log(law(mechanism, direction, order).moment(a)) / (a - 1)


def law(mechanism: Mechanism, direction: Direction, order: float) -> Atoms | Densities:
    """Return both laws, as far out as their moment of this order needs."""
    if isinstance(mechanism, Poisson):
        q = mpf(mechanism.q)
        base = law(mechanism.mechanism, direction, order)
        if direction is Direction.REMOVE:
            return base.map(lambda a, b: (q * a + (1 - q) * b, b))
        return base.map(lambda a, b: (a, (1 - q) * a + q * b))
    both = _laws(mechanism, order)
    return both if direction is Direction.REMOVE else both.map(lambda a, b: (b, a))


def _laws(mechanism: Mechanism, order: float) -> Atoms | Densities:
    """Return the laws (with the record, without)."""
    match mechanism:
        case Gaussian():
            return _normal(mpf(mechanism.sensitivity) / mpf(mechanism.sigma), order)
        case GaussianDP():
            return _normal(mpf(mechanism.mu), order)
        case Laplace():
            e = mpf(mechanism.sensitivity) / mpf(mechanism.scale)
            return Densities(
                lambda x: (mpmath.exp(-abs(x)) / 2, mpmath.exp(-abs(x - e)) / 2),
                [mpf(-60), mpf(-8), mpf(0), e, e + 8, e + 60],
            )
        case PureDP():
            e = mpf(mechanism.promised_epsilon)
            rare, likely = 1 / (1 + mpmath.exp(e)), 1 / (1 + mpmath.exp(-e))
            return Atoms([(likely, rare), (rare, likely)])
        case RandomizedResponse():
            truth, k = mpf(mechanism.p), int(mechanism.k)
            lie = (1 - truth) / (k - 1)
            return Atoms([(truth, lie), (lie, truth), ((k - 2) * lie, (k - 2) * lie)])
        case Histograms():
            first, second = mpmath.fsum(map(mpf, mechanism.a)), mpmath.fsum(map(mpf, mechanism.b))
            return Atoms([(mpf(a) / first, mpf(b) / second) for a, b in zip(mechanism.a, mechanism.b, strict=True) if a or b])
        case DiscreteLaplace():
            return _integers(
                lambda x: mpmath.exp(-abs(x) / mpf(mechanism.scale)), int(mechanism.sensitivity), 100 * mechanism.scale
            )
        case DiscreteGaussian():
            reach = 16 * mechanism.sigma + order * int(mechanism.sensitivity)
            return _integers(lambda x: mpmath.exp(-((x / mpf(mechanism.sigma)) ** 2) / 2), int(mechanism.sensitivity), reach)
        case ClampedGaussian():
            reach = 16 * mechanism.sigma + order * mechanism.sensitivity
            return _counts(lambda x: mpmath.ncdf(x / mpf(mechanism.sigma)), mechanism, reach)
        case ClampedLaplace():
            return _counts(lambda x: _laplace_cdf(x / mpf(mechanism.scale)), mechanism, 90 * mechanism.scale)
    raise NotImplementedError(str(mechanism))


def _normal(m: mpf, order: float) -> Smooth:
    """The nearest poles, where a mixture is 0, are pi/m from the line: the rule is off by about e^(-2 pi^2 / (m
    step)).
    """
    step = mpf(1) / max(8, int(8 * m))
    count = int((order * m + 16) / step)  # to either side: where the moment has its mass depends on the direction
    return Smooth(lambda z: (mpmath.npdf(z, m), mpmath.npdf(z)), [k * step for k in range(-count, count + 1)])


def _integers(weight: Callable[[mpf], mpf], shift: int, reach: float) -> Atoms:
    far = int(reach) + shift + 2
    norm = mpmath.fsum(weight(mpf(x)) for x in range(-far - shift, far + shift + 1))
    return Atoms([(weight(mpf(x)) / norm, weight(mpf(x - shift)) / norm) for x in range(-far, far + 1)])


def _counts(cdf: Callable[[mpf], mpf], mechanism: ClampedGaussian | ClampedLaplace, reach: float) -> Atoms:
    """Probabilities of the counts ceil(max(0, noise)); intervals above the centre through the upper tail."""
    mean, shift = mpf(mechanism.mean), mpf(mechanism.sensitivity)
    last = int(mechanism.mean + mechanism.sensitivity + reach) + 2

    def mass(low: mpf, high: mpf) -> mpf:
        return cdf(high) - cdf(low) if high <= 0 else cdf(-low) - cdf(-high)

    def both(n: int) -> tuple[mpf, mpf]:
        return tuple(mass(n - 1 - mean - s, n - mean - s) if n else cdf(-mean - s) for s in (shift, 0))  # type: ignore[return-value]

    return Atoms([both(n) for n in range(last + 1)])


def _laplace_cdf(x: mpf) -> mpf:
    return mpmath.exp(x) / 2 if x <= 0 else 1 - mpmath.exp(-x) / 2
