r"""delta of many subsampled Gaussians by a contour integral in plain floats: independent, fast, good to about 1e-8.

    delta(eps) = 1/(2 pi i) int_{c - i inf}^{c + i inf} e^{-z eps} prod M_i(z)^{n_i} / (z (1 + z)) dz, M(z) = E_A e^{zL}

at the saddle point c. The rigorous version in tests/reference takes minutes where counts or losses are large; this one
serves there, with a margin that its users state.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy import optimize

Part = tuple[float, float, int]  # sigma, q, count


class Loss:
    """The loss of one step and the log-density of A, on a fine grid of the noise."""

    def __init__(self, sigma: float, q: float, remove: bool) -> None:
        m = 1.0 / sigma
        x = np.arange(-16.0 - m, 16.0 + 16.0 * m, min(0.02, 0.02 / m))
        log_ratio = np.logaddexp(math.log1p(-q), math.log(q) + m * x - 0.5 * m * m) if q < 1.0 else m * x - 0.5 * m * m
        log_normal = -0.5 * x * x + math.log((x[1] - x[0]) / math.sqrt(2.0 * math.pi))
        self.loss = log_ratio if remove else -log_ratio
        self.log_mass = log_normal + log_ratio if remove else log_normal

    def cumulant(self, c: float) -> float:
        exponent = self.log_mass + c * self.loss
        top = float(exponent.max())
        return top + math.log(math.fsum(np.exp(exponent - top).tolist()))

    def log_turn(self, c: float, t: np.ndarray) -> np.ndarray:
        """Return log of M(c + it) / M(c)."""
        weight = np.exp(self.log_mass + c * self.loss - self.cumulant(c))
        some = weight > 1e-25
        return np.log(np.exp(1j * np.multiply.outer(t, self.loss[some])) @ weight[some])


def delta(parts: Sequence[Part], epsilon: float, *, remove: bool = True) -> float:
    """Return delta(epsilon) of the composition, one direction."""
    if not remove and epsilon >= -sum(count * math.log1p(-q) for _, q, count in parts):
        return 0.0  # no loss is larger
    losses = [(Loss(sigma, q, remove), count) for sigma, q, count in parts]

    def exponent(log_c: float) -> float:
        c = math.exp(log_c)
        return sum(n * law.cumulant(c) for law, n in losses) - c * epsilon - math.log(c) - math.log1p(c)

    found = optimize.minimize_scalar(exponent, bounds=(math.log(1e-6), math.log(1e3)), method="bounded")
    c, height = math.exp(found.x), found.fun + math.log(math.exp(found.x)) + math.log1p(math.exp(found.x))
    step = 1e-3 * c
    total = lambda s: sum(n * law.cumulant(s) for law, n in losses)  # noqa: E731
    curvature = (total(c + step) - 2.0 * total(c) + total(c - step)) / step**2 + 1.0 / c**2
    pitch = 0.03 / math.sqrt(curvature)
    integral, start = 0.0, 0
    while start < 100_000:
        t = pitch * np.arange(start, start + 400)
        turned = sum(n * law.log_turn(c, t) for law, n in losses)
        values = np.exp(turned - 1j * t * epsilon) / ((c + 1j * t) * (1.0 + c + 1j * t))
        integral += float(values.real.sum()) - (0.5 * float(values[0].real) if start == 0 else 0.0)
        start += 400
        # few rare steps: the integrand falls slowly, and what is left of it oscillates
        if float(np.abs(values[-1])) * t[-1] < 1e-10 * abs(integral) * pitch:
            break
    return math.exp(height) * integral * pitch / math.pi
