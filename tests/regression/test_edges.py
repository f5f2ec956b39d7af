"""Inputs at the edge of float64 that once gave a wrong end, an error of ours or no answer; truths in exact
arithmetic.
"""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import tightbudget as tb

mpmath.mp.dps = 60


def contains(bracket: tb.Bracket, truth: object) -> bool:
    value = mpmath.mpf(truth) if not isinstance(truth, Fraction) else mpmath.mpf(truth.numerator) / truth.denominator
    return mpmath.mpf(bracket.lower) <= value <= mpmath.mpf(bracket.upper)


def clamped_gaussian_delta(mean: float, sigma: float, shift: float, epsilon: float) -> mpmath.mpf:
    """Sum over all counts near the mean, both directions; `mean` is far above 0, so nothing is clamped."""
    mean, sigma, shift = mpmath.mpf(mean), mpmath.mpf(sigma), mpmath.mpf(shift)
    first = int(mpmath.floor(mean - 40 * sigma))

    def pmf(n: int, centre: mpmath.mpf) -> mpmath.mpf:
        return mpmath.ncdf((n - centre) / sigma) - mpmath.ncdf((n - 1 - centre) / sigma)

    counts = range(first, first + int(80 * sigma) + 4)
    pairs = [(pmf(n, mean), pmf(n, mean + shift)) for n in counts]
    scale = mpmath.exp(epsilon)
    return max(mpmath.fsum(max(0, a - scale * b) for a, b in pairs), mpmath.fsum(max(0, b - scale * a) for a, b in pairs))


@pytest.mark.slow
@pytest.mark.parametrize(("mean", "sigma", "shift", "epsilon"), [(1e12, 1, 0.3, 0.1), (1e9 + 0.3, 2, 0.1, 0.01)])
def test_a_large_mean_does_not_swallow_the_shift(mean: float, sigma: float, shift: float, epsilon: float) -> None:
    truth = clamped_gaussian_delta(mean, sigma, shift, epsilon)
    assert contains(tb.ClampedGaussian(mean, sigma, shift).delta(epsilon), truth)


def test_counts_beyond_the_integers_of_float64_are_refused() -> None:
    with pytest.raises(tb.InvalidParameter, match="mean"):
        tb.ClampedGaussian(1e16, 1, 1).delta(0.5)


def poisson_histogram_delta(a: tuple[float, float], b: tuple[float, float], q: float, epsilon: float) -> mpmath.mpf:
    """One subsampled step of a two-cell histogram pair, both directions, from the exact values of the floats."""
    rate, scale = Fraction(q), mpmath.exp(mpmath.mpf(epsilon))

    def exact(values: tuple[float, float]) -> list[Fraction]:
        return [Fraction(value) / sum(Fraction(v) for v in values) for value in values]

    first, second = exact(a), exact(b)
    deltas = []
    for p, other in ((first, second), (second, first)):
        mixed = [rate * x + (1 - rate) * y for x, y in zip(p, other, strict=True)]
        for left, right in ((mixed, other), (other, mixed)):
            cells = zip(left, right, strict=True)
            pairs = [(mpmath.mpf(x.numerator) / x.denominator, mpmath.mpf(y.numerator) / y.denominator) for x, y in cells]
            deltas.append(mpmath.fsum(max(0, x - scale * y) for x, y in pairs))
    return max(deltas[0], deltas[3])  # REMOVE: (qP + (1-q)Q, Q) with P = a; ADD: (P, (1-q)P + qQ) with P = b


@pytest.mark.parametrize(
    ("a", "q", "epsilon"),
    [
        ((1e-20, 1.0), 1 - 1e-12, 27.631042217892915),
        ((2.4400184795408487e-15, 1.0), 0.9999999999985572, 27.26102714944202),
        ((1.931457829253187e-08, 1.0), 0.9999999999997373, 17.069251711990486),
    ],
)
def test_subsampling_at_rates_next_to_one(a: tuple[float, float], q: float, epsilon: float) -> None:
    truth = poisson_histogram_delta(a, (0.5, 0.5), q, epsilon)
    assert contains(tb.Poisson(tb.Histograms(a, (0.5, 0.5)), q).delta(epsilon), truth)


@pytest.mark.parametrize(("p", "k"), [(0.1, 10), (0.2, 5), (0.2500000000000003, 4), (0.16666666666601507, 6)])
@pytest.mark.parametrize("q", [None, 0.5])
def test_randomized_response_close_to_a_uniform_answer(p: float, k: int, q: float | None) -> None:
    truth = abs(Fraction(p) - (1 - Fraction(p)) / (k - 1)) * (1 if q is None else Fraction(q))
    mechanism = tb.RandomizedResponse(p, k)
    assert contains((mechanism if q is None else tb.Poisson(mechanism, q, mix_relations=True)).delta(0), truth)


def truncated_laplace_infinity(scale: float, bound: float, shift: float) -> mpmath.mpf:
    scale, bound, shift = mpmath.mpf(scale), mpmath.mpf(bound), mpmath.mpf(shift)
    kept = 1 - mpmath.exp(-bound / scale)
    if shift < bound:
        return (mpmath.exp((shift - bound) / scale) - mpmath.exp(-bound / scale)) / (2 * kept)
    return 1 - (mpmath.exp((bound - shift) / scale) - mpmath.exp(-bound / scale)) / (2 * kept)


@pytest.mark.parametrize(
    ("scale", "bound", "shift"),
    [(1.0, 745.0, 709.0), (1e15, 1.0, 1.5), (1e12, 1.0, 1.5), (1e8, 1.0, 1.5), (0.001, 2.0, 1.0), (3.0, 1.0, 0.2)],
)
def test_what_a_cut_laplace_gives_away(scale: float, bound: float, shift: float) -> None:
    truth = truncated_laplace_infinity(scale, bound, shift)
    bracket = tb.TruncatedLaplace(scale, bound, shift).delta(math.inf)
    assert contains(bracket, truth)
    assert bracket.upper <= max(1.000001 * bracket.lower, 1e-300)


@pytest.mark.parametrize(("sigma", "bound", "shift"), [(1e-9, 1.0, 0.999999997), (1e-6, 1.0, 0.999997), (3.0, 1.0, 0.5)])
def test_what_a_cut_gaussian_gives_away(sigma: float, bound: float, shift: float) -> None:
    cut, start = mpmath.mpf(bound) / sigma, (mpmath.mpf(bound) - mpmath.mpf(shift)) / sigma
    truth = (mpmath.ncdf(-start) - mpmath.ncdf(-cut)) / (1 - 2 * mpmath.ncdf(-cut))
    assert contains(tb.TruncatedGaussian(sigma, bound, shift).delta(math.inf), truth)


def test_supports_that_all_but_part_do_not_reveal_everything_for_certain() -> None:
    assert tb.TruncatedGaussian(3, 1, math.nextafter(2, 0)).delta(math.inf).lower < 1.0


@pytest.mark.parametrize(
    "mechanism", [tb.DiscreteGaussian(1), tb.ClampedGaussian(100, 5, 1), tb.Poisson(tb.DiscreteGaussian(1), 0.5)]
)
def test_lists_cut_in_the_far_tail_are_not_bounded(mechanism: tb.Mechanism) -> None:
    assert mechanism.epsilon(0).upper == math.inf
    assert mechanism.delta(1000).upper > 0.0


def test_a_largest_loss_is_not_rounded_down() -> None:
    truth = 1 - mpmath.exp((mpmath.mpf(1 / 3) - mpmath.mpf(1) / 3) / 2)  # theory D.2 just below e = 1/3
    assert truth > 0
    assert contains(tb.Laplace(3).delta(1 / 3), truth)
    assert Fraction(tb.Laplace(3).epsilon(0).upper) >= Fraction(1, 3)


@pytest.mark.parametrize("kind", [np.float32, np.float16, Fraction, np.int64])
def test_numbers_of_other_kinds_are_computed_with_in_float64(kind: type) -> None:
    assert tb.Gaussian(kind(3)).delta(1) == tb.Gaussian(3).delta(1)
    assert tb.Laplace(kind(3)) * 5 == tb.Laplace(3) * 5
    assert tb.BoundedRange(kind(1)).delta(0.1) == tb.BoundedRange(1).delta(0.1)


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1.0])
def test_histograms_do_not_care_about_the_size_of_their_weights(scale: float) -> None:
    assert contains(tb.Histograms((scale, 2 * scale), (2 * scale, scale)).delta(0), Fraction(1, 3))


def test_delta_may_equal_the_promised_delta() -> None:
    assert 1.0 in tb.ApproximateDP(1, 1e-5).epsilon(1e-5)
    assert tb.ApproximateDP(1, 1e-5).epsilon(1e-5).upper == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "expression",
    [
        "laplace(scale=1e-4)",
        "pure_dp(700) * 10",
        "discrete_gaussian(0.05) * 100",
        "gaussian(1e-10) + laplace(1)",
        "pure_dp(1e300) * 3",
        "pure_dp(1e300) * 1125899906842624",
        "pure_dp(1e-120) * 3",
        "pure_dp(1e-157) * 3",
        "laplace(scale=1e-200) * 3",
        "pure_dp(1e300) * 3 + gaussian(1)",
        "laplace(1e8) * 9007199254740992",
        "poisson(laplace(0.001), q=0.01) * 10",
        "randomized_response(1e-310)",
        "poisson(pure_dp(600), q=1e-250) * 2",
        "bounded_range(1e-310)",
        "laplace(1e-300)",
        "discrete_laplace(1e-320)",
        "discrete_gaussian(1e-200)",
        "gaussian(1e-200)",
        "poisson(gaussian(1), q=0.01) * 9007199254740992",
        "truncated_gaussian(1, bound=10000) * 100",
    ],
)
def test_extremes_have_an_answer(expression: str) -> None:
    composition = tb.parse(expression)
    for bracket in (composition.epsilon(1e-6), composition.delta(1.0), composition.delta(1e300)):
        assert 0.0 <= bracket.lower <= bracket.upper


@pytest.mark.slow
@pytest.mark.parametrize("count", [10**13, 2**53])
def test_more_steps_than_can_be_composed_still_have_an_upper_bound(count: int) -> None:
    # the Gaussian alone is a lower bound in closed form, and half its sigma an upper one for both together
    gaussian, both = tb.Gaussian(30) * count, tb.Gaussian(30) * count + tb.Laplace(100) * count
    bracket = both.epsilon(1e-6)
    assert not bracket.converged
    assert gaussian.epsilon(1e-6).lower <= bracket.upper < (tb.Gaussian(15) * count).epsilon(1e-6).upper


@pytest.mark.parametrize(
    "make",
    [
        lambda: tb.Gaussian(10**400),
        lambda: tb.Gaussian(1).delta(10**400),
        lambda: tb.Gaussian(1) * 10**400,
        lambda: tb.RandomizedResponse(0.3, "a"),
        lambda: tb.RandomizedResponse(0.3, math.nan),
        lambda: tb.DiscreteLaplace(1, "a"),
        lambda: tb.DiscreteLaplace(1, None),
        lambda: tb.Histograms((1e308, 1e308), (1, 1)),
        lambda: tb.Histograms("12", "34"),
        lambda: tb.Gaussian(1).curve(["a"]),
        lambda: tb.Gaussian(1).delta([[1], [2, 3]]),
        lambda: tb.compose(5),
        lambda: tb.Composition(5),
        lambda: tb.Histograms.from_csv(None),
        lambda: tb.TruncatedLaplace(1e300, 1e-30, 1e-31),
        # what is a float no longer once it is divided by sigma: the bracket was [0, 4.5e-322] where delta(0) is 0.05
        lambda: tb.TruncatedGaussian(1e300, 1e-23, 1e-24),
        lambda: tb.TruncatedGaussian(1e300, 1.0, 1e-24),
    ],
)
def test_what_is_no_number_is_refused_by_name(make) -> None:
    with pytest.raises(tb.InvalidParameter):
        make()


@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_a_mass_of_which_nothing_is_known_is_not_small(epsilon: float) -> None:
    """Cells of a shift of 1e48 sigmas are good to a factor of e^1e83: that they hold 1e-306 says nothing."""
    composition = tb.GaussianDP(2.18196993167274e48) * 7 + tb.PureDP(3.3499487754987856e70) * 1_000_000
    assert composition.delta(epsilon).upper == 1.0  # that of the pure steps alone is 1 - e^-1e70


@pytest.mark.parametrize(
    "composition",
    [
        tb.Poisson(tb.Gaussian(3.341908287005347e-242, 1.686338578998053e-232), 0.75) * 100,
        tb.Poisson(tb.GaussianDP(1.7562314870066427e103), 0.02022903725404812) * 7,
        tb.TruncatedGaussian(6.683145290154465e27, 2.2316172526798703e196, 3.3474258790198055e196),
        tb.TruncatedGaussian(1e-300, 1.0, 1e-20),
        tb.Poisson(tb.TruncatedGaussian(1e-300, 1.0, 1e-20), 0.5) * 2,
    ],
    ids=str,
)
def test_losses_at_the_end_of_the_floats(composition: tb.Mechanism | tb.Composition) -> None:
    """All of these reveal as good as everything that is sampled."""
    for bracket in (composition.delta(0.0), composition.delta(1e-310)):
        assert bracket.upper >= 0.13
    assert composition.epsilon(1e-320).upper > 1e100
