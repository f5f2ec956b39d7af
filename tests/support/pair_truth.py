"""Masses and losses of pairs, from the definitions of the mechanisms.

A law is the tail functions of both sides, t -> (A(loss > t), B(loss > t)), which is all that a mass of losses between
two edges needs. Floats are taken as exact, and digits are plenty: a mass of 1e-240 is a difference of two tails near 1.
"""

from collections.abc import Callable
from typing import NamedTuple

import mpmath
from mpmath import mpf

DIGITS = 280
Tails = Callable[[mpf], tuple[mpf, mpf]]


class Law(NamedTuple):
    tails: Tails
    infinity: mpf  # mass of A at loss +inf
    minus_infinity: mpf  # mass of B at loss -inf


def beyond(x: mpf) -> mpf:
    """Return P(Z > x)."""
    return mpmath.erfc(x / mpmath.sqrt(2)) / 2


def gaussian(m: float, cut: float = mpmath.inf) -> Law:
    """N(m, 1) against N(0, 1), each conditioned on lying within `cut` of its centre."""
    with mpmath.workdps(DIGITS):
        shift, bound = mpf(m), mpf(cut)
        norm = 1 - 2 * beyond(bound)
        only = (beyond(bound - shift) - beyond(bound)) / norm if bound < mpmath.inf else mpf(0)

    def tails(t: mpf) -> tuple[mpf, mpf]:
        low = shift - bound if bound < mpmath.inf else -mpmath.inf
        z = max(t / shift + shift / 2, low)
        if z >= bound:
            return only, mpf(0)
        return (beyond(z - shift) - beyond(bound)) / norm, (beyond(z) - beyond(bound)) / norm

    return Law(tails, only, only)


def laplace(scale: float, bound: float = mpmath.inf, sensitivity: float = 1.0) -> Law:
    """Laplace noise around 0 against the same around `sensitivity`, conditioned on lying within `bound` of its
    centre.
    """
    with mpmath.workdps(DIGITS):
        b, c, d = mpf(scale), mpf(bound), mpf(sensitivity)
        norm = -mpmath.expm1(-c / b)

    def below(x: mpf) -> mpf:
        """P(noise <= x) of conditioned noise."""
        x = max(min(x, c), -c)
        side = -mpmath.expm1(-abs(x) / b) / 2  # between 0 and |x|
        whole = side if x >= 0 else -side
        return mpf(1) / 2 + whole / norm

    def tails(t: mpf) -> tuple[mpf, mpf]:
        # Both can produce x in [d - c, c]; there the loss falls from d/b at x <= 0 to -d/b at x >= d.
        if t >= d / b:
            x = d - c  # what only A can produce lies below
        elif t < -d / b:
            x = c
        else:
            x = min(max((d - b * t) / 2, d - c), c)
        return below(x), below(x - d)

    with mpmath.workdps(DIGITS):
        only = below(d - c)
    return Law(tails, only, only)


def replaced_laplace(shift: float, q: float) -> Law:
    """(1-q) f + q f(. + D) against (1-q) f + q f(. - D), f Laplace of scale 1: tails of the loss, which falls in x."""
    d, rate = mpf(shift), mpf(q)

    def below(x: mpf) -> mpf:
        return mpmath.exp(x) / 2 if x < 0 else 1 - mpmath.exp(-x) / 2

    def place(t: mpf) -> mpf:
        """Return the x with loss t >= 0, by the definition: e^t (1-q + q e^-D) = 1-q + q e^(-2x - D)."""
        odds = (mpmath.exp(t) * (1 - rate + rate * mpmath.exp(-d)) - 1 + rate) / rate
        return -(mpmath.log(odds) + d) / 2

    def tails(t: mpf) -> tuple[mpf, mpf]:
        x = place(t) if t >= 0 else -place(-t)
        if x <= -d:
            return mpf(0), mpf(0)
        if x > d:
            return mpf(1), mpf(1)
        return (1 - rate) * below(x) + rate * below(x + d), (1 - rate) * below(x) + rate * below(x - d)

    return Law(tails, mpf(0), mpf(0))


def bounded_range(eta: float) -> Law:
    def tails(t: mpf) -> tuple[mpf, mpf]:
        n = mpf(eta)
        x = max(min(t, n), -n)
        whole = -mpmath.expm1(-n)
        return -mpmath.expm1((x - n) / 2) / whole, (mpmath.exp(-(x + n) / 2) - mpmath.exp(-n)) / whole

    return Law(tails, mpf(0), mpf(0))


def subsampled(base: Law, q: float, *, remove: bool) -> Law:
    """REMOVE: (qP + (1-q)Q, Q). ADD: (P, (1-q)P + qQ)."""
    rate = mpf(q)

    def tails(t: mpf) -> tuple[mpf, mpf]:
        sign = 1 if remove else -1
        odds = (mpmath.exp(sign * t) - (1 - rate)) / rate
        if odds <= 0 and remove:  # every loss is above t, but that of events of B alone, log(1-q), only if t is below it
            stay = base.minus_infinity if t >= mpmath.log(1 - rate) else mpf(0)
            return 1 - (1 - rate) * stay, 1 - stay
        if odds <= 0:
            return mpf(0), mpf(0)
        a, b = base.tails(sign * mpmath.log(odds))
        return (rate * a + (1 - rate) * b, b) if remove else (a, (1 - rate) * a + rate * b)

    with mpmath.workdps(DIGITS):
        return Law(tails, rate * base.infinity, mpf(0)) if remove else Law(tails, mpf(0), rate * base.minus_infinity)
