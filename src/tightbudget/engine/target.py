"""The target of a plan: a width in log delta turned into what discretisation and cut tails may add (M9)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.discretisation.window import Window, loss_window
from tightbudget.engine.rough_law import Aim
from tightbudget.engine.saddle import Tilt
from tightbudget.engine.steps import Steps
from tightbudget.numerics.convolve import TooWide
from tightbudget.pairs.base import Alignment, Cells

Array = NDArray[np.float64]

_LARGEST = 1e100  # exponent: rounding would leave nothing of a larger one
_WIDEST_STEP = 0.5  # times the tilt; the law of the width holds while a step changes the tilt by little
_APART = 4.0  # times: an aim and the saddle point differ no more in what makes delta, or the aim is none


@dataclass(frozen=True, slots=True, eq=False)
class PlanTarget:
    """What a plan has to achieve, whatever its form."""

    steps: Steps
    tilt: Tilt
    widest: float  # no step may be wider
    variance: float  # that discretisation may add, times its number of units
    error: float  # in L1, that cut tails may add
    width: float  # in log delta
    cells: tuple[Cells, ...]  # the coarse cells of each item
    windows: tuple[Window, ...]  # of losses, one for each item
    shares: tuple[Array, ...] = ()  # of the cells of each item in what makes delta, if they are not the tilted masses


def target_for(steps: Steps, tilt: Tilt, width: float, coarse: list[Cells], aim: Aim | None = None) -> PlanTarget:
    """Return what a bracket asks whose two ends differ by about `width` in log delta, at an aim if one is given."""
    if not all(cells.size for cells in coarse):  # of some step no loss is left to follow
        raise TooWide
    widest = max(max(abs(float(cells.low[0])), abs(float(cells.high[-1]))) for cells in coarse)
    if not (1.0 + tilt.theta) * widest < _LARGEST:
        raise TooWide
    t = tilt.theta + 0.5 / tilt.root_curvature  # the steepest tilt that this one has to serve
    # an L1 error E moves log delta by about E * leverage (M7)
    leverage = 8.0 * (1.0 + tilt.root_curvature * t) * (1.0 + t)
    error = 0.02 * min(width, 0.1) / leverage
    tail = max(error / (8.0 * steps.total), 1e-30)
    weight = t * (1.0 + t)  # of the variance that is added, in log delta
    if aim is not None:
        weight = min(max(aim.density, weight / _APART), weight * _APART)
    return PlanTarget(
        steps=steps,
        tilt=tilt,
        widest=_WIDEST_STEP / t,
        variance=width * 8.0 / weight,
        error=error,
        width=width,
        cells=tuple(coarse),
        windows=tuple(loss_window(cells, tilt.theta, tail) for cells in coarse),
        shares=() if aim is None else aim.shares,
    )


def aligned_step(step: float, alignment: Alignment | None) -> float:
    """Return a step of at most the one given (or, for a lattice, its period) on whose grid the point masses lie."""
    if alignment is None or (alignment.off_lattice > 0.0 and alignment.period < step):
        # few significant bits: then multiples of the step are exact
        mantissa, exponent = math.frexp(step)
        return math.ldexp(math.floor(mantissa * 2.0**20) / 2.0**20, exponent)
    octaves = math.log2(alignment.period / step)
    if octaves > 0.0 and alignment.off_lattice == 0.0:
        return alignment.period
    return alignment.period / 2.0 ** math.ceil(octaves)  # a fraction of the period; of a lattice also a multiple
