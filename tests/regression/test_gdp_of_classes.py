"""What a pair that dominates a class reveals for certain is no lower bound: gdp_mu of classes was [inf, inf]."""

import math

import pytest

import tightbudget as tb

FINITE = [
    (tb.WithoutReplacement(tb.Gaussian(2.0), 256, 60000, relation="zero_out") * 5, 0.5 * math.sqrt(5)),
    (tb.WithoutReplacement(tb.Gaussian(2.0), 256, 60000, relation="zero_out"), 0.5),
    (tb.RandomAllocation(tb.Gaussian(2.0), 5, 2), 0.5 * math.sqrt(2)),
]


@pytest.mark.parametrize(("composition", "told"), FINITE, ids=lambda value: str(value))
def test_the_lower_end_is_that_of_a_member(composition: tb.Composition, told: float) -> None:
    """If the samples are told, that many releases of normal noise dominate it."""
    found = tb.risk(composition).gdp_mu()
    assert 0.0 < found.lower <= told * (1 + 1e-9)
    assert found.upper >= found.lower


@pytest.mark.parametrize(
    "composition",
    [
        tb.WithoutReplacement(tb.Laplace(3.0), 3, 30, relation="zero_out") * 3,
        tb.RandomAllocation(tb.Laplace(2.0), 5, 2),
        tb.WithoutReplacement(tb.Laplace(3.0), 3, 30, relation="zero_out") + tb.Gaussian(1.0, relation="zero_out"),
    ],
    ids=str,
)
def test_bounded_losses_have_a_finite_lower_end(composition: tb.Composition) -> None:
    assert 0.0 < tb.risk(composition).gdp_mu().lower < 5.0


def test_what_is_revealed_by_every_member_still_counts() -> None:
    composition = tb.ZCDP(rho=0.1) + tb.ApproximateDP(0.1, 1e-3)
    found = tb.risk(composition).gdp_mu()
    assert found.lower == found.upper == math.inf


def test_losses_of_a_pulled_batch_have_no_end() -> None:
    step = tb.WithoutReplacement(tb.Gaussian(2.0), 256, 60000, relation="zero_out")
    assert step.epsilon(0.0, direction="remove").lower == math.inf
    assert step.epsilon(0.0).lower == math.inf
    assert (step * 10).epsilon(0.0).lower == math.inf
    assert tb.risk(step).posterior(prior=0.5).lower > 0.999999
