"""`tb.risk`: every number against closed forms, exact fractions or 60 digits, and what is asked for wrongly."""

import copy
import math
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support import roc_truth

import tightbudget as tb

RATES = (1e-300, 1e-60, 1e-12, 1e-3, 0.01, 0.2, 0.5, 0.9, 1 - 1e-9)


@pytest.fixture(autouse=True)
def _sixty_digits() -> Iterator[None]:
    with mpmath.workdps(60):
        yield


def holds(bracket: tb.Bracket, truth: object) -> bool:
    return mpf(bracket.lower) <= truth <= mpf(bracket.upper)  # type: ignore[no-any-return]


@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("fpr", RATES)
@pytest.mark.parametrize("sigma", [10.0, 1.0, 0.25])
def test_power_against_gaussian_noise(sigma: float, fpr: float, rtol: float) -> None:
    bracket = tb.risk(tb.Gaussian(sigma=sigma)).tpr(fpr, rtol=rtol)
    assert holds(bracket, roc_truth.gaussian(1 / mpf(sigma))(mpf(fpr)))
    assert bracket.converged
    assert bracket.width <= max(rtol * bracket.upper, 1e-300)


@pytest.mark.parametrize("fpr", RATES)
@pytest.mark.parametrize("scale", [0.3, 1.0, 50.0])
def test_power_against_laplace_noise(scale: float, fpr: float) -> None:
    bracket = tb.risk(tb.Laplace(scale=scale)).tpr(fpr)
    assert holds(bracket, roc_truth.laplace(1 / mpf(scale))(mpf(fpr)))
    assert bracket.converged


@pytest.mark.parametrize("fpr", RATES)
@pytest.mark.parametrize("p", [0.5, 0.75, 0.999])
def test_power_against_randomized_response_is_all_but_exact(p: float, fpr: float) -> None:
    bracket = tb.risk(tb.RandomizedResponse(p=p), rtol=1e-9).tpr(fpr)
    truth = Fraction(p)
    exact = roc_truth.neyman_pearson([truth, 1 - truth], [1 - truth, truth], Fraction(fpr))
    assert Fraction(bracket.lower) <= exact <= Fraction(bracket.upper)
    assert bracket.width <= 1e-9 * bracket.upper


@pytest.mark.slow
@pytest.mark.parametrize("fpr", RATES[1:])
@pytest.mark.parametrize(("sigma", "q"), [(1.0, 0.5), (0.5, 0.2), (4.0, 0.01), (0.8, 0.9)])
def test_power_against_sampled_noise_contains_both_readings(sigma: float, q: float, fpr: float) -> None:
    """The pointwise largest of both directions, and their hull, which is the line of slope 1 between the two."""
    c = tb.Poisson(tb.Gaussian(sigma=sigma), q=q)
    remove, add = roc_truth.subsampled_gaussian(1 / mpf(sigma), mpf(q))
    bracket = tb.risk(c).tpr(fpr)
    largest = max(remove(mpf(fpr)), add(mpf(fpr)))
    distance = mpf(q) * (2 * mpmath.ncdf(1 / mpf(sigma) / 2) - 1)
    where = mpmath.ncdf(-1 / mpf(sigma) / 2)  # the fpr of the test that attains the distance, removing
    between = where <= fpr <= 1 - where - distance
    hull = fpr + distance if between else largest
    assert mpf(bracket.lower) <= largest
    assert hull <= mpf(bracket.upper)
    assert bracket.upper <= hull * (1 + mpf("1.1e-3"))
    assert bracket.lower >= largest * (1 - mpf("1.1e-3"))
    assert bracket.converged or between


@pytest.mark.parametrize(
    ("c", "power"),
    [
        (tb.compose([]), 0.3),
        (tb.Gaussian(sigma=0.0), 1.0),
        (tb.Gaussian(sigma=math.inf), 0.3),
        (tb.PureDP(0.0), 0.3),
        (tb.PureDP(math.inf), 1.0),
        (tb.Poisson(tb.Gaussian(sigma=1.0), q=0.0), 0.3),
    ],
)
def test_power_against_all_or_no_noise_is_exact(c: tb.Mechanism, power: float) -> None:
    assert tb.risk(c).tpr(0.3) == tb.Bracket(power, power, relation="add_remove")


def test_power_at_the_ends() -> None:
    """Without false alarms only what reveals everything is found; with nothing but alarms, everything is."""
    assert tb.risk(tb.Gaussian(sigma=1.0)).tpr(0).upper < 1e-290
    assert tb.risk(tb.ApproximateDP(1.0, 1e-5)).tpr(0.0) == tb.Bracket(1e-5, 1e-5, relation="add_remove")
    assert tb.risk(tb.Laplace(scale=1.0)).tpr(0.0) == tb.Bracket(0.0, 0.0, relation="add_remove")
    assert tb.risk(tb.Gaussian(sigma=1.0)).tpr(1.0) == tb.Bracket(1.0, 1.0, relation="add_remove")


@pytest.mark.parametrize("fpr", [5e-324, 1e-310, math.nextafter(1.0, 0.0)])
def test_power_at_the_edges_of_floats(fpr: float) -> None:
    truth = roc_truth.gaussian(mpf(1))(mpf(fpr))
    assert holds(tb.risk(tb.Gaussian(sigma=1.0)).tpr(fpr), truth)
    assert holds(tb.risk(tb.Laplace(scale=2.0)).tpr(fpr), roc_truth.laplace(mpf("0.5"))(mpf(fpr)))


def test_power_of_a_class_lies_between_a_member_and_the_pair_that_dominates() -> None:
    bracket = tb.risk(tb.BoundedRange(0.2) * 10).tpr(0.01)
    member = tb.risk(tb.PureDP(0.1) * 10).tpr(0.01)
    assert bracket.lower == pytest.approx(member.lower, rel=2e-3)
    assert not bracket.converged
    assert "class" in bracket.reason
    # a single step attains its pair: p = (1 - e^-eta / y) / (1 - e^-eta) at fpr = (y - e^-eta) / (1 - e^-eta)
    eta, fpr = mpf("0.5"), mpf("0.125")
    y = fpr * (1 - mpmath.exp(-eta)) + mpmath.exp(-eta)
    truth = (1 - mpmath.exp(-eta) / y) / (1 - mpmath.exp(-eta))
    assert holds(tb.risk(tb.BoundedRange(0.5)).tpr(0.125, rtol=1e-6), truth)


def test_advantage_is_the_total_variation_distance() -> None:
    assert holds(tb.risk(tb.Gaussian(sigma=2.0)).advantage(rtol=1e-9), 2 * mpmath.ncdf(mpf(1) / 4) - 1)
    assert holds(tb.risk(tb.Laplace(scale=2.0)).advantage(), 1 - mpmath.exp(mpf(-1) / 4))


@pytest.mark.parametrize("prior", [5e-324, 1e-12, 0.1, 0.5, 0.75, 1 - 1e-12])
def test_error_of_the_best_guess_about_gaussian_noise(prior: float) -> None:
    mu, p = mpf("0.5"), mpf(prior)
    epsilon = mpmath.log((1 - p) / p)
    truth = p * mpmath.ncdf(epsilon / mu - mu / 2) + (1 - p) * mpmath.ncdf(-epsilon / mu - mu / 2)
    bracket = tb.risk(tb.Gaussian(sigma=2.0)).bayes_error(prior)
    assert holds(bracket, truth)
    assert bracket.converged or prior == 5e-324


def test_error_of_the_best_guess_is_relative_where_all_but_everything_is_seen() -> None:
    bracket = tb.risk(tb.Gaussian(sigma=0.1)).bayes_error(0.5)
    assert holds(bracket, mpmath.ncdf(-5))
    assert bracket.width <= 1e-3 * bracket.upper


def test_error_of_the_best_guess_below_all_digits_is_not_asked_for_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    c, asked = tb.DiscreteLaplace(scale=0.5, sensitivity=4) * 100, []
    delta = tb.Composition.delta
    monkeypatch.setattr(tb.Composition, "delta", lambda *arguments: asked.append(arguments[2]) or delta(*arguments))
    bracket = tb.risk(c).bayes_error(0.2)
    assert bracket.lower == 0.0 < bracket.upper < 1e-6
    assert not bracket.converged
    assert bracket.reason
    assert min(asked) >= 1e-13


@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_who_is_certain_stays_certain(prior: float) -> None:
    risk = tb.risk(tb.Gaussian(sigma=1.0))
    assert risk.bayes_error(prior) == tb.Bracket(0.0, 0.0, relation="add_remove")
    assert risk.posterior(prior) == risk.posterior(prior, fpr=0.1) == tb.Bracket(prior, prior, relation="add_remove")


@pytest.mark.parametrize("prior", [5e-324, 1e-12, 0.01, 0.5, 1 - 1e-12])
def test_posterior_after_the_most_telling_outcome(prior: float) -> None:
    p = mpf(prior)
    bracket = tb.risk(tb.Laplace(scale=0.5) * 3).posterior(prior)
    assert holds(bracket, p * mpmath.exp(6) / (p * mpmath.exp(6) + 1 - p))
    assert bracket.converged or prior == 5e-324
    assert tb.risk(tb.Gaussian(sigma=1.0)).posterior(prior) == tb.Bracket(1.0, 1.0, relation="add_remove")
    assert holds(tb.risk(tb.compose([])).posterior(prior), p)


@pytest.mark.parametrize("fpr", [1e-12, 0.01, 0.5])
@pytest.mark.parametrize("prior", [1e-12, 0.01, 0.5, 0.99])
def test_posterior_after_an_alarm(prior: float, fpr: float) -> None:
    p, power = mpf(prior), roc_truth.gaussian(mpf(1))(mpf(fpr))
    bracket = tb.risk(tb.Gaussian(sigma=1.0)).posterior(prior, fpr=fpr)
    assert holds(bracket, p * power / (p * power + (1 - p) * mpf(fpr)))
    assert bracket.converged


def test_a_width_that_anything_meets_is_met_by_what_is_known_of_every_mechanism() -> None:
    """No delta is asked for; a test that ignores what it sees has power fpr, and belief does not fall."""
    risk = tb.risk(tb.Gaussian(sigma=1.0), rtol=10.0)
    assert risk.tpr(0.01) == tb.Bracket(0.01, 1.0, relation="add_remove")
    assert risk.posterior(0.5, fpr=0.01).lower == 0.5


def test_posterior_without_false_alarms_is_that_of_the_most_telling_outcome() -> None:
    risk = tb.risk(tb.Laplace(scale=1.0))
    assert risk.posterior(0.25, fpr=0.0) == risk.posterior(0.25)


def test_curve_holds_what_single_questions_hold() -> None:
    risk, fprs = tb.risk(tb.Gaussian(sigma=1.0)), [0.9, 0.0, 1e-9, 0.3, 1.0, 0.3]
    roc = risk.roc(fprs)
    assert roc.fprs.tolist() == fprs
    assert roc.converged
    for fpr, lower, upper in zip(fprs, roc.lower, roc.upper, strict=True):
        truth = roc_truth.gaussian(mpf(1))(mpf(fpr)) if 0.0 < fpr < 1.0 else mpf(fpr)
        assert lower <= truth <= upper
        assert upper - lower <= 1e-3 * upper or fpr == 0.0
    assert roc == risk.roc(np.array(fprs)) == pickle.loads(pickle.dumps(roc))
    assert roc != risk.roc(fprs[:-1])
    assert str(roc).splitlines()[-1] == "(add_remove)"
    assert risk.roc([]).fprs.size == 0


def test_arrays_give_arrays() -> None:
    risk = tb.risk(tb.Gaussian(sigma=1.0))
    found = risk.tpr([[0.1, 0.2], [0.3, 1.0]])
    assert found.shape == (2, 2)
    assert found[0, 1] == risk.tpr(0.2)
    assert risk.posterior([0.1, 0.5], fpr=0.1)[1] == risk.posterior(0.5, fpr=0.1)
    assert risk.bayes_error(np.array([0.1]))[0] == risk.bayes_error(0.1)
    assert risk.tpr(np.array(0.2)) == risk.tpr(Fraction(0.2)) == risk.tpr(np.float64(0.2)) == risk.tpr(0.2)


@pytest.mark.parametrize("wrong", [-0.1, 1.5, math.nan, math.inf, "0.5", True, None, Fraction(1, 10**400), 1j])
@pytest.mark.parametrize("question", ["tpr", "bayes_error", "posterior", "roc"])
def test_what_is_no_probability_is_refused(question: str, wrong: object) -> None:
    with pytest.raises(tb.InvalidParameter):
        getattr(tb.risk(tb.Gaussian(sigma=1.0)), question)(wrong)


@pytest.mark.parametrize("wrong", [None, 3, tb.Gaussian])
def test_what_is_no_composition_is_refused(wrong: object) -> None:
    with pytest.raises(tb.InvalidParameter, match="a mechanism"):
        tb.risk(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [0, -1.0, math.nan, math.inf, "x"])
def test_a_width_that_is_none_is_refused(wrong: object) -> None:
    with pytest.raises(tb.InvalidParameter):
        tb.risk(tb.Gaussian(sigma=1.0), rtol=wrong)  # type: ignore[arg-type]
    with pytest.raises(tb.InvalidParameter):
        tb.risk(tb.Gaussian(sigma=1.0)).tpr(0.1, rtol=wrong)  # type: ignore[call-overload]


def test_a_plain_value_that_travels() -> None:
    risk = tb.risk(tb.Poisson(tb.Gaussian(sigma=1.0), q=0.1) * 10, rtol=1e-2)
    assert pickle.loads(pickle.dumps(risk)) == risk == copy.copy(risk)
    assert pickle.loads(pickle.dumps(risk)).tpr(0.01) == risk.tpr(0.01)
    assert str(risk) == "risk of poisson(gaussian(sigma=1.0), q=0.1) * 10 (add_remove)"
    assert risk.relation == "add_remove"


@pytest.mark.slow
def test_threads_may_share_it() -> None:
    risk, fprs = tb.risk(tb.Poisson(tb.Gaussian(sigma=2.0), q=0.1) * 50), [1e-6, 1e-3, 0.1, 0.6]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(risk.tpr, fprs)) == [tb.risk(risk.composition * 1).tpr(fpr) for fpr in fprs]
