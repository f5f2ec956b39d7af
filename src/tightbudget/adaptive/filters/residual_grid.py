"""Pairs on the grid of losses k h, k whole: a step spread upwards to it, and the Gaussian profile at its points (M15).

h is a power of two, so every point is an exact float. Masses and profiles are bounded relatively, never absolutely:
what is compared may be as small as 1e-30.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.numerics.rounding import AMPLE, U, lowered, raised, raised_by, strictly_raised
from tightbudget.numerics.shares import share_up
from tightbudget.pairs.base import Cells, Pair

Array = NDArray[np.float64]

_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)  # of the normal law at 0


@dataclass(frozen=True, slots=True)
class Spread:
    """Masses under A of a pair that dominates: masses[i] at loss (first + i) h, and `infinity` at loss inf."""

    first: int
    masses: Array
    infinity: float


@dataclass(frozen=True, slots=True)
class Spreads:
    """A step in both directions; one if they are alike, none if it reveals nothing."""

    each: tuple[Spread, ...]

    @property
    def nbytes(self) -> int:
        return sum(one.masses.nbytes for one in self.each)


def spread_to_grid(pair: Pair, h: float, negligible: float, reach: float) -> Spread:
    """Return the pair on the grid from about -reach to reach.

    Losses above, and the largest ones as far as they hold no more than `negligible` of A, count as infinite; losses
    below, and the smallest ones likewise, are raised to the lower end.
    """
    coarse = pair.coarse_cells()
    log_a = coarse.log_a + coarse.error
    above = (coarse.high > reach) | (np.logaddexp.accumulate(log_a[::-1])[::-1] <= math.log(negligible))
    below = (coarse.low < -reach) | (np.logaddexp.accumulate(log_a) <= math.log(negligible))
    high = min(reach, float(coarse.high[~above].max(initial=0.0)))
    low = min(high, max(-reach, float(coarse.low[~below].min(initial=0.0))))
    loss_shift = pair.loss_shift(max(abs(low), abs(high)) + 2.0 * h)
    if not loss_shift <= reach:  # losses are not known to the width of the grid: whatever they are, infinity is above
        return Spread(0, np.zeros(1), 1.0)
    start, stop = math.floor((low - loss_shift) / h) - 1, math.ceil((high + loss_shift) / h) + 2
    x = h * np.arange(start, stop + 1, dtype=np.float64)
    masses = np.zeros(x.size)
    # A cell holds losses up to `loss_shift` outside its edges: with the edges moved down by more than that none lies
    # above the grid point that bounds it, and those below the other one are raised to it, by at most 6 loss_shift.
    cells = pair.cells(x - 4.0 * loss_shift)
    index = np.flatnonzero(cells.log_a > -np.inf)
    cells = cells.where(cells.log_a > -np.inf)
    _spread_events(masses, cells, index, cells.log_a - cells.log_b - x[index] + 6.0 * loss_shift, h)
    points = pair.points()
    points = points.where((points.low >= low) & (points.low <= high) & (points.log_a > -np.inf))
    place = points.low + loss_shift + 4.0 * U * np.abs(points.low)
    index = np.floor(place / h).astype(np.intp) - start
    _spread_events(masses, points, index, place - x[index], h)
    # Cells below the window may be counted twice; point masses there are counted here alone, and lie below low +
    # loss_shift.
    masses[math.ceil((low + loss_shift) / h) + 1 - start] += _sum_of_masses(log_a[below])
    infinity = pair.infinity.upper + pair.unresolved + _sum_of_masses(log_a[above])
    # the roundings of an exponential, a share and the sums they enter
    return Spread(start, raised_by(masses, AMPLE), raised_by(infinity, AMPLE))


def _spread_events(masses: Array, events: Cells, index: NDArray[np.intp], above: Array, h: float) -> None:
    """Split events whose loss is `above` grid point `index` between it and the next, connecting the dots (M5).

    Any doubt about the loss moves mass up; so does any about the share.
    """
    above = above + 2.0 * events.error + 8.0 * U * (1.0 + np.abs(events.low))
    share = np.minimum(raised_by(share_up(above, h), AMPLE), 1.0)
    a = np.exp(np.minimum(events.log_a + events.error + 4.0 * U * np.abs(events.log_a), 0.0))
    np.add.at(masses, index + 1, a * share)
    np.add.at(masses, index, a * (1.0 - share))


def _sum_of_masses(logs: Array) -> float:
    return float(np.exp(np.minimum(logs, 0.0)).sum())  # no mass is above 1, however wide its error bound


def gaussian_profile(mu: float, x: Array) -> tuple[Array, Array]:
    """Return lower and upper bounds on delta(x) of N(mu, 1) against N(0, 1), x of any sign (M8)."""
    if mu == 0.0:
        nothing = -np.expm1(np.minimum(x, 0.0))
        return lowered(nothing, 8), raised(nothing, 8)
    size = np.abs(x)
    u, v = size / mu - 0.5 * mu, size / mu + 0.5 * mu
    with np.errstate(under="ignore"):
        scale = 0.5 * np.exp(-0.5 * np.minimum(u * u, 1e5))
    second = scale * special.erfcx(v / math.sqrt(2.0))
    first = np.where(u < 0.0, special.ndtr(-u), scale * special.erfcx(np.maximum(u, 0.0) / math.sqrt(2.0)))
    # as in engine/closed/gaussian.py: u and v are good to 3 roundings of their terms, which e^{-u^2/2} multiplies by u
    error_bound = U * (24.0 + 4.0 * (np.abs(u) + 1.0) * v) * (first + second) + 1e-320
    lower, upper = np.maximum(first - second - error_bound, 0.0), np.minimum(first - second + error_bound, 1.0)
    # delta(0) = 2 Phi(mu/2) - 1 is below mu times the density at 0; for small mu the two terms all but cancel
    upper = np.minimum(upper, strictly_raised(mu * _DENSITY, 8))
    # delta(-x) = 1 - e^-x + e^-x delta(x), a sum of positive terms
    below = np.minimum(x, 0.0)
    mirrored, weight = -np.expm1(below), np.exp(below)
    return lowered(mirrored + weight * lower, 8), np.minimum(raised(mirrored + weight * upper, 8), 1.0)
