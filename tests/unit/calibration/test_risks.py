"""Risks as targets, against closed forms in 60 digits and exact fractions."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest

import tightbudget as tb
from tightbudget.calibration.risk_targets import BayesErrorTarget, TruePositiveRateTarget
from tightbudget.calibration.targets import BudgetTarget, Target

DIGITS = 60


def normal_tpr(mu: mpmath.mpf, fpr: float) -> mpmath.mpf:
    """Return Phi(Phi^-1(fpr) + mu): the power of the best test between N(mu, 1) and N(0, 1)."""
    quantile = -mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(fpr))
    return mpmath.ncdf(quantile + mu)


def belief(prior: float, tpr: mpmath.mpf, fpr: float) -> mpmath.mpf:
    return prior * tpr / (prior * tpr + (1 - mpmath.mpf(prior)) * mpmath.mpf(fpr))


def mu_of(sigma: float, count: int) -> mpmath.mpf:
    return mpmath.sqrt(count) / mpmath.mpf(sigma)


def normal_error(mu: mpmath.mpf, prior: float) -> mpmath.mpf:
    """Return the error of the likelihood ratio test of N(mu, 1) against N(0, 1): yes above t."""
    p = mpmath.mpf(prior)
    t = mu / 2 + mpmath.log((1 - p) / p) / mu
    return p * mpmath.ncdf(t - mu) + (1 - p) * mpmath.ncdf(-t)


@pytest.mark.parametrize(
    ("target", "number", "limit"),
    [
        ({"tpr": 0.05, "fpr": 0.01}, lambda mu: normal_tpr(mu, 0.01), 0.05),
        ({"tpr": 0.9, "fpr": 0.3}, lambda mu: normal_tpr(mu, 0.3), 0.9),
        ({"tpr": 1e-4, "fpr": 1e-6}, lambda mu: normal_tpr(mu, 1e-6), 1e-4),
        ({"posterior": 0.05, "prior": 0.01, "fpr": 0.001}, lambda mu: belief(0.01, normal_tpr(mu, 0.001), 0.001), 0.05),
        ({"bayes_error": 0.4, "prior": 0.5}, lambda mu: -normal_error(mu, 0.5), -0.4),
        ({"bayes_error": 0.05, "prior": 0.1}, lambda mu: -normal_error(mu, 0.1), -0.05),
        ({"bayes_error": 0.05, "prior": 0.9}, lambda mu: -normal_error(mu, 0.9), -0.05),
        ({"advantage": 0.25}, lambda mu: 2 * mpmath.ncdf(mu / 2) - 1, 0.25),
    ],
)
def test_normal_noise(target: dict[str, Any], number: Callable[[mpmath.mpf], mpmath.mpf], limit: float) -> None:
    with mpmath.workdps(DIGITS):
        found = tb.calibrate("gaussian(sigma=?) * 7", **target)
        assert found.converged
        assert number(mu_of(found.value, 7)) <= limit < number(mu_of(found.too_little, 7))
        assert found.value - found.too_little <= 1e-6 * found.value
        count = tb.calibrate("gaussian(sigma=40) * ?", **target)
        assert count.too_little == count.value + 1
        met, missed = (number(mu_of(40, n)) if n else -mpmath.inf for n in (count.value, count.too_little))
        assert met <= limit < missed


def test_answers_of_one_bit_in_fractions() -> None:
    """The test that answers yes on a truthful yes has fpr 1 - p and tpr p; below, power is p / (1 - p) times fpr."""
    found = tb.calibrate("randomized_response(p=?)", tpr=0.5, fpr=0.2)
    met, missed = (Fraction(p) / (1 - Fraction(p)) * Fraction(0.2) for p in (found.value, found.too_little))
    assert met <= Fraction(1, 2) < missed
    found = tb.calibrate("randomized_response(p=?)", bayes_error=0.3, prior=0.5)
    assert 1 - Fraction(found.value) >= Fraction(0.3) > 1 - Fraction(found.too_little)
    found = tb.calibrate("randomized_response(p=?)", posterior=0.75, prior=0.5)  # after the most telling outcome
    assert Fraction(found.value) <= Fraction(3, 4) < Fraction(found.too_little)


@pytest.mark.slow
def test_dp_sgd_by_its_profile() -> None:
    """Every bound on delta(epsilon) bounds the power, and some of them nearly attains it."""
    found = tb.calibrate("poisson(gaussian(sigma=?), q=0.01) * 1000", tpr=0.05, fpr=0.01, rtol=1e-4)
    assert found.converged
    assert found.achieved.upper <= 0.05 < found.missed.lower


def test_bayes_errors_are_kept_from_below() -> None:
    found = tb.calibrate("laplace(scale=?)", bayes_error=0.4, prior=0.5)
    assert found.achieved.lower >= 0.4 > found.missed.upper
    assert str(found.target) == "bayes_error >= 0.4 at prior = 0.5"


@pytest.mark.parametrize(
    ("target", "low", "high"),
    [
        (BudgetTarget(1.0, 1e-6), "met", "missed"),
        (TruePositiveRateTarget(1.0, 0.01), "met", "missed"),
        (BayesErrorTarget(1.0, 0.5), "missed", "met"),
    ],
)
def test_only_what_is_certain_is_a_verdict(target: Target, low: str, high: str) -> None:
    def verdicts(lower: float, upper: float) -> set[str]:
        answer = tb.Bracket(lower, upper)
        return {name for name, said in (("met", target.met(answer)), ("missed", target.missed(answer))) if said}

    assert verdicts(0.9, 0.99) == {low}
    assert verdicts(1.01, 1.1) == {high}
    assert verdicts(0.9, 1.1) == set()
    assert verdicts(1.0, 1.0) == {"met"}  # the limit itself is kept
    assert target.worse(tb.Bracket(0.9, 0.99), tb.Bracket(1.01, 1.1)) == (low == "missed")
    assert not target.worse(tb.Bracket(0.9, 1.0), tb.Bracket(0.95, 1.1))
    assert not target.worse(tb.Bracket(0.95, 1.1), tb.Bracket(0.9, 1.0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "target"),
    [
        ("gaussian(sigma=?)", {"bayes_error": 0.49999, "prior": 0.5}),
        ("poisson(gaussian(sigma=1), q=?) * 100", {"bayes_error": 0.4999, "prior": 0.5}),
        ("laplace(scale=?)", {"posterior": 0.50001, "prior": 0.5}),
        ("gaussian(sigma=?)", {"advantage": 0.999999}),
        ("gaussian(sigma=10) * ?", {"advantage": 0.999999}),
        ("gaussian(sigma=?)", {"epsilon": 0, "delta": 0.999999}),
    ],
)
def test_risks_of_next_to_nothing_and_next_to_all(template: str, target: dict[str, float]) -> None:
    found = tb.calibrate(template, **target, rtol=1e-3)
    assert found.converged
    assert found.too_little is not None
