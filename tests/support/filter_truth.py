"""The filters' conditions once more, in fifty digits and straight from the theorems; shares no code with the
package.
"""

from fractions import Fraction

import mpmath as mp

mp.mp.dps = 60


def number(value: Fraction) -> mp.mpf:
    return mp.mpf(value.numerator) / value.denominator


def advanced(steps: list[Fraction], epsilon: Fraction, delta: Fraction) -> bool:
    """Theorem 5.1 of Rogers, Roth, Ullman and Vadhan, formula (2), steps of pure privacy."""
    e, d = number(epsilon), number(delta)
    each = [number(step) for step in steps]
    squares = mp.fsum(x**2 for x in each)
    beta = e**2 / (mp.mpf("28.04") * mp.log(1 / d))
    drift = mp.fsum(x * mp.expm1(x) / 2 for x in each)
    return drift + mp.sqrt(2 * (squares + beta) * (1 + mp.log(squares / beta + 1) / 2) * mp.log(2 / d)) <= e


def sharpened(steps: list[Fraction], epsilon: Fraction, delta: Fraction) -> bool:
    e, d = number(epsilon), number(delta)
    each = [number(step) for step in steps]
    squares = mp.fsum(x**2 for x in each)
    beta = e**2 / (mp.mpf("28.04") * mp.log(1 / d))
    drift = mp.fsum(x * mp.tanh(x / 2) for x in each)
    return drift + mp.sqrt((squares + beta) * (2 * mp.log(1 / d) + mp.log(1 + squares / beta))) <= e


def whitehouse(steps: list[Fraction], epsilon: Fraction, delta: Fraction) -> bool:
    squares = mp.fsum(number(step) ** 2 for step in steps)
    return mp.sqrt(2 * mp.log(1 / number(delta)) * squares) + squares / 2 <= number(epsilon)


def renyi_delta(order: mp.mpf, divergence: mp.mpf, epsilon: mp.mpf) -> mp.mpf:
    """Canonne, Kamath and Steinke 2020, Proposition 12."""
    a = order
    return mp.exp((a - 1) * (divergence - epsilon)) * (1 - 1 / a) ** a / (a - 1)


def zcdp(steps: list[Fraction], epsilon: Fraction, delta: Fraction) -> bool:
    """Is there an order at which the sum of epsilon tanh(epsilon/2) leaves delta?"""
    rho = mp.fsum(number(step) * mp.tanh(number(step) / 2) for step in steps)
    e = number(epsilon)

    def log_delta(log_rest: mp.mpf) -> mp.mpf:
        a = 1 + mp.exp(log_rest)
        return mp.log(renyi_delta(a, a * rho, e))

    # the logarithm of delta is convex about its only minimum: golden section
    low, high = mp.mpf(-8), mp.mpf(16)
    ratio = (mp.sqrt(5) - 1) / 2
    for _ in range(160):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if log_delta(left) < log_delta(right) else (left, high)
    return log_delta((low + high) / 2) <= mp.log(number(delta))


def pure_renyi(epsilon: mp.mpf, order: mp.mpf) -> mp.mpf:
    p = mp.exp(epsilon) / (1 + mp.exp(epsilon))
    return mp.log(p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)) / (order - 1)


def renyi(steps: list[Fraction], epsilon: Fraction, delta: Fraction, order: Fraction) -> bool:
    a = number(order)
    total = mp.fsum(pure_renyi(number(step), a) for step in steps)
    return renyi_delta(a, total, number(epsilon)) <= number(delta)


def gaussian_delta(mu: mp.mpf, epsilon: mp.mpf) -> mp.mpf:
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def gdp(steps: list[Fraction], epsilon: Fraction, delta: Fraction) -> bool:
    """mu of a pure step: Phi(-mu/2) = 1/(1 + e^epsilon), inverted by the error function."""
    squares = mp.fsum((2 * mp.sqrt(2) * mp.erfinv(mp.tanh(number(step) / 2))) ** 2 for step in steps)
    return gaussian_delta(mp.sqrt(squares), number(epsilon)) <= number(delta)
