r"""Curves that a sub-Gaussian walk stays below at all times at once, each rounded up (M16).

Notation: V is the variance so far, and level is $\ln(1/\delta')$ rounded up, with $\delta'$ the probability that the
walk ever exceeds the curve. A walk $M$ is sub-Gaussian if $E\,e^{\lambda M-\lambda^2V/2}\le1$ at every stopping time,
for every $\lambda\ge0$ (one side) or for every real $\lambda$ (both sides).

Rounding: every formula is a sum, product, quotient, root or logarithm of positive numbers none of which is a
difference, so relative errors never grow by more than a small factor. A square root, a division and a library logarithm
are good to 2u; the longest formula has 16 such operations, below 64u in all. `ROUNDINGS` is twice that.
"""

import math
from fractions import Fraction

from tightbudget.numerics.rounding import U, raised

ROUNDINGS = 128


def line_boundary(variance: float, level: float, tight_at: float) -> float:
    r"""Return $\sqrt{\ell/2}\,(\sqrt y+V/\sqrt y)$: the line that touches $\sqrt{2\ell V}$ at $V=y$. One side."""
    root = math.sqrt(tight_at)
    return raised(math.sqrt(0.5 * level) * (root + variance / root), ROUNDINGS)


def mixture_boundary(variance: float, level: float, gamma: float) -> float:
    r"""Return $\sqrt{(V+\gamma)(2\ell+\ln(1+V/\gamma))}$: the slopes of all lines mixed by a normal law. Both sides."""
    return raised(math.sqrt((variance + gamma) * (2.0 * level + math.log1p(variance / gamma))), ROUNDINGS)


def one_sided_mixture_boundary(variance: float, level: float, gamma: float) -> float:
    r"""Return $x\sqrt{V+\gamma}$ with $x^2/2+\ln\Phi(x)=\ell+\frac12\ln(1+V/\gamma)-\ln2$. One side.

    Only rising lines are mixed, by half a normal law.
    """
    target = level + raised(0.5 * math.log1p(variance / gamma), ROUNDINGS) - _LOG_2_DOWN
    return raised(_mixed_above(target) * math.sqrt(variance + gamma), ROUNDINGS)


def stitched_boundary(variance: float, level: float, start: float) -> float:
    r"""Return $k\sqrt{V(s\ln(1+\log_2(V/v_0))+\ln\zeta(s)+\ell)}$ with $s=1.4$: a line a doubling of V. One side.

    Below the start $v_0$ the curve is level.
    """
    variance = max(variance, start)
    doublings = math.log(variance / start) / math.log(2.0)
    return raised(_STRETCH * math.sqrt(variance * (_POWER * math.log1p(doublings) + _LOG_ZETA + level)), ROUNDINGS)


_POWER = 1.4
_LOG_ZETA = 1.133189956851613  # ln zeta(1.4) = 1.13318995685161290...
_STRETCH = 1.4354999727550752  # (2^(1/4) + 2^(-1/4))/sqrt(2) = 1.43549997275507507...
_LOG_2_DOWN = math.nextafter(math.log(2.0), 0.0)


def _mixed_exponent(x: float) -> float:
    """Return x^2/2 + ln Phi(x) for x >= 0, good to 8u(1 + x^2)."""
    return 0.5 * x * x + math.log1p(-0.5 * math.erfc(x * math.sqrt(0.5)))


def _mixed_above(target: float) -> float:
    """Return an x >= 0 with x^2/2 + ln Phi(x) >= target, hardly above the smallest one.

    The left side increases from -ln 2 at x = 0, and its slope is at least 0.79 everywhere, so an error of 8u(1 + x^2)
    in it is made good by adding 128u(1 + x) to x. Newton's steps need no care: the answer is tried before it is given.
    """
    if math.isinf(target):
        return math.inf
    x = math.sqrt(2.0 * max(target, 0.0)) + 1e-3
    for _ in range(60):
        density = math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
        step = (_mixed_exponent(x) - target) / (x + density / (1.0 - 0.5 * math.erfc(x * math.sqrt(0.5))))
        x = max(0.0, x - step)
        if abs(step) <= 1e-13 * (1.0 + x):
            break
    x += 128.0 * U * (1.0 + x)
    while not _mixed_exponent(x) >= target + 16.0 * U * (1.0 + x * x):
        x += 128.0 * U * (1.0 + x)
    return x


def mixing_rate(level: float, variance: Fraction) -> Fraction:
    r"""Return the gamma for which a mixture is good at a variance, $V/(2\ell+\ln(1+2\ell))$; any other is sound too.

    It is a decimal number of few digits, so that what is written down is what is used.
    """
    gamma = float(variance) / (2.0 * level + math.log1p(2.0 * level))
    return Fraction(f"{min(max(gamma, 1e-100), 1e100):.3g}")
