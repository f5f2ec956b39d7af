"""Skellam noise: masses and losses against ball arithmetic, deltas and moments against sums with fifty digits."""

import math
from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.skellam import _log_ratios, _skellam_reach, _skellam_tail
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Direction
from tightbudget.pairs.points import PointPair

VARIANCES = [1e-200, 1e-20, 1e-3, 0.3, 1.0, 4.0, 16.0, 1234.5, 1e6]
LARGE = 1e8
BITS = 400


def pair(mu: float, shift: int = 1) -> PointPair:
    found = tb.Skellam(mu, shift).pair(Direction.REMOVE)
    assert isinstance(found, PointPair)
    return found


def log_mass(mu: float, k: int) -> flint.arb:
    """log e^-mu I_k(mu), as a ball."""
    return flint.arb(mu).bessel_i(flint.arb(k), scaled=True).log()


def some(reach: int) -> list[int]:
    return sorted({k for k in (0, 1, 2, 3, 7, reach // 100, reach // 7, reach // 2, reach - 1, reach) if k <= reach})


@pytest.mark.parametrize("mu", [*VARIANCES, LARGE])
def test_logarithms_of_ratios(mu: float) -> None:
    reach = _skellam_reach(mu)
    flint.ctx.prec = BITS
    found = _log_ratios(mu, reach + 1)
    for k in some(reach):
        truth = log_mass(mu, k) - log_mass(mu, k + 1)
        assert abs(flint.arb(float(found[k])) - truth) <= 6 * U * truth, k


@pytest.mark.parametrize("mu", VARIANCES)
@pytest.mark.parametrize("shift", [1, 2, 9])
def test_masses_and_losses(mu: float, shift: int) -> None:
    found, reach = pair(mu, shift), _skellam_reach(mu)
    flint.ctx.prec = BITS
    assert found.losses.size == 2 * reach + shift + 1
    places = {-k for k in some(reach)} | {k + shift for k in some(reach)} | set(range(1, shift))
    for x in sorted(places):
        index = reach + shift - x  # losses fall with x
        log_a, log_b = log_mass(mu, abs(x)), log_mass(mu, abs(x - shift))
        error, loss = flint.arb(float(found.error[index])), float(found.losses[index])
        assert abs(flint.arb(float(found.log_a[index])) - log_a) <= error, x
        assert abs(flint.arb(float(found.log_b[index])) - log_b) <= error, x
        assert abs(flint.arb(loss) - (log_a - log_b)) <= found.loss_shift(loss), x


@pytest.mark.parametrize("mu", VARIANCES)
def test_what_is_left_out(mu: float) -> None:
    """Masses fall ever faster (they are log-concave), so those beyond the list sum to less than a geometric series."""
    found, reach = pair(mu), _skellam_reach(mu)
    flint.ctx.prec = BITS
    first, second = log_mass(mu, reach + 1), log_mass(mu, reach + 2)
    assert 2 * first.exp() / (1 - (second - first).exp()) <= found.unresolved
    assert found.max_loss == found.max_loss_lower == math.inf
    assert not found.infinity.possible


@pytest.mark.parametrize(
    ("shift", "epsilon", "delta"), [(1, 0.5, 0.0526754260537609), (1, 1.0, 0.00350375978048287), (2, 1.0, 0.124340045958029)]
)
def test_deltas_of_variance_four(shift: int, epsilon: float, delta: float) -> None:
    answer = tb.Skellam(4.0, shift).delta(epsilon, rtol=1e-9)
    assert answer.lower * (1 - 1e-14) <= delta <= answer.upper * (1 + 1e-14)
    assert answer.converged


def masses(mu: float, shift: int, digits: int = 60) -> list[tuple[mpf, mpf]]:
    with mpmath.workdps(digits):
        reach = _skellam_reach(mu) + shift + 400
        f = [mpmath.besseli(k, mpf(mu)) * mpmath.exp(-mpf(mu)) for k in range(reach + shift + 1)]
        return [(f[abs(x)], f[abs(x - shift)]) for x in range(-reach, reach + 1)]


@pytest.mark.slow
@pytest.mark.parametrize(("mu", "shift"), [(0.01, 1), (1.0, 1), (4.0, 3), (50.0, 2)])
def test_moments_and_rho(mu: float, shift: int) -> None:
    step, both = tb.Skellam(mu, shift), masses(mu, shift)
    rho = step.zcdp_rho(Direction.ADD)
    orders = np.array([1.001, 1.5, 2.0, 7.0, 40.0, 300.0])
    found = step.log_moment(Direction.ADD, orders)
    with mpmath.workdps(60):
        for order, value in zip(orders.tolist(), found.tolist(), strict=True):
            truth = mpmath.log(mpmath.fsum(a * (a / b) ** (mpf(order) - 1) for a, b in both))
            assert truth <= value <= truth * 1.4, order
            assert truth / (order - 1) <= rho * order
        low = mpmath.fsum(a * mpmath.log(a / b) for a, b in both)
    assert rho <= 1.1 * max(0.5 * shift * shift / mu, float(low))


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.1, 4.0, 900.0])
def test_moments_of_the_tail(mu: float) -> None:
    reach, shift = _skellam_reach(mu) // 4, 2  # so near that the tail weighs something
    tail = _skellam_tail(mu, shift, reach)
    orders = np.array([1.0, 1.5, 4.0, 30.0])
    with mpmath.workdps(60):
        f = [mpmath.besseli(k, mpf(mu)) * mpmath.exp(-mpf(mu)) for k in range(reach + 1, reach + 2000)]
        assert tail.start <= mpmath.log(f[0] / f[shift])
        for order, value in zip(orders.tolist(), tail.log_moment(orders).tolist(), strict=True):
            truth = mpmath.fsum(a * (a / b) ** (mpf(order) - 1) for a, b in zip(f, f[shift:], strict=False))
            assert mpmath.log(truth) <= value


def test_it_is_not_the_gaussian_of_its_variance() -> None:
    assert tb.Skellam(4.0).delta(0.5).lower > tb.Gaussian(2.0).delta(0.5).upper


def test_filters_and_samples_know_it_by_its_defaults() -> None:
    noise = tb.parse("skellam(mu=10000)")
    assert noise == tb.Skellam(1e4)
    for made in (tb.filters.ZCDPFilter(1, 1e-6), tb.filters.RDPFilter(1, 1e-6, orders=[10, 20])):
        like = made.remaining(tb.Gaussian(100))
        assert 0.98 * like <= made.remaining(noise) <= like
    sampled = tb.Poisson(tb.Skellam(16.0), q=0.01) * 1000
    assert sampled.epsilon(1e-6).converged
    assert sampled.epsilon(1e-6).upper < (tb.Skellam(16.0) * 1000).epsilon(1e-6).lower
    assert tb.divergences.renyi(sampled, 4.0) < tb.divergences.renyi(tb.Skellam(16.0) * 1000, 4.0)


def test_a_larger_shift_dominates() -> None:
    assert tb.Skellam(4.0, 2).dominates(tb.Skellam(4.0, 1))
    assert not tb.Skellam(4.0, 1).dominates(tb.Skellam(4.0, 2))
    assert not tb.Skellam(3.0, 1).dominates(tb.Skellam(4.0, 1))
    assert tb.Skellam(4.0, 0).reveals_nothing


@pytest.mark.parametrize(
    "given", [{"mu": 0}, {"mu": -1}, {"mu": math.inf}, {"mu": 1e-300}, {"mu": 4, "sensitivity": 0.5}, {"mu": "4"}]
)
def test_refused(given: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter):
        tb.Skellam(**given)  # type: ignore[arg-type]


def test_too_wide() -> None:
    with pytest.raises(InvalidParameter, match="integers"):
        tb.Skellam(1e12).delta(1.0)
    assert tb.Skellam(Fraction(9, 2)) == tb.Skellam(4.5)


@pytest.mark.parametrize(("mu", "shift", "q"), [(4.0, 1, 1.0), (0.5, 2, 1.0), (9.0, 3, 0.25)])
def test_three_steps_against_all_of_their_outcomes(mu: float, shift: int, q: float) -> None:
    """delta = sum of (A - e^epsilon B)+ over triples of outcomes; what lies farther out weighs less than 1e-12."""
    both = np.array([[float(a), float(b)] for a, b in masses(mu, shift, 30) if a + b > mpf(10) ** -15]).T
    a, b = q * both[0] + (1.0 - q) * both[1], both[1]  # removing a record
    both_ways = [(a, b), (b, a)]
    composed = tb.Poisson(tb.Skellam(mu, shift), q) * 3
    for epsilon in (0.0, 0.4, 1.5, 3.0):
        truth = max(
            float(
                np.maximum(
                    np.multiply.outer(np.multiply.outer(x, x), x)
                    - math.exp(epsilon) * np.multiply.outer(np.multiply.outer(y, y), y),
                    0.0,
                ).sum()
            )
            for x, y in both_ways
        )
        answer = composed.delta(epsilon, rtol=1e-4)
        assert answer.lower - 1e-12 <= truth <= answer.upper + 1e-12
        assert answer.converged


@pytest.mark.parametrize(("mu", "sensitivity", "named"), [(1e9, 1, "mu"), (4.0, 10**6, "sensitivity")])
def test_too_many_integers_are_refused_by_what_takes_them(mu: float, sensitivity: int, named: str) -> None:
    with pytest.raises(tb.InvalidParameter, match=f"^{named} is"):
        tb.Skellam(mu, sensitivity).delta(0.0)
