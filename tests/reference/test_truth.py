"""The reference values checked against one another, each computed in two unrelated ways."""

from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx, fmpq
from tests.reference import truth
from tests.reference import truth_steps as steps
from tests.support.lanes import mostly_slow


def agree(first: arb, second: arb, digits: int) -> bool:
    """Both balls are this narrow, and they overlap."""
    narrow = arb(10) ** -digits
    return first.overlaps(second) and all(x.rad() <= narrow * abs(x).lower() for x in (first, second))


@pytest.fixture(autouse=True)
def _precision():
    with ctx.workprec(400):
        yield


GAUSSIANS = [(282.84, 512, 0.5), (1e3, 10**6, 5.0), (1.0, 1, 100.0), (1.0, 1, 0.0)]


@pytest.mark.parametrize(("sigma", "count", "epsilon"), GAUSSIANS)
def test_gaussian_closed_form_is_the_contour_integral(sigma, count, epsilon) -> None:
    closed = truth.gaussian([(sigma, 1, count)], epsilon)
    assert agree(closed, truth.contour([(truth.GaussianLaw(sigma), count)], epsilon, digits=30), 29)


def test_gaussian_closed_form_is_mpmaths() -> None:
    with mpmath.workdps(60):
        value = mpmath.ncdf(0.5 - 3) - mpmath.exp(3) * mpmath.ncdf(-0.5 - 3)
        low, high = truth.ends(truth.gaussian([(1, 1, 1)], 3))
        assert abs(low - value) < 1e-29 * value
        assert abs(high - value) < 1e-29 * value


def test_a_float_is_taken_digit_for_digit() -> None:
    assert truth.rational(0.1) == fmpq(*Fraction(0.1).as_integer_ratio())
    assert truth.rational(0.1) != fmpq(1, 10)


def test_binomial_sum_is_the_multinomial_sum() -> None:
    response = truth.randomized_response(0.75, 2, 40, 4.5)
    assert agree(response, truth.histograms([([0.75, 0.25], [0.25, 0.75], 40)], 4.5), 29)


def test_histograms_split_and_merge() -> None:
    """A cell cut in two equal parts, and a composition written as two, change nothing."""
    whole = truth.histograms([([3, 2, 1], [1, 2, 4], 7)], 0.75)
    assert agree(whole, truth.histograms([([1.5, 1.5, 2, 1], [0.5, 0.5, 2, 4], 7)], 0.75), 23)
    assert agree(whole, truth.histograms([([3, 2, 1], [1, 2, 4], 3), ([3, 2, 1], [1, 2, 4], 4)], 0.75), 23)


def test_a_promise_with_failure_is_a_histogram_with_empty_cells() -> None:
    p, slip = 0.625, 0.0625
    keep = 1 - slip
    a, b = [slip, keep * p, keep * (1 - p), 0], [0, keep * (1 - p), keep * p, slip]
    loss = (arb(p) / (1 - arb(p))).log()
    black_box = truth.promise(None, slip, 9, 1.25, p=p)
    assert agree(black_box, truth.histograms([(a, b, 9)], 1.25), 23)
    assert loss > 0.5


@pytest.mark.parametrize(("scale", "count", "epsilon"), [(10.0, 100, 2.0), (0.5, 30, 20.0), (1e3, 10**5, 2.0)])
def test_discrete_laplace_of_shift_one_is_a_pure_promise(scale, count, epsilon) -> None:
    promise = truth.promise(1 / truth.rational(scale), 0, count, epsilon)
    lattice = truth.lattice(lambda _: truth.discrete_laplace(scale), count, epsilon)
    assert agree(promise, lattice, 19)


@pytest.mark.parametrize("epsilon", [4.0, 10.0, 30.0])
def test_lattice_inversion_is_the_polynomial_power(epsilon) -> None:
    law = truth.discrete_gaussian(3.0, 2, bits=300)
    assert agree(truth.by_power(law, 20, epsilon), truth.by_inversion(law, 20, epsilon, digits=30), 25)


def test_laplace_once_is_its_closed_form() -> None:
    closed = 1 - ((arb(fmpq(1, 4)) - 1) / 2).exp()
    assert agree(closed, truth.laplace_like(truth.laplace(1), 1, 0.25), 29)
    assert agree(closed, truth.one(steps.laplace_step(1), 0.25), 29)


def test_laplace_twice_is_an_integral() -> None:
    """E_A[delta_1(eps - L)] over the noise, which has kinks at 0 and 1 and where eps - L meets the atoms."""
    with mpmath.workdps(40):
        value = steps.two(
            lambda u: mpmath.exp(-abs(u)) / 2, lambda u: abs(u - 1) - abs(u), steps.laplace_step(1), 0.75,
            [-mpmath.inf, 0, 0.375, 0.625, 1, mpmath.inf],
        )  # fmt: skip
        low, high = truth.ends(truth.laplace_like(truth.laplace(1), 2, 0.75))
        assert abs(low - value) < 1e-27 * value
        assert abs(high - value) < 1e-27 * value


LAPLACE_LIKE = [
    (truth.laplace(1), 256, 120.0),
    (truth.laplace(0.25), 128, 300.0),
    (truth.truncated_laplace(1, 30), 256, 120.0),
    (truth.truncated_laplace(1.0, 40.0), 300, 190.0),
    (truth.bounded_range(1), 64, 20.25),
    (truth.bounded_range(0.125), 100, 4.0),
]


@pytest.mark.slow
@pytest.mark.parametrize(("law", "count", "epsilon"), mostly_slow(LAPLACE_LIKE, every=3, first=1))
def test_residues_are_the_contour_integral(law, count, epsilon) -> None:
    residues = truth.laplace_like(law, count, epsilon)
    assert agree(residues, truth.contour([(truth.LaplaceLikeLaw(law), count)], epsilon, digits=27), 25)


BRACKETS = [
    (steps.laplace_step(1), truth.laplace(1), 1),
    (steps.bounded_range_step(1), truth.bounded_range(1), 1),
    (steps.truncated_laplace_step(1.0, 3.0), truth.truncated_laplace(1.0, 3.0), 1),
    (steps.truncated_laplace_step(1.0, 0.75), truth.truncated_laplace(1.0, 0.75), 0.5),
]


@pytest.mark.parametrize(("step", "law", "edge"), BRACKETS)
@pytest.mark.parametrize("count", [1, 2, 8, 40])
def test_brackets_hold_the_residues(step, law, edge, count) -> None:
    epsilon = 0.3 * count * edge
    grid = truth.bracket(step, count, epsilon, -edge * 1.03125, edge, 130)
    exact = truth.laplace_like(law, count, epsilon)
    assert grid.contains(exact)
    assert grid.rad() < 1e-3 * exact


@pytest.mark.slow
@pytest.mark.parametrize(("count", "epsilon"), mostly_slow([(16, 12.0), (32, 20.0), (32, 60.0)], every=3))
def test_brackets_hold_the_truncated_gaussian(count, epsilon) -> None:
    grid = truth.bracket(steps.truncated_gaussian_step(1.0, 10.0), count, epsilon, -10, 10, 256)
    exact = truth.contour([(truth.TruncatedGaussianLaw(1.0, 10.0), count)], epsilon)
    assert grid.contains(exact)
    assert grid.rad() < 0.05 * exact


SUBSAMPLED = [(1.0, 0.125, 20, 1.5, 8), (2.0, 0.25, 8, 0.5, 3), (2.0, 0.25, 40, 2.0, 3), (4.0, 0.5, 30, 3.0, 2)]


@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize(("sigma", "q", "count", "epsilon", "edge"), mostly_slow(SUBSAMPLED, every=4, first=1))
def test_brackets_hold_the_subsampled_gaussian(sigma, q, count, epsilon, edge, remove) -> None:
    step = truth.subsampled(steps.gaussian_step(sigma), q, remove=remove)
    low, high = (-0.75, edge) if remove else (-3, 0.75)
    grid = truth.bracket(step, count, epsilon, low, high, 500 if count < 30 else 250)
    exact = truth.contour([(truth.SubsampledGaussianLaw(sigma, q, remove=remove), count)], epsilon)
    assert grid.contains(exact)
    assert grid.rad() < 0.05 * exact


@pytest.mark.slow
@pytest.mark.parametrize("remove", [True, False])
def test_subsampled_gaussian_twice_is_an_integral(remove) -> None:
    """Quadrature over the first release against the bracket."""
    sigma, q, epsilon = 1.0, 0.25, 0.375
    step = truth.subsampled(steps.gaussian_step(sigma), q, remove=remove)
    with mpmath.workdps(30):
        ratio = lambda x: 1 - q + q * mpmath.exp(x - 0.5)  # noqa: E731
        if remove:
            density, loss = (lambda x: mpmath.npdf(x) * ratio(x)), (lambda x: mpmath.log(ratio(x)))
        else:
            density, loss = mpmath.npdf, (lambda x: -mpmath.log(ratio(x)))
        value = steps.two(density, loss, step, epsilon, list(range(-10, 13, 1)))
    grid = truth.bracket(step, 2, epsilon, *((-0.3, 7) if remove else (-7, 0.3)), 8000)
    low, high = truth.ends(grid)
    assert low < value < high
    assert high - low < 2e-4 * value


def test_known_values_of_private_training() -> None:
    """Published-size runs: delta crosses 1e-8 and 1e-5 inside these epsilon brackets (design note, section 8)."""
    small = [(truth.SubsampledGaussianLaw(0.6, 0.001, remove=True), 10**6)]
    assert truth.contour(small, 29.1509) > 1e-8 > truth.contour(small, 29.1511)
    large = [(truth.SubsampledGaussianLaw(4.0, 0.01, remove=True), 65536)]
    assert truth.contour(large, 2.68109929) > 1e-5 > truth.contour(large, 2.68110990)


def test_a_subsample_of_everyone_is_the_mechanism() -> None:
    """As q -> 1 the subsampled integral meets the Gaussian closed form."""
    nearly = truth.contour([(truth.SubsampledGaussianLaw(2.0, 1 - 2.0**-50, remove=True), 50)], 10.0)
    assert abs(nearly / truth.gaussian([(2.0, 1, 50)], 10.0) - 1) < 1e-11


@pytest.mark.slow
def test_lattice_laws_beside_a_gaussian() -> None:
    """Conditioning on the binomial turns Gaussian + randomized response into a finite sum of shifted Gaussians."""
    sigma, p, count, epsilon = 2.0, fmpq(3, 4), 12, fmpq(7, 2)
    loss, m = arb(3).log(), arb(fmpq(1, 2))

    def gaussian_delta(eps: arb) -> arb:
        cdf = lambda x: (-x / arb(2).sqrt()).erfc() / 2  # noqa: E731
        return cdf(m / 2 - eps / m) - eps.exp() * cdf(-m / 2 - eps / m)

    total = arb(0)
    for yes in range(count + 1):
        mass = arb.bin_uiui(count, yes) * arb(p) ** yes * arb(1 - p) ** (count - yes)
        total += mass * gaussian_delta(arb(epsilon) - (2 * yes - count) * loss)
    law = truth.PointsLaw([p, 1 - p], [1 - p, p])
    found = truth.contour([(truth.GaussianLaw(sigma), 1), (law, count)], 3.5, digits=27)
    assert agree(total, found, 25)


@pytest.mark.slow
def test_few_laplace_releases_are_refused_by_the_contour() -> None:
    """Their atoms keep the integrand from decaying: no answer is better than a doubtful one."""
    with pytest.raises(ArithmeticError):
        truth.contour([(truth.LaplaceLikeLaw(truth.laplace(1)), 8)], 2.0)
