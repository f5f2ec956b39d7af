r"""Single releases, and an independent rigorous bracket for their composition.

A `Step` is one direction of one mechanism, known by the two tails A(L > x) and B(L > x) in ball arithmetic; from them
delta_1(x) = A(L > x) - e^x B(L > x) at once, the two-fold value by one integral, and for any count a bracket by putting
the losses on a grid: connecting the dots above (theory E.3), merging below (E.4). The powers are arb_poly powers at
hundreds of bits, so the width of the bracket is the grid's alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import mpmath
from flint import arb, arb_poly, ctx, fmpq
from tests.reference.truth_numbers import Number, ball, ends, rational, sharpen

Tails = tuple[arb, arb]


@dataclass(frozen=True)
class Step:
    """tails(x) = (A(L > x), B(L > x)); infinite() = A(dB = 0)."""

    tails: Callable[[arb], Tails]
    infinite: Callable[[], arb] = lambda: arb(0)


def gaussian_step(sigma: Number, sensitivity: Number = 1) -> Step:
    m = rational(sensitivity) / rational(sigma)

    def tails(x: arb) -> Tails:
        return _above(x / arb(m) - arb(m) / 2), _above(x / arb(m) + arb(m) / 2)

    return Step(tails)


def truncated_gaussian_step(sigma: Number, bound: Number, sensitivity: Number = 1) -> Step:
    """Noise u conditioned on [-v, v]; A = u, B = u + m; L = +inf below m - v, falling in u above."""
    m, v = rational(sensitivity) / rational(sigma), rational(bound) / rational(sigma)

    def tails(x: arb) -> Tails:
        whole = 1 - 2 * _above(arb(v))
        u = (arb(m) / 2 - x / arb(m)).min(arb(v)).max(arb(m - v))  # outputs below u have a loss above x
        return (_above(-u) - _above(arb(v))) / whole, (_above(arb(m) - u) - _above(arb(v))) / whole

    return Step(tails, lambda: (_above(arb(v - m)) - _above(arb(v))) / (1 - 2 * _above(arb(v))))


def laplace_step(scale: Number, sensitivity: Number = 1) -> Step:
    e = rational(sensitivity) / rational(scale)

    def tails(x: arb) -> Tails:
        if x >= arb(e):
            return arb(0), arb(0)
        if x < arb(-e):
            return arb(1), arb(1)
        return 1 - ((x - arb(e)) / 2).exp() / 2, (-(x + arb(e)) / 2).exp() / 2

    return Step(tails)


def truncated_laplace_step(scale: Number, bound: Number, sensitivity: Number = 1) -> Step:
    """From the two densities: outputs below u = (shift - x)/2 (in scales) have a loss above x."""
    shift, c = rational(sensitivity) / rational(scale), rational(bound) / rational(scale)

    def below(u: arb) -> arb:  # Laplace(1) mass conditioned on [-c, c] below u
        u = u.min(arb(c)).max(arb(-c))
        mass = (u.exp() - arb(-c).exp()) / 2 if u <= 0 else 1 - (-u).exp() / 2 - arb(-c).exp() / 2
        return mass / (1 - arb(-c).exp())

    def tails(x: arb) -> Tails:
        if x >= arb(shift):
            u = arb(shift - c)
        elif x < arb(-shift):
            u = arb(c)
        else:
            u = ((arb(shift) - x) / 2).min(arb(c)).max(arb(shift - c))
        return below(u), below(u - arb(shift))

    return Step(tails, lambda: below(arb(shift - c)))


def bounded_range_step(eta: Number) -> Step:
    def tails(x: arb) -> Tails:
        n = rational(eta)
        if x >= arb(n):
            return arb(0), arb(0)
        if x < arb(-n):
            return arb(1), arb(1)
        whole = 1 - arb(-n).exp()
        return (1 - ((x - arb(n)) / 2).exp()) / whole, ((-(x + arb(n)) / 2).exp() - arb(-n).exp()) / whole

    return Step(tails)


def subsampled(base: Step, q: Number, *, remove: bool) -> Step:
    """Poisson subsampling of a pair whose two directions have the same profile (theory D.4)."""
    rate = rational(q)

    def tails(x: arb) -> Tails:
        odds = ((x if remove else -x).exp() - (1 - arb(rate))) / arb(rate)
        if odds <= 0:
            return (arb(1), arb(1)) if remove else (arb(0), arb(0))
        a, b = base.tails(odds.log() if remove else -odds.log())
        return (rate * a + (1 - rate) * b, b) if remove else (a, (1 - rate) * a + rate * b)

    return Step(tails, (lambda: rate * base.infinite()) if remove else (lambda: arb(0)))


def one(step: Step, epsilon: Number) -> arb:
    """delta(epsilon) of a single release, one direction."""

    def value() -> arb:
        a, b = step.tails(ball(epsilon))
        return a - ball(epsilon).exp() * b

    return sharpen(value, 256)


def two(density: Callable[[mpmath.mpf], mpmath.mpf], loss: Callable[[mpmath.mpf], mpmath.mpf], step: Step,
        epsilon: Number, breaks: Sequence[mpmath.mpf]) -> mpmath.mpf:  # fmt: skip
    """delta_2(eps) = E_A[delta_1(eps - L)], the integral over the noise taken by mpmath (not rigorous, ~30 digits)."""

    def integrand(u: mpmath.mpf) -> mpmath.mpf:
        x = mpmath.mpf(epsilon) - loss(u)
        with ctx.workprec(400):
            exact = arb(fmpq(*_ratio(x)))
            a, b = step.tails(exact)
            return density(u) * sum(ends(a - exact.exp() * b)) / 2

    return mpmath.quad(integrand, breaks)


def bracket(step: Step, count: int, epsilon: Number, low: Number, high: Number, points: int) -> arb:
    """Return a ball around delta(epsilon) of `count` releases, one direction, from `points` grid steps on [low, high].

    Any grid is sound; a good one has an edge just below the least loss. Work at a precision well below delta.
    """
    start, width = rational(low), (rational(high) - rational(low)) / points
    edges = [arb(start + k * width) for k in range(points + 1)]
    tails = [step.tails(x) for x in edges]
    upper = _connect_the_dots(edges, tails, count, ball(epsilon), arb(start), arb(width))
    lower = _merge(tails, step.infinite(), count, ball(epsilon))
    return lower.union(upper)


def _connect_the_dots(edges: list[arb], tails: list[Tails], count: int, eps: arb, start: arb, width: arb) -> arb:
    masses = [arb(0)] * len(edges)
    masses[0] = 1 - tails[0][0]
    shrink = 1 - (-width).exp()
    for k in range(1, len(edges)):
        a, b = tails[k - 1][0] - tails[k][0], tails[k - 1][1] - tails[k][1]
        up = (a - b * edges[k - 1].exp()) / shrink
        masses[k] += up
        masses[k - 1] += a - up
    rest_a, rest_b = tails[-1]
    masses[-1] += edges[-1].exp() * rest_b
    infinite = rest_a - edges[-1].exp() * rest_b
    total = 1 - (1 - infinite) ** count
    weight, step = (eps - count * start).exp(), (-width).exp()
    for mass in (arb_poly(masses) ** count).coeffs():
        total += mass * (1 - weight).nonnegative_part()
        weight *= step
    return total


def _merge(tails: list[Tails], infinite: arb, count: int, eps: arb) -> arb:
    """Buckets between the edges; finite losses above join the last, losses at or below `low` are dropped."""
    above = [*tails[:-1], (infinite, arb(0))]
    a = arb_poly([x[0] - y[0] for x, y in pairwise(above)]) ** count
    b = arb_poly([x[1] - y[1] for x, y in pairwise(above)]) ** count
    e = eps.exp()
    found = sum(((p - e * q).nonnegative_part() for p, q in zip(a.coeffs(), b.coeffs(), strict=False)), arb(0))
    return 1 - (1 - infinite) ** count + found


def _above(x: arb) -> arb:
    return (x / arb(2).sqrt()).erfc() / 2


def _ratio(x: mpmath.mpf) -> tuple[int, int]:
    sign, mantissa, exponent, _ = x._mpf_
    signed = -int(mantissa) if sign else int(mantissa)
    return (signed << exponent, 1) if exponent >= 0 else (signed, 1 << -exponent)
