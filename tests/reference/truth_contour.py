r"""Reference values by contour integration: any composition whose moment generating function can be evaluated.

    delta(eps) = A(inf) + 1/(2 pi i) int_{c - i inf}^{c + i inf} e^{-z eps} prod_i M_i(z)^{r_i} / (z (1+z)) dz,   c > 0,

M_i(z) = E_A[e^{zL}; L < inf]. The trapezoidal rule with step h = 2 pi / T gives exactly
sum_n e^{c n T} delta(eps + n T) (Poisson summation), all terms positive, and Chernoff bounds the
terms n != 0; c is the saddle point. The M_i are balls.

Each law also bounds |M(c + i tau)| for all tau >= t, which bounds what lies beyond the last node. Laws with atoms do
not decay there: few repetitions of them are refused (truth_laplace.py and truth_lattice.py have them exactly). The
radius of the result includes all of this; the one bound that is assumed, not proved, is marked in truth_subsampled.py.
"""

import math
from collections.abc import Callable, Sequence
from typing import Protocol

from flint import acb, arb, ctx, fmpq
from scipy.special import log_ndtr, ndtr
from tests.reference.truth_laplace import LaplaceLike
from tests.reference.truth_numbers import Number, ball, rational


class Law(Protocol):
    """One direction of one mechanism, known by its moment generating function under A."""

    def log_mgf(self, s: float) -> float:
        """Return log M(s), s > 0 real, in floating point (used to plan and for Chernoff bounds only)."""

    def mgf(self, c: float, step: float, nodes: int, tolerance: float) -> list[acb]:
        """Return M(c + i k step), k < nodes, with absolute error at most about M(c) e^tolerance inside the balls."""

    def log_ceiling(self, c: float, t: float) -> float:
        """Return a bound of log |M(c + i tau)|, all tau >= t > 0, rounded generously."""

    def infinite(self) -> arb:
        """Return A(dB = 0)."""


def contour(parts: Sequence[tuple[Law, int]], epsilon: Number, digits: int = 22, limit: int = 4000) -> arb:
    """Return delta(epsilon) of the composition, one direction, to about `digits` digits relative to its finite part."""
    eps = float(epsilon)

    def chernoff(s: float) -> float:
        return sum(count * law.log_mgf(s) for law, count in parts) - s * eps

    c = _minimum(lambda s: chernoff(s) - math.log(s) - math.log1p(s))
    step, alias, nodes = _plan(chernoff, c, digits)
    tolerance = -(digits + 4) * math.log(10) - math.log(sum(count for _, count in parts))
    while True:
        with ctx.workprec(128 + int(5 * digits) + nodes):
            keep = arb(1)
            for law, count in parts:
                keep *= (1 - law.infinite()) ** count
            total = _trapezoid(parts, ball(epsilon), c, step, nodes, tolerance)
            edge = (nodes - 1) * step
            ceiling = sum(count * law.log_ceiling(c, edge) for law, count in parts) - c * eps
            remainder = arb(ceiling + 1e-6 * (1 + abs(ceiling))).exp() / arb(edge)  # sum of step / (pi t^2) < 1/edge
            if remainder.upper() < total.lower() * arb(10) ** -digits:
                high = total + remainder
                return (1 - keep) + (total - remainder - arb(alias).exp()).union(high)
        nodes = nodes * 3 // 2
        if nodes > limit:
            raise ArithmeticError(f"the integrand decays too slowly: {nodes} nodes")


def _trapezoid(parts: Sequence[tuple[Law, int]], eps: arb, c: float, step: float, nodes: int, tolerance: float) -> arb:
    tables = [(law.mgf(c, step, nodes, tolerance), count) for law, count in parts]
    total = arb(0)
    for k in range(nodes):
        z = acb(arb(c), arb(step) * k)
        term = (-z * eps).exp() / (z * (1 + z))
        for table, count in tables:
            term *= table[k] ** count
        total += term.real / 2 if k == 0 else term.real
    return total * arb(step) / arb.pi()


def _plan(chernoff: Callable[[float], float], c: float, digits: int) -> tuple[float, float, int]:
    """Return (step, log of the aliasing error, first guess of the number of nodes)."""
    width = 1e-3 * c
    curvature = (chernoff(c + width) - 2 * chernoff(c) + chernoff(c - width)) / width**2
    curvature = max(curvature, 0.0) + 1 / c**2 + 1 / (1 + c) ** 2
    estimate = chernoff(c) - math.log(c) - math.log1p(c) - 0.5 * math.log(2 * math.pi * curvature)
    target = estimate - (digits + 2) * math.log(10)
    spread = 1 / math.sqrt(curvature)
    right, left = math.inf, -target / c
    for m in (0.5, 1, 2, 4, 6, 8, 10, 12, 16):
        if _finite(chernoff, c + m * spread):
            right = min(right, (chernoff(c + m * spread) - target) / (m * spread))
        if c - m * spread > 0:
            left = min(left, (chernoff(c - m * spread) - target) / (m * spread))
    period = max(right, left, 1e-300)
    # Terms n = +-1 are each at most e^target; the rest is a geometric series far below them: a factor 10 covers all.
    nodes = int(math.sqrt(2 * (digits + 2) * math.log(10)) * spread * period / (2 * math.pi)) + 8
    return 2 * math.pi / period, target + math.log(10), nodes


def _finite(function: Callable[[float], float], s: float) -> bool:
    try:
        return math.isfinite(function(s))
    except OverflowError:
        return False


def _minimum(function: Callable[[float], float]) -> float:
    """Minimise on a log scale; any c > 0 is valid, a good one is fast."""
    low, middle, high = 0.5, 1.0, 2.0
    best = function(middle)
    while high < 1e7 and (value := function(high)) < best:
        low, middle, high, best = middle, high, 2 * high, value
    while low > 1e-7 and (value := function(low)) < best:
        low, middle, high, best = low / 2, low, middle, value
    for _ in range(8):
        for candidate in (math.sqrt(low * middle), math.sqrt(middle * high)):
            value = function(candidate)
            if value < best:
                low, high = (low, middle) if candidate < middle else (middle, high)
                middle, best = candidate, value
                break
            low, high = (candidate, high) if candidate < middle else (low, candidate)
    return middle


class GaussianLaw:
    """Gaussian noise: log M(z) = z (1+z) m^2 / 2."""

    def __init__(self, sigma: Number, sensitivity: Number = 1) -> None:
        self.square = (rational(sensitivity) / rational(sigma)) ** 2

    def log_mgf(self, s: float) -> float:
        return s * (1 + s) * float(arb(self.square)) / 2

    def mgf(self, c: float, step: float, nodes: int, tolerance: float) -> list[acb]:
        half = arb(self.square) / 2
        points = (acb(arb(c), arb(step) * k) for k in range(nodes))
        return [(z * (1 + z) * half).exp() for z in points]

    def log_ceiling(self, c: float, t: float) -> float:
        return self.log_mgf(c) - t * t * float(arb(self.square)) / 2

    def infinite(self) -> arb:
        return arb(0)


class LaplaceLikeLaw:
    """Laplace, truncated Laplace, bounded range: M(w) of truth_laplace.py."""

    def __init__(self, law: LaplaceLike) -> None:
        self.law = law
        with ctx.workprec(64):
            self.e, self.kappa, self.scale = (float(x) for x in (law.e(), law.kappa(), law.scale()))

    def log_mgf(self, s: float) -> float:
        w = s + 0.5
        down = math.exp(-2 * w * self.e) * (self.kappa - 1 / (2 * w))
        return math.log(self.scale) + w * self.e + math.log(self.kappa + 1 / (2 * w) + down)

    def mgf(self, c: float, step: float, nodes: int, tolerance: float) -> list[acb]:
        e, kappa, scale = self.law.e(), self.law.kappa(), self.law.scale()
        result = []
        for k in range(nodes):
            w = acb(arb(c) + arb(fmpq(1, 2)), arb(step) * k)
            up, inverse = (w * e).exp(), 1 / (2 * w)
            result.append(scale * (up * (kappa + inverse) + (kappa - inverse) / up))
        return result

    def log_ceiling(self, c: float, t: float) -> float:
        w = c + 0.5
        return math.log(self.scale * 2 * math.cosh(w * self.e) * (self.kappa + 1 / (2 * t)))

    def infinite(self) -> arb:
        return self.law.infinite()


class TruncatedGaussianLaw:
    """Gaussian noise conditioned on [-bound, bound]; losses m^2/2 - m u for u in [-v + m, v], v = bound/sigma."""

    def __init__(self, sigma: Number, bound: Number, sensitivity: Number = 1) -> None:
        self.shift, self.bound = rational(sensitivity) / rational(sigma), rational(bound) / rational(sigma)

    def log_mgf(self, s: float) -> float:
        m, v = float(arb(self.shift)), float(arb(self.bound))
        near, far = log_ndtr(v - m - s * m), log_ndtr(-v - s * m)
        return s * (1 + s) * m * m / 2 + near + math.log1p(-math.exp(far - near)) - math.log1p(-2 * ndtr(-v))

    def _at(self, z: acb) -> acb:
        m, v, root = arb(self.shift), arb(self.bound), arb(2).sqrt()
        mass = ((v + z * m) / root).erf() - ((m - v + z * m) / root).erf()
        return (z * (1 + z) * m * m / 2).exp() * mass / (2 * (v / root).erf())

    def mgf(self, c: float, step: float, nodes: int, tolerance: float) -> list[acb]:
        with ctx.extraprec(256):
            return [self._at(acb(arb(c), arb(step) * k)) for k in range(nodes)]

    def log_ceiling(self, c: float, t: float) -> float:
        """Integrate by parts: a unimodal density times e^{cL} of height H has |M| <= 2 H / t."""
        m, v = float(arb(self.shift)), float(arb(self.bound))
        return c * (1 + c) * m * m / 2 + math.log(2 / (math.sqrt(2 * math.pi) * m * t)) - math.log1p(-2 * ndtr(-v))

    def infinite(self) -> arb:
        m, v, root = arb(self.shift), arb(self.bound), arb(2).sqrt()
        return 1 - ((v / root).erf() - ((m - v) / root).erf()) / (2 * (v / root).erf())


class PointsLaw:
    """A finite pair (a, b) of exact masses; fine beside a law with a density, too slowly decaying alone."""

    def __init__(self, a: Sequence[fmpq], b: Sequence[fmpq]) -> None:
        self.cells = [(x, y) for x, y in zip(a, b, strict=True) if x and y]
        self.minus_infinity = 1 - sum((x for x, _ in self.cells), fmpq(0))

    def log_mgf(self, s: float) -> float:
        logs = [(_ln(x), _ln(x) - _ln(y)) for x, y in self.cells]
        top = max(p + s * loss for p, loss in logs)
        return top + math.log(sum(math.exp(p + s * loss - top) for p, loss in logs))

    def mgf(self, c: float, step: float, nodes: int, tolerance: float) -> list[acb]:
        cells = [(arb(x), (arb(x) / arb(y)).log()) for x, y in self.cells]
        points = [acb(arb(c), arb(step) * k) for k in range(nodes)]
        return [sum((mass * (z * loss).exp() for mass, loss in cells), acb(0)) for z in points]

    def log_ceiling(self, c: float, t: float) -> float:
        return self.log_mgf(c)

    def infinite(self) -> arb:
        return arb(self.minus_infinity)


def _ln(x: fmpq) -> float:
    return math.log(int(x.p)) - math.log(int(x.q))
