"""Mass of the standard normal distribution on an interval, relatively accurate even when the interval is tiny (M2)."""

import contextlib
import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.numerics.rounding import U

Array = NDArray[np.float64]
Number = TypeVar("Number", float, Array)

_ROOT_HALF = math.sqrt(0.5)
_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_TINY_SQUARE = 2.5e-5  # (width/2)^2 max(1, z^2) below which He_6 adds less than 15 * (2.5e-5)^3 / 7! < 5e-17
_F3, _F5, _F7, _F9, _F11 = (1.0 / math.factorial(n) for n in (3, 5, 7, 9, 11))
_NARROW = 0.25  # width times max(1, |middle|) below which the series is used


def log_normal_mass(middle: Array, width: Array) -> tuple[Array, Array]:
    """Return log P(|Z - middle| <= width/2) for Z ~ N(0, 1), and a bound on the absolute error of that log.

    A narrow interval uses the midpoint series phi(z) w sum_j He_2j(z) (w/2)^(2j) / (2j+1)!, whose first dropped term is
    below 1e-16 of the sum; a wide one uses the difference of two scaled tails on the side where they are small. A log
    below all floats is -inf.
    """
    z = np.abs(middle)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        wide = width * np.maximum(1.0, z) > _NARROW
        if not wide.any():
            return _normal_mass_series(z, width)
        if wide.all():
            return _normal_mass_difference(z, width)
        # places one by one: masks take several times as long
        flat, widths, narrow, wider = z.ravel(), width.ravel(), np.flatnonzero(~wide), np.flatnonzero(wide)
        log_mass, error = np.empty(flat.size), np.empty(flat.size)
        log_mass[narrow], error[narrow] = _normal_mass_series(flat[narrow], widths[narrow])
        log_mass[wider], error[wider] = _normal_mass_difference(flat[wider], widths[wider])
        return log_mass.reshape(z.shape), error.reshape(z.shape)


def log_normal_mass_at(middle: float, width: float) -> tuple[float, float]:
    """Return the same of one interval, by the same formulas, without arrays."""
    z = abs(middle)
    with contextlib.suppress(ArithmeticError, ValueError):  # what overflows, and nothing at all, is left to arrays
        log_mass, error = _difference_at(z, width) if width * max(1.0, z) > _NARROW else _series_at(z, width)
        if math.isfinite(error):
            return log_mass, error
    logs, errors = log_normal_mass(np.array([middle]), np.array([width]))
    return float(logs[0]), float(errors[0])


def _normal_mass_series(z: Array, width: Array) -> tuple[Array, Array]:
    half = 0.5 * width
    q, s = half * half, (half * z) ** 2
    tail = _series_tail(s, q) if (np.maximum(q, s) > _TINY_SQUARE).any() else _short_tail(s, q)
    square = z * z
    log_width = np.log(width)
    log_mass = log_width - 0.5 * square - _LOG_SQRT_2PI + np.log1p(tail)
    return log_mass, U * (8.0 + 4.0 * np.minimum(np.abs(log_width), 800.0)) + _error_share(2.0 * U, square)


def _short_tail(s: Number, q: Number) -> Number:
    """Return the terms of He_2 and He_4, over 3! and 5!; with s = q z^2 all of them stay small."""
    tail: Number = (s - q) / 6.0 + ((s - 6.0 * q) * s + 3.0 * q * q) / 120.0
    return tail


def _series_tail(s: Number, q: Number) -> Number:
    """Return the terms of He_2 to He_10, as a polynomial in s whose coefficients are polynomials in q."""
    fourth = _F9 - 45.0 * _F11 * q
    third = _F7 + q * (630.0 * _F11 * q - 28.0 * _F9)
    second = _F5 + q * (q * (210.0 * _F9 - 3150.0 * _F11 * q) - 15.0 * _F7)
    first = _F3 + q * (q * (45.0 * _F7 + q * (4725.0 * _F11 * q - 420.0 * _F9)) - 6.0 * _F5)
    constant = q * (q * (3.0 * _F5 + q * (q * (105.0 * _F9 - 945.0 * _F11 * q) - 15.0 * _F7)) - _F3)
    tail: Number = ((((_F11 * s + fourth) * s + third) * s + second) * s + first) * s + constant
    return tail


def _normal_mass_difference(z: Array, width: Array) -> tuple[Array, Array]:
    # P = 1/2 e^{-n^2/2} (erfcx(n/sqrt2) - e^{-zw} erfcx(f/sqrt2)) with n, f = z -+ w/2, since (f^2 - n^2)/2 = zw
    near, far = z - 0.5 * width, z + 0.5 * width
    tail = special.erfcx(_ROOT_HALF * near)
    gap = np.log(special.erfcx(_ROOT_HALF * far) / tail) - z * width
    rest = -np.expm1(gap)
    square = near * near
    log_mass = np.log(0.5 * tail * rest) - 0.5 * square
    error = U * (4.0 + 40.0 / rest) + _error_share(4.0 * U, square)  # e^gap / rest is 1 / rest - 1
    # around the bulk P = 1 - P(Z > far) - P(Z < near) does not cancel, and erfcx(near) may overflow
    around = near < -1.0
    if around.any():
        log_mass[around] = np.log1p(-special.ndtr(-far[around]) - special.ndtr(near[around]))
        error[around] = 16.0 * U
    return log_mass, error


def _difference_at(z: float, width: float) -> tuple[float, float]:
    near, far = z - 0.5 * width, z + 0.5 * width
    if near < -1.0:
        return math.log1p(-float(special.ndtr(-far)) - float(special.ndtr(near))), 16.0 * U
    tail = float(special.erfcx(_ROOT_HALF * near))
    gap = math.log(float(special.erfcx(_ROOT_HALF * far)) / tail) - z * width
    rest = -math.expm1(gap)
    log_mass = math.log(0.5 * tail * rest) - 0.5 * near * near
    return log_mass, U * (4.0 + 40.0 / rest + 4.0 * near * near)


def _series_at(z: float, width: float) -> tuple[float, float]:
    half = 0.5 * width
    q, s = half * half, (half * z) ** 2
    tail = _series_tail(s, q) if max(q, s) > _TINY_SQUARE else _short_tail(s, q)
    log_width = math.log(width)
    log_mass = log_width - 0.5 * z * z - _LOG_SQRT_2PI + math.log1p(tail)
    return log_mass, U * (8.0 + 4.0 * min(abs(log_width), 800.0) + 2.0 * z * z)


def _error_share(factor: float, square: Array) -> Array:
    """Return factor * square; 0 where the square, and with it the log it is an error of, is beyond all floats."""
    share: Array = factor * np.where(np.isfinite(square), square, 0.0)
    return share
