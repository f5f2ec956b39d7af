"""`Risk.gdp_mu`: the least normal curve above a trade-off curve, against closed forms and 30 digits."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mpf
from tests.support import roc_truth

import tightbudget as tb
from tightbudget.tradeoff import gdp
from tightbudget.tradeoff.touching import Power


@pytest.fixture(autouse=True)
def _thirty_digits() -> Iterator[None]:
    with mpmath.workdps(30):
        yield


def largest_mu(curve: Callable[[mpf], mpf], *likely: mpf) -> mpf:
    """Return the largest mu that a test on the curve shows, looked for at likely rates and at many others."""
    rates = [mpmath.exp(log) for log in mpmath.linspace(mpmath.log(mpf("1e-6")), mpmath.log(mpf("0.5")), 60)]
    return max(mu_of(rate, curve(rate)) for rate in [*likely, *rates])


def mu_of(fpr: mpf, tpr: mpf) -> mpf:
    return roc_truth.normal_quantile(fpr) - roc_truth.normal_quantile(tpr)


@pytest.mark.parametrize("down_to", [0.0, 1e-9, 0.01])
@pytest.mark.parametrize(("sigma", "count"), [(2.0, 9), (1e6, 1), (0.5, 1)])
def test_gaussian_noise_has_its_own_mu(sigma: float, count: int, down_to: float) -> None:
    bracket = tb.risk(tb.Gaussian(sigma=sigma) * count).gdp_mu(down_to)
    assert mpf(bracket.lower) <= mpmath.sqrt(count) / mpf(sigma) <= mpf(bracket.upper)
    assert bracket.width <= 1e-10 * bracket.upper


def test_a_promise_of_pure_dp_has_the_mu_of_randomized_response() -> None:
    bracket = tb.risk(tb.PureDP(1.0)).gdp_mu()
    truth = 2 * roc_truth.normal_quantile(1 / (1 + mpmath.e))
    assert mpf(bracket.lower) <= truth <= mpf(bracket.upper)
    assert bracket.converged


@pytest.mark.slow
@pytest.mark.parametrize("down_to", [0.0, 1e-6])
@pytest.mark.parametrize("scale", [0.2, 1.0, 20.0])
def test_laplace_noise_needs_the_mu_of_its_best_test(scale: float, down_to: float) -> None:
    """It is where the curve has slope 1, or at its corner."""
    curve = roc_truth.laplace(1 / mpf(scale))
    bracket = tb.risk(tb.Laplace(scale=scale), rtol=1e-5).gdp_mu(down_to)
    shown = largest_mu(curve, mpmath.exp(-1 / mpf(scale) / 2) / 2, mpmath.exp(-1 / mpf(scale)) / 2)
    assert shown <= mpf(bracket.upper)
    assert mpf(bracket.lower) <= shown
    assert bracket.converged


@pytest.mark.slow
@pytest.mark.parametrize("down_to", [1e-9, 1e-5, 0.01])
@pytest.mark.parametrize(("sigma", "q"), [(1.0, 0.5), (4.0, 0.01)])
def test_sampled_noise_needs_more_for_rarer_tests(sigma: float, q: float, down_to: float) -> None:
    remove, add = roc_truth.subsampled_gaussian(1 / mpf(sigma), mpf(q))
    bracket = tb.risk(tb.Poisson(tb.Gaussian(sigma=sigma), q=q)).gdp_mu(down_to)
    truth = max(mu_of(mpf(down_to), curve(mpf(down_to))) for curve in (remove, add))
    assert mpf(bracket.lower) <= truth <= mpf(bracket.upper)
    assert bracket.converged


def test_without_an_end_sampling_does_not_count_and_the_bracket_says_so() -> None:
    bracket = tb.risk(tb.Poisson(tb.Gaussian(sigma=1.0), q=0.5)).gdp_mu()
    assert bracket.lower < 1.0 <= bracket.upper
    assert bracket.upper == pytest.approx(1.0, rel=1e-9)
    assert not bracket.converged
    assert "down_to" in bracket.reason


@pytest.mark.parametrize(
    ("c", "mu"),
    [(tb.compose([]), 0.0), (tb.Gaussian(sigma=0.0), math.inf), (tb.ApproximateDP(1.0, 1e-6), math.inf)],
)
def test_nothing_and_everything(c: tb.Mechanism, mu: float) -> None:
    assert tb.risk(c).gdp_mu() == tb.Bracket(mu, mu, relation="add_remove")


def test_what_is_revealed_too_rarely_does_not_count_for_tests_that_occur() -> None:
    bracket = tb.risk(tb.ApproximateDP(1.0, 1e-9)).gdp_mu(down_to=1e-5)
    assert bracket.upper == pytest.approx(tb.risk(tb.PureDP(1.0)).gdp_mu().upper, rel=1e-4)


@pytest.mark.parametrize("wrong", [-1e-5, 0.5, 1.0, math.nan, "1e-5", True, None])
def test_a_rate_that_makes_no_sense_is_refused(wrong: object) -> None:
    with pytest.raises(tb.InvalidParameter, match="down_to"):
        tb.risk(tb.Gaussian(sigma=1.0)).gdp_mu(down_to=wrong)  # type: ignore[arg-type]


def test_a_rate_above_what_the_best_test_has_is_refused() -> None:
    with pytest.raises(tb.InvalidParameter, match=r"below 0\.158"):
        tb.risk(tb.Gaussian(sigma=0.5)).gdp_mu(down_to=0.2)


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=4),
    st.integers(1, 3),
    st.floats(1e-3, 0.3),
)
def test_no_test_between_random_histograms_needs_more(cells: list[tuple[int, int]], count: int, rate: float) -> None:
    weights = [[cell[side] for cell in cells] for side in (0, 1)]
    a, b = ([Fraction(weight, sum(side)) for weight in side] for side in weights)
    p, q = roc_truth.products(a, count), roc_truth.products(b, count)
    power = max(roc_truth.neyman_pearson(p, q, Fraction(rate)), roc_truth.neyman_pearson(q, p, Fraction(rate)))
    assume(power < 1)
    bracket = tb.risk(tb.Histograms(tuple(weights[0]), tuple(weights[1])) * count).gdp_mu()
    with mpmath.workdps(20):
        shown = mu_of(mpf(rate), mpf(power.numerator) / power.denominator)
        assert shown <= mpf(bracket.upper) + mpf("1e-15")


@pytest.mark.slow
@pytest.mark.parametrize(("fpr", "tpr"), [(0.01, 0.3), (1e-60, 1e-50), (0.3, 0.3000001), (0.1, 1 - 1e-12)])
def test_mu_of_a_test_is_rounded_to_either_side(fpr: float, tpr: float) -> None:
    with mpmath.workdps(60):
        truth = mu_of(mpf(fpr), mpf(tpr))
        assert mpf(gdp.mu_of_test(fpr, tpr, -1.0)) <= truth <= mpf(gdp.mu_of_test(fpr, tpr, 1.0))


def test_what_a_test_shows_is_what_it_certainly_finds() -> None:
    class Known:
        def tpr(self, fpr: float, rtol: float) -> Power:
            return Power(0.1, 0.2, "why")

    assert gdp._mu_shown_by_test(Known(), 0.01, 1e-3) == (gdp.mu_of_test(0.01, 0.1, -1.0), "why")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["pure_dp(epsilon=3) * 5", "randomized_response(p=0.95) * 5", "pure_dp(epsilon=0.5)"])
def test_a_corner_in_the_middle_is_not_cut_off(text: str) -> None:
    """Where no loss is near 0 the curve has its corner where it meets its mirror image: mu is that of the advantage."""
    composition = tb.parse(text)
    bracket = tb.risk(composition).gdp_mu()
    with mpmath.workdps(30):
        least = 2 * mpmath.sqrt(2) * mpmath.erfinv(mpf(composition.delta(0.0, rtol=1e-12).lower))
        assert bracket.lower <= bracket.upper
        assert mpf(bracket.upper) >= least * (1 - mpf("1e-14"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "down_to", "least"),
    [
        ("pure_dp(epsilon=0.285) + gaussian(sigma=336.83)", 1e-5, 0.3566779386912058),
        ("pure_dp(epsilon=0.207) + gaussian(sigma=690.73) * 10", 1e-3, 0.2592376824095),
        ("pure_dp(epsilon=1) + gaussian(sigma=20)", 1e-3, 0.0),
    ],
)
def test_a_corner_that_noise_has_hardly_rounded(text: str, down_to: float, least: float) -> None:
    """`least` is 2 Phi^-1((1 + delta(0)) / 2) in forty digits."""
    assert tb.risk(tb.parse(text), rtol=0.01).gdp_mu(down_to=down_to).upper >= least


def test_much_that_is_revealed_outright_needs_no_search() -> None:
    bracket = tb.risk(tb.Histograms(a=[0, 1], b=[99, 1])).gdp_mu(down_to=1e-3)
    assert 0.0 < bracket.lower <= bracket.upper
