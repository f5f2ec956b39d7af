r"""The characteristic function of a composed privacy loss at few frequencies (M19).

The tilted law of a composed loss is smooth, so that its transform $\varphi = \prod \varphi_i^{r_i}$ lives on a short
range of frequencies, whatever r is. All pairs lie on multiples of one step; with M nodes to a period, a sum over nodes
equals a sum over the law wrapped around M steps. Three things are certified: what wrapping adds (Chernoff bounds of the
rows), what the frequencies left out could hold (the modulus between two nodes, from its second derivative), and
rounding.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.discretisation.discretise import DiscretisedPair, discretise
from tightbudget.engine.discretisation.window import Window
from tightbudget.engine.spectral.blocks import Block, blocks_of, no_gaps, without_empty_columns
from tightbudget.engine.spectral.frequencies import ChosenNodes, choose_nodes
from tightbudget.engine.spectral.grid import SpectralGrid
from tightbudget.engine.target import PlanTarget
from tightbudget.numerics.characteristic import Nodes, turned_angles
from tightbudget.numerics.convolve import TooWide
from tightbudget.numerics.rounding import AMPLE, GENEROUS, U, raised_by
from tightbudget.pairs.base import Pair

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

_SLOPES = np.array([0.2, 0.45, 0.7, 1.0, 1.4])  # of Chernoff bounds, relative to the best one for a normal law
_AIMED = 0.05  # of the width: at an aim delta is a smaller part of the tilted law than at its saddle point
_ROOM = 1.5  # standard deviations around the mean for which the period is chosen
NEEDED = slice(None)
"""The columns of a grid that hold anything."""

_LONGEST = 2.0**40  # period, in steps: angles are good to 1e-16 of a turn


ChooseNodes = Callable[[Sequence[Block], Array, float, float, float], ChosenNodes | None]
"""Of blocks and places, with the angle where a normal law falls to about e^-depth, the depth and the least period."""

Discretise = Callable[[Pair, Window, float, float, float, Array], DiscretisedPair]
"""Of a pair, its window, a step, a tilt, an anchor and places: what `discretise` returns."""


class Chernoff(NamedTuple):
    """Bounds on the tails of the rows: P(k >= x) <= exp(log_moments - slope x)."""

    slopes: Array
    log_moments: Array  # row by row, rounded up

    def reach(self, depth: float) -> float:
        """Return where a tail of e^-depth begins, for the row where it is farthest."""
        return float(((self.log_moments + depth) / self.slopes).min(axis=1).max())

    def wrapped(self, row: int, x: float, period: int) -> float:
        r"""Return a bound on $\sum_{m \ge 1} E e^{-s (x + m\,period - k)}$ for the best slope s."""
        place, size = x + period, abs(x) + period
        exponent, slope = math.inf, 1.0
        for trial, moment in zip(self.slopes.tolist(), self.log_moments[row].tolist(), strict=True):
            bound = moment - trial * place + 16.0 * U * (abs(moment) + trial * size)
            if bound < exponent:
                exponent, slope = bound, trial
        return raised_by(math.exp(min(exponent, 700.0)) / -math.expm1(-slope * period), GENEROUS)


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """Transforms of three rows: the spread reading of A, and the merged readings of A and of B.

    Index k of a row stands for the loss anchor + (origin + k) step; row 0 has anchors[0], rows 1 and 2 anchors[1].
    """

    step: float
    theta: float
    period: int  # in steps
    nodes: Nodes  # j of the frequencies 2 pi j / period
    values: Complex
    error_bound: Array  # on the modulus of each value
    beyond: Array  # bound on the modulus of all values left out, row by row
    up: Chernoff
    down: Chernoff  # of -k; its slopes are at most theta step
    origin: int
    anchors: tuple[float, float]
    log_scale: Array
    error: Array  # of the rows, in L1
    loss_shift: float


def composed_spectrum(
    target: PlanTarget,
    grid: SpectralGrid,
    columns: slice = NEEDED,
    choose: ChooseNodes = choose_nodes,
    discretised_pair: Discretise = discretise,
) -> Spectrum | None:
    """Return the composition's spectrum, or None if it is not short.

    All columns of the grid that hold anything are used, and no others unless `columns` says so.
    """
    counts = [count for _, count in target.steps.items]
    width = _AIMED * target.width if target.shares else target.width
    return discretised_laws(target, grid, columns, discretised_pair, counts).composed(counts, width, choose)


def discretised_laws(
    target: PlanTarget, grid: SpectralGrid, columns: slice, discretised_pair: Discretise, counts: Sequence[int]
) -> "Laws":
    """Return the pairs of a composition on a grid."""
    discretised = [
        discretised_pair(pair, span, grid.step, target.tilt.theta, anchor, grid.places)
        for (pair, _), span, anchor in zip(target.steps.items, target.windows, grid.anchors, strict=True)
    ]
    begin, end = min(one.begin for one in discretised), max(one.begin + one.spread.size for one in discretised)
    if columns != NEEDED:
        if begin < columns.start or end > columns.stop:
            raise TooWide
        begin, end = columns.start, columns.stop
    places = grid.places[begin:end]
    if no_gaps(places):  # then columns are places
        places = places - places[0]
    blocks = list(blocks_of(discretised, counts, places, begin))
    support = places
    if columns == NEEDED and not no_gaps(places):
        support, blocks = without_empty_columns(places, blocks)
    return Laws(grid.step, target.tilt.theta, discretised, places, begin, support, blocks)


class Laws(NamedTuple):
    """Discretised pairs on one grid: columns from `begin` on, of which `places` are the places.

    Blocks have the columns at `support` alone, which hold all there is.
    """

    step: float
    theta: float
    discretised: Sequence[DiscretisedPair]
    places: Array
    begin: int
    support: Array
    blocks: Sequence[Block]

    def composed(self, counts: Sequence[int], width: float, choose: ChooseNodes, normal: float = 0.0) -> Spectrum | None:
        """Return the spectrum of the pairs, each repeated its count, as the blocks say too; None if it is not short.

        Tails and the period are those of the sum with a normal variable of the deviation `normal`, in steps, of mean 0.
        """
        theta, support, blocks = self.theta, self.support, self.blocks
        log_scale, error = spectrum_certificate(self.discretised, counts)
        # indices of the composition count from near its mean; a pair's own from its peak
        centre = round(math.fsum(float(block.counts @ block.means[::3]) for block in blocks))
        origin = centre + sum(
            count * (one.spread.first - round(self.places[one.begin - self.begin]))
            for count, one in zip(counts, self.discretised, strict=True)
        )
        variance = float(np.add.reduce([block.total(block.variances) for block in blocks]).max()) + normal * normal
        deviation = math.sqrt(variance)
        if not 0.0 < deviation < _LONGEST:
            return None
        # What is left out may weigh e^-depth of the frequency 0, which a smooth law's delta is about
        # (1 + theta) deviation below.
        depth = math.log((1.0 + theta) * (1.0 + deviation) / (0.02 * min(width, 0.1)))
        best = math.sqrt(2.0 * depth) / deviation
        up, down = _SLOPES * best, np.minimum(_SLOPES * best, theta * self.step)
        slopes = np.concatenate([up, -down])
        moments = _log_moments(blocks, support, slopes, centre) + raised_by(0.5 * (normal * slopes) ** 2, AMPLE)
        chernoff_up, chernoff_down = Chernoff(up, moments[:, : up.size]), Chernoff(down, moments[:, up.size :])
        length = max(chernoff_up.reach(depth), chernoff_down.reach(depth)) + _ROOM * deviation
        if not length < _LONGEST:
            return None
        found = choose(blocks, support, best, depth, length)
        if found is None:
            return None
        values, error_bound = _transform_product(blocks, found, centre)
        return Spectrum(
            step=self.step,
            theta=theta,
            period=found.period,
            nodes=found.nodes,
            values=values,
            error_bound=error_bound,
            beyond=found.beyond,
            up=chernoff_up,
            down=chernoff_down,
            origin=origin,
            anchors=(
                _spectrum_anchor([one.spread.anchor for one in self.discretised], counts),
                _spectrum_anchor([one.merged.anchor for one in self.discretised], counts),
            ),
            log_scale=log_scale,
            error=error,
            loss_shift=raised_by(
                math.fsum(count * one.loss_shift for count, one in zip(counts, self.discretised, strict=True)), GENEROUS
            ),
        )


def _spectrum_anchor(anchors: Sequence[float], counts: Sequence[int]) -> float:
    return math.fsum(count * anchor for count, anchor in zip(counts, anchors, strict=True))


def spectrum_certificate(discretised: Sequence[DiscretisedPair], counts: Sequence[int]) -> tuple[Array, Array]:
    """Return log Z and the L1 error of the composed rows: (1 + E1)^r1 (1 + E2)^r2 ... - 1, as in `tilted` (M7)."""
    r = np.array(counts, dtype=np.float64)
    errors = np.array([[one.spread.error[0], *one.merged.error] for one in discretised])
    scales = np.array([[one.spread.log_scale[0], *one.merged.log_scale] for one in discretised])
    error_bounds = r @ np.log1p(errors)
    total = 64.0 * U * math.fsum(counts)
    if float(error_bounds.max()) + total > 1.0:  # what is certified only up to its own mass is not worth composing
        raise TooWide
    error = raised_by(math.exp(total) * np.expm1(error_bounds), GENEROUS)
    return r @ scales, error + (4.0 + len(discretised)) * U * (r @ np.abs(scales))


def _log_moments(blocks: Sequence[Block], places: Array, slopes: Array, centre: int) -> Array:
    """Return log E e^{slope k} of the composition, k counted from the centre, kind by kind of row, rounded up."""
    total = np.zeros((3, slopes.size))
    exponent = np.multiply.outer(places, slopes)
    peak = exponent.max(axis=0)
    table = np.exp(exponent - peak)
    largest = np.abs(exponent).max(axis=0)
    moved = 0
    for block in blocks:
        # pair by pair about a whole number near the mean, so that little is left to multiply by the count
        near = np.round(block.means[::3])
        moved += sum(round(count) * round(place) for count, place in zip(block.counts.tolist(), near.tolist(), strict=True))
        moment = np.log(np.maximum(block.rows @ table, 1e-300)) + peak - np.repeat(np.multiply.outer(near, slopes), 3, 0)
        # the sum's length, and the roundings of the exponents at their size
        moment += U * (places.size + 64.0 + 16.0 * largest)
        total += block.total(moment)
    rest = float(centre - moved) * slopes
    return total - rest + AMPLE * (1.0 + np.abs(total) + np.abs(rest))


def _transform_product(blocks: Sequence[Block], found: ChosenNodes, centre: int) -> tuple[Complex, Array]:
    """Return the product of all transforms raised to their counts, turned to the centre, and a bound on its error."""
    log_modulus, argument, relative = (np.zeros((3, found.nodes.size)) for _ in range(3))
    # of each logarithm, and of a sum over all pairs, whose terms may cancel
    rounding = 2.0 * U * (sum(block.counts.size for block in blocks) + len(blocks) + 12.0)
    for block, (values, error) in zip(blocks, found.transforms, strict=True):
        modulus = np.maximum(np.abs(values), 1e-300)
        logs, angles = np.log(modulus), np.angle(values)
        terms = np.abs(logs) + np.abs(angles)
        log_modulus += block.total(logs)
        argument += block.total(angles)
        relative += block.total(error / np.maximum(modulus - error, 1e-300) + rounding * (1.0 + terms))
    # the exact value is at most this in modulus, and at most e (`certificate`); one too doubtful is taken to be 0
    largest = np.exp(np.minimum(log_modulus + raised_by(relative, GENEROUS), 1.0))
    hopeless = relative > 1.0
    modulus = np.where(hopeless, 0.0, np.exp(np.minimum(log_modulus, 1.0)))
    argument += turned_angles(centre, found.nodes, found.period)
    relative += 64.0 * U
    values = modulus * (np.cos(argument) + 1j * np.sin(argument))
    return values, largest * np.where(hopeless, 1.0, 1.01 * np.expm1(np.minimum(relative, 1.0)))
