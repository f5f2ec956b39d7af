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


@dataclass(frozen=True, eq=False)
class SpectralProfile:
    """Certified bounds on delta at every epsilon; sharp near the epsilon for which the tilt was chosen."""

    spectrum: Spectrum
    series: tuple[Complex, Complex]  # 1 / (1 - e^{-(theta + j) step + i u}) for j = 0, 1
    infinity_upper: float
    infinity_lower: float
    points: float

    @staticmethod
    def of(spectrum: Spectrum, infinity_upper: float, infinity_lower: float, points: float) -> "SpectralProfile":
        series = tuple(_series(tilt * spectrum.step, spectrum.angles) for tilt in (spectrum.theta, spectrum.theta + 1.0))
        return SpectralProfile(spectrum, (series[0], series[1]), infinity_upper, infinity_lower, points)

    def delta_upper(self, epsilon: float) -> float:
        r"""Return a number no smaller than delta(epsilon): the formula of `Profile.delta_upper`, summed over frequencies.

        With k the first index above epsilon and y its distance, $\sum_{j \ge k} e^{-\theta(x_j - \varepsilon)}
        (1 - e^{\varepsilon - x_j}) e^{iuj}$ is a difference of two geometric series. Wrapping around can only add.
        """
        s, theta = self.spectrum, self.spectrum.theta
        anchor = s.anchors[0]
        doubt = log_doubt_at(float(np.abs(s.log_scale).max()), abs(epsilon) + abs(anchor), theta, epsilon)
        shifted = (epsilon - anchor) - s.slack - 8.0 * U * (abs(epsilon) + abs(anchor))
        where = shifted / s.step - s.origin
        start = math.floor(where) + 1
        gap = (start - where) * s.step
        near, far = math.exp(-theta * gap), math.exp(-(theta + 1.0) * gap)
        kernel = near * self.series[0] - far * self.series[1]
        total, error = self._sum(0, start, kernel, near * np.abs(self.series[0]) + far * np.abs(self.series[1]))
        largest, _ = weight_norms(theta, s.step)
        finite = scaled(total + error + float(s.error[0]) * largest, float(s.log_scale[0]) - theta * shifted + doubt)
        return min(1.0, (finite * (1.0 + 8 * U) + 5e-324) + self.infinity_upper)

    def delta_lower(self, epsilon: float) -> float:
        """Return a number no larger than delta(epsilon): A(S) - e^epsilon B(S) less all errors, S = the buckets above epsilon.

        Any set S is sound. What wrapping around may have added to A(S) is taken off.
        """
        s, theta = self.spectrum, self.spectrum.theta
        start = math.ceil((epsilon - s.anchors[1]) / s.step - s.origin)
        place = s.step * (s.origin + start)
        doubt = 2.0 * log_doubt_at(float(np.abs(s.log_scale).max()), abs(place), theta, epsilon)
        gain, gain_error = self._sum(1, start, self.series[0], np.abs(self.series[0]))
        cost, cost_error = self._sum(2, start, self.series[1], np.abs(self.series[1]))
        wrapped = s.up.wrapped(1, start, s.period) + s.down.wrapped(1, -start, s.period)
        log_ratio = epsilon + float(s.log_scale[2] - s.log_scale[1]) - place + doubt
        loss = scaled(cost + cost_error + float(s.error[2]), log_ratio)
        certain = (gain - gain_error - wrapped - float(s.error[1])) * (1.0 - 8.0 * U) - loss * (1.0 + 8.0 * U)
        finite = scaled(certain, float(s.log_scale[1]) - theta * place - doubt)
        return max(0.0, min(1.0, self.infinity_lower + finite * (1.0 - 8 * U) - 5e-324))

    def _sum(self, row: int, start: int, kernel: Complex, size: Array) -> tuple[float, float]:
        """Return the sum of a row against a weight that begins at index `start`, and a bound on its error.

        `kernel` is the weight's transform, apart from the turn by its beginning; `size` bounds its terms.
        """
        s = self.spectrum
        turn = s.angles * start
        # the real part of value * kernel * e^{i turn}; a node and its mirror image count together
        terms = (s.values[row] * kernel * (np.cos(turn) + 1j * np.sin(turn))).real
        total = (2.0 * float(terms.sum()) - float(terms[0])) / s.period
        rounding = np.abs(s.values[row]) * (U * (64.0 + 4.0 * s.angles.size) + 8.0 * U * np.abs(turn))
        error = 2.0 * float(np.einsum("j,j", s.doubt[row] + rounding, size)) / s.period
        # every node left out weighs at most `beyond` times the weight's sum
        return total, (error + float(s.beyond[row]) * (abs(float(kernel[0].real)) + 64.0 * U * float(size[0]))) * (1.0 + 1e-9)


def _series(exponent: float, angles: Array) -> Complex:
    """Return 1 / (1 - e^{-exponent + i u}), good to a few roundings however small the exponent and u are."""
    half = np.sin(0.5 * angles)
    real = -math.expm1(-exponent) * np.cos(angles) + 2.0 * half * half
    imaginary = -math.exp(-exponent) * np.sin(angles)
    series: Complex = np.reciprocal(real + 1j * imaginary)
    return series
