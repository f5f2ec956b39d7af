"""Promises on Poisson samples: the theorem for whole orders in fractions, what fails between them, many steps."""

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.adaptive import prices
from tightbudget.engine.refine import epsilon_bracket
from tightbudget.mechanisms.sampled_promise import SampledPromise
from tightbudget.pairs.base import Direction
from tightbudget.pairs.moments.subsampled_gaussian import sampled_log_moment


def product(one: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    made = [Fraction(0)] * (len(one) + len(other) - 1)
    for i, x in enumerate(one):
        for j, y in enumerate(other):
            made[i + j] += x * y
    return made


def polynomial_of_the_proof(a: int, q: Fraction) -> list[Fraction]:
    """The coefficients of N(r) of M34, from the lowest power on."""
    c = [math.comb(a, k) * (1 - q) ** (a - k) * q**k for k in range(a + 1)]
    theta = q * (2 * a - 1) / (2 * (a - 2) * q + 3)
    assert 0 < theta < 1
    # value c_0 + c_1 and slope of the affine part alpha + beta s at s = 1: f'(1) is 1 + (a-1) q
    slope = 1 + (a - 1) * q - sum(c[k] * (theta * k + (1 - theta) * (1 - k)) for k in range(2, a + 1))
    beta, alpha = slope, c[0] + c[1] - slope
    inner = [Fraction(0)] * (2 * a)
    inner[a], inner[a - 1] = alpha, beta
    for k in range(2, a + 1):
        inner[a - k] += c[k] * theta
        inner[a + k - 1] += c[k] * (1 - theta)
    made = inner
    for _ in range(a - 1):
        made = product(made, [1 - q, q])
    made[a - 1] -= 1
    return made


@pytest.mark.parametrize("a", mostly_slow([2, 3, 4, 7, 16, 30, 40], every=3))
@pytest.mark.parametrize("q", [Fraction(1, 1000), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(999, 1000)])
def test_the_proof_for_the_direction_add(a: int, q: Fraction) -> None:
    made = polynomial_of_the_proof(a, q)
    signs = [coefficient > 0 for coefficient in made if coefficient]
    assert sum(one != other for one, other in pairwise(signs)) == 4  # Descartes: no more than four positive roots
    for _ in range(4):  # and 1 is one four times over
        assert sum(made) == 0
        made = [i * coefficient for i, coefficient in enumerate(made)][1:]
    assert sum(made) > 0


@pytest.mark.parametrize("seed", mostly_slow(list(range(12)), every=3))
def test_samples_of_finite_mechanisms_keep_the_bound_at_every_order(seed: int) -> None:
    """At whole orders up to the largest promised, and between them."""
    source = np.random.default_rng(seed)
    a, b = (source.dirichlet(np.full(3, source.uniform(0.3, 3.0))) + 1e-4 for _ in range(2))
    a, b = a / a.sum(), b / b.sum()
    q = float(source.choice([0.01, 0.1, 0.5, 0.9]))
    orders = list(range(2, 13))
    with mpmath.workdps(30):
        left, right = ([mpf(float(x)) for x in law] for law in (a, b))
        left, right = ([x / sum(law) for x in law] for law in (left, right))
        worst = [max(renyi(left, right, mpf(order)), renyi(right, left, mpf(order))) for order in orders]
        promise = SampledPromise(tb.RDP(orders, [Fraction(str(value)) * (1 + Fraction(1, 10**12)) for value in worst]), q)
        sampled = [(1 - mpf(q)) * y + mpf(q) * x for x, y in zip(left, right, strict=True)]
        for order in (1.01, 1.1, 1.5, 1.9, 2.0, 2.5, 3.0, 4.7, 8.0, 11.0, 12.0):
            bound = promise.bounds_at(np.array([order]))[0]
            assert max(renyi(sampled, right, mpf(order)), renyi(right, sampled, mpf(order))) <= bound


def renyi(a: list[mpf], b: list[mpf], order: mpf) -> mpf:
    return mpmath.log(sum(x**order * y ** (1 - order) for x, y in zip(a, b, strict=True))) / (order - 1)


def test_normal_noise_is_no_bound_at_fractional_orders() -> None:
    """A mechanism that keeps zCDP and exceeds sampled normal noise at the orders 1.1 and 1.5: ours covers it."""
    rare = mpf("0.007287600277")
    rho, q = 1.641131791, mpf("0.05")
    step = tb.Poisson(tb.ZCDP(rho), 0.05)
    with mpmath.workdps(30):
        right = [rare, 1 - rare]
        left = [rare * mpmath.exp(4), 1 - rare * mpmath.exp(4)]
        for order in np.geomspace(1e-3, 100.0, 200).tolist():
            kept = max(renyi(left, right, 1 + mpf(order)), renyi(right, left, 1 + mpf(order)))
            assert kept <= mpf(rho) * (1 + mpf(order)) * (1 + mpf(10) ** -9)
    for order, attained, normal in ((1.1, 0.01798508012, 0.01576257288), (1.5, 0.02978989508, 0.02815518318)):
        ratios = [mpmath.exp(4), mpmath.exp(mpf(-1) / 2)]
        moment = sum(m * (1 - q + q * r) ** mpf(order) for m, r in zip([rare, 1 - rare], ratios, strict=True))
        truth = mpmath.log(moment) / (mpf(order) - 1)
        assert float(truth) == pytest.approx(attained, rel=1e-5)
        assert normal < attained <= tb.divergences.renyi(step, order)
        assert attained <= prices.renyi_price(step, (Fraction(str(order)),))[0]
    budget = tb.filters.RDPFilter(8, 1e-3, orders=["5.5"])
    budget.spend(step)
    assert budget.spent["order 5.5"] >= tb.divergences.renyi(tb.Poisson(tb.Gaussian(1 / math.sqrt(2 * rho)), 0.05), 5.0)


def test_at_whole_orders_it_is_the_binomial_sum() -> None:
    with mpmath.workdps(30):
        for order in (2, 5, 64):
            total = sum(
                mpmath.binomial(order, k) * mpf(0.02) ** k * (1 - mpf(0.02)) ** (order - k) * mpmath.exp(k * (k - 1) * mpf(0.1))
                for k in range(order + 1)
            )
            truth = mpmath.log(total) / (order - 1)
            found = tb.divergences.renyi(tb.Poisson(tb.ZCDP(0.1), 0.02), float(order))
            assert truth <= found <= truth * (1 + mpf(10) ** -10)


def test_many_sampled_promises_are_added_up_first() -> None:
    steps = tb.Poisson(tb.ZCDP(0.5), 0.01) * 1000
    answer = steps.epsilon(1e-6)
    assert steps._directions_apart is not None
    apart = epsilon_bracket(steps._directions_apart, 1e-6, 1e-3, 1e-300, None)
    assert answer.upper < 2.45 < 3.0 < apart.upper  # of a pair for each
    member = (tb.Poisson(tb.Gaussian(1), 0.01) * 1000).epsilon(1e-6)
    assert answer.lower <= member.upper < answer.upper
    assert not answer.converged


def test_of_one_sampled_promise_the_pair_is_better() -> None:
    step = tb.Poisson(tb.ZCDP(0.5), 0.1)
    assert step.epsilon(1e-3).upper < 0.91 < 1.2 < _by_moments(step).epsilon(1e-3).upper
    assert step._directions_apart is None
    assert (step + tb.ZCDP(0.1))._directions_apart is not None


def _by_moments(step: tb.Poisson) -> tb.Mechanism:
    promise = step.moment_promise
    assert promise is not None
    return promise.summed([(promise, 1)])


@pytest.mark.parametrize("seed", range(12))
def test_of_one_sampled_promise_moments_are_never_better(seed: int) -> None:
    source = np.random.default_rng(300 + seed)
    promise = tb.ZCDP(10 ** source.uniform(-5, 1.5))
    if seed % 2:
        orders = np.unique(1 + np.exp(source.uniform(0.1, 4, 3)))
        promise = tb.RDP(orders.tolist(), np.sort(10 ** source.uniform(-4, 1.5, orders.size)).tolist())
    step, delta = tb.Poisson(promise, 10 ** source.uniform(-5, -0.05)), 10 ** source.uniform(-50, -1)
    assert step.epsilon(delta).upper <= _by_moments(step).epsilon(delta).upper * (1 + 1e-9)


def test_sampled_promises_join_the_other_steps() -> None:
    noise, promise = tb.Gaussian(sigma=3) * 4, tb.Poisson(tb.RDP((2, 8, 32), (0.1, 0.5, 2.5)), 0.05) * 20
    both = (noise + promise + tb.ZCDP(0.01)).delta(3.0)
    alone = noise.delta(3.0)
    assert alone.upper < both.upper < 1.0
    assert both.lower >= alone.lower * (1 - 1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_finite_mechanisms_sampled_and_composed_stay_below(seed: int) -> None:
    source = np.random.default_rng(100 + seed)
    p = float(source.uniform(0.55, 0.9))
    response = tb.Histograms((p, 1 - p), (1 - p, p))
    rho = max(tb.divergences.zcdp(tb.RandomizedResponse(p)), 1e-9)
    for q in (0.05, 0.6):
        for count in (1, 7):
            given, promised = tb.Poisson(response, q) * count, tb.Poisson(tb.ZCDP(rho), q) * count
            for epsilon in (0.0, 0.2, 1.0):
                assert given.delta(epsilon).lower <= promised.delta(epsilon).upper


@pytest.mark.slow
def test_the_event_that_is_removed_must_be_drawn() -> None:
    step = tb.Poisson(tb.ZCDP(0.1, delta=1e-4), 0.01)
    assert step.moment_promise is not None
    assert Fraction(1, 10**6) <= step.moment_promise.promised_delta < Fraction(1, 10**6) * (1 + Fraction(1, 10**15))
    far = (step * 10).delta(30.0)
    assert 1e-5 * (1 - 1e-4) <= far.upper <= 1.001e-5  # and a mechanism that shows all then has that
    assert np.isinf(tb.divergences.renyi(step, 2.0))
    assert prices.renyi_price(step, (Fraction(8),))[1] >= Fraction(1, 10**6)


@pytest.mark.slow
def test_the_ends_of_rates() -> None:
    assert tb.Poisson(tb.ZCDP(0.1), 1).moment_promise == tb.ZCDP(0.1)
    assert tb.Poisson(tb.ZCDP(0.1), 1).epsilon(1e-6).upper == tb.ZCDP(0.1).epsilon(1e-6).upper
    assert tb.Poisson(tb.ZCDP(0.1), 0).epsilon(1e-6).upper == 0.0
    assert tb.divergences.renyi(tb.Poisson(tb.ZCDP(0.1), 0), 2.0) == 0.0
    tiny = tb.Poisson(tb.ZCDP(0.1), 1e-300) * 10
    assert 0.0 <= tiny.delta(0.1).upper < 1e-290
    twice = tb.Poisson(tb.Poisson(tb.ZCDP(0.1), 0.1), 0.1)
    assert tb.divergences.renyi(twice, 4.0) <= tb.divergences.renyi(tb.Poisson(tb.ZCDP(0.1), 0.1), 4.0)
    assert tb.divergences.renyi(twice, 4.0) >= tb.divergences.renyi(tb.Poisson(tb.ZCDP(0.1), 0.01), 4.0) * (1 - 1e-12)
    rho = 3e9  # of all three without sampling
    most = rho + 2.0 * math.sqrt(rho * math.log(1e6))
    assert rho < (tb.Poisson(tb.ZCDP(1e9), 0.5) * 3).epsilon(1e-6).upper <= most * (1 + 1e-9)
    assert sampled_log_moment(np.array([1.0, math.inf]), 0.5) == math.inf


@pytest.mark.slow
def test_filters_take_a_sampled_promise() -> None:
    step = tb.Poisson(tb.ZCDP(0.5), 0.01)
    assert tb.filters.RDPFilter(1, 1e-6, orders=16.5).remaining(step) == 0  # between 16 and 17 the moment is large
    assert tb.filters.RDPFilter(2, 1e-6, orders=8).remaining(step) > 3
    assert tb.filters.ZCDPFilter(10, 1e-6).remaining(step) == tb.filters.ZCDPFilter(10, 1e-6).remaining(tb.ZCDP(0.5))
    assert tb.filters.SlotFilter(1, 1e-5, plan=step * 5).remaining(tb.Poisson(tb.Gaussian(1.001), 0.009)) == 5
    with pytest.raises(tb.InvalidParameter, match="mu"):
        tb.filters.GDPFilter(1, 1e-6).quote(step)
    with pytest.raises(tb.InvalidParameter, match="epsilon"):
        tb.filters.BasicFilter(1, 1e-6).quote(step)
    assert step.zcdp_rho(Direction.REMOVE) == 0.5
