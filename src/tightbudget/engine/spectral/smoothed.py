r"""Compositions in which whole Gaussian noise takes part: it has a formula, and only other steps lie on a grid (M19).

The tilted loss of the noise is normal, with the characteristic function $e^{-iu\mu - u^2s^2/2}$. That takes no grid,
has no error of discretisation, and bounds all frequencies left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.discretisation.discretise import discretise
from tightbudget.engine.spectral.blocks import Block
from tightbudget.engine.spectral.frequencies import ChosenNodes
from tightbudget.engine.spectral.grid import spectral_grid
from tightbudget.engine.spectral.profile import SpectralProfile
from tightbudget.engine.spectral.spectrum import NEEDED, Laws, Spectrum, discretised_laws
from tightbudget.engine.steps import Steps, noise_ends
from tightbudget.engine.target import PlanTarget
from tightbudget.numerics.characteristic import even_turns, transform
from tightbudget.numerics.rounding import GENEROUS, U, lowered_by, raised_by
from tightbudget.pairs.gaussian import GaussianPair

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

_FEW_NODES, _MOST_NODES = 128, 2048  # beside steps that lose far more, noise bounds little: a grid for both does better
_MOST_WORK, _LITTLE_WORK = 2**22, 2**17  # points times nodes: of few nodes, and of more
_NARROWER = 0.4  # times the widest step of other grids: of few points it is the lower end that wide steps cost
_LARGEST = 1e50  # tilted m: rounding would leave nothing of its square
_PERIODS = 2.0  # from the middle, in which a weight may begin


@dataclass(frozen=True, eq=False)
class SmoothedProfile(SpectralProfile):
    """Certified bounds on delta at every epsilon, of losses that are those of a grid plus a normal variable.

    So weights are integrals; one begins where epsilon is, not at the next point of a grid.
    """

    @staticmethod
    def _transforms(spectrum: Spectrum) -> Complex:
        """Return the transforms of e^{-(theta + j) step x}, x > 0, for j = 0 and 1, at the nodes."""
        exponents = np.array([[spectrum.theta], [spectrum.theta + 1.0]]) * spectrum.step
        transforms: Complex = np.reciprocal(exponents - 1j * _angles(spectrum))
        return transforms

    @staticmethod
    def _turn_errors(spectrum: Spectrum) -> float | Array:
        # an angle has three roundings, and its product with a number of steps one more
        return 8.0 * U * _PERIODS * spectrum.period * _angles(spectrum)

    @property
    def _farthest(self) -> float:
        return _PERIODS * self.spectrum.period

    def _first_above(self, where: float) -> float:
        return where

    def _first_from(self, where: float) -> float:
        return where

    def _turns(self, start: float) -> Array:
        return start * _angles(self.spectrum)


def _angles(spectrum: Spectrum) -> Array:
    """Return the nodes as angles: those beyond half a turn too, which a law without a grid tells from others."""
    return (2.0 * math.pi / spectrum.period) * spectrum.nodes.astype(np.float64)


def smoothed_spectrum(target: PlanTarget, most_points: float) -> tuple[Spectrum, float] | None:
    """Return the spectrum of whole Gaussian noise and other steps, and how many points those took.

    None if there is no such noise, or nothing else, or so little noise that the spectrum is long.
    """
    items = target.steps.items
    place = next((i for i, (pair, count) in enumerate(items) if pair.gaussian is not None and count == 1), None)
    if place is None or len(items) == 1:
        return None
    noise = items[place][0].gaussian
    assert noise is not None
    others = _without(target, place)
    grid = spectral_grid(others, most_points, overlap=1)
    counts = [count for _, count in others.steps.items]
    laws = discretised_laws(others, grid, NEEDED, discretise, counts)
    found = composed_with_noise(laws, counts, noise, target.width)
    return None if found is None else (found, float(grid.places.size))


def _without(target: PlanTarget, place: int) -> PlanTarget:
    """Return the same target for all items but one."""
    items, cells, windows = (
        (*those[:place], *those[place + 1 :]) for those in (target.steps.items, target.cells, target.windows)
    )
    return replace(target, steps=Steps(items), cells=cells, windows=windows, widest=_NARROWER * target.widest)


def composed_with_noise(laws: Laws, counts: Sequence[int], noise: GaussianPair, width: float) -> Spectrum | None:
    """Return the spectrum of pairs on a grid, each repeated its count, and of the noise; None if it is long."""
    least, most = noise_ends(noise)
    if not (least > 0.0 and (laws.theta + 1.0) * most < _LARGEST):
        return None

    def choose(blocks: Sequence[Block], places: Array, best: float, depth: float, length: float) -> ChosenNodes | None:
        return _first_nodes(blocks, places, depth, math.ceil(length), least / laws.step)

    found = laws.composed(counts, width, choose, most / laws.step)
    return None if found is None else _with_noise(found, least, most, sum(counts))


def _first_nodes(blocks: Sequence[Block], places: Array, depth: float, period: int, deviation: float) -> ChosenNodes | None:
    """Return the nodes up to where the noise alone is below e^-depth, or None if they are many."""
    stride = 2.0 * math.pi / period
    size = math.ceil(math.sqrt(2.0 * depth) / (stride * deviation)) + 1
    if not (size <= _MOST_NODES and size * places.size <= (_MOST_WORK if size <= _FEW_NODES else _LITTLE_WORK)):
        return None
    at = even_turns(places, 0, size, stride)
    transforms = [transform(block.folded, block.mean_place, at) for block in blocks]
    return ChosenNodes(period, np.arange(size, dtype=np.int64), transforms, np.zeros(3))


def _with_noise(others: Spectrum, least: float, most: float, total: int) -> Spectrum:
    """Return the spectrum of the others, `total` steps, with noise: the most there may be in row 0, the least below."""
    m, theta = np.array([most, least, least]), others.theta
    exponents = 0.5 * np.multiply.outer(m / others.step, _angles(others)) ** 2
    factors = np.exp(-exponents)
    values = others.values * factors
    # A row tilts losses as they are counted from its anchor: for that of the noise, the mean of its tilted loss.
    scales, shift = -0.5 * (np.array([theta, theta, theta + 1.0]) * m) ** 2, (theta + 0.5) * most * most
    up, down = others.anchors
    return replace(
        others,
        values=values,
        error_bound=raised_by(others.error_bound * factors, GENEROUS) + np.abs(values) * (16.0 * U * (1.0 + exponents)),
        beyond=np.full(3, _beyond(others, least, total)),
        anchors=(up + shift, down + (theta + 0.5) * least * least),
        log_scale=others.log_scale + scales,
        # the scale and the anchor of the noise are rounded: relative errors of a row, at most so large
        error=others.error + 16.0 * U * ((theta + 1.0) * shift + np.abs(scales)),
        loss_shift=others.loss_shift + 16.0 * U * shift,
    )


def _beyond(others: Spectrum, least: float, total: int) -> float:
    r"""Return a bound on $\frac2M\sum_{j \ge J} |\varphi(u_j)|$: that of the noise, for no other row is above 1.

    $(J + i)^2 \ge J^2 + i(2J + 1)$, so that the sum is at most a geometric series. Rows sum to 1 up to 64 roundings.
    """
    left_out = others.nodes.size
    rate = lowered_by(0.5 * (2.0 * math.pi / others.period * (least / others.step)) ** 2, GENEROUS)
    series = math.exp(-rate * left_out * left_out) / -math.expm1(-rate * (2 * left_out + 1))
    return raised_by(2.0 / others.period * series * math.exp(64.0 * U * total), GENEROUS)
