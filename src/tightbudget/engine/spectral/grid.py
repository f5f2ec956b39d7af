"""One grid for a whole composition, fine where the mass is: on it the pairs of a spectrum are discretised (M9).

The law of the width is that of `plan`: masses D(x) dx (tilted, times counts) put on a grid of step s(x) add the
integral of D s^2 to what the target allows. With the least number of points, s is proportional to D^(-1/3).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.target import PlanTarget, aligned_step
from tightbudget.numerics.convolve import TooWide
from tightbudget.pairs.base import Alignment, Cells

Array = NDArray[np.float64]

_PER_OCTAVE = 3  # cells of the mesh on which steps are chosen
_DOUBT = 0.03  # of the tilted masses beside shares at an aim, which are roughly known: what finer grids must not miss
_FINEST = 0.6  # of the step that an even grid would have
LAST = 2.0 ** np.arange(24)
"""Distances of the points beyond the ends of a grid."""


@dataclass(frozen=True, slots=True, eq=False)
class SpectralGrid:
    """Points k step, k in `places`, counted from the anchor of each item."""

    step: float
    places: Array  # whole numbers, increasing
    anchors: tuple[float, ...]


def spectral_grid(target: PlanTarget, most_points: float, overlap: int = 0) -> SpectralGrid:
    """Return a grid that meets the target with as few points as possible; TooWide if they are more than most_points.

    Where distances grow, they do so after `overlap` more points: of a grid of few points that is much.
    """
    counts = [float(count) for _, count in target.steps.items]
    alignments = [pair.alignment for pair, _ in target.steps.items]
    anchors = tuple(alignment.anchor if alignment else 0.0 for alignment in alignments)
    alignment = _commonest_alignment(alignments, counts)
    low = min(span.low - anchor for span, anchor in zip(target.windows, anchors, strict=True))
    high = max(span.high - anchor for span, anchor in zip(target.windows, anchors, strict=True))
    if alignment and len(counts) == 1:
        return _spectral_lattice(target, alignment, counts[0], low, high, most_points)
    weights = [tilted_weights(cells, target.tilt.theta) for cells in target.cells]
    if target.shares:
        weights = [_DOUBT * tilted + (1.0 - _DOUBT) * share for tilted, share in zip(weights, target.shares, strict=True)]
    mesh = _spectral_mesh(target, weights, anchors, low, high)
    mass = np.zeros(mesh.size - 1)
    for cells, weight, count, anchor in zip(target.cells, weights, counts, anchors, strict=True):
        edges = np.concatenate([cells.low[:1], cells.high]) - anchor
        below = np.interp(mesh, edges, np.concatenate([[0.0], weight.cumsum()]))
        mass += count * (below[1:] - below[:-1])
    widths = mesh[1:] - mesh[:-1]
    total = float(mass.sum())
    if not 0.0 < total < math.inf or not 0.0 < high - low < math.inf:
        raise TooWide
    # the step of an even grid, and the factor by which it may differ from place to place
    even = math.sqrt(target.variance / total)
    share = np.maximum(mass / total, 1e-15)
    graded = np.cbrt((widths / (high - low)) / share)
    graded /= math.sqrt(float(np.einsum("i,i,i", share, graded, graded)))
    steps = np.minimum(even * np.maximum(graded, _FINEST), target.widest)
    if not float(steps.min()) > 0.0:
        raise TooWide
    step = _aligned_grid_step(float(steps.min()), alignment)
    multiples = 2.0 ** np.floor(np.log2(np.maximum(steps / step, 1.0)) + 1e-9)
    if float(np.einsum("i,i", widths, 1.0 / multiples)) / step > most_points or max(abs(low), abs(high)) / step > 2.0**49:
        raise TooWide
    return SpectralGrid(step, _grid_places(mesh / step, multiples, overlap), anchors)


def _spectral_lattice(
    target: PlanTarget, alignment: Alignment, count: float, low: float, high: float, most_points: float
) -> SpectralGrid:
    """Return an even grid on which the point masses of the only item lie: they cost nothing, only what lies between."""
    off_lattice = alignment.off_lattice if alignment.off_lattice > 0.0 else 1.0
    # What lies between is merged upwards, half a step on average, and the points are not: they drift apart (M9).
    units = count * off_lattice * (2.0 - off_lattice)
    step = math.sqrt(target.variance / units)
    if step > alignment.period:  # on so wide a grid no point lies any more
        step = max(alignment.period, math.sqrt(target.variance / count))
    step = _aligned_grid_step(min(step, target.widest), alignment)
    if not 0.0 < step < math.inf or not (high - low) / step < most_points or not max(abs(low), abs(high)) / step < 2.0**49:
        raise TooWide
    places = np.arange(math.floor(low / step) - 2.0, math.ceil(high / step) + 3.0)
    return SpectralGrid(step, np.concatenate([places[0] - LAST[::-1], places, places[-1] + LAST]), (alignment.anchor,))


def tilted_weights(cells: Cells, theta: float) -> Array:
    """Return the share of each cell in the tilted mass."""
    exponent = cells.log_a + theta * cells.mean_losses
    weight: Array = np.exp(exponent - exponent.max())
    weight /= weight.sum()
    return weight


def displaced_at_aim(target: PlanTarget, grid: SpectralGrid) -> float:
    """Return how much less losses are moved up to the grid in what makes delta than in the tilted law, all together."""
    total = 0.0
    for cells, share, anchor, (_, count) in zip(target.cells, target.shares, grid.anchors, target.steps.items, strict=True):
        where = (0.5 * (cells.low + cells.high) - anchor) / grid.step
        after = np.clip(np.searchsorted(grid.places, where), 1, grid.places.size - 1)
        # half the way to the next point on average, and all of it for a point mass
        moved = np.where(
            cells.high > cells.low,
            0.5 * (grid.places[after] - grid.places[after - 1]),
            grid.places[after] - where,
        )
        total += count * float((tilted_weights(cells, target.tilt.theta) - share) @ moved)
    return total * grid.step


def _spectral_mesh(target: PlanTarget, weights: list[Array], anchors: tuple[float, ...], low: float, high: float) -> Array:
    """Return points from low to high, close together around the mean of the narrowest item and farther apart beyond."""
    centre, narrow = 0.5 * (low + high), math.inf
    for cells, weight, anchor in zip(target.cells, weights, anchors, strict=True):
        middle = 0.5 * (cells.low + cells.high)
        mean = float(np.einsum("i,i", weight, middle))
        deviation = math.sqrt(float(np.einsum("i,i", weight, (middle - mean) ** 2)))
        if 0.0 < deviation < narrow:
            centre, narrow = mean - anchor, deviation
    reach = max(high - low, 1e-300)
    first = min(0.25 * narrow, reach)
    octaves = math.log2(reach / first) + 1.0
    distances = first * 2.0 ** (np.arange(math.ceil(octaves * _PER_OCTAVE)) / _PER_OCTAVE)
    inner = first * np.arange(-3.0, 4.0) / 4.0
    mesh = centre + np.concatenate([-distances[::-1], inner, distances])
    return np.concatenate([[low], mesh[(mesh > low) & (mesh < high)], [high]])


def _grid_places(mesh: Array, multiples: Array, overlap: int) -> Array:
    """Return whole numbers that cover the mesh, at distances of its multiples, and go on beyond its ends."""
    change = (multiples[1:] != multiples[:-1]).nonzero()[0] + 1
    starts, ends = np.concatenate([[0], change]), np.concatenate([change, [multiples.size]])
    parts: list[Array] = []
    last = -math.inf
    for start, end in zip(starts, ends, strict=True):
        m = float(multiples[start])
        begin = m * math.floor(mesh[start] / m) if last == -math.inf else m * (math.floor(last / m) + 1)
        grows = end < multiples.size and multiples[end] > m
        count = max(0, math.ceil((mesh[end] - begin) / m) + (overlap if grows else 0))
        if count:
            parts.append(begin + m * np.arange(count))
            last = float(parts[-1][-1])
    if not parts:
        parts, m = [np.array([math.floor(mesh[0])])], 1.0
    inside = np.concatenate(parts)
    return np.concatenate([inside[0] - float(multiples[0]) * LAST[::-1], inside, inside[-1] + m * LAST])


def _commonest_alignment(alignments: list[Alignment | None], counts: list[float]) -> Alignment | None:
    """Return where the point masses of the most frequent item lie; among several items no grid is exact for all."""
    alignment = alignments[max(range(len(counts)), key=lambda i: counts[i])]
    if alignment is not None and len(counts) > 1:
        return Alignment(alignment.anchor, alignment.period, 1.0)
    return alignment


def _aligned_grid_step(step: float, alignment: Alignment | None) -> float:
    """Return a step of at most the one given on whose grid the point masses lie: any whole fraction of their period."""
    if alignment is not None and alignment.off_lattice > 0.0 and alignment.period > step:
        return alignment.period / math.ceil(alignment.period / step)
    return aligned_step(step, alignment)
