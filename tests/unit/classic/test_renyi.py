"""The bounds by Rényi divergences against orders, divergences and conversions in many digits."""

from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget import classic
from tightbudget.classic.cdp import _ORDERS, xi_for
from tightbudget.divergences import pure_epsilon, renyi, zcdp

Divergence = Callable[[mpf], mpf]


def gaussian(sigma: float) -> Divergence:
    return lambda a: a / (2 * mpf(sigma) ** 2)


def response(p: float) -> Divergence:
    t = mpf(p)
    return lambda a: mpmath.log(t**a * (1 - t) ** (1 - a) + (1 - t) ** a * t ** (1 - a)) / (a - 1)


def laplace(scale: float) -> Divergence:
    """By quadrature of p^a q^(1-a), not by the closed form."""
    b = mpf(scale)

    def divergence(a: mpf) -> mpf:
        def integrand(x: mpf) -> mpf:
            return mpmath.exp((-a * abs(x) - (1 - a) * abs(x - 1)) / b) / (2 * b)

        return mpmath.log(mpmath.quad(integrand, [-60 * b, 0, 1, 60 * b + 1])) / (a - 1)

    return divergence


def subsampled(sigma: float, q: float) -> Divergence:
    """By quadrature: the mixture with the record against the noise without it."""
    s, rate = mpf(sigma), mpf(q)

    def divergence(a: mpf) -> mpf:
        def integrand(x: mpf) -> mpf:
            ratio = 1 - rate + rate * mpmath.exp((2 * x - 1) / (2 * s**2))
            return mpmath.npdf(x, 0, s) * ratio**a

        return mpmath.log(mpmath.quad(integrand, [-15 * s, -5 * s, 0, 1, 5 * s, a + 15 * s])) / (a - 1)

    return divergence


def tight_epsilon(a: mpf, tau: mpf, delta: mpf) -> mpf:
    return tau + mpmath.log1p(-1 / a) - (mpmath.log(delta) + mpmath.log(a)) / (a - 1)


CASES = [
    (tb.Gaussian(3.0), gaussian(3.0), 20, 1e-6),
    (tb.Gaussian(200.0), gaussian(200.0), 10_000, 1e-9),
    (tb.RandomizedResponse(0.6), response(0.6), 100, 1e-5),
    (tb.Laplace(5.0), laplace(5.0), 50, 1e-6),
    (tb.Poisson(tb.Gaussian(2.0), 0.05), subsampled(2.0, 0.05), 300, 1e-6),
]


@pytest.mark.parametrize(("step", "divergence", "count", "delta"), mostly_slow(CASES, every=8))
def test_the_best_order(step: tb.Mechanism, divergence: Divergence, count: int, delta: float) -> None:
    composed = step * count
    with mpmath.workdps(20):
        orders = [mpf(2) ** (mpf(i) / 4) for i in range(4, 24)]
        taus = [count * divergence(a) for a in orders]
        tight = min(tight_epsilon(a, tau, mpf(delta)) for a, tau in zip(orders, taus, strict=True))
        off_lattice = min(tau + mpmath.log(1 / mpf(delta)) / (a - 1) for a, tau in zip(orders, taus, strict=True))
    # an optimum over few orders is above the best of all by a little, and no bound may be far below it
    assert float(tight) * 0.97 <= classic.renyi_dp.epsilon(composed, delta) <= float(tight) * (1 + 2e-3)
    assert float(off_lattice) * 0.97 <= classic.moments_accountant.epsilon(composed, delta) <= float(off_lattice) * (1 + 2e-3)


def test_the_moments_of_a_gaussian_in_closed_form() -> None:
    """rho + 2 sqrt(rho log(1/delta)) is what the best order of the moments accountant gives."""
    composed = tb.Gaussian(10.0) * 100
    with mpmath.workdps(30):
        for delta in (1e-3, 1e-6, 1e-20):
            truth = mpf("0.5") + 2 * mpmath.sqrt(mpf("0.5") * mpmath.log(1 / mpf(delta)))
            found = mpf(classic.moments_accountant.epsilon(composed, delta))
            assert truth <= found <= truth * (1 + mpf("1e-4"))
            back = mpf(classic.moments_accountant.delta(composed, float(truth)))
            assert mpf(delta) * (1 - mpf("1e-12")) <= back <= mpf(delta) * (1 + mpf("1e-2"))


@pytest.mark.parametrize(("step", "divergence"), [(case[0], case[1]) for case in CASES])
@pytest.mark.parametrize("part", mostly_slow([0.01, 0.3, 0.999, 1.4], every=4, first=1))
def test_every_line_lies_above_all_divergences(step: tb.Mechanism, divergence: Divergence, part: float) -> None:
    rho_zcdp, pure = zcdp(step), pure_epsilon(step)
    unit = rho_zcdp if rho_zcdp < float("inf") else pure
    rho = part * unit
    xi = xi_for(rho, _ORDERS, np.asarray(renyi(step, _ORDERS)), rho_zcdp, pure)
    if xi == float("inf"):
        assert pure == float("inf")
        assert rho < rho_zcdp
        return
    with mpmath.workdps(30):
        # also below the first order, between neighbours, and (where the divergence is at hand) beyond the last
        orders = [mpf("1.00003"), mpf("1.00453"), mpf("1.3"), mpf("2.777"), mpf(9), mpf("33.3")]
        if not isinstance(step, tb.Poisson | tb.Laplace):
            orders += [mpf("1234.5"), mpf("3e6")]
        for order in orders:
            assert divergence(order) <= (mpf(xi) + mpf(rho) * order) * (1 + mpf("1e-12"))


@pytest.mark.parametrize(("step", "divergence", "count", "delta"), CASES[:4])
def test_a_line_is_no_better_than_the_curve_below_it(
    step: tb.Mechanism, divergence: Divergence, count: int, delta: float
) -> None:
    composed = step * count
    below = classic.renyi_dp.epsilon(composed, delta)
    assert below * (1 - 1e-6) <= classic.cdp.epsilon(composed, delta) <= classic.zcdp.epsilon(composed, delta) * (1 + 1e-3)


def test_zcdp_of_a_gaussian_is_its_curve() -> None:
    composed = tb.Gaussian(10.0) * 100
    assert classic.zcdp.epsilon(composed, 1e-6) == pytest.approx(classic.renyi_dp.epsilon(composed, 1e-6), rel=1e-4)


def test_the_central_limit_is_close_where_it_should_be() -> None:
    # randomised response: mean e tanh(e/2), variance e^2 (1 - tanh^2)
    e = 0.05
    mu = 2 * 400 * e * np.tanh(e / 2) / np.sqrt(400 * e**2 * (1 - np.tanh(e / 2) ** 2))
    found = classic.central_limit.delta(tb.PureDP(e) * 400, 1.0)
    assert found == pytest.approx(tb.GaussianDP(float(mu)).delta(1.0).upper, rel=1e-9)
    for step, count in [(tb.Gaussian(30.0), 500), (tb.Laplace(30.0), 500), (tb.Poisson(tb.Gaussian(4.0), 0.01), 10_000)]:
        truth = (step * count).epsilon(1e-3)
        assert classic.central_limit.epsilon(step * count, 1e-3) == pytest.approx(truth.upper, rel=0.02)
    assert classic.central_limit.kind == "approximation"


def test_what_may_reveal_everything_has_no_divergence() -> None:
    composed = tb.ApproximateDP(0.1, 1e-9) * 10
    for bound in (
        classic.renyi_dp,
        classic.moments_accountant,
        classic.zcdp,
        classic.cdp,
        classic.gaussian_dp,
        classic.central_limit,
    ):
        with pytest.raises(tb.DoesNotApply):
            bound.epsilon(composed, 1e-6)
        with pytest.raises(tb.DoesNotApply):
            bound.delta(composed, 1.0)
