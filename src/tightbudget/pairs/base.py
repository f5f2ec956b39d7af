"""What the engine asks of a dominating pair (A, B). A mechanism supplies one for each direction."""

import math
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tightbudget.numerics.mass import Mass
from tightbudget.pairs.cells import NEGLIGIBLE, REACH, Alignment, Array, Cells, Direction, log_or_minus_inf
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.moments.events import Events, Tail, point_events, unknown_tail

if TYPE_CHECKING:
    from tightbudget.pairs.gaussian import GaussianPair

__all__ = ["NEGLIGIBLE", "REACH", "Alignment", "Array", "Cells", "Direction", "Pair", "log_or_minus_inf"]


class Pair(Protocol):
    """A dominating pair (A, B) seen through its privacy loss ln dA/dB. Hashable: equal steps are counted together.

    A kind of pair subclasses this. What has a body here is a default that is sound for every pair; a pair that knows
    more says so (decision 0016).
    """

    @property
    def infinity(self) -> InfiniteMass:
        """Mass of A where B has none, or next to none."""

    @property
    def minus_infinity(self) -> InfiniteMass:
        """Mass of B where A has none, or next to none."""

    @property
    def unresolved(self) -> float:
        """Bound on the mass of A (finite loss) that neither `coarse_cells` nor any window of `cells` covers."""

    @property
    def max_loss(self) -> float:
        """Supremum of the finite losses (inf if unbounded), rounded up."""

    @property
    def max_loss_lower(self) -> float:
        """The same, rounded down."""

    @property
    def alignment(self) -> Alignment | None:
        """Where the point masses lie, if on a grid."""

    def loss_shift(self, loss: float) -> float:
        """Bound on how far a loss up to this size may be from the edge that `cells` was asked for."""

    def points(self) -> Cells:
        """Return the point masses."""

    @property
    def only_points(self) -> bool:
        """Whether there is nothing but point masses; asked for guesses alone."""
        size = self.points().size
        return size > 0 and size == self.coarse_cells().size

    def cells(self, edges: Array) -> Cells:
        """Return the continuous part between consecutive edges."""

    def coarse_cells(self) -> Cells:
        """Return all of the pair, in a few hundred cells chosen to resolve it, in increasing order of loss."""

    def coarse_edges(self) -> Array:
        """Return the ends of the coarse cells, in increasing order; those of cells without mass may be among them."""
        cells = self.coarse_cells()
        return np.unique(np.concatenate([cells.low, cells.high]))

    def rough_profile(self) -> tuple[Array, Array]:
        """Return losses that increase, and about the log of delta of the finite losses there: nothing is certified."""
        cells = self.coarse_cells()
        logs = cells.tails()[2]
        some = np.isfinite(logs) & np.isfinite(cells.low) & (np.diff(cells.low, prepend=-np.inf) > 0.0)
        return cells.low[some], logs[some]

    @property
    def total_variation(self) -> float:
        """Bound on the total variation of A and B where no loss is infinite: 1 - e^-x <= x for the largest loss x."""
        return self.max_loss

    @property
    def variation(self) -> Mass | None:
        """The total variation, infinite losses included, if the pair has it in closed form."""
        return None

    @property
    def place(self) -> tuple[Hashable, tuple[float, ...]] | None:
        """A family of pairs and numbers in it: one whose numbers are all at least as large dominates this one (M3).

        What is certified of that pair from its numbers then holds for this one. None if no such family is known.
        """
        return None

    @property
    def keepable(self) -> bool:
        """Whether a pair may be kept for questions that equal it; one that holds long lists is kept by its maker."""
        return True

    def on_known_base(self, known: "Callable[[Pair], Pair]") -> "Pair":
        """Return this pair on the base that `known` has kept, if it is made of another: what that knows is shared."""
        return self

    @property
    def whole(self) -> bool:
        """Whether A's masses, infinite losses and `unresolved` included, add up to 1; not of a part of a pair (M20)."""
        return True

    @property
    def covers_b(self) -> bool:
        """Whether all of B but 1e-300 is known to have a finite loss in the coarse cells; they are made for A."""
        return False

    @property
    def gaussian(self) -> "GaussianPair | None":
        """This pair where it is N(m, 1) against N(0, 1), with nothing cut off: several of those are one (M8)."""
        return None

    @property
    def laplace_loss(self) -> float | None:
        """The largest loss of Laplace noise with nothing cut off, else None: its repetitions have a sum (M21)."""
        return None

    @property
    def exponential(self) -> bool:
        """Whether losses between two point masses are exponential: fine grids of its repetitions come at once (M19)."""
        return False

    @property
    def normal_ratio(self) -> float:
        """The m of normal noise, however often it is subsampled; else 0. It says how far events must reach."""
        return 0.0

    @property
    def tail(self) -> Tail | None:
        """What is known of the moments of `unresolved` mass; None of a pair without any."""
        return unknown_tail() if self.unresolved > 0.0 else None

    def events(self, reach: float) -> Events:
        """Return finitely many events with moments at least as large; normal ones up to `reach` sigmas (M10)."""
        return cell_events(self, self.coarse_cells())

    def log_moment(self, orders: Array) -> Array:
        """Return upper bounds on log E_A e^{(a-1)L} = (a-1) D_a at orders a > 1."""
        return self.events(REACH).log_moment(orders)

    @property
    def zcdp_rho(self) -> float:
        """A rho with D_a <= rho a at every order, if the pair knows one; else inf."""
        return math.inf

    @property
    def gdp_mu(self) -> float:
        """A mu for which N(mu, 1) and N(0, 1) are as easy to tell apart, if the pair knows one; else inf."""
        return math.inf


def cell_events(pair: Pair, cells: Cells) -> Events:
    """Return all of a pair, given by its cells, as events."""
    widest = float(max(np.abs(cells.low).max(initial=0.0), np.abs(cells.high).max(initial=0.0)))
    minus_infinity = pair.minus_infinity.upper + pair.unresolved
    return point_events(cells, pair.loss_shift(widest), minus_infinity, pair.infinity.upper, pair.tail)
