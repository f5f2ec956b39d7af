"""Exact inputs and ball arithmetic shared by the reference values.

A float typed by a user is an exact rational number: every function here takes it as such. Results are flint `arb`
balls, which contain the true value; `ends` turns a ball into the two exact mpmath numbers at its ends.
"""

from collections.abc import Callable
from fractions import Fraction

import mpmath
from flint import arb, ctx, fmpq

Number = int | float | Fraction | fmpq


def rational(x: Number) -> fmpq:
    """Return x, digit for digit."""
    if isinstance(x, fmpq):
        return x
    return fmpq(*x.as_integer_ratio())


def ball(x: Number | arb) -> arb:
    """Return a ball around x at the working precision."""
    return x if isinstance(x, arb) else arb(rational(x))


def ends(x: arb) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Return (lower, upper) as mpmath numbers, rounded outwards at 256 bits."""
    if not x.is_finite():
        return mpmath.mpf("-inf"), mpmath.mpf("inf")
    with ctx.workprec(256):
        return _exact_mpf(x.lower()), _exact_mpf(x.upper())


def sharpen(value: Callable[[], arb], bits: int, accuracy: int = 100, limit: int = 200_000) -> arb:
    """Evaluate `value` at growing precision until its relative radius is below 2**-accuracy.

    A value that is exactly zero never gets relatively accurate: it must be an exact ball.
    """
    while True:
        with ctx.workprec(bits):
            result = value()
        if result.is_exact() or result.rel_accuracy_bits() >= accuracy:
            return result
        if bits > limit:
            raise ArithmeticError(f"no {accuracy} accurate bits at {bits} bits: {result.str(10)}")
        bits *= 2


def between(low: arb, high: arb) -> arb:
    """Return a ball that contains both balls and all that lies between them."""
    return low.union(high)


def _exact_mpf(x: arb) -> mpmath.mpf:
    mantissa, exponent = x.man_exp()
    return mpmath.mp.make_mpf(mpmath.libmp.from_man_exp(int(mantissa), int(exponent)))
