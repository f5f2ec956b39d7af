"""Trade-off curves by other means: Neyman and Pearson's lemma in fractions, closed forms in 60 digits, hulls of both.

`T(fpr)` is the largest P(S) of a randomised event S with Q(S) <= fpr. Nothing here shares code with the package.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import mpmath
from mpmath import mpf

Curve = Callable[[mpf], mpf]


def neyman_pearson(p: Sequence[Fraction], q: Sequence[Fraction], fpr: Fraction) -> Fraction:
    """Return T(fpr) of two finite distributions: the outcomes with the largest ratio first, the last one by a coin."""
    power, left = Fraction(0), fpr
    for a, b in sorted(zip(p, q, strict=True), key=lambda ab: ab[0] / ab[1] if ab[1] else Fraction(10**400), reverse=True):
        share = Fraction(1) if b <= left else left / b
        power, left = power + share * a, left - share * b
    return power


def products(p: Sequence[Fraction], count: int) -> list[Fraction]:
    """Return the masses of `count` independent draws, in a fixed order."""
    return [prod(masses) for masses in product(p, repeat=count)]


def hull(p: Sequence[Fraction], q: Sequence[Fraction], fpr: Fraction) -> Fraction:
    """Return the concave hull of the curves of (p, q) and (q, p): both have corners, and it lies on chords of them."""
    corners = {corner for a, b in ((p, q), (q, p)) for corner in _corners(a, b)}
    best = max(neyman_pearson(p, q, fpr), neyman_pearson(q, p, fpr))
    below, above = [c for c in corners if c[0] <= fpr], [c for c in corners if c[0] >= fpr]
    for x0, y0 in below:
        for x1, y1 in above:
            if x0 < x1:
                best = max(best, y0 + (y1 - y0) * (fpr - x0) / (x1 - x0))
    return best


def _corners(p: Sequence[Fraction], q: Sequence[Fraction]) -> list[tuple[Fraction, Fraction]]:
    x, y = Fraction(0), Fraction(0)
    corners = [(x, y)]
    for a, b in sorted(zip(p, q, strict=True), key=lambda ab: ab[0] / ab[1] if ab[1] else Fraction(10**400), reverse=True):
        x, y = x + b, y + a
        corners.append((x, y))
    return corners


def normal_quantile(fpr: mpf) -> mpf:
    """Return z with P(Z > z) = fpr, however small."""
    high = mpmath.sqrt(-2 * mpmath.log(fpr)) + 2
    return _root(lambda z: mpmath.log(mpmath.ncdf(-z)) - mpmath.log(fpr), -high - 40, high)


def gaussian(mu: mpf) -> Curve:
    """N(mu, 1) against N(0, 1)."""
    return lambda fpr: mpmath.ncdf(mu - normal_quantile(fpr))


def laplace(epsilon: mpf) -> Curve:
    """Laplace noise whose largest loss is epsilon: three pieces."""

    def curve(fpr: mpf) -> mpf:
        if fpr <= mpmath.exp(-epsilon) / 2:
            return mpmath.exp(epsilon) * fpr
        return 1 - mpmath.exp(-epsilon) / (4 * fpr) if fpr <= mpf(1) / 2 else 1 - mpmath.exp(-epsilon) * (1 - fpr)

    return curve


def subsampled_gaussian(m: mpf, q: mpf) -> tuple[Curve, Curve]:
    """The mixture against N(0, 1), and N(0, 1) against the mixture; the likelihood ratio grows with what is seen."""

    def remove(fpr: mpf) -> mpf:
        return (1 - q) * fpr + q * mpmath.ncdf(m - normal_quantile(fpr))

    def add(fpr: mpf) -> mpf:
        def rate(x: mpf) -> mpf:
            return mpmath.log((1 - q) * mpmath.ncdf(x) + q * mpmath.ncdf(x - m)) - mpmath.log(fpr)

        reach = mpmath.sqrt(-2 * mpmath.log(fpr * (1 - fpr))) + m + 6
        return mpmath.ncdf(_root(lambda x: -rate(x), -reach, reach))

    return remove, add


def lowest_sum(delta: Callable[[mpf], mpf], fpr: mpf, low: float, high: float) -> mpf:
    """Return the least delta(epsilon) + e^epsilon fpr between two epsilons, by golden section: there is one valley."""
    golden = (mpmath.sqrt(5) - 1) / 2
    a, d = mpf(low), mpf(high)
    b, c = d - golden * (d - a), a + golden * (d - a)

    def value(epsilon: mpf) -> mpf:
        return delta(epsilon) + mpmath.exp(epsilon) * fpr

    at_b, at_c = value(b), value(c)
    for _ in range(60):
        if at_b < at_c:
            d, c, at_c = c, b, at_b
            b = d - golden * (d - a)
            at_b = value(b)
        else:
            a, b, at_b = b, c, at_c
            c = a + golden * (d - a)
            at_c = value(c)
    return min(at_b, at_c)


def _root(falling: Callable[[mpf], mpf], low: mpf, high: mpf) -> mpf:
    for _ in range(4 * mpmath.mp.dps):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2
