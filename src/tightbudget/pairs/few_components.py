"""Two mixtures of few normal laws at the same places: what `Mixture` says of each, of both at once (M27).

Lists of places are short, so that the time goes by the number of operations on them, not by their lengths. The
formulas are those of `Mixture`, with the centres of B turned round, c to -c: then c (y - c/2) at y = -x is
-c (x + c/2), the very same float, and the mass of N(0, 1) between two places serves both.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.cached import cached_property
from tightbudget.numerics.normal import log_normal_mass
from tightbudget.numerics.rounding import AMPLE, TINIEST, U
from tightbudget.pairs.cells import Array
from tightbudget.pairs.mixtures import CHUNK, HALF, OVERFLOW, Mixture, joined_masses

_FEW = 8  # components of both
_FAR = 1e4  # sigmas, up to which squares are far from overflow


def are_few(above: Mixture, below: Mixture) -> bool:
    """Whether this is the quicker way."""
    return len(above.centres) + len(below.centres) <= _FEW and max(above.largest, below.largest) <= _FAR


@dataclass(frozen=True, eq=False)
class FewComponents:
    """A = `above` and B, the mirror image of `below`. What is returned has a row for A and one for B."""

    above: Mixture
    below: Mixture

    @property
    def _both(self) -> tuple[Mixture, Mixture]:
        return self.above, self.below

    # Columns of the components away from 0, those of A first

    @cached_property
    def _split(self) -> int:
        """How many of them are of A."""
        return self.above.away[0].size

    @cached_property
    def _sides(self) -> Array:
        """Which of them are of A, and which of B: a row of ones and zeros for each."""
        of_above = np.arange(self._centres.size) < self._split
        return np.stack([of_above, ~of_above]).astype(np.float64)

    @cached_property
    def _centres(self) -> Array:
        return np.concatenate([self.above.away[0], -self.below.away[0]])[:, None]

    @cached_property
    def _logs(self) -> Array:
        return np.concatenate([mixture.away[1] for mixture in self._both])

    @cached_property
    def _weights(self) -> tuple[Array, Array]:
        """What growths of all components add up to, for both densities and for both slopes; the mean centres."""
        weights = np.exp(self._logs) * self._sides
        slopes = weights * np.abs(self._centres[:, 0])
        return np.concatenate([weights, slopes]), slopes.sum(axis=1)[:, None]

    def _exponents(self, x: Array) -> Array:
        exponents: Array = self._centres * (x - 0.5 * self._centres)
        return exponents

    # The densities

    def log_ratios(self, x: Array) -> tuple[Array, Array]:
        """Return what `log_ratio` says of both: logs of the densities over that of N(0, 1), and their slopes."""
        if x.size <= CHUNK:
            return self._log_ratios(x)
        parts = [self._log_ratios(x[i : i + CHUNK]) for i in range(0, x.size, CHUNK)]
        return np.concatenate([f for f, _ in parts], axis=1), np.concatenate([slope for _, slope in parts], axis=1)

    def _log_ratios(self, x: Array) -> tuple[Array, Array]:
        t = self._exponents(x)
        weights, means = self._weights
        # a component of the other one has weight 0, and its growth is a float: it adds nothing
        sums = weights @ np.expm1(np.minimum(t, OVERFLOW))
        s, rise = sums[:2], sums[2:] + means
        near = s > HALF
        if float(t.max(initial=0.0)) > OVERFLOW:
            near &= ~self._beyond(t, OVERFLOW)
        if near.all():
            return np.log1p(s), rise / (1.0 + s)
        safe = np.where(near, s, 0.0)
        f, slope = np.log1p(safe), rise / (1.0 + safe)
        for i, (mixture, y) in enumerate(((self.above, x), (self.below, -x))):
            far = ~near[i]
            if far.any():
                f[i, far], slope[i, far] = mixture.log_ratio_by_logs(y[far])
        return f, slope

    def _beyond(self, t: Array, most: float) -> NDArray[np.bool_]:
        """Return at which places some exponent of A, and of B, is larger."""
        large = t > most
        return np.stack([large[: self._split].any(axis=0), large[self._split :].any(axis=0)])

    @cached_property
    def _error_weights(self) -> tuple[Array, Array]:
        """What shares of all components add up to: means of c, of c^2/2 and of errors; and falls, to errors."""
        c = np.abs(self._centres[:, 0])
        e = np.concatenate([errors + (8.0 + centres.size) * U for centres, _, errors in (m.away for m in self._both)])
        return np.concatenate([each * self._sides for each in (c, 0.5 * c * c, e)]), np.exp(self._logs) * e * self._sides

    def known_to(self, x: Array, f: Array, slope: Array) -> tuple[Array, Array]:
        """Return the sums of what `known_to` says of both, between each two of increasing places.

        `f` and `slope` are what `log_ratios` returns there. Of B left is right.
        """
        t, k = self._exponents(x), self._split
        right, left = np.concatenate([t[:k, 1:], t[k:, :-1]]), np.concatenate([t[:k, :-1], t[k:, 1:]])
        f_right, f_left = np.stack([f[0, 1:], f[1, :-1]]), np.stack([f[0, :-1], f[1, 1:]])
        size = np.maximum(np.abs(f_left), np.abs(f_right))
        weights, falls = self._error_weights
        given = np.exp(np.minimum(self._logs[:, None] + right - self._sides.T @ f_right, 0.0))  # at most 1
        sums = weights @ given
        moved = sums[:2] * np.maximum(np.abs(x[:-1]), np.abs(x[1:])) + sums[2:4]
        # 1 - e^t is at most 1, and at most -t
        fallen = falls @ np.clip(-left, 0.0, 1.0)
        direct = sums[4:] + fallen * np.minimum(np.exp(np.minimum(-f_left, 1.0)), 2.1)
        uses_logs = f_left < -0.68
        if float(t.max(initial=0.0)) > OVERFLOW - 1.0:
            uses_logs |= self._beyond(right, OVERFLOW - 1.0)
        numbers = np.array([[len(mixture.centres)] for mixture in self._both], dtype=np.float64)
        error = 20.0 * U * moved + 4.0 * U * size + 16.0 * numbers * TINIEST
        error += np.where(f_right < -0.70, 0.0, direct)
        if uses_logs.any():
            worst = np.array([[max(mixture.errors)] for mixture in self._both])
            by_logs = worst + (numbers + 16.0) * U * (1.0 + size) + 3.0 * U * np.log(numbers)
            error += np.where(uses_logs, by_logs, 0.0)
        return (1.0 + AMPLE) * (error[0] + error[1]), (1.0 + AMPLE) * (slope[0, 1:] + slope[1, :-1])

    # Masses

    @cached_property
    def _table(self) -> tuple[Array, list[int], Array, Array, Array]:
        """Centres, each once; of all components, those of A first, which of these it has, its size, log and error."""
        signed = [*self.above.centres, *(0.0 - c for c in self.below.centres)]
        centres = sorted(set(signed))
        logs, errors = (self.above.log_weights + self.below.log_weights), (self.above.errors + self.below.errors)
        columns = (np.array(values)[:, None] for values in (centres, [abs(c) for c in signed], logs, errors))
        once, sizes, log_weights, doubts = columns
        return once, [centres.index(c) for c in signed], sizes, log_weights, doubts

    def log_masses(self, x: Array) -> tuple[Array, Array]:
        """Return what `log_masses` says of both: logs of the masses between places that increase, and their errors."""
        if x.size <= CHUNK:
            return self._log_masses(x)
        parts = [self._log_masses(x[i : i + CHUNK + 1]) for i in range(0, x.size - 1, CHUNK)]
        return np.concatenate([log for log, _ in parts], axis=1), np.concatenate([error for _, error in parts], axis=1)

    def _log_masses(self, x: Array) -> tuple[Array, Array]:
        centres, which, sizes, log_weights, errors = self._table
        middle = 0.5 * (x[:-1] + x[1:])
        away = middle - centres
        logs, rounding = log_normal_mass(away, np.broadcast_to(np.diff(x), away.shape))
        logs = logs[which] + log_weights
        # the middle is good to u|x|, a centre to 6u of itself: log phi moves by at most 8u (|x| + c)^2
        moved = 8.0 * (np.abs(middle) + sizes) ** 2 + 16.0
        added = np.abs(log_weights) + np.minimum(np.abs(logs), 1e5)
        rounding = rounding[which] + errors + U * (moved + added)
        first, second = (len(mixture.centres) for mixture in self._both)
        if first == second > 1:
            shape = 2, first, middle.size
            return joined_masses(*(values.reshape(shape).transpose(1, 0, 2) for values in (logs, rounding)))
        of_a = (logs[0], rounding[0]) if first == 1 else joined_masses(logs[:first], rounding[:first])
        of_b = (logs[-1], rounding[-1]) if second == 1 else joined_masses(logs[first:], rounding[first:])
        return np.stack([of_a[0], of_b[0]]), np.stack([of_a[1], of_b[1]])
