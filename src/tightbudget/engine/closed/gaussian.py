"""The privacy profile of Gaussian noise in closed form, evaluated with a stated error (M8)."""

import math

from scipy import special

from tightbudget.numerics.rounding import TINIEST, U, lowered, strictly_lowered, strictly_raised

_FAINT = 1e-3  # of m: below it m phi(0) exceeds delta(0) by less than m^2/24 < 1e-7 of it
_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)  # of the normal law at 0


def gaussian_delta(m: float, epsilon: float, m_error: float) -> tuple[float, float]:
    r"""Return lower and upper bounds on delta(epsilon) of N(m, 1) against N(0, 1), m good to a relative m_error.

    $$\delta = \Phi(-u) - e^\varepsilon \Phi(-v)
    = \tfrac12 e^{-u^2/2}(\mathrm{erfcx}(u/\sqrt2) - \mathrm{erfcx}(v/\sqrt2)),
    \quad u = \varepsilon/m - m/2,\ v = \varepsilon/m + m/2$$

    since (v^2 - u^2)/2 = epsilon. delta grows with m, so the two ends of m give the two bounds.
    """
    if m > 1e150:  # m^2 overflows; the loss is about m^2/2, give or take 45 m
        return (lowered(1.0, 4), 1.0) if epsilon / m < 0.4 * m else (0.0, 1.0)
    least, most = m * max(0.0, 1.0 - m_error - 2 * U), m * (1.0 + m_error + 2 * U)
    lower = _gaussian_delta(least, epsilon)[0] if least > 0.0 else 0.0
    upper = _gaussian_delta(most, epsilon)[1]
    if m < _FAINT:  # delta(0) = 2 Phi(m/2) - 1, where the two terms all but cancel (M8)
        upper = min(upper, strictly_raised(most * _DENSITY, 8))
        if epsilon == 0.0:
            lower = max(lower, strictly_lowered(least * _DENSITY * (1.0 - least * least / 24.0), 8))
    return lower, upper


def _gaussian_delta(m: float, epsilon: float) -> tuple[float, float]:
    u, v = epsilon / m - 0.5 * m, epsilon / m + 0.5 * m
    if u > 1e3:  # delta < e^{-u^2/2}
        return 0.0, TINIEST
    if u < -45.0:  # both terms that are missing to 1 are below e^{-u^2/2} < 1e-400
        return lowered(1.0, 4), 1.0
    scale = 0.5 * math.exp(-0.5 * u * u) if abs(u) < 1e4 else 0.0
    second = scale * float(special.erfcx(v / math.sqrt(2.0)))
    first = float(special.ndtr(-u)) if u < 0.0 else scale * float(special.erfcx(u / math.sqrt(2.0)))
    # u and v are good to 3 roundings of epsilon/m + m/2: that moves log e^{-u^2/2} by u times as much (M8)
    relative = U * (24.0 + 4.0 * (abs(u) + 1.0) * v)
    error_bound = relative * (first + second) + 1e-320
    return max(0.0, first - second - error_bound), min(1.0, first - second + error_bound)


def gaussian_guess(m: float, delta: float) -> tuple[float, float]:
    """Return roughly the epsilon at which delta is reached, and how steeply log delta falls there."""
    # delta(epsilon) = P(Z > u) times a factor of about u / (u + m) in the tail
    u = -float(special.ndtri(min(delta, 0.5)))
    epsilon = max(0.0, m * (u + 0.5 * m))
    return epsilon, (u + 1.0 / (1.0 + u)) / m
