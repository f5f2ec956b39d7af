r"""The hockey-stick divergence under a tilt: what every certificate needs of its weight (M7).

$$\delta(\varepsilon) = \mathbb E_A (1 - e^{\varepsilon - L})_+ =
Z e^{-\theta\varepsilon}\, \mathbb E_{A_\theta} w(L - \varepsilon), \quad w(y) = e^{-\theta y}(1 - e^{-y})_+$$

with L the privacy loss, A_theta the tilted law and Z its normalising constant.
"""

import math

from tightbudget.numerics.rounding import AMPLE, TINIEST, U, raised_by, strictly_lowered


def log_error_at(log_scale: float, reach: float, theta: float, epsilon: float) -> float:
    """Bound on the error of log(Z e^{-theta epsilon}) from rounding its terms, for losses up to `reach`."""
    return 8.0 * U * (1.0 + log_scale + (theta + 1.0) * (reach + abs(epsilon)))


def weight_norms(theta: float, step: float) -> tuple[float, float]:
    """Return bounds on the largest value and the 2-norm of w(y) = e^{-theta y}(1 - e^{-y}) on any grid in y > 0.

    The largest value is theta^theta / (1+theta)^(1+theta); the sum of squares of a function with one peak is at most
    its integral over the step plus its largest square, and the integral is 1 / (2 theta (2 theta + 1)(theta + 1)).
    """
    largest = raised_by(math.exp(-math.log1p(theta) - theta * math.log1p(1.0 / theta)), AMPLE)
    integral = 1.0 / (2.0 * theta * (2.0 * theta + 1.0) * (theta + 1.0))
    return largest, raised_by(math.sqrt(integral / step + largest * largest), AMPLE)


def sum_below(infinity: float, finite: float) -> float:
    """Return no more than the sum of two lower bounds on parts of delta."""
    return min(1.0, strictly_lowered(infinity + finite, 4)) if finite > TINIEST else infinity


def scaled_by_exp(value: float, log_factor: float) -> float:
    """Return value * e^log_factor without needless overflow or underflow."""
    if value <= 0.0:
        return 0.0
    return math.exp(min(700.0, math.log(value) + log_factor))
