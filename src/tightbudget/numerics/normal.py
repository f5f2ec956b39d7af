"""Mass of the standard normal distribution on an interval, relatively accurate even when the interval is tiny (M2)."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.numerics.rounding import U

Array = NDArray[np.float64]

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_TINY_SQUARE = 2.5e-5  # (width/2)^2 max(1, z^2) below which He_6 adds less than 15 * (2.5e-5)^3 / 7! < 5e-17
_NARROW = 0.25  # width times max(1, |middle|) below which the series is used


def log_normal_mass(middle: Array, width: Array) -> tuple[Array, Array]:
    """Return log P(|Z - middle| <= width/2) for Z ~ N(0, 1), and a bound on the absolute error of that log.

    A narrow interval uses the midpoint series phi(z) w sum_j He_2j(z) (w/2)^(2j) / (2j+1)!, whose first dropped term is
    below 1e-16 of the sum; a wide one uses the difference of two tail logs on the side where they are small, where the
    cancellation costs a factor of at most 16.
    """
    z = np.abs(middle)
    wide = width * np.maximum(1.0, z) > _NARROW
    if not wide.any():
        return _series(z, width)
    if wide.all():
        return _difference(z, width)
    log_mass, error = _series(np.where(wide, 0.0, z), np.where(wide, 0.0, width))
    log_mass[wide], error[wide] = _difference(z[wide], width[wide])
    return log_mass, error


def _series(z: Array, width: Array) -> tuple[Array, Array]:
    # Hermite polynomials He_2, He_4, ... He_10 over 3!, 5!, ... 11!; the higher ones only where they matter
    z2 = z * z
    q = 0.25 * width * width
    tail = q * ((z2 - 1.0) / 6.0 + q * (((z2 - 6.0) * z2 + 3.0) / 120.0))
    more = q * np.maximum(1.0, z2) > _TINY_SQUARE
    if more.any():
        tail[more] += _higher(z2[more], q[more])
    with np.errstate(divide="ignore"):
        log_width = np.log(width)
    log_mass = log_width - 0.5 * z2 - _LOG_SQRT_2PI + np.log1p(tail)
    return log_mass, U * (8.0 + 2.0 * z2 + 4.0 * np.minimum(np.abs(log_width), 800.0))


def _higher(z2: Array, q: Array) -> Array:
    he6 = ((z2 - 15.0) * z2 + 45.0) * z2 - 15.0
    he8 = (((z2 - 28.0) * z2 + 210.0) * z2 - 420.0) * z2 + 105.0
    he10 = ((((z2 - 45.0) * z2 + 630.0) * z2 - 3150.0) * z2 + 4725.0) * z2 - 945.0
    terms: Array = q**3 * (he6 / 5040.0 + q * (he8 / 362880.0 + q * (he10 / 39916800.0)))
    return terms


def _difference(z: Array, width: Array) -> tuple[Array, Array]:
    near, far = z - 0.5 * width, z + 0.5 * width
    log_near, log_far = special.log_ndtr(-near), special.log_ndtr(-far)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_mass = log_near + np.log(-np.expm1(log_far - log_near))
    # around the bulk P = 1 - P(Z > far) - P(Z < near) does not cancel
    around = near < -1.0
    if around.any():
        log_mass[around] = np.log1p(-special.ndtr(-far[around]) - special.ndtr(near[around]))
    size = np.minimum(np.abs(near), 1e3)
    error = 16.0 * U * (8.0 + size * size)
    return log_mass, error
