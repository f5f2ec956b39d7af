"""Deltas of finite distributions in fractions: every outcome counted."""

from fractions import Fraction

import mpmath

Outcomes = list[tuple[Fraction, Fraction]]


def swapped(outcomes: Outcomes) -> Outcomes:
    return [(b, a) for a, b in outcomes]


def exponential(epsilon: float) -> tuple[Fraction, Fraction]:
    """Return fractions on either side of e^epsilon that agree in 49 digits."""
    with mpmath.workdps(60):
        power = Fraction(mpmath.nstr(mpmath.exp(mpmath.mpf(epsilon)), 55))
    return power * (1 - Fraction(1, 10**50)), power * (1 + Fraction(1, 10**50))


def true_delta(directions: list[Outcomes], epsilon: float) -> tuple[Fraction, Fraction]:
    """Return bounds on delta(epsilon), the larger of the directions'."""
    low, high = exponential(epsilon)
    at_low, at_high = (
        max(sum((max(Fraction(0), a - power * b) for a, b in outcomes), start=Fraction(0)) for outcomes in directions)
        for power in (low, high)
    )
    return at_high, at_low
