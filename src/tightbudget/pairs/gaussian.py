"""The pair of Gaussian noise, whole or cut off: A = N(m, 1), B = N(0, 1), loss m z - m^2/2."""

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.normal import log_normal_mass
from tightbudget.numerics.rounding import TINIEST, U, strictly_raised
from tightbudget.pairs.base import NEGLIGIBLE, REACH, Alignment, Array, Cells, Pair
from tightbudget.pairs.infinite_mass import NOWHERE, InfiniteMass
from tightbudget.pairs.moments.closed import gaussian_log_moment
from tightbudget.pairs.moments.concentrated import half_square
from tightbudget.pairs.moments.events import Events, normal_events

_SURVEY_CELLS = 128
_MASS_ERROR = 1e-11  # of the logarithm of an infinite mass, beyond the roundings of its ends
_CORE = 13.0  # sigmas around the mean of A that coarse cells resolve well
_FAR_CELLS = 20  # below that
_FROM_CORE = np.concatenate([np.linspace(-_CORE, _CORE, _SURVEY_CELLS, endpoint=False), np.linspace(_CORE, REACH, 41)])


@dataclass(frozen=True)
class GaussianPair(Pair):
    """Normal noise, m = sensitivity / sigma, one over the noise multiplier; conditioned on [-cut, cut] sigmas."""

    m: float
    cut: float = math.inf
    m_error: float = 0.0  # relative, beyond the roundings of M2: m may be denormal

    @property
    def _range(self) -> tuple[float, float]:
        """Interval of z in which both densities are positive and not negligible."""
        return max(self.m - self.cut, -REACH), min(self.cut, self.m + REACH)

    @property
    def _log_norm(self) -> float:
        """Log of the mass that the cut leaves; 0 if nothing is cut."""
        if self.cut == math.inf:
            return 0.0
        return float(log_normal_mass(np.zeros(1), np.array([2.0 * self.cut]))[0][0])

    @property
    def _cut_size(self) -> float:
        """Size at which the ends of the range are rounded, if the cut makes them."""
        return self.cut if self.cut <= self.m + REACH else 0.0

    @property
    def infinity(self) -> InfiniteMass:
        if self.cut == math.inf:
            return NOWHERE
        if self.m >= 2.0 * self.cut:  # all but what rounding leaves in doubt
            return InfiniteMass(Mass(-_MASS_ERROR, 0.0))
        log_mass, error = log_normal_mass(np.array([self.cut - 0.5 * self.m]), np.array([self.m]))
        # both ends of the interval are rounded at the size of the cut, which the hazard there magnifies
        at_ends = 16.0 * U * (self.cut + self.m) * (2.0 + abs(self.cut - self.m))
        return InfiniteMass(Mass.about(float(log_mass[0]) - self._log_norm, float(error[0]) + at_ends + _MASS_ERROR))

    @property
    def minus_infinity(self) -> InfiniteMass:
        return self.infinity

    @property
    def unresolved(self) -> float:
        return NEGLIGIBLE if max(self.cut, self.m - self.cut + REACH) > REACH else 0.0

    @property
    def max_loss(self) -> float:
        if self.cut == math.inf:
            return math.inf
        if self.m >= 2.0 * self.cut:
            return 0.0
        top = self.m * (self.cut - 0.5 * self.m)
        return top + self.loss_shift(top)

    @property
    def max_loss_lower(self) -> float:
        if self.cut == math.inf:
            return math.inf
        top = self.m * (self.cut - 0.5 * self.m)
        return max(0.0, top - self.loss_shift(top))

    @property
    def alignment(self) -> Alignment | None:
        return None

    def loss_shift(self, loss: float) -> float:
        # z = loss/m + m/2 is rounded twice, m itself up to six times; an error of u|z| in z moves the loss by
        # u|loss + m^2/2|
        return 16.0 * U * (abs(loss) + self.m * self.m + self.m * self._cut_size) + 2.0 * REACH * TINIEST

    def points(self) -> Cells:
        return Cells.none()

    def cells(self, edges: Array) -> Cells:
        low, high = self._range
        if low >= high:
            return Cells.none()
        with np.errstate(over="ignore"):  # an edge beyond all floats is beyond the range too
            z = np.minimum(np.maximum(edges / self.m + 0.5 * self.m, low), high)
        return self._cells_at(z, edges[:-1], edges[1:])

    def _cells_at(self, z: Array, low: Array, high: Array) -> Cells:
        # One width serves both masses, so that they belong to the very same events; only the middle is rounded twice.
        width, middle = z[1:] - z[:-1], 0.5 * (z[:-1] + z[1:])
        (log_a, log_b), errors = log_normal_mass(np.array([middle - self.m, middle]), np.array([width, width]))
        norm = self._log_norm
        at_cut = 8.0 * U * self._cut_size * (np.abs(middle) + self.m + 1.0)
        # the middle is good to u|z| and m to 6u m, which moves log phi by at most 8u (|z| + m)^2
        with np.errstate(over="ignore"):  # an error beyond all floats is one that says nothing
            error = errors.max(axis=0) + U * (8.0 * (np.abs(middle) + self.m) ** 2 + 8.0 + 4.0 * abs(norm)) + at_cut
        return Cells(low, high, log_a - norm, log_b - norm, error)

    def coarse_cells(self) -> Cells:
        return self._coarse_cells

    @cached_property
    def _coarse_cells(self) -> Cells:
        low, high = self._range
        if low >= high:
            return Cells.none()
        if self.cut > self.m + REACH:
            # dense where A and moderate tilts of it live, sparse in the far tails
            far = np.linspace(-self.m - REACH, -_CORE, _FAR_CELLS, endpoint=False)
            z = self.m + np.concatenate([far, _FROM_CORE])
        else:
            # cells get narrower towards both ends, where steep tilts gather the mass
            fine = 0.5 * (high - low) * np.geomspace(1e-12, 1.0, _SURVEY_CELLS // 4, endpoint=False)
            z = np.unique(np.concatenate([low + fine, np.linspace(low, high, _SURVEY_CELLS), high - fine]))
        losses = self.m * (z - 0.5 * self.m)
        cells = self._cells_at(z, losses[:-1], losses[1:])
        return cells.where(cells.log_a > -math.inf)

    @property
    def _whole(self) -> bool:
        return self.cut == math.inf

    @property
    def total_variation(self) -> float:
        return self.m if self._whole else self.max_loss

    @property
    def place(self) -> tuple[Hashable, tuple[float, ...]] | None:
        # less noise dominates; both are known up to the same relative error
        return (("gaussian", self.m_error), (self.m,)) if self._whole else None

    @property
    def covers_b(self) -> bool:
        return self._whole

    @property
    def gaussian(self) -> "GaussianPair | None":
        return self if self._whole else None

    @property
    def normal_ratio(self) -> float:
        return self.m if self._whole else 0.0

    def events(self, reach: float) -> Events:
        return normal_events(self.m, reach) if self._whole else super().events(reach)

    def log_moment(self, orders: Array) -> Array:
        return gaussian_log_moment(self.m, orders) if self._whole else super().log_moment(orders)

    @property
    def zcdp_rho(self) -> float:
        return half_square(self.m) if self._whole else math.inf

    @property
    def gdp_mu(self) -> float:
        # a quotient below the normal floats is good to no more
        return strictly_raised(self.m, 4) if self._whole else math.inf
