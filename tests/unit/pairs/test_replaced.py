"""Noise on a Poisson sample in which one record is another, against 50 digits and more (M28)."""

from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support import pair_truth as truth

import tightbudget as tb
from tightbudget.engine.direction import OneDirection
from tightbudget.engine.refine import delta_bracket
from tightbudget.engine.steps import engine_steps
from tightbudget.numerics.bracket import Bracket
from tightbudget.pairs.base import Pair
from tightbudget.pairs.replaced_laplace import ReplacedLaplacePair

SHIFTS = (1e-4, 0.3, 1.0, 12.0, 300.0)
RATES = (1e-9, 0.01, 0.5, 0.999)
LAPLACE = [(shift, q) for shift in SHIFTS for q in RATES]


def delta(pair: Pair, count: int, epsilon: float, rtol: float = 1e-9) -> Bracket:
    return delta_bracket((OneDirection(engine_steps([(pair, count)]), "both"),), epsilon, rtol, 1e-300, None)


def largest(shift: float, q: float) -> mpf:
    d, rate = mpf(shift), mpf(q)
    return mpmath.log((1 - rate + rate * mpmath.exp(d)) / (1 - rate + rate * mpmath.exp(-d)))


@pytest.mark.parametrize(("shift", "q"), LAPLACE)
def test_masses_of_laplace_noise(shift: float, q: float):
    pair, law = ReplacedLaplacePair(shift, q), truth.replaced_laplace(shift, q)
    top = pair.max_loss
    edges = np.unique(np.concatenate([np.linspace(-0.99 * top, 0.99 * top, 9), [-1e-3 * top, 1e-7 * top]]))
    cells = pair.cells(edges)
    with mpmath.workdps(truth.DIGITS):
        moved = mpf(pair.loss_shift(top))
        inner, outer = [law.tails(mpf(x) + moved) for x in edges.tolist()], [law.tails(mpf(x) - moved) for x in edges.tolist()]
        for i in range(edges.size - 1):
            for side, log_mass in enumerate((cells.log_a[i], cells.log_b[i])):
                least, most = inner[i][side] - outer[i + 1][side], outer[i][side] - inner[i + 1][side]
                error = mpf(cells.error[i])
                assert least > 0
                assert mpmath.log(least) - error <= mpf(log_mass) <= mpmath.log(most) + error
    assert cells.error.max() < 1e-10


@pytest.mark.parametrize(("shift", "q"), LAPLACE)
def test_point_masses_of_laplace_noise(shift: float, q: float):
    pair = ReplacedLaplacePair(shift, q)
    points = pair.points()
    with mpmath.workdps(truth.DIGITS):
        d, rate, top = mpf(shift), mpf(q), largest(shift, q)
        more = ((1 - rate) * mpmath.exp(-d) + rate) / 2
        less = ((1 - rate) * mpmath.exp(-d) + rate * mpmath.exp(-2 * d)) / 2
        assert pair.max_loss_lower <= top <= pair.max_loss
        assert abs(mpf(points.low[1]) - top) <= pair.loss_shift(float(top))
        for log_mass, exact in ((points.log_a[1], more), (points.log_b[1], less), (points.log_a[0], less)):
            assert abs(mpf(log_mass) - mpmath.log(exact)) <= points.error[0]


@pytest.mark.parametrize(("shift", "q"), LAPLACE)
def test_nothing_is_missing(shift: float, q: float):
    pair = ReplacedLaplacePair(shift, q)
    whole = pair.cells(np.linspace(-1.01 * pair.max_loss, 1.01 * pair.max_loss, 300))
    for cells in (pair.coarse_cells(), type(whole).join(whole, pair.points())):
        for side in (cells.log_a, cells.log_b):
            assert np.exp(side).sum() == pytest.approx(1.0, rel=1e-11)
    assert (np.diff(pair.coarse_cells().low) >= 0.0).all()


@pytest.mark.parametrize(
    ("q", "epsilon", "exact"),
    [(0.1, 0.0, 0.0632120558828558), (0.1, 0.1, 0.0294464326667286), (0.5, 0.5, 0.160227510424394)],
)
def test_published_digits_of_laplace_noise(q: float, epsilon: float, exact: float):
    answer = delta(tb.Laplace(scale=3.0, sensitivity=3.0).sampled_replacement(q), 1, epsilon)
    assert answer.lower <= exact * (1 + 1e-14)
    assert answer.upper >= exact * (1 - 1e-14)
    assert answer.upper - answer.lower <= 1e-9 * exact


def gaussian_mass(sigma: float) -> Callable[[int], mpf]:
    norm = mpmath.jtheta(3, 0, mpmath.exp(-1 / (2 * mpf(sigma) ** 2)))
    return lambda x: mpmath.exp(-(mpf(x) ** 2) / (2 * mpf(sigma) ** 2)) / norm


def laplace_mass(scale: float) -> Callable[[int], mpf]:
    a = mpmath.exp(-1 / mpf(scale))
    return lambda x: (1 - a) / (1 + a) * a ** abs(x)


def skellam_mass(mu: float) -> Callable[[int], mpf]:
    return lambda x: mpmath.exp(-mpf(mu)) * mpmath.besseli(abs(x), mpf(mu))


NOISE = {
    "gaussian": (tb.DiscreteGaussian(1.3, 2), gaussian_mass(1.3), 22),
    "wide gaussian": (tb.DiscreteGaussian(3.0, 1), gaussian_mass(3.0), 45),
    "laplace": (tb.DiscreteLaplace(1.5, 3), laplace_mass(1.5), 160),
    "wide laplace": (tb.DiscreteLaplace(4.0, 1), laplace_mass(4.0), 400),
    "skellam": (tb.Skellam(4.0, 2), skellam_mass(4.0), 45),
    "little skellam": (tb.Skellam(0.3, 1), skellam_mass(0.3), 30),
}


def replaced_masses(name: str, q: float) -> list[tuple[mpf, mpf]]:
    mechanism, f, reach = NOISE[name]
    d, rate = mechanism.sensitivity, mpf(q)
    masses = {x: f(x) for x in range(-reach - 2 * d, reach + 2 * d + 1)}
    return [
        ((1 - rate) * masses[x] + rate * masses[x + d], (1 - rate) * masses[x] + rate * masses[x - d])
        for x in range(-reach - d, reach + d + 1)
    ]


@pytest.mark.parametrize("q", [1e-6, 0.03, 0.5, 0.99])
@pytest.mark.parametrize("name", NOISE)
def test_noise_on_the_integers(name: str, q: float):
    pair = NOISE[name][0].sampled_replacement(q)
    with mpmath.workdps(60):
        masses = replaced_masses(name, q)
        for epsilon in (0.0, 0.3 * q, q, min(1.0, 20 * q)):
            exact = sum(max(a - mpmath.exp(epsilon) * b, mpf(0)) for a, b in masses)
            answer = delta(pair, 1, epsilon)
            assert answer.lower <= exact + mpf(10) ** -40
            assert answer.upper >= exact
            assert answer.upper - answer.lower <= 1e-6 * answer.upper


@pytest.mark.slow
@pytest.mark.parametrize("name", NOISE)
def test_noise_on_the_integers_twice(name: str):
    pair = NOISE[name][0].sampled_replacement(0.2)
    with mpmath.workdps(40):
        masses = [(a, b) for a, b in replaced_masses(name, 0.2) if a > mpf(10) ** -20]
        for epsilon in (0.0, 0.4):
            g = mpmath.exp(epsilon)
            exact = sum(max(a * c - g * b * d, mpf(0)) for a, b in masses for c, d in masses)
            answer = delta(pair, 2, epsilon, rtol=1e-5)
            assert answer.lower <= exact + mpf(10) ** -17
            assert answer.upper >= exact
            assert answer.upper - answer.lower <= 1e-5 * answer.upper


def test_total_variation_is_that_of_the_shift_times_the_rate():
    """delta(0) = q TV(f(. + D), f(. - D)), for Laplace noise q (1 - e^-D)."""
    for shift, q in LAPLACE:
        answer = delta(ReplacedLaplacePair(shift, q), 1, 0.0)
        exact = mpf(q) * -mpmath.expm1(-mpf(shift))
        assert answer.lower <= exact <= answer.upper
        if q >= 0.01 and shift <= 12.0:
            assert answer.upper - answer.lower <= 1e-9 * answer.upper


@pytest.mark.parametrize("name", NOISE)
def test_moments_bound_those_of_the_masses(name: str):
    orders = np.array([1.5, 2.0, 8.0])
    found = NOISE[name][0].sampled_replacement(0.1).log_moment(orders)
    with mpmath.workdps(60):
        masses = replaced_masses(name, 0.1)
        for order, bound in zip(orders.tolist(), found.tolist(), strict=True):
            exact = mpmath.log(sum(a**order * b ** (1 - order) for a, b in masses))
            assert exact - mpf(10) ** -30 <= bound <= exact * 1.01 + 1e-9


def test_no_noise_shows_a_record_that_is_drawn():
    for mechanism in (tb.Laplace(scale=0), tb.Laplace(scale=1e-310), tb.DiscreteLaplace(1e-200), tb.DiscreteGaussian(1e-200)):
        answer = delta(mechanism.sampled_replacement(0.25), 1, 1.0)
        assert answer.lower <= 0.25 <= answer.upper
        assert answer.upper - answer.lower < 1e-12
    for mechanism in (
        tb.Laplace(1.0, sensitivity=0),
        tb.DiscreteGaussian(1.0, 0),
        tb.Skellam(1.0, 0),
        tb.DiscreteLaplace(1.0, 0),
    ):
        assert mechanism.sampled_replacement(0.25) is None


@pytest.mark.parametrize("q", [1e-6, 0.5, 1 - 1e-9])
@pytest.mark.parametrize("name", NOISE)
def test_losses_are_as_good_as_they_say(name: str, q: float):
    pair = NOISE[name][0].sampled_replacement(q)
    with mpmath.workdps(60):
        exact = sorted(mpmath.log(a / b) for a, b in replaced_masses(name, q))
        found = pair.losses.tolist()
        if pair.max_loss < mpmath.inf:  # losses repeat in the tails, which are one point each
            exact = exact[len(exact) // 2 - len(found) // 2 :][: len(found)]
        middle, centre = len(exact) // 2, len(found) // 2
        few = min(middle, centre, 40)
        for i in range(-few, few + 1):
            loss = exact[middle + i]
            assert abs(mpf(found[centre + i]) - loss) <= mpf(pair.loss_shift(float(loss))) - 4 * mpf(2) ** -53 * abs(loss)


def test_noise_without_end_has_losses_without_end():
    for mechanism in (tb.DiscreteGaussian(1.3, 2), tb.Skellam(4.0, 2)):
        pair = mechanism.sampled_replacement(0.1)
        assert pair.max_loss == pair.max_loss_lower == np.inf
        assert pair.unresolved > 0.0
    assert tb.DiscreteLaplace(1.5, 3).sampled_replacement(0.1).max_loss < 4.0
