"""The inequalities that the proofs of M16 rest on, at their extreme points, in 50 digits."""

import itertools

import pytest
from tests.support import odometer_truth as f
from tests.support.lanes import mostly_slow
from tests.support.odometer_truth import mp

pytestmark = pytest.mark.slow

EPSILONS = [mp.mpf(x) for x in ("1e-6", "0.1", "1", "7")]
LAMBDAS = [mp.mpf(x) for x in ("0.01", "0.5", "1", "3", "40")]


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_pure_steps_are_walks_with_variance_twice_rho(epsilon: mp.mpf) -> None:
    """E e^{lambda l} <= e^{lambda rho + lambda^2 rho} for lambda >= 0, rho = epsilon tanh(epsilon/2)."""
    rho = f.rhos([epsilon])
    assert 2 * rho <= epsilon**2
    for slope in LAMBDAS:
        moment = mp.cosh((slope + mp.mpf(1) / 2) * epsilon) / mp.cosh(epsilon / 2)
        assert moment <= mp.exp(slope * rho + slope**2 * rho)


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("delta", ["1e-9", "0.01", "0.4"])
def test_steps_bounded_with_high_probability(epsilon: mp.mpf, delta: str) -> None:
    """On the good event, of mass g under P and h under Q, both at least 1 - delta, l = +-epsilon is the extreme
    case.
    """
    d = f.number(delta)
    excess = -mp.log(1 - d)
    tried = 0
    for g, h in itertools.product(mp.linspace(1 - d, 1, 5), repeat=2):
        high = (g * mp.exp(epsilon) - h) / (mp.exp(epsilon) - mp.exp(-epsilon))
        low = g - high
        if high < 0 or low < 0:
            continue
        tried += 1
        mean = (high - low) * epsilon / g
        assert -excess <= mean <= f.rhos([epsilon]) + excess
        for slope in LAMBDAS:
            moment = high * mp.exp(slope * epsilon) + low * mp.exp(-slope * epsilon)
            pure = mp.cosh((slope + mp.mpf(1) / 2) * epsilon) / mp.cosh(epsilon / 2)
            assert moment <= pure * mp.exp(slope * excess)
    assert tried


@pytest.mark.parametrize("v", mostly_slow(["0.001", "1", "30"], every=3, first=1))
@pytest.mark.parametrize("s", ["-2", "0", "3"])
def test_mixtures(v: str, s: str) -> None:
    """The integrals over slopes that the two mixtures are."""
    variance, walk, gamma = f.number(v), f.number(s), mp.mpf("0.7")

    def weighted(slope: mp.mpf) -> mp.mpf:
        return mp.sqrt(gamma / (2 * mp.pi)) * mp.exp(-gamma * slope**2 / 2 + slope * walk - slope**2 * variance / 2)

    peak = walk / (variance + gamma)
    spread = 30 / mp.sqrt(variance + gamma)
    points = [peak - spread, peak, peak + spread]
    both = mp.quad(weighted, points)
    assert mp.almosteq(both, mp.sqrt(gamma / (variance + gamma)) * mp.exp(walk**2 / (2 * (variance + gamma))), rel_eps=1e-20)
    rising = 2 * mp.quad(weighted, [0, max(peak, 0) + spread / 30, max(peak, 0) + spread])
    normal = 1 - mp.erfc(walk / mp.sqrt(2 * (variance + gamma))) / 2
    assert mp.almosteq(rising, 2 * both * normal, rel_eps=1e-12)


def test_a_line_of_every_epoch_lies_below_the_stitched_curve() -> None:
    eta, s, start, delta = mp.mpf(2), mp.mpf("1.4"), mp.mpf("0.01"), mp.mpf("1e-6")
    for epoch in range(40):
        y = start * eta ** (epoch + mp.mpf("0.5"))
        level = mp.log(mp.zeta(s) * (epoch + 1) ** s / delta)
        for part in mp.linspace(0, 1, 9):
            v = start * eta ** (epoch + part)
            line = mp.sqrt(level / 2) * (mp.sqrt(y) + v / mp.sqrt(y))
            assert line <= (f.stitched(v / 2, delta, start) - v / 2) * (1 + mp.mpf("1e-45"))
    assert mp.fsum((k + 1) ** -s / mp.zeta(s) for k in range(1000)) < 1
