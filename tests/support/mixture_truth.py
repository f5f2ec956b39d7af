"""Two mixtures of normal laws with many digits: losses, tails and deltas straight from the densities."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import mpmath
import numpy as np
from mpmath import mpf
from scipy import special

DIGITS = 60


class Mixtures(NamedTuple):
    """A = sum p_i N(a_i, 1) and B = sum q_j N(b_j, 1), as (weight, centre), every a_i at or above every b_j."""

    a: Sequence[tuple[mpf, mpf]]
    b: Sequence[tuple[mpf, mpf]]

    def loss(self, x: mpf) -> mpf:
        return _log_density(self.a, x) - _log_density(self.b, x)

    def place(self, loss: mpf) -> mpf:
        """Return where the loss, which increases, is this; the last resort of its range where it is nowhere."""
        low, high = mpf(-400), mpf(1000)
        while high - low > mpf(10) ** (4 - DIGITS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.loss(middle) < loss else (low, middle)
        return low

    def tails(self, x: mpf) -> tuple[mpf, mpf]:
        return _above(self.a, x), _above(self.b, x)

    def delta(self, epsilon: mpf) -> mpf:
        """H_g(A || B) with g = e^epsilon: of all places above where the loss is epsilon."""
        first, second = self.tails(self.place(epsilon))
        return first - mpmath.exp(epsilon) * second


def _log_density(parts: Sequence[tuple[mpf, mpf]], x: mpf) -> mpf:
    return mpmath.log(sum(w * mpmath.exp(-((x - c) ** 2) / 2) for w, c in parts) / mpmath.sqrt(2 * mpmath.pi))


def _above(parts: Sequence[tuple[mpf, mpf]], x: mpf) -> mpf:
    return sum(w * mpmath.erfc((x - c) / mpmath.sqrt(2)) for w, c in parts) / 2


def mirrored(parts: Sequence[tuple[mpf, mpf]]) -> list[tuple[mpf, mpf]]:
    return [(w, -c) for w, c in parts]


def delta_of_two(a: list[tuple[float, float]], b: list[tuple[float, float]], epsilon: float) -> float:
    """Delta of two steps, A above B: the mean of A(x > t) - e^(epsilon - L) B(x > t), L(t) = epsilon - L, by A.

    By floats and a trapezoidal rule, which for normal laws is good to some eleven digits.
    """
    x = np.linspace(-14.0, 18.0, 6401)
    grid = np.linspace(-60.0, 60.0, 240001)

    def log_density(parts: list[tuple[float, float]], at: np.ndarray) -> np.ndarray:
        return np.logaddexp.reduce([math.log(w) - 0.5 * (at - c) ** 2 for w, c in parts]) - 0.5 * math.log(2.0 * math.pi)

    def loss(at: np.ndarray) -> np.ndarray:
        return log_density(a, at) - log_density(b, at)

    rest = epsilon - loss(x)
    place = np.interp(rest, loss(grid), grid, left=-60.0, right=60.0)  # delta is flat in the place: an error counts squared
    above = [sum(w * special.ndtr(c - place) for w, c in parts) for parts in (a, b)]
    return float(np.sum(np.exp(log_density(a, x)) * np.maximum(above[0] - np.exp(rest) * above[1], 0.0)) * (x[1] - x[0]))
