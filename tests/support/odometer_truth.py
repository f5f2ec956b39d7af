"""The formulas of the odometers as the theory states them, in 50 digits; nothing here is taken from the package."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from mpmath import MPContext

mp = MPContext()  # its own precision: that of the module belongs to everybody
mp.dps = 50


def number(amount: Fraction | str | int) -> mp.mpf:
    exact = Fraction(amount)
    return mp.mpf(exact.numerator) / exact.denominator


def rogers(epsilons: Sequence[mp.mpf], delta: mp.mpf, n: int) -> mp.mpf:
    drift = mp.fsum(e * (mp.exp(e) - 1) / 2 for e in epsilons)
    v = mp.fsum(e * e for e in epsilons)
    events = next(j for j in range(200) if 2**j >= n * n)
    level = mp.log(2 * events / delta)
    if mp.mpf(1) / n**2 <= v <= 1:
        return drift + 2 * mp.sqrt(v * (1 + mp.log(mp.sqrt(3))) * level)
    return drift + mp.sqrt(2 * (mp.mpf(1) / n**2 + v) * (1 + mp.log(1 + n**2 * v) / 2) * level)


def rhos(epsilons: Sequence[mp.mpf]) -> mp.mpf:
    return mp.fsum(e * mp.tanh(e / 2) for e in epsilons)


def mixture(epsilons: Sequence[mp.mpf], delta: mp.mpf, gamma: mp.mpf) -> mp.mpf:
    v = mp.fsum(e * e for e in epsilons)
    return rhos(epsilons) + mp.sqrt((v + gamma) * (2 * mp.log(1 / delta) + mp.log(1 + v / gamma)))


def line(rho: mp.mpf, delta: mp.mpf, y: mp.mpf) -> mp.mpf:
    return rho + mp.sqrt(mp.log(1 / delta) / 2) * (mp.sqrt(y) + 2 * rho / mp.sqrt(y))


def one_sided_mixture(rho: mp.mpf, delta: mp.mpf, gamma: mp.mpf) -> mp.mpf:
    v = 2 * rho

    def excess(s: mp.mpf) -> mp.mpf:
        normal = mp.log(1 - mp.erfc(s / mp.sqrt(2 * (v + gamma))) / 2)
        return mp.log(4 * gamma / (v + gamma)) / 2 + s * s / (2 * (v + gamma)) + normal - mp.log(1 / delta)

    high = mp.sqrt((v + gamma) * (2 * mp.log(1 / delta) + mp.log(1 + v / gamma))) + 1
    return rho + mp.findroot(excess, (mp.mpf(0), high), solver="anderson", tol=1e-80, maxsteps=200)


def stitched(rho: mp.mpf, delta: mp.mpf, start: mp.mpf) -> mp.mpf:
    eta, s = mp.mpf(2), mp.mpf("1.4")
    v = max(2 * rho, start)
    stretch = (eta ** mp.mpf("0.25") + eta ** mp.mpf("-0.25")) / mp.sqrt(2)
    weight = s * mp.log(mp.log(eta * v / start)) + mp.log(mp.zeta(s) / (delta * mp.log(eta) ** s))
    return rho + stretch * mp.sqrt(v * weight)


def response_renyi(e: mp.mpf, a: mp.mpf) -> mp.mpf:
    p = mp.exp(e) / (1 + mp.exp(e))
    return mp.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)


def renyi(divergence: Callable[[mp.mpf], mp.mpf], delta: mp.mpf, weighted: Sequence[tuple[mp.mpf, mp.mpf]]) -> mp.mpf:
    return min(divergence(a) + mp.log(1 / (w * delta)) / (a - 1) for a, w in weighted)
