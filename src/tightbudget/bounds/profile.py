"""delta(epsilon) of a composed bucket list: upper and lower readings with all errors charged (M7)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.buckets.tilted import Tilted
from tightbudget.composition.evaluate import Composed
from tightbudget.numerics.rounding import TINIEST, U

Array = NDArray[np.float64]

_LARGEST = 600.0  # exponent; sums of as many as there are buckets stay in range


@dataclass(frozen=True, eq=False)
class Profile:
    """Certified bounds on delta at every epsilon; sharp near the epsilon for which the tilt was chosen."""

    composed: Composed
    spread_losses: Array  # both from their anchors on
    merged_losses: Array
    infinity_upper: float
    infinity_lower: float
    points: float  # what it took: the length of the longest list

    @staticmethod
    def of(composed: Composed, infinity_upper: float, infinity_lower: float, points: float) -> "Profile":
        spread, merged = _losses(composed.spread, composed.step), _losses(composed.merged, composed.step)
        return Profile(composed, spread, merged, infinity_upper, infinity_lower, points)

    def delta_upper(self, epsilon: float) -> float:
        r"""Return a number no smaller than delta(epsilon).

        $$\delta \le a_\infty + Z e^{-\theta\varepsilon}\Bigl(\sum_{x_k > \varepsilon} t_k e^{-\theta(x_k-\varepsilon)}
        (1 - e^{\varepsilon - x_k}) + E \|w\|_\infty + N \|w\|_2\Bigr),\quad w(y) = e^{-\theta y}(1 - e^{-y})$$

        Losses may be `slack` larger than x_k, which is the same as a smaller epsilon.
        """
        stack, theta = self.composed.spread, self.composed.theta
        doubt = _log_doubt(stack, self.spread_losses, theta, epsilon)
        # from the anchor on, and as if all losses were as much larger as they may be
        shifted = (epsilon - stack.anchor) - self.composed.slack - 4.0 * U * (abs(epsilon) + abs(stack.anchor))
        start = int(np.searchsorted(self.spread_losses, shifted, side="right"))
        excess = self.spread_losses[start:] - shifted
        weights = np.exp(-theta * excess) * -np.expm1(-excess)
        total = float(np.einsum("i,i", stack.rows[0, start:], weights)) * (1.0 + 1e-12 + 2.0 * U * stack.size)
        largest, length = weight_norms(theta, self.composed.step)
        charge = float(stack.error[0]) * largest + float(stack.noise[0]) * length
        finite = scaled(total + charge, float(stack.log_scale[0]) - theta * shifted + doubt)
        return min(1.0, ((finite * (1.0 + 8 * U) + TINIEST) + self.infinity_upper) * (1.0 + 4.0 * U))

    def delta_lower(self, epsilon: float) -> float:
        """Return a number no larger than delta(epsilon): A(S) - e^epsilon B(S) for a good set S, less all errors.

        S holds the buckets from some index on. Every such set is sound; the best one leaves out what is only noise.
        """
        stack, theta = self.composed.merged, self.composed.theta
        doubt = 2.0 * _log_doubt(stack, self.merged_losses, theta, epsilon)
        log_a, log_b = float(stack.log_scale[0]), float(stack.log_scale[1])
        shifted = epsilon - stack.anchor
        # Exponents count from the first bucket that holds more than a trace, so that none of weight can underflow.
        origin = self.merged_losses[int(np.argmax(stack.rows[0] > 1e-12))] - shifted
        excess = self.merged_losses - shifted - origin
        log_gain = -theta * excess
        log_cost = -(theta + 1.0) * excess + (log_b - log_a + stack.anchor - origin) + doubt
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
            return self.infinity_lower
        first = int(np.argmax(np.where(known, certainly, -np.inf)))
        kept_a, kept_b = float(a[first:].sum()), float(b[first:].sum())
        certain = kept_a - kept_b - float(charges[first]) * (1.0 + 1e-9) - (1e-12 + 2.0 * U * stack.size) * (kept_a + kept_b)
        finite = scaled(certain, log_a - theta * (shifted + origin) - doubt)
        return added(self.infinity_lower, finite * (1.0 - 8 * U))


def _losses(stack: Tilted, step: float) -> Array:
    return step * np.arange(stack.first, stack.first + stack.size, dtype=np.float64)


def _log_doubt(stack: Tilted, losses: Array, theta: float, epsilon: float) -> float:
    """Bound on the error of log(Z e^{-theta epsilon}) from rounding its terms."""
    reach = max(abs(float(losses[0])), abs(float(losses[-1]))) + abs(stack.anchor)
    return log_doubt_at(float(np.abs(stack.log_scale).max()), reach, theta, epsilon)


def log_doubt_at(log_scale: float, reach: float, theta: float, epsilon: float) -> float:
    """The same for losses up to `reach`."""
    return 8.0 * U * (1.0 + log_scale + (theta + 1.0) * (reach + abs(epsilon)))


def weight_norms(theta: float, step: float) -> tuple[float, float]:
    """Return bounds on the largest value and the 2-norm of w(y) = e^{-theta y}(1 - e^{-y}) on any grid in y > 0.

    The largest value is theta^theta / (1+theta)^(1+theta); the sum of squares of a function with one peak is at most its
    integral over the step plus its largest square, and the integral is 1 / (2 theta (2 theta + 1)(theta + 1)).
    """
    largest = math.exp(-math.log1p(theta) - theta * math.log1p(1.0 / theta)) * (1.0 + 1e-12)
    integral = 1.0 / (2.0 * theta * (2.0 * theta + 1.0) * (theta + 1.0))
    return largest, math.sqrt(integral / step + largest * largest) * (1.0 + 1e-12)


def added(infinity: float, finite: float) -> float:
    """Return no more than the sum of two lower bounds on parts of delta."""
    return min(1.0, (infinity + finite) * (1.0 - 4.0 * U) - TINIEST) if finite > TINIEST else infinity


def scaled(value: float, log_factor: float) -> float:
    """Return value * e^log_factor without needless overflow or underflow."""
    if value <= 0.0:
        return 0.0
    return math.exp(min(700.0, math.log(value) + log_factor))
