"""The hockey-stick divergence read off a characteristic function, both readings, with all errors charged (M19)."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.hockey_stick import log_error_at, scaled_by_exp, sum_below, weight_norms
from tightbudget.engine.spectral.spectrum import Spectrum
from tightbudget.numerics.characteristic import turned_angles
from tightbudget.numerics.rounding import GENEROUS, TINIEST, U, lowered, lowered_by, raised, raised_by
from tightbudget.pairs.infinite_mass import InfiniteMass

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

_FAR = 2.0**45  # steps from the middle
_ROWS, _SERIES = [0, 0, 1, 2], [0, 1, 0, 1]  # of the four sums
_SCALING = 2e-13  # of `scaled`: it rounds a logarithm of at most 700, relative


@dataclass(frozen=True, eq=False)
class SpectralProfile:
    """Certified bounds on delta at every epsilon; sharp near the epsilon for which the tilt was chosen.

    A reading takes four sums over nodes, each of a row against e^{-(theta + j) step l}, l >= 0: of the spread A with
    j = 0 and 1, of the merged A with 0, of the merged B with 1. Only the turn to where the weight begins depends on
    epsilon.
    """

    spectrum: Spectrum
    terms: Array  # one row for each sum: what cosines of the turn are multiplied with, and what sines are
    errors: tuple[float, ...]  # of each sum
    series: tuple[float, float]  # sums of the weights themselves, for j = 0, 1
    log_scale: float  # the largest
    infinity_upper: float  # with what was left out
    infinity: InfiniteMass
    points: float

    route = "few frequencies"

    @property
    def tilt(self) -> float:
        return self.spectrum.theta

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (self.spectrum.values, self.spectrum.error_bound, self.terms))

    @classmethod
    def of(cls, spectrum: Spectrum, infinity_upper: float, infinity: InfiniteMass, points: float) -> Self:
        s = spectrum
        series = cls._transforms(s)
        # a node and its mirror image count together; node 0 has none
        products = (2.0 / s.period) * (s.values[_ROWS] * series[_SERIES])
        products[:, 0] *= 0.5
        values = np.abs(s.values)
        error_bound = s.error_bound + values * (U * (96.0 + 4.0 * s.nodes.size) + cls._turn_errors(s))
        size = (2.0 / s.period) * np.abs(series)[_SERIES]
        return cls(
            spectrum=s,
            terms=np.concatenate([products.real, -products.imag], axis=1),
            errors=tuple(raised_by(np.einsum("rj,rj->r", error_bound[_ROWS], size), GENEROUS).tolist()),
            series=(float(series[0, 0].real), float(series[1, 0].real)),
            log_scale=float(np.abs(s.log_scale).max()),
            infinity_upper=infinity_upper,
            infinity=infinity,
            points=points,
        )

    def delta_upper(self, epsilon: float) -> float:
        r"""Return a number no smaller than delta(epsilon): that of `Profile.delta_upper`, summed over frequencies.

        With k the first index above epsilon and y its distance, $\sum_{j \ge k} e^{-\theta(x_j - \varepsilon)}
        (1 - e^{\varepsilon - x_j}) e^{iuj}$ is a difference of two geometric series. Wrapping around can only add.
        """
        s, theta = self.spectrum, self.spectrum.theta
        anchor = s.anchors[0]
        reach = abs(epsilon) + abs(anchor) + s.step * (abs(s.origin) + 1)  # what the place of epsilon is rounded at
        error_bound = log_error_at(self.log_scale, reach, theta, epsilon)
        shifted = (epsilon - anchor) - s.loss_shift - 8.0 * U * reach
        where = shifted / s.step - s.origin
        if not abs(where) < self._farthest:  # no angle times so many steps is known; far above only the tail is left
            return self._far_upper(where, shifted)
        start = self._first_above(where)
        gap = (start - where) * s.step
        near, far = math.exp(-theta * gap), math.exp(-(theta + 1.0) * gap)
        first, second = self._sums(slice(0, 2), start)
        total, error = near * first - far * second, near * self.errors[0] + far * self.errors[1]
        # every node left out weighs at most `beyond` times the weight's sum
        flat, flat_less = near * self.series[0], far * self.series[1]
        error += float(s.beyond[0]) * (flat - flat_less + 64.0 * U * (flat + flat_less))
        error += 8.0 * U * (theta + 1.0) * gap * (flat + flat_less)  # each exponent is rounded at its own size
        largest, _ = weight_norms(theta, s.step)
        finite = scaled_by_exp(
            total + error + float(s.error[0]) * largest, float(s.log_scale[0]) - theta * shifted + error_bound
        )
        return min(1.0, raised((raised_by(finite, _SCALING) + TINIEST) + self.infinity_upper, 4))

    def delta_lower(self, epsilon: float) -> float:
        """Return a number no larger than delta(epsilon): A(S) - e^epsilon B(S) less all errors, S above epsilon.

        Any set S is sound. What wrapping around may have added to A(S) is taken off.
        """
        s, theta = self.spectrum, self.spectrum.theta
        where = (epsilon - s.anchors[1]) / s.step - s.origin
        if not abs(where) < self._farthest:
            return self.infinity.at(epsilon).lower
        start = self._first_from(where)
        place = s.step * (s.origin + start)
        error_bound = 2.0 * log_error_at(self.log_scale, abs(place), theta, epsilon)
        gain, cost = self._sums(slice(2, 4), start)
        gain_error = self.errors[2] + raised(float(s.beyond[1]) * self.series[0], 64)
        cost_error = self.errors[3] + raised(float(s.beyond[2]) * self.series[1], 64)
        wrapped = s.up.wrapped(1, start, s.period) + s.down.wrapped(1, -start, s.period)
        log_ratio = epsilon + float(s.log_scale[2] - s.log_scale[1]) - place + error_bound
        loss = scaled_by_exp(cost + cost_error + float(s.error[2]), log_ratio)
        certain = lowered(gain - gain_error - wrapped - float(s.error[1]), 8) - raised_by(loss, _SCALING)
        finite = scaled_by_exp(certain, float(s.log_scale[1]) - theta * place - error_bound)
        return sum_below(self.infinity.at(epsilon).lower, lowered_by(finite, _SCALING))

    def _far_upper(self, where: float, shifted: float) -> float:
        """Return an upper bound on delta far from all losses: 1 below them, and a Chernoff bound above."""
        if not where > 0.0:
            return 1.0
        s = self.spectrum
        with np.errstate(over="ignore"):
            exponent = float(np.min(s.up.log_moments[0] - lowered_by(s.up.slopes * where, GENEROUS)))
        log_factor = float(s.log_scale[0]) - s.theta * (shifted - GENEROUS * abs(shifted))
        finite = scaled_by_exp(
            math.exp(min(exponent, 0.0)) + float(s.error[0]), log_factor + GENEROUS * abs(float(s.log_scale[0]))
        )
        return min(1.0, raised(raised_by(finite, GENEROUS) + TINIEST + self.infinity_upper, 4))

    @staticmethod
    def _transforms(spectrum: Spectrum) -> Complex:
        """Return the transforms of e^{-(theta + j) step l}, l = 0, 1, 2 and so on, for j = 0 and 1, at the nodes."""
        exponents = np.array([[spectrum.theta], [spectrum.theta + 1.0]]) * spectrum.step
        return geometric_series(exponents, turned_angles(1, spectrum.nodes, spectrum.period))

    @staticmethod
    def _turn_errors(spectrum: Spectrum) -> float | Array:
        """Return what the turns to where a weight begins are off by, beyond the roundings of one turn."""
        return 0.0

    @property
    def _farthest(self) -> float:
        """How many steps from the middle a weight may begin."""
        return _FAR

    def _first_above(self, where: float) -> float:
        """Return the first index above a number of steps."""
        return math.floor(where) + 1

    def _first_from(self, where: float) -> float:
        """Return an index near a number of steps, from which on buckets are taken."""
        return math.ceil(where)

    def _turns(self, start: float) -> Array:
        """Return the angles by which nodes turn until index `start`."""
        return turned_angles(int(start), self.spectrum.nodes, self.spectrum.period)

    def _sums(self, which: slice, start: float) -> list[float]:
        """Return some of the four sums, with weights that begin at index `start`."""
        turn = self._turns(start)
        sums: list[float] = (self.terms[which] @ np.concatenate([np.cos(turn), np.sin(turn)])).tolist()
        return sums


def geometric_series(exponents: Array, angles: Array) -> Complex:
    """Return 1 / (1 - e^{-exponent + i u}), good to a few roundings however small the exponent and u are."""
    half = np.sin(0.5 * angles)
    real = -np.expm1(-exponents) * np.cos(angles) + 2.0 * half * half
    imaginary = -np.exp(-exponents) * np.sin(angles)
    series: Complex = np.reciprocal(real + 1j * imaginary)
    return series
