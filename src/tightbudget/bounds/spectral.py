"""delta(epsilon) read off a spectrum: upper and lower readings with all errors charged (M19)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.bounds.profile import log_doubt_at, scaled, weight_norms
from tightbudget.composition.spectrum import Spectrum
from tightbudget.numerics.rounding import U

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

_FAR = 2.0**45  # steps from the middle
_SCALING = 2e-13  # of `scaled`: it rounds a logarithm of at most 700, relative


@dataclass(frozen=True, eq=False)
class SpectralProfile:
    """Certified bounds on delta at every epsilon; sharp near the epsilon for which the tilt was chosen."""

    spectrum: Spectrum
    series: Complex  # 1 / (1 - e^{-(theta + j) step + i u}) for j = 0, 1
    sizes: Array  # their moduli
    infinity_upper: float
    infinity_lower: float
    points: float

    @staticmethod
    def of(spectrum: Spectrum, infinity_upper: float, infinity_lower: float, points: float) -> "SpectralProfile":
        series = _series(np.array([[spectrum.theta], [spectrum.theta + 1.0]]) * spectrum.step, spectrum.angles)
        return SpectralProfile(spectrum, series, np.abs(series), infinity_upper, infinity_lower, points)

    def delta_upper(self, epsilon: float) -> float:
        r"""Return a number no smaller than delta(epsilon): the formula of `Profile.delta_upper`, summed over frequencies.

        With k the first index above epsilon and y its distance, $\sum_{j \ge k} e^{-\theta(x_j - \varepsilon)}
        (1 - e^{\varepsilon - x_j}) e^{iuj}$ is a difference of two geometric series. Wrapping around can only add.
        """
        s, theta = self.spectrum, self.spectrum.theta
        anchor = s.anchors[0]
        reach = abs(epsilon) + abs(anchor) + s.step * (abs(s.origin) + 1)  # what the place of epsilon is rounded at
        doubt = log_doubt_at(float(np.abs(s.log_scale).max()), reach, theta, epsilon)
        shifted = (epsilon - anchor) - s.slack - 8.0 * U * reach
        where = shifted / s.step - s.origin
        if not abs(where) < _FAR:  # no angle times so many steps is known; beyond the losses nothing is left but the tail
            return self._far_upper(where, shifted)
        start = math.floor(where) + 1
        gap = (start - where) * s.step
        near, far = math.exp(-theta * gap), math.exp(-(theta + 1.0) * gap)
        kernel, size = near * self.series[0] - far * self.series[1], near * self.sizes[0] + far * self.sizes[1]
        (total,), (error,) = self._sums(slice(0, 1), start, kernel[None], size[None])
        largest, _ = weight_norms(theta, s.step)
        finite = scaled(total + error + float(s.error[0]) * largest, float(s.log_scale[0]) - theta * shifted + doubt)
        return min(1.0, (finite * (1.0 + _SCALING) + 5e-324) + self.infinity_upper)

    def delta_lower(self, epsilon: float) -> float:
        """Return a number no larger than delta(epsilon): A(S) - e^epsilon B(S) less all errors, S = the buckets above epsilon.

        Any set S is sound. What wrapping around may have added to A(S) is taken off.
        """
        s, theta = self.spectrum, self.spectrum.theta
        where = (epsilon - s.anchors[1]) / s.step - s.origin
        if not abs(where) < _FAR:
            return self.infinity_lower
        start = math.ceil(where)
        place = s.step * (s.origin + start)
        doubt = 2.0 * log_doubt_at(float(np.abs(s.log_scale).max()), abs(place), theta, epsilon)
        (gain, cost), (gain_error, cost_error) = self._sums(slice(1, 3), start, self.series, self.sizes)
        wrapped = s.up.wrapped(1, start, s.period) + s.down.wrapped(1, -start, s.period)
        log_ratio = epsilon + float(s.log_scale[2] - s.log_scale[1]) - place + doubt
        loss = scaled(cost + cost_error + float(s.error[2]), log_ratio)
        certain = (gain - gain_error - wrapped - float(s.error[1])) * (1.0 - 8.0 * U) - loss * (1.0 + _SCALING)
        finite = scaled(certain, float(s.log_scale[1]) - theta * place - doubt)
        return max(0.0, min(1.0, self.infinity_lower + finite * (1.0 - _SCALING) - 5e-324))

    def _far_upper(self, where: float, shifted: float) -> float:
        """Return an upper bound on delta at an epsilon far from all losses: 1 below them, and a Chernoff bound above."""
        if not where > 0.0:
            return 1.0
        s = self.spectrum
        with np.errstate(over="ignore"):
            exponent = float(np.min(s.up.log_moments[0] - s.up.slopes * where * (1.0 - 1e-9)))
        log_factor = float(s.log_scale[0]) - s.theta * (shifted - 1e-9 * abs(shifted))
        finite = scaled(math.exp(min(exponent, 0.0)) + float(s.error[0]), log_factor + 1e-9 * abs(float(s.log_scale[0])))
        return min(1.0, finite * (1.0 + 1e-9) + 5e-324 + self.infinity_upper)

    def _sums(self, rows: slice, start: int, kernels: Complex, sizes: Array) -> tuple[list[float], list[float]]:
        """Return sums of rows against weights that begin at index `start`, and bounds on their errors.

        A kernel is a weight's transform, apart from the turn by its beginning; a size bounds its terms.
        """
        s = self.spectrum
        values, turn = s.values[rows], s.angles * start
        # the real part of value * kernel * e^{i turn}; a node and its mirror image count together
        product = values * kernels
        terms = product.real * np.cos(turn) - product.imag * np.sin(turn)
        totals = (2.0 * terms.sum(axis=1) - terms[:, 0]) / s.period
        rounding = np.abs(values) * (U * (64.0 + 4.0 * s.angles.size) + 8.0 * U * np.abs(turn))
        errors = 2.0 * np.einsum("rj,rj->r", s.doubt[rows] + rounding, sizes) / s.period
        # every node left out weighs at most `beyond` times the weight's sum
        errors += s.beyond[rows] * (np.abs(kernels[:, 0].real) + 64.0 * U * sizes[:, 0])
        return totals.tolist(), (errors * (1.0 + 1e-9)).tolist()


def _series(exponents: Array, angles: Array) -> Complex:
    """Return 1 / (1 - e^{-exponent + i u}), good to a few roundings however small the exponent and u are."""
    half = np.sin(0.5 * angles)
    real = -np.expm1(-exponents) * np.cos(angles) + 2.0 * half * half
    imaginary = -np.exp(-exponents) * np.sin(angles)
    series: Complex = np.reciprocal(real + 1j * imaginary)
    return series
