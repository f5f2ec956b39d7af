"""The limits are those of Clopper and Pearson: at the limit, what was seen has just the stated probability."""

import mpmath
import pytest

import tightbudget as tb
from tightbudget.games import Estimate


def binomial_tail(runs: int, failures: int, probability: float) -> mpmath.mpf:
    """Pr[at least `failures` of `runs`], summed with 60 digits."""
    with mpmath.workdps(60):
        p = mpmath.mpf(probability)
        return mpmath.fsum(mpmath.binomial(runs, k) * p**k * (1 - p) ** (runs - k) for k in range(failures, runs + 1))


@pytest.mark.parametrize(("failures", "runs"), [(1, 20), (7, 50), (153, 1000), (1000, 1000)])
@pytest.mark.parametrize("confidence", [0.975, 1 - 1e-9])
def test_the_lower_limit_is_where_so_many_failures_become_rare(failures: int, runs: int, confidence: float) -> None:
    lower = Estimate(failures, runs).lower(confidence)
    assert float(binomial_tail(runs, failures, lower)) == pytest.approx(1 - confidence, rel=1e-6)


@pytest.mark.parametrize(("failures", "runs"), [(0, 20), (7, 50), (153, 1000)])
@pytest.mark.parametrize("confidence", [0.975, 1 - 1e-9])
def test_the_upper_limit_is_where_so_few_failures_become_rare(failures: int, runs: int, confidence: float) -> None:
    upper = Estimate(failures, runs).upper(confidence)
    assert float(1 - binomial_tail(runs, failures + 1, upper)) == pytest.approx(1 - confidence, rel=1e-6)


def test_no_failure_and_no_success_have_limits_at_the_ends() -> None:
    assert Estimate(0, 10).lower() == 0.0
    assert Estimate(10, 10).upper() == 1.0


def test_refuting_needs_evidence() -> None:
    assert not Estimate(6, 100).refutes(0.05)
    assert Estimate(30, 100).refutes(0.05)


@pytest.mark.parametrize(("failures", "runs"), [(-1, 10), (11, 10), (0, 0)])
def test_impossible_counts_are_refused(failures: int, runs: int) -> None:
    with pytest.raises(tb.InvalidParameter):
        Estimate(failures, runs)


def test_limits_of_a_million_runs_and_of_more() -> None:
    """Of a billion runs SciPy's inverse is twice the rate itself: such a claim would be false."""
    near, more = Estimate(1000, 10**6), Estimate(1000, 10**6 + 1)
    assert more.lower() == pytest.approx(near.lower(), rel=1e-2)
    assert more.upper() == pytest.approx(near.upper(), rel=1e-2)
    many = Estimate(1000, 10**9)
    assert not many.refutes(1e-6)
    assert 0.8e-6 < many.lower() < 1e-6 < many.upper() < 1.25e-6
    assert Estimate(0, 10**9).lower() == many.lower(1.0) == 0.0
    assert Estimate(10**9, 10**9).upper() == 1.0
