r"""Reference values for noise on the integers, where losses lie on a lattice: discrete Laplace, discrete Gaussian.

`by_power` convolves with one arb_poly power: nothing to prove. `by_inversion` recovers the same sum from N values of
the tilted generating function G(s) = sum_i a_i e^{s i}, s_k = theta + 2 pi i k / N:

    1/N sum_k G(s_k)^r W(s_k) = sum_n e^{theta n N} sum_{i >= i0} a^{(r)}_{i + nN} (1 - e^{eps - loss_i}),

W(s) = sum_{i >= i0} e^{-s i} (1 - e^{eps - loss_i}) in closed form. All terms are positive and Chernoff bounds those
with n != 0, so repetition counts of a million are within reach. Both laws are symmetric: one direction is enough.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from flint import acb, arb, arb_poly, ctx, fmpq
from tests.reference.truth_numbers import Number, rational, sharpen


@dataclass(frozen=True)
class LatticeLaw:
    """Masses under A at losses origin + i step, i = 0..n-1; `missing` bounds the mass left out (of any loss)."""

    masses: list[arb]
    origin: fmpq
    step: fmpq
    missing: arb

    def log_mgf(self, s: float) -> float:
        """Return log E e^{s loss} in floating point, for planning."""
        origin, step = float(arb(self.origin)), float(arb(self.step))
        logs = [float(a.log()) + s * (origin + i * step) for i, a in enumerate(self.masses)]
        top = max(logs)
        return top + math.log(sum(math.exp(x - top) for x in logs))


def discrete_laplace(scale: Number, sensitivity: int = 1) -> LatticeLaw:
    s = rational(scale)
    a = arb(-1 / s).exp()
    inner = [(1 - a) * a**x / (1 + a) for x in range(sensitivity - 1, 0, -1)]
    return LatticeLaw([a**sensitivity / (1 + a), *inner, 1 / (1 + a)], -sensitivity / s, 2 / s, arb(0))


def discrete_gaussian(sigma: Number, sensitivity: int = 1, bits: int = 256) -> LatticeLaw:
    """Keep |x| <= cut, where the mass beyond is below about 2**-bits."""
    variance = rational(sigma) ** 2
    rate = arb(1 / (2 * variance))
    cut = math.isqrt(math.ceil(bits * math.log(2) / float(rate))) + 2
    half = [(-rate * x * x).exp() for x in range(cut + 1)]
    beyond = 2 * half[cut] / ((2 * rate * cut).exp() - 1)  # (cut + k)^2 >= cut^2 + 2 cut k
    kept = half[0] + 2 * sum(half[1:], arb(0))
    total = kept.union(kept + beyond)
    masses = [half[abs(x)] / total for x in range(cut, -cut - 1, -1)]
    loss = fmpq(sensitivity) / variance
    return LatticeLaw(masses, (fmpq(sensitivity) / 2 - cut) * loss, loss, (beyond / kept).upper())


def by_power(law: LatticeLaw, count: int, epsilon: Number) -> arb:
    """Convolve, then add up; the missing mass may have any loss."""
    composed = (arb_poly(law.masses) ** count).coeffs()
    eps, total = rational(epsilon), arb(0)
    first = _first_index(law, count, eps)
    weight = arb(eps - count * law.origin - first * law.step).exp()
    shrink = arb(-law.step).exp()
    for mass in composed[max(first, 0) :] if first >= 0 else composed:
        total += mass * (1 - weight)
        weight *= shrink
    return total.union(total + count * law.missing)


def by_inversion(law: LatticeLaw, count: int, epsilon: Number, digits: int = 22) -> arb:
    """The same value from the generating function; cost grows like the square root of `count`."""
    eps = rational(epsilon)
    first = _first_index(law, count, eps)
    if first > count * (len(law.masses) - 1):
        return arb(0).union(count * law.missing)
    chernoff, theta = _tilt(law, count, first)
    size, alias = _size(chernoff, theta, digits)
    if size >= count * (len(law.masses) - 1) + 2:
        return by_power(law, count, epsilon)

    t, n = arb(theta), size
    length = len(law.masses)
    folded = [acb(0)] * n
    for i in range(length):
        folded[i % n] += law.masses[i] * (t * i).exp()
    generating = acb.dft(folded)  # sum_i a_i e^{theta i} e^{-2 pi i k/N}: the conjugate of G(s_k)
    drop = arb(eps - count * law.origin - first * law.step).exp()
    total = arb(0)
    for k in range(n // 2 + 1):
        s = acb(t, 2 * arb.pi() * k / n)
        weight = (-s * first).exp() * (1 / (1 - (-s).exp()) - drop / (1 - (-s - arb(law.step)).exp()))
        term = (generating[k].conjugate() ** count * weight).real
        total += term if k == 0 or 2 * k == n else 2 * term
    total /= n
    return (total - arb(alias).exp()).union(total) + arb(0).union(count * law.missing)


def lattice(law_at: Callable[[int], LatticeLaw], count: int, epsilon: Number) -> arb:
    """Evaluate a law given as a function of the precision, by whichever way is shorter, to 20 digits."""

    def value() -> arb:
        return by_inversion(law_at(ctx.prec), count, epsilon, digits=ctx.prec // 12)

    return sharpen(value, 256, accuracy=66, limit=3000)


def _first_index(law: LatticeLaw, count: int, eps: fmpq) -> int:
    """The least index whose loss exceeds eps."""
    index = (eps - count * law.origin) / law.step
    return max(0, int(index.p // index.q) + 1)


def _tilt(law: LatticeLaw, count: int, first: int) -> tuple[Callable[[float], float], float]:
    """Return (s -> log of the Chernoff bound G(s)^r e^{-s first}, the theta > 0 that nearly minimises it)."""
    logs = [float(a.log()) for a in law.masses]

    def chernoff(s: float) -> float:
        exponents = [x + s * i for i, x in enumerate(logs)]
        top = max(exponents)
        return count * (top + math.log(sum(math.exp(x - top) for x in exponents))) - s * first

    low, high = math.log(1e-7), math.log(50.0)
    for _ in range(40):
        a, b = low + (high - low) * 0.382, low + (high - low) * 0.618
        # the closed form of W has poles at s = 0 and s = -step: stay off them
        if chernoff(math.exp(a)) - a < chernoff(math.exp(b)) - b:
            high = b
        else:
            low = a
    return chernoff, math.exp((low + high) / 2)


def _size(chernoff: Callable[[float], float], theta: float, digits: int) -> tuple[int, float]:
    """Return (N, log of the aliasing error)."""
    width = 1e-3 * theta
    curvature = (chernoff(theta + width) - 2 * chernoff(theta) + chernoff(theta - width)) / width**2 + theta**-2
    spread = 1 / math.sqrt(curvature)
    estimate = chernoff(theta) - math.log(theta) + math.log(spread)
    target = estimate - (digits + 6) * math.log(10)  # the payoff 1 - e^{eps - loss} may cost a few more digits
    factors = (0.5, 1, 2, 4, 6, 8, 10, 12, 16)
    right = min((chernoff(theta + m * spread) - target) / (m * spread) for m in factors)
    left = min(
        [-target / theta] + [(chernoff(theta - m * spread) - target) / (m * spread) for m in factors if theta > m * spread]
    )
    return 1 << math.ceil(math.log2(max(right, left) + 2)), target + math.log(10)
