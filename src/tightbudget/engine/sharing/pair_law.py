"""One pair on a grid, seen at the frequencies of a plan: whatever is repeated, it was looked at once (M19).

The characteristic function of a step does not depend on how often the step is repeated. So counts share the masses on
the grid, the transforms and what bounds the modulus elsewhere; only the power is taken anew.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tightbudget.cached import cached_property
from tightbudget.engine.discretisation.discretise import discretise
from tightbudget.engine.hockey_stick import weight_norms
from tightbudget.engine.saddle import Tilt
from tightbudget.engine.sharing.grid_plan import GridPlan, SeenOnce
from tightbudget.engine.spectral.blocks import Block
from tightbudget.engine.spectral.frequencies import ChosenNodes
from tightbudget.engine.spectral.modulus import exp_up
from tightbudget.engine.spectral.profile import geometric_series
from tightbudget.engine.spectral.spectrum import Discretise, Laws, Spectrum, spectrum_certificate
from tightbudget.engine.target import PlanTarget
from tightbudget.numerics.characteristic import turned_angles
from tightbudget.numerics.convolve import TooWide
from tightbudget.numerics.rounding import AMPLE, GENEROUS, U, lowered, raised_by
from tightbudget.pairs.base import Pair

Array = NDArray[np.float64]

OFF = 1.0
"""Standard deviations of the composed loss that a tilt may be away from the one asked for."""
_FINER = 0.6  # of the width for which it was made: what is to be much narrower takes another law
_COARSER = 2.0  # times the variance that discretisation may add
_MORE_CUT = 4.0  # times what cut tails may add: they are allowed a fiftieth of the width
_MORE = 3.0  # times what frequencies left out may hold, likewise


@dataclass(frozen=True, eq=False)
class PairLaw:
    """The law of one step's loss, tilted, with all that does not depend on the number of steps."""

    pair: Pair
    count: int  # of the composition it was made for
    cells: int  # coarse cells that are followed; what lies beyond has at most `log_tail` of A
    log_tail: float
    variance: float  # that the grid adds, relative to what is allowed, for each unit of steepness
    width: float  # in log delta, for which it was made
    laws: Laws
    seen: ChosenNodes  # of one step
    reach: float = OFF  # standard deviations of the composed loss between its tilt and one that it is made to serve

    def off(self, tilt: Tilt) -> float:
        """Return by how many standard deviations of the composed loss this tilt is away from another."""
        return abs(self.laws.theta - tilt.theta) * tilt.root_curvature

    def serves(self, target: PlanTarget) -> bool:
        """Whether a bracket made of this law is likely to be as narrow as the target asks for."""
        (_, count), tilt = target.steps.items[0], target.tilt
        return (
            self.off(tilt) <= self.reach
            and target.cells[0].size <= self.cells
            and target.width >= _FINER * self.width
            and self.variance * count * self.laws.step**2 <= _COARSER * target.variance
            and count * float(self.laws.discretised[0].spread.error[0]) <= _MORE_CUT * target.error
        )

    def spectrum(self, count: int, width: float, off: float = 0.0) -> Spectrum | None:
        """Return the spectrum of `count` steps; None if these are not the frequencies for it.

        It is to be `width` wide in log delta, so many standard deviations away from the mean of the tilted law.
        """
        block = replace(self.laws.blocks[0], counts=np.array([float(count)]))
        if off > OFF:  # there is less of the law, and what is left out weighs more
            width *= math.exp(-0.5 * off * off)
        return self.laws._replace(blocks=[block]).composed([count], width, self._choose)

    def _choose(self, blocks: Sequence[Block], places: Array, best: float, depth: float, length: float) -> ChosenNodes | None:
        beyond = self._beyond(float(blocks[0].counts[0]))
        if length > self.seen.period or float(beyond.max()) > _MORE * math.exp(-depth):
            return None
        return self.seen._replace(beyond=beyond)

    def _beyond(self, count: float) -> Array:
        """Return the bound on the modulus at all other nodes, raised to a power; that of one step has ample room."""
        return exp_up(count * np.log(np.maximum(self.seen.beyond, 1e-300)))

    @cached_property
    def _log_modulus(self) -> Array:
        """The modulus of the spread row at the nodes, rounded up so that any multiple is."""
        values, error = self.seen.transforms[0]
        logs = np.log(np.maximum(raised_by(np.abs(values[0]), AMPLE) + error[0], 1e-300))
        rounded: Array = logs + 4.0 * U * (1.0 + np.abs(logs))
        return rounded

    @cached_property
    def _weights(self) -> Array:
        return _modulus_weights(self.laws.theta, self.laws.step, self.seen)

    def epsilon_upper(self, count: int, delta: float, left_out: float) -> float:
        r"""Return an epsilon at which delta is certainly at most this; `left_out` bounds what is not followed.

        In the sum over nodes every term is taken with its modulus, so that it no longer depends on where epsilon lies:
        $\delta(\varepsilon) \le Z^n e^{-\theta\varepsilon} \frac1M \sum_j |\varphi(u_j)|^n |W(u_j)|$.
        """
        finite = lowered(delta, 4) - left_out
        one, theta = self.laws.discretised[0], self.laws.theta
        try:
            log_scales, errors = spectrum_certificate([one], [count])
        except TooWide:
            return math.inf
        if not finite > 0.0:
            return math.inf
        log_scale = float(log_scales[0])
        powers = np.exp(np.minimum(float(count) * self._log_modulus, 1.0))  # as in `_product`: none is above e
        flat = float(self._weights[0]) * self.seen.period
        largest, _ = weight_norms(theta, self.laws.step)
        total = float(self._weights @ powers) + float(self._beyond(float(count))[0]) * flat + float(errors[0]) * largest
        logs = math.log(raised_by(total, GENEROUS)), -math.log(finite)
        exponent = math.fsum((log_scale, *logs))
        exponent += 16.0 * U * (1.0 + abs(log_scale) + abs(logs[0]) + abs(logs[1]))
        anchor, loss_shift = count * one.spread.anchor, raised_by(count * one.loss_shift, GENEROUS)
        epsilon = math.fsum((anchor, loss_shift, exponent / theta))
        return max(0.0, epsilon + 16.0 * U * (abs(anchor) + loss_shift + abs(exponent) / theta))


def pair_law(target: PlanTarget, plan: GridPlan, step: float, rows: Discretise = discretise, reach: float = OFF) -> PairLaw:
    """Return the law of the only pair of a target, on the grid of a plan and at its frequencies."""
    (pair, count), cells = target.steps.items[0], target.cells[0]
    laws = plan.laws(target, step, rows)
    seen = plan.frequencies.follow(laws.blocks, laws.places)
    return PairLaw(
        pair=pair,
        count=count,
        cells=cells.size,
        log_tail=_log_mass_beyond(pair, cells.size),
        variance=plan.variance,
        width=target.width,
        laws=laws,
        seen=seen,
        reach=reach,
    )


def own_law(target: PlanTarget, found: SeenOnce, reach: float) -> PairLaw:
    """Return the law of the only pair of a target, on a grid of its own."""
    (pair, count), cells = target.steps.items[0], target.cells[0]
    return PairLaw(
        pair=pair,
        count=count,
        cells=cells.size,
        log_tail=_log_mass_beyond(pair, cells.size),
        variance=found.variance,
        width=target.width,
        laws=found.laws,
        # the bound of a power, and so its root, which is rounded up
        seen=found.seen._replace(beyond=exp_up(np.log(np.maximum(found.seen.beyond, 1e-300)) / count)),
        reach=reach,
    )


def _log_mass_beyond(pair: Pair, size: int) -> float:
    rest = pair.coarse_cells().log_a[size:]
    return float(np.logaddexp.reduce(rest)) + GENEROUS if rest.size else -math.inf


def _modulus_weights(theta: float, step: float, seen: ChosenNodes) -> Array:
    r"""Return bounds on $\frac1M |W(u)|$ at each node and its mirror image together, wherever the first point lies.

    With the first point y <= step above epsilon, W = e^{-theta y} (a - e^{-y} b) for the series a and b of e^{-theta l
    step} and e^{-(theta + 1) l step}; so |W| <= |a - b| + y |b|, and |a - b| = |a b| e^{-theta step} (1 - e^{-step}).
    """
    angles = turned_angles(1, seen.nodes, seen.period)
    a, b = np.abs(geometric_series(np.array([[theta], [theta + 1.0]]) * step, angles))
    weights: Array = (2.0 / seen.period) * b * (a * (math.exp(-theta * step) * -math.expm1(-step)) + step)
    weights[0] *= 0.5
    return raised_by(weights, AMPLE)
