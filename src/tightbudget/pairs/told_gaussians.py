"""Normal noise of which it is told how far the query has moved, one of several distances (M31).

With probability e^log_weight the pair is N(m, 1) against N(0, 1), and both sides see which m it is: masses add up.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.cached import cached_property
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.normal import log_normal_mass
from tightbudget.numerics.rounding import TINIEST, U
from tightbudget.pairs.base import NEGLIGIBLE, REACH, Alignment, Array, Cells, Pair
from tightbudget.pairs.cells import log_delta
from tightbudget.pairs.infinite_mass import NOWHERE, InfiniteMass
from tightbudget.pairs.mixtures import entries_of, joined_masses, sums_by_run

_IRRELEVANT = 45.0  # e^-45 is less than half a rounding
_COARSELY = 30.0  # e^-30 of a mass is left out of coarse cells, and part of their error
_LARGEST = 2.0**1000  # loss, from which on all moves count as relevant
_AT_ONCE = 2**16  # moves times cells
_RARE = 80.0  # e^-80 is the weight of moves that sparse cells will do for
_ROUGH, _NEAR, _LIKELY = 20, 8.0, 50.0  # for a guess: losses of each move, sigmas, and e^-50 of the likeliest move
_EVENLY = np.linspace(0.0, 1.0, 16)
_CORE, _MOST_CORE = 13.0, 512  # sigmas around each mean of A that coarse cells resolve well
_BEYOND, _BELOW = np.linspace(_CORE, REACH, 41), np.linspace(_CORE, REACH, 20)  # sigmas from the last mean of A, and of B


@lru_cache(32)
def _core_points(size: int) -> Array:
    return np.linspace(-_CORE, _CORE, size)


@dataclass(frozen=True)
class ToldGaussiansPair(Pair):
    """Moves 0 < m_0 < m_1 < ... with the logs of their probabilities, each good to its number in `errors`.

    `infinity` is the probability of moves that are told at sight, or not followed.
    """

    moves: tuple[float, ...]
    log_weights: tuple[float, ...]
    errors: tuple[float, ...]
    infinity: InfiniteMass = NOWHERE

    unresolved = NEGLIGIBLE
    max_loss = math.inf
    max_loss_lower = math.inf

    @property
    def minus_infinity(self) -> InfiniteMass:
        return self.infinity

    @property
    def alignment(self) -> Alignment | None:
        return None

    @property
    def total_variation(self) -> float:
        return min(1.0, self.moves[-1] + self.infinity.upper)

    @cached_property
    def variation(self) -> Mass:
        """The sum of all 2 Phi(m/2) - 1 with their probabilities, and what is told at sight."""
        m, logs, errors = (values[:, 0] for values in self._arrays)
        masses, rounding = log_normal_mass(np.zeros(m.size), m)
        # m is good to 6u, and the log of the mass moves by no more than that of m
        each = rounding + errors + U * (32.0 + np.abs(logs))
        log, error = joined_masses((masses + logs)[:, None], each[:, None])
        known = Mass.about(float(log[0]), float(error[0]))
        if not self.infinity.possible:
            return known
        low, high = known.lower + self.infinity.at(0.0).lower, known.upper + self.infinity.upper
        lowest, highest = (math.log(end) if end > 0.0 else -math.inf for end in (low, high))
        return Mass(lowest - 8.0 * U * (1.0 + abs(lowest)), min(0.0, highest + 8.0 * U * (1.0 + abs(highest))))

    def loss_shift(self, loss: float) -> float:
        # as of one Gaussian (M2), with the largest move that matters
        return 16.0 * U * (abs(loss) + self._largest_at(abs(loss)) ** 2) + 2.0 * REACH * TINIEST

    def _largest_at(self, loss: float) -> float:
        """Return the largest move that is more than e^-45 of the density at some loss up to this size, on both sides.

        The log of the density of a move m at a loss x, less that of a smaller move k, is x^2 (1/k^2 - 1/m^2) / 2 and
        what does not depend on x: it is largest at the largest loss.
        """
        return self.moves[self._matter_at(loss) - 1]

    def _matter_at(self, loss: float) -> int:
        """Return the number of moves up to that, at the next power of 2, so that losses near one another ask once."""
        if not loss < _LARGEST:
            return len(self.moves)
        loss = math.ldexp(1.0, math.frexp(max(loss, TINIEST))[1])
        found = self._known_numbers.get(loss)
        if found is None:
            m = self._arrays[0][:, 0]
            with np.errstate(over="ignore"):
                heights = self._tops[:, 0] - 0.5 * (loss / m - 0.5 * m) ** 2
            matters = heights >= np.maximum.accumulate(heights) - _IRRELEVANT - math.log(m.size)
            found = self._known_numbers[loss] = int(np.flatnonzero(matters)[-1]) + 1
        return found

    @cached_property
    def _known_numbers(self) -> dict[float, int]:
        """What `_matter_at` has found, at powers of 2: samples ask about losses near one another several times."""
        return {}

    def points(self) -> Cells:
        return Cells.none()

    @cached_property
    def _arrays(self) -> tuple[Array, Array, Array]:
        return np.array(self.moves)[:, None], np.array(self.log_weights)[:, None], np.array(self.errors)[:, None]

    @cached_property
    def _tops(self) -> Array:
        """Logs of the densities of the loss at their peaks, up to a constant."""
        m, logs, _ = self._arrays
        tops: Array = logs - np.log(m)
        return tops

    def cells(self, edges: Array) -> Cells:
        return self._cells(edges, _IRRELEVANT)

    def _cells(self, edges: Array, margin: float) -> Cells:
        """Return the cells, of moves that are more than e^-margin of the density there."""
        size = max(1, _AT_ONCE // len(self.moves))
        starts = range(0, max(1, edges.size - 1), size)
        parts = [self._few_cells(edges[start : start + size + 1], margin) for start in starts]
        return parts[0] if len(parts) == 1 else Cells.join(*parts)

    def _few_cells(self, edges: Array, margin: float) -> Cells:
        """Return the cells: masses of the moves that matter there, one by one, and their sums."""
        farthest = max(abs(float(edges[0])), abs(float(edges[-1])))  # losses increase
        moves = self._arrays[0][: self._matter_at(farthest)]
        with np.errstate(over="ignore"):  # an edge beyond all floats is beyond the range too
            places = edges / moves - 0.5 * moves  # from the mean of A
            cell, move = entries_of(self._relevant(edges, places, margin).T)  # of every cell some move
        m, logs, errors = (values[move, 0] for values in self._arrays)
        first = move * edges.size + cell
        low, high = (np.minimum(np.maximum(places.ravel()[at], -REACH - m), REACH) for at in (first, first + 1))
        width, middle = high - low, 0.5 * (high + low)
        of_b = middle + m
        masses, rounding = log_normal_mass(np.stack([middle, of_b]), np.stack([width, width]))
        error = rounding.max(axis=0) + errors + U * (8.0 * (np.abs(of_b) + m) ** 2 + 16.0 + np.abs(logs))
        (log_a, log_b), both = sums_by_run(masses + logs, error, cell)
        return Cells(edges[:-1], edges[1:], log_a, log_b, both.max(axis=0) + self._strayed(edges, margin))

    def _strayed(self, edges: Array, margin: float) -> Array:
        """Bound on the share of a cell that irrelevant moves bring in, or take away, as their edges are off by more."""
        widths, farthest = np.diff(edges), np.maximum(np.abs(edges[:-1]), np.abs(edges[1:]))
        shift = 16.0 * U * (np.minimum(farthest, 1e4 * REACH) + self.moves[-1] ** 2)
        strayed: Array = 4.0 * math.exp(-margin) * shift / np.maximum(widths, TINIEST)
        return strayed

    def _relevant(self, edges: Array, places: Array, margin: float) -> NDArray[np.bool_]:
        """Return which of the first moves are more than e^-margin of the density anywhere in which cell; of B as of A.

        `places` are those of the edges, from the mean of A. Logs of densities are concave in the loss: within a cell
        they are at least as large as at one of its ends, and largest at an end or at their peak.
        """
        m, tops = self._arrays[0][: places.shape[0]], self._tops[: places.shape[0]]
        heights = places * places
        heights *= -0.5
        heights += tops
        left, right = heights[:, :-1], heights[:, 1:]
        most = np.maximum(left, right)
        peaks = 0.5 * m[:, 0] * m[:, 0]
        within = np.searchsorted(edges, peaks) - 1  # the cell that each peak lies in, if any
        some = np.flatnonzero((within >= 0) & (within < edges.size - 1))
        most[some, within[some]] = tops[some, 0]
        kept: NDArray[np.bool_] = most > np.minimum(left, right).max(axis=0) - margin - math.log(len(self.moves))
        kept[0] |= ~kept.any(axis=0)  # of a cell so far out that it is empty
        return kept

    def coarse_cells(self) -> Cells:
        return self._coarse_cells

    def rough_profile(self) -> tuple[Array, Array]:
        likely = np.array(self.log_weights) > max(self.log_weights) - _LIKELY
        m, weights = np.array(self.moves)[likely][:, None], np.array(self.log_weights)[likely][:, None]
        # close together near 0, and around the mean of each
        reach = np.minimum(0.5 * m, _NEAR)
        parts = m * (0.5 * m + _CORE) * np.linspace(0.0, 1.0, _ROUGH) ** 2, m * (0.5 * m - reach + (reach + _NEAR) * _EVENLY)
        losses = np.unique(np.concatenate(parts, axis=1))
        z = losses / m + 0.5 * m
        logs = log_delta(losses, *(np.logaddexp.reduce(weights + special.log_ndtr(at), axis=0) for at in (m - z, -z)))
        some = np.isfinite(logs)
        return losses[some], logs[some]

    @cached_property
    def _coarse_cells(self) -> Cells:
        # the likelier a move is, the finer
        least = max(self.log_weights) - _RARE
        sizes = [max(9, _MOST_CORE >> (2 + k)) if log > least else 3 for k, log in enumerate(self.log_weights)]
        parts = [m * (0.5 * m + _core_points(size)) for m, size in zip(self.moves, sizes, strict=True)]
        last = self.moves[-1]
        parts += [last * (0.5 * last + _BEYOND), -last * _BELOW]
        edges = np.unique(np.concatenate([*parts, [0.0]]))  # samples have another law on each side of 0
        cells = self._cells(edges, _COARSELY)
        return replace(cells, error=cells.error + 2.0 * math.exp(-_COARSELY)).where(cells.log_a > -math.inf)
