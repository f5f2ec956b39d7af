"""Conversions against their formulas with 50 digits, and their behaviour at the ends."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mpf

import tightbudget as tb
from tightbudget.divergences import (
    ORDERS,
    best_rdp_delta,
    best_rdp_epsilon,
    gdp_delta,
    gdp_epsilon,
    pure_to_gdp,
    pure_to_rdp,
    pure_to_zcdp,
    rdp_delta,
    rdp_epsilon,
    renyi,
    zcdp_delta,
    zcdp_epsilon,
)

orders = st.floats(-6, 5).map(lambda x: 1.0 + 10.0**x)
small = st.floats(-8, 1.5).map(lambda x: 10.0**x)
deltas = st.floats(-300, -0.01).map(lambda x: 10.0**x)


def delta_truth(a: mpf, tau: mpf, epsilon: mpf) -> mpf:
    return mpmath.exp((a - 1) * (tau - epsilon)) * (1 - 1 / a) ** (a - 1) / a


def variation(tau: mpf) -> mpf:
    return mpmath.sqrt(-mpmath.expm1(-tau))


@given(order=orders, tau=small, epsilon=small)
def test_rdp_delta(order: float, tau: float, epsilon: float) -> None:
    with mpmath.workdps(50):
        truth = min(delta_truth(mpf(order), mpf(tau), mpf(epsilon)), variation(mpf(tau)), mpf(1))
        size = order * (tau + epsilon + 8.0)
        assert truth <= mpf(rdp_delta(order, tau, epsilon)) <= truth * mpmath.exp(mpf("1e-13") * size) + mpf("1e-323")


@given(order=orders, tau=small, delta=deltas)
def test_rdp_epsilon(order: float, tau: float, delta: float) -> None:
    with mpmath.workdps(50):
        a = mpf(order)
        truth = max(mpf(0), mpf(tau) + mpmath.log(1 - 1 / a) - (mpmath.log(mpf(delta)) + mpmath.log(a)) / (a - 1))
        distance = variation(mpf(tau)) / mpf(delta)
        assume(abs(distance - 1) > mpf("1e-12"))  # there the answer is either of two
        truth = truth if distance > 1 else mpf(0)
        size = tau + (abs(math.log(delta)) + 8.0 + 4.0 * math.log(order)) / (order - 1.0) + 2.0
        assert truth <= mpf(rdp_epsilon(order, tau, delta)) <= truth + mpf("1e-13") * size


def test_the_best_event_attains_it() -> None:
    """(1 - e^(eps - L))_+ <= c e^((a-1)(L - eps)), with equality at e^L = e^eps a / (a - 1): a smaller weight is no
    bound.
    """
    a, epsilon = 3.0, 0.7
    loss = epsilon + math.log(a / (a - 1.0))
    mass = 0.5  # of A at that loss, the rest far below
    tau = math.log(mass * math.exp((a - 1.0) * loss)) / (a - 1.0)
    exact = mass * (1.0 - math.exp(epsilon - loss))
    assert exact * (1.0 - 1e-14) <= rdp_delta(a, tau, epsilon) <= exact * (1.0 + 1e-12)


@pytest.mark.slow
@given(rho=small, epsilon=small)
def test_zcdp_delta(rho: float, epsilon: float) -> None:
    """Every order gives a bound; the one found is as good as any of a thousand."""
    found = zcdp_delta(rho, epsilon)
    with mpmath.workdps(50):
        values = [delta_truth(1 + mpf(t), mpf(rho) * (1 + mpf(t)), mpf(epsilon)) for t in np.geomspace(1e-6, 1e9, 1000)]
        least = min(*values, mpf(1))
        assert mpf(found) <= least * (1 + mpf("1e-6")) + mpf("1e-300")
    # it is one of the bounds, so not below what normal noise attains
    assert found >= tb.GaussianDP(mu=math.sqrt(2.0 * rho)).delta(epsilon).lower * (1.0 - 1e-9)


@given(rho=small, delta=deltas)
def test_zcdp_epsilon(rho: float, delta: float) -> None:
    found = zcdp_epsilon(rho, delta)
    simple = rho + 2.0 * math.sqrt(rho * -math.log(delta))
    assert found <= simple * (1.0 + 1e-9)
    assert found >= tb.GaussianDP(mu=math.sqrt(2.0 * rho)).epsilon(delta).lower * (1.0 - 1e-9)


def test_there_and_back() -> None:
    for rho, epsilon in ((0.1, 1.0), (1e-4, 0.05), (5.0, 30.0)):
        delta = zcdp_delta(rho, epsilon)
        assert zcdp_epsilon(rho, delta) == pytest.approx(epsilon, rel=1e-6)
        assert rdp_epsilon(7.5, 0.3, rdp_delta(7.5, 0.3, epsilon)) == pytest.approx(epsilon, rel=1e-9)


def test_gdp() -> None:
    with mpmath.workdps(50):
        for mu, epsilon in ((0.5, 0.5), (2.0, 6.0), (1e-3, 0.004)):
            m, e = mpf(mu), mpf(epsilon)
            truth = mpmath.ncdf(-e / m + m / 2) - mpmath.exp(e) * mpmath.ncdf(-e / m - m / 2)
            assert truth <= gdp_delta(mu, epsilon) <= truth * (1 + mpf("1e-9"))
            assert epsilon <= gdp_epsilon(mu, float(truth * (1 - mpf("1e-12")))) <= epsilon * (1.0 + 1e-6)


@given(epsilon=st.floats(-15, 2.8).map(lambda x: 10.0**x))
def test_pure(epsilon: float) -> None:
    with mpmath.workdps(400):
        e = mpf(epsilon)
        rho = e * mpmath.tanh(e / 2)
        assert rho <= pure_to_zcdp(epsilon) <= rho * (1 + mpf("1e-14"))
        # Phi(-mu/2) = 1/(1 + e^eps), through the residual: a larger mu has a smaller tail
        mu, rare = mpf(pure_to_gdp(epsilon)), 1 / (1 + mpmath.exp(e))
        assert mpmath.ncdf(-mu / 2) <= rare <= mpmath.ncdf(-mu * (1 - mpf("1e-11")) / 2)
    with mpmath.workdps(50):
        for order in (1.5, 30.0):
            a = mpf(order)
            tau = e - mpmath.log((1 + mpmath.exp(-e)) / (1 + mpmath.exp(-(2 * a - 1) * e))) / (a - 1)
            assert tau <= pure_to_rdp(epsilon, order) * (1 + mpf("1e-30"))
            assert pure_to_rdp(epsilon, order) <= tau * (1 + mpf("1e-9")) + mpf("1e-40")


def test_best_orders() -> None:
    c = tb.Gaussian(sigma=5.0) * 20
    taus = renyi(c, ORDERS)
    epsilon, order = best_rdp_epsilon(ORDERS, taus, 1e-6)
    assert order in ORDERS
    assert epsilon == rdp_epsilon(order, renyi(c, order), 1e-6) == np.min(rdp_epsilon(ORDERS, taus, 1e-6))
    # the grid of orders costs little against all orders
    assert zcdp_epsilon(0.4, 1e-6) <= epsilon <= zcdp_epsilon(0.4, 1e-6) * 1.001
    assert best_rdp_delta(ORDERS, taus, epsilon)[0] == pytest.approx(1e-6, rel=1e-9)


def test_edges() -> None:
    inf = math.inf
    assert rdp_delta(2.0, inf, 1.0) == 1.0
    assert rdp_delta(2.0, 0.0, 0.0) == 0.0
    assert rdp_delta(2.0, 1.0, inf) == 0.0
    assert rdp_delta(inf, 1.0, 1.0) == 0.0
    assert rdp_delta(inf, 1.0, 0.0) == pytest.approx(1.0 - math.exp(-1.0), rel=1e-12)
    assert rdp_delta(1.0, 5.0, 1.0) == pytest.approx(math.sqrt(1.0 - math.exp(-5.0)), rel=1e-12)
    assert rdp_epsilon(2.0, 1.0, 0.0) == inf
    assert rdp_epsilon(inf, 1.0, 0.0) == 1.0
    assert rdp_epsilon(2.0, inf, 0.5) == inf
    assert rdp_epsilon(2.0, 1.0, 1.0) == 0.0
    for order in (1.0, 2.0, 1e6, inf):  # everything keeps (0, 1), and (inf, 0) alone is kept without a bound
        assert rdp_epsilon(order, 50.0, 1.0) == rdp_epsilon(order, inf, 1.0) == 0.0
        assert rdp_epsilon(order, inf, 1.0 - 2.0**-53) == inf
    assert rdp_epsilon(2.0, 0.0, 0.0) == 0.0
    assert rdp_epsilon(1.0, 1.0, 1e-5) == inf
    assert zcdp_delta(0.0, 0.0) == zcdp_delta(1.0, inf) == 0.0
    assert zcdp_delta(inf, 1.0) == 1.0
    assert zcdp_epsilon(0.0, 0.0) == zcdp_epsilon(1.0, 1.0) == 0.0
    assert zcdp_epsilon(1.0, 0.0) == zcdp_epsilon(inf, 0.5) == inf
    assert gdp_delta(0.0, 0.0) == 0.0
    assert gdp_delta(inf, 3.0) == 1.0
    assert gdp_epsilon(0.0, 0.0) == gdp_epsilon(inf, 1.0) == 0.0
    assert gdp_epsilon(1.0, 0.0) == gdp_epsilon(inf, 0.5) == inf
    assert pure_to_zcdp(0.0) == pure_to_gdp(0.0) == pure_to_rdp(0.0, 3.0) == 0.0
    assert pure_to_zcdp(inf) == pure_to_gdp(inf) == pure_to_rdp(inf, 3.0) == inf
    assert rdp_delta([2.0, 3.0], [0.1, 0.2], 1.0).shape == (2,)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: rdp_delta(0.5, 1.0, 1.0),
        lambda: rdp_delta(2.0, -1.0, 1.0),
        lambda: rdp_delta(2.0, math.nan, 1.0),
        lambda: rdp_delta([2.0, 3.0], [1.0, 1.0, 1.0], 1.0),
        lambda: rdp_epsilon(2.0, 1.0, 2.0),
        lambda: rdp_epsilon(2.0, "x", 0.1),
        lambda: zcdp_delta(-1.0, 1.0),
        lambda: zcdp_epsilon(math.nan, 0.1),
        lambda: gdp_delta(-1.0, 1.0),
        lambda: gdp_epsilon(1.0, -0.1),
        lambda: pure_to_zcdp(-1.0),
        lambda: pure_to_gdp(-1.0),
    ],
)
def test_illegal(ask: object) -> None:
    with pytest.raises(tb.InvalidParameter):
        ask()  # type: ignore[operator]
