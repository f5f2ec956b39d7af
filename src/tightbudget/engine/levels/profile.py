"""The hockey-stick divergence of a composed privacy loss distribution, from both readings, with all errors (M7)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.discretisation.tilted import TiltedPMF
from tightbudget.engine.hockey_stick import log_error_at, scaled_by_exp, sum_below, weight_norms
from tightbudget.engine.levels.evaluate import Composed
from tightbudget.numerics.rounding import AMPLE, GENEROUS, U, lowered, raised, raised_by, strictly_raised
from tightbudget.pairs.infinite_mass import InfiniteMass

Array = NDArray[np.float64]

_LARGEST = 600.0  # exponent; sums of as many as there are buckets stay in range


@dataclass(frozen=True, eq=False)
class LevelProfile:
    """Certified bounds on delta at every epsilon; sharp near the epsilon for which the tilt was chosen."""

    composed: Composed
    spread_losses: Array  # both from their anchors on
    merged_losses: Array
    infinity_upper: float  # with what was left out
    infinity: InfiniteMass
    points: float  # what it took: the length of the longest list

    route = "levels"

    @property
    def tilt(self) -> float:
        return self.composed.theta

    @property
    def nbytes(self) -> int:
        arrays = self.composed.spread.rows, self.composed.merged.rows, self.spread_losses, self.merged_losses
        return sum(array.nbytes for array in arrays)

    @staticmethod
    def of(composed: Composed, infinity_upper: float, infinity: InfiniteMass, points: float) -> "LevelProfile":
        spread, merged = _losses_of_stack(composed.spread, composed.step), _losses_of_stack(composed.merged, composed.step)
        return LevelProfile(composed, spread, merged, infinity_upper, infinity, points)

    def delta_upper(self, epsilon: float) -> float:
        r"""Return a number no smaller than delta(epsilon).

        $$\delta \le a_\infty + Z e^{-\theta\varepsilon}\Bigl(\sum_{x_k > \varepsilon} t_k e^{-\theta(x_k-\varepsilon)}
        (1 - e^{\varepsilon - x_k}) + E \|w\|_\infty + N \|w\|_2\Bigr),\quad w(y) = e^{-\theta y}(1 - e^{-y})$$

        Losses may be `loss_shift` larger than x_k, which is the same as a smaller epsilon.
        """
        stack, theta = self.composed.spread, self.composed.theta
        error_bound = _log_error(stack, self.spread_losses, theta, epsilon)
        # from the anchor on, and as if all losses were as much larger as they may be
        shifted = (epsilon - stack.anchor) - self.composed.loss_shift - 4.0 * U * (abs(epsilon) + abs(stack.anchor))
        start = int(np.searchsorted(self.spread_losses, shifted, side="right"))
        excess = self.spread_losses[start:] - shifted
        weights = np.exp(-theta * excess) * -np.expm1(-excess)
        total = float(np.einsum("i,i", stack.rows[0, start:], weights)) * (1.0 + AMPLE + 2.0 * U * stack.size)
        largest, length = weight_norms(theta, self.composed.step)
        charge = float(stack.error[0]) * largest + float(stack.noise[0]) * length
        finite = scaled_by_exp(total + charge, float(stack.log_scale[0]) - theta * shifted + error_bound)
        return min(1.0, raised(strictly_raised(finite, 8) + self.infinity_upper, 4))

    def delta_lower(self, epsilon: float) -> float:
        """Return a number no larger than delta(epsilon): A(S) - e^epsilon B(S) for a good set S, less all errors.

        S holds the buckets from some index on. Every such set is sound; the best one leaves out what is only noise.
        """
        stack, theta = self.composed.merged, self.composed.theta
        error_bound = 2.0 * _log_error(stack, self.merged_losses, theta, epsilon)
        log_a, log_b = float(stack.log_scale[0]), float(stack.log_scale[1])
        shifted = epsilon - stack.anchor
        # Exponents count from the first bucket that holds more than a trace, so that none of weight can underflow.
        origin = self.merged_losses[int(np.argmax(stack.rows[0] > 1e-12))] - shifted
        excess = self.merged_losses - shifted - origin
        log_gain = -theta * excess
        log_cost = -(theta + 1.0) * excess + (log_b - log_a + stack.anchor - origin) + error_bound
        gain, cost = np.exp(np.minimum(log_gain, _LARGEST)), np.exp(np.minimum(log_cost, _LARGEST))
        a, b = stack.rows[0] * gain, stack.rows[1] * cost
        # what S = {i, i+1, ...} is certain of: gain and cost fall geometrically from its first bucket on
        errors = [
            float(stack.error[row]) + float(stack.noise[row]) / math.sqrt(-math.expm1(-2.0 * tilt * self.composed.step))
            for row, tilt in ((0, theta), (1, theta + 1.0))
        ]
        charges = gain * errors[0] + cost * errors[1]
        certainly = np.cumsum((a - b)[::-1])[::-1] - charges
        known = (log_gain < _LARGEST) & (log_cost < _LARGEST)  # what would be too large for a float counts for less than it is
        if not known.any():
            return self.infinity.at(epsilon).lower
        first = int(np.argmax(np.where(known, certainly, -np.inf)))
        kept_a, kept_b = float(a[first:].sum()), float(b[first:].sum())
        rounding = (AMPLE + 2.0 * U * stack.size) * (kept_a + kept_b)
        certain = kept_a - kept_b - raised_by(float(charges[first]), GENEROUS) - rounding
        finite = scaled_by_exp(certain, log_a - theta * (shifted + origin) - error_bound)
        return sum_below(self.infinity.at(epsilon).lower, lowered(finite, 8))


def _losses_of_stack(stack: TiltedPMF, step: float) -> Array:
    return step * np.arange(stack.first, stack.first + stack.size, dtype=np.float64)


def _log_error(stack: TiltedPMF, losses: Array, theta: float, epsilon: float) -> float:
    """Bound on the error of log(Z e^{-theta epsilon}) from rounding its terms."""
    reach = max(abs(float(losses[0])), abs(float(losses[-1]))) + abs(stack.anchor)
    return log_error_at(float(np.abs(stack.log_scale).max()), reach, theta, epsilon)
