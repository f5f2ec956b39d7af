r"""Moment generating functions of Poisson-subsampled Gaussian noise, for truth_contour.py.

With x ~ N(0,1), R(x) = 1 - q + q e^{mx - m^2/2} and B = N(0,1) the law without the record:

    remove   A = R dB,   loss log R:    M(z) = E R^{1+z}
    add      A = N(0,1), loss -log R:   M(z) = E R^{-z}

The trapezoidal rule in x with step u errs by at most sum_{n != 0} e^{-2 pi |n| d / u} int |f(x + id)| dx for every
d < pi/m (R has no zero in that strip). There |R^{s + it}| <= K R(x)^s e^{|t| arg} with K = 1 for s >= 0 and
cos(md/2)^s otherwise, arg = arg R(x + id) in [0, md], and |phi(x + id)| = e^{d^2/2} phi(x).
"""

import math

import numpy as np
from flint import acb, arb, ctx
from tests.reference.truth_numbers import Number, rational

MOST_TERMS = 400_000  # about half a second


class SubsampledGaussianLaw:
    """poisson(gaussian(sigma, sensitivity), q), one direction; 0 < q < 1."""

    def __init__(self, sigma: Number, q: Number, sensitivity: Number = 1, *, remove: bool) -> None:
        self.m, self.q, self.remove = rational(sensitivity) / rational(sigma), rational(q), remove
        self.m_float, self.q_float = int(self.m.p) / int(self.m.q), float(q)

    def _exponent(self, s: float) -> float:
        return 1 + s if self.remove else -s

    def _log_ratio(self, x: np.ndarray) -> np.ndarray:
        """log R(x)."""
        rise = self.m_float * x - self.m_float**2 / 2 + math.log(self.q_float)
        return np.logaddexp(math.log1p(-self.q_float), rise)

    def _range(self, s: float, depth: float) -> tuple[float, float]:
        """Return an interval outside which phi R^s is below e^depth and falls at least like e^{-|x|}."""
        reach, lift = math.sqrt(-2 * depth) + 2, s * self.m_float
        return min(-reach, lift - reach), max(reach, lift + reach)

    def log_mgf(self, s: float) -> float:
        power = self._exponent(s)
        low, high = self._range(power, -60.0)
        x = np.arange(low, high, min(0.1, 0.3 / self.m_float))
        log_terms = -x * x / 2 + power * self._log_ratio(x)
        top = float(log_terms.max())
        return top + math.log(float(np.exp(log_terms - top).sum()) * (x[1] - x[0]) / math.sqrt(2 * math.pi))

    def mgf(self, c: float, step: float, nodes: int, tolerance: float) -> list[acb]:
        power, centre = self._exponent(c), self.log_mgf(c)
        spacing, log_alias = self._spacing(c, step * nodes, centre + tolerance)
        low, high = self._trim(c, centre + tolerance - 3, spacing)
        if (high - low) * nodes > MOST_TERMS:
            raise ArithmeticError(f"{high - low} x {nodes} terms: too costly")
        sums = [acb(0)] * nodes
        # |z w| in rectangular balls grows by up to sqrt 2 a multiplication, hence the restarts and the guard bits.
        with ctx.extraprec(96):
            m, q, u = arb(self.m), arb(self.q), arb(spacing)
            sign = 1 if self.remove else -1
            for j in range(low, high + 1):
                x = u * j
                log_ratio = (1 - q + q * (m * x - m * m / 2).exp()).log()
                weight = (arb(power) * log_ratio - x * x / 2).exp()
                turn = (acb(0, 1) * (sign * step) * log_ratio).exp()
                value = acb(weight)
                for k in range(nodes):
                    if k % 128 == 0 and k:
                        value = weight * (acb(0, sign * step * 1) * k * log_ratio).exp()
                    sums[k] += value
                    value *= turn
            norm = u / (2 * arb.pi()).sqrt()
            error = arb(log_alias).exp() + arb(centre + tolerance).exp()
            blur = acb(arb(0, error.upper()), arb(0, error.upper()))
            values = [total * norm + blur for total in sums]
        self._last = (c, step * (nodes - 1), float(abs(values[-1]).upper().log()))
        return values

    def log_ceiling(self, c: float, t: float) -> float:
        """ASSUMED: |M(c + i tau)| does not rise again beyond the last node computed (the loss has a smooth density)."""
        assert self._last[:2] == (c, t)
        return self._last[2]

    def _spacing(self, c: float, reach: float, target: float) -> tuple[float, float]:
        """Return (step in x, log of the aliasing error <= target) good for all |t| <= reach."""
        m, q, power = self.m_float, self.q_float, self._exponent(c)
        low, high = self._range(power, -200.0)
        x = np.arange(low, high, min(0.05, 0.1 / m))
        rise = np.exp(np.minimum(m * x - m * m / 2, 600.0))
        base = -x * x / 2 + power * self._log_ratio(x) + math.log((x[1] - x[0]) / math.sqrt(2 * math.pi))
        best = (0.0, 0.0)
        for d in np.minimum(np.geomspace(0.05, 30, 40), 0.98 * math.pi / m):
            angle = np.arctan2(q * rise * math.sin(m * d), 1 - q + q * rise * math.cos(m * d))
            log_terms = base + reach * angle
            top = float(log_terms.max())
            bound = top + math.log(float(np.exp(log_terms - top).sum())) + d * d / 2 + math.log(6)
            if power < 0:
                bound += power * math.log(math.cos(m * d / 2))
            if bound > target:
                best = max(best, (2 * math.pi * d / (bound - target), target))
        return best

    def _trim(self, c: float, target: float, spacing: float) -> tuple[int, int]:
        """Return the indices outside which the terms sum to less than e^(target + 3)."""
        power = self._exponent(c)
        low, high = self._range(power, min(-60.0, target - 60.0))
        x = np.arange(low, high, 0.05)
        large = np.flatnonzero(-x * x / 2 + power * self._log_ratio(x) > target - math.log(len(x)))
        return math.floor(x[large[0]] / spacing) - 4, math.ceil(x[large[-1]] / spacing) + 4

    def infinite(self) -> arb:
        return arb(0)
