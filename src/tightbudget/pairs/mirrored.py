"""A pair that is the same in both orders, known by the law of its losses above a start, with points in between (M36).

The worst that promises on Rényi divergences allow is of this kind: the bound of the best order follows a law of its own
above a loss `start`, the mirror image of that below `-start`, and a chord, or two that meet at 0, in between.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import NEGLIGIBLE, Alignment, Array, Cells, Pair
from tightbudget.pairs.infinite_mass import NOWHERE
from tightbudget.pairs.mixtures import joined_masses
from tightbudget.pairs.moments.events import Tail

_SMALL = 1e-3  # a part of what is left that is not worth a point of its own


class Rest(NamedTuple):
    """What a law leaves at its start.

    missing    1 - A(loss > start)
    mirrored   B(loss > start): mass of A below -start, less than is missing
    doubt      bound on the error of their difference, a small part of it
    variation  by how much points must raise H_1, the total variation, at least; inf if there is no bound on that
    """

    missing: float
    mirrored: float
    doubt: float
    variation: float = math.inf

    @property
    def certain(self) -> bool:
        """Whether more is missing than the mirror image brings, and how much is known well."""
        return self.missing - self.mirrored > max(1e-6 * self.missing, 1e5 * self.doubt)


class UpperLaw(Protocol):
    """Losses above a start, by a place that increases with them: the law of all events beyond it, under A and B."""

    @property
    def start(self) -> tuple[float, float]:
        """The place where it starts, and the loss there, 0 or more, up to `loss_shift`."""

    @property
    def rest(self) -> Rest: ...

    @property
    def coarse_places(self) -> Array:
        """A few hundred places from the start on that resolve it, but for NEGLIGIBLE mass beyond the last."""

    @property
    def tail(self) -> Tail:
        """What is known of the moments beyond the last of the coarse places."""

    def losses(self, places: Array) -> Array: ...

    def places(self, losses: Array) -> Array:
        """Return the places of losses above the start, up to `loss_shift`; inf may be among them."""

    def masses(self, places: Array) -> tuple[Array, Array, Array]:
        """Return logs of the masses of A and of B between places that increase, and a bound on the error of both."""

    def loss_shift(self, loss: float) -> float: ...


@dataclass(frozen=True)
class MirroredPair(Pair):
    """The pair of an upper law, its mirror image, and what is left in between: the same in both orders."""

    law: UpperLaw

    infinity = NOWHERE
    minus_infinity = NOWHERE
    unresolved = NEGLIGIBLE
    max_loss = math.inf
    max_loss_lower = math.inf
    covers_b = True

    @property
    def alignment(self) -> Alignment | None:
        return None

    @property
    def tail(self) -> Tail:
        return self.law.tail

    def loss_shift(self, loss: float) -> float:
        return self.law.loss_shift(loss)

    def points(self) -> Cells:
        return self._points

    @cached_property
    def _points(self) -> Cells:
        """What is left at `start` and, as much as the total variation allows, at 0.

        A mass x of A at the start, x e^-start of B, and the mirror image of both raise the total variation by
        x (1 - e^-start). What is left in all, x (1 + e^-start) and the mass at 0, is the same of A and of B.
        """
        loss, rest = self.law.start[1], self.law.rest
        left, mirror = rest.missing - rest.mirrored, 1.0 + math.exp(-loss)
        at_start, at_zero = left / mirror, 0.0
        if rest.variation < math.inf and loss > 0.0:
            enough = rest.variation / -math.expm1(-loss)
            if left - enough * mirror > _SMALL * left:  # else all at the start, where it reveals more
                at_start, at_zero = enough, left - enough * mirror
        losses, masses = np.array([-loss, 0.0, loss]), np.array([at_start, at_zero, at_start])
        kept = masses > 0.0
        losses, masses = losses[kept], masses[kept]
        log_a = np.log(masses) - np.maximum(-losses, 0.0)
        # what is enough may be taken as it is; all that is left is known up to the doubt
        doubtful = np.where((losses == 0.0) | (at_zero == 0.0), 2.0 * rest.doubt / masses, 0.0)
        error = doubtful + 16.0 * U * (1.0 + np.abs(log_a) + np.abs(losses))
        return Cells(losses, losses, log_a, log_a - losses, error)

    def cells(self, edges: Array) -> Cells:
        up = self._upper(edges)
        down = tuple(values[::-1] for values in self._upper(-edges[::-1]))
        log_a, log_b, error = up[0], up[1], np.maximum(up[2], down[2])
        below = down[0] > -np.inf
        if below.any():  # there A is what B is above, and the other way round
            log_a, log_b = np.where(below, down[1], log_a), np.where(below, down[0], log_b)
            both = below & (up[0] > -np.inf)  # in one cell at most
            errors = np.stack([up[2][both], down[2][both]])
            log_a[both], error_a = joined_masses(np.stack([up[0][both], down[1][both]]), errors)
            log_b[both], error_b = joined_masses(np.stack([up[1][both], down[0][both]]), errors)
            error[both] = np.maximum(error_a, error_b)
        return Cells(edges[:-1], edges[1:], log_a, log_b, error)

    def _upper(self, edges: Array) -> tuple[Array, Array, Array]:
        """Return logs of the masses of the upper law between edges, and their errors."""
        log_a, log_b, error = np.full(edges.size - 1, -np.inf), np.full(edges.size - 1, -np.inf), np.zeros(edges.size - 1)
        place, start = self.law.start
        first = int(np.searchsorted(edges, start, side="right"))
        begin = max(first - 1, 0)
        if first < edges.size:
            places = self.law.places(edges[first:])
            if first:
                places = np.append(place, places)
            log_a[begin:], log_b[begin:], error[begin:] = self.law.masses(np.maximum.accumulate(np.maximum(places, place)))
        return log_a, log_b, error

    def coarse_cells(self) -> Cells:
        return self._coarse_cells

    @cached_property
    def _coarse_cells(self) -> Cells:
        places = self.law.coarse_places
        losses = np.maximum.accumulate(np.maximum(self.law.losses(places), self.law.start[1]))
        log_a, log_b, error = self.law.masses(places)
        low = losses[:-1]
        # a cell squeezed flat is still no point mass
        up = Cells(low, np.maximum(losses[1:], np.nextafter(low, np.inf)), log_a, log_b, error)
        up = up.where(up.log_a > -np.inf)
        down = Cells(*(values[::-1] for values in (-up.high, -up.low, up.log_b, up.log_a, up.error)))
        return Cells.join(down, self.points(), up)
