"""A slot admits a step only if the exact profiles allow it, at the ends of every parameter too."""

import math
from itertools import product

import mpmath
import pytest
from tests.support.lanes import mostly_slow
from tests.support.profile_truth import DIGITS, profile

import tightbudget as tb
from tightbudget.adaptive.filters.domination import dominates
from tightbudget.filters import SlotFilter
from tightbudget.pairs.base import Direction

INF, TINY = math.inf, 1e-20

PLAIN = [
    *(tb.Gaussian(*given) for given in product((0, 1e-200, 2, 1e15, INF), (0, TINY, 1, 1e308))),
    *(tb.Laplace(*given) for given in product((0, 1e-200, 2, 1e15, INF), (0, TINY, 1, 1e308))),
    *(tb.GaussianDP(mu) for mu in (0, TINY, 0.4, 0.5, 1e200)),
    *(tb.PureDP(epsilon) for epsilon in (0, TINY, 0.5, 1000, INF)),
    *(tb.ApproximateDP(*given) for given in product((0, 0.5, INF), (0, TINY, 0.25, 1))),
    *(tb.BoundedRange(eta) for eta in (0, TINY, 0.5, 1000)),
    *(tb.RandomizedResponse(p, k) for p, k in product((0, 0.25, 0.5, 1), (2, 4))),
    *(kind(1, 2, shift) for kind in (tb.TruncatedGaussian, tb.TruncatedLaplace) for shift in (0, 1, 4, 5)),
    *(kind(2, shift) for kind in (tb.DiscreteGaussian, tb.DiscreteLaplace) for shift in (0, 1, 3)),
    tb.Histograms([1, 3], [1, 3]),
    tb.Histograms([1, 3], [2, 2]),
    tb.Histograms([1, 0], [0, 1]),
]
SAMPLED = [tb.Poisson(step, 0.25) for step in PLAIN if step.relation == "add_remove"]
AT_THE_ENDS = [tb.Poisson(step, q) for step, q in product((tb.Gaussian(0), tb.Gaussian(2), tb.PureDP(0.5)), (0, 1))]
EVERY = PLAIN + SAMPLED + AT_THE_ENDS
POINTS = [mpmath.mpf(g) for g in ("0", "1e-300", "1e-9", "0.3", "0.74", "0.76", "0.99", "1", "1.01", "1.3", "1.7", "4", "1e9")]
NOTHING, EVERYTHING = tb.PureDP(0), tb.PureDP(INF)


def reveals_less(step: tb.Mechanism, slot: tb.Mechanism) -> bool:
    """Whether no point shows the opposite; the truths are good to more than forty digits."""
    with mpmath.workdps(DIGITS):
        pairs = [(profile(step, way, g), profile(slot, way, g)) for way in Direction for g in POINTS]
        return all(less <= more + mpmath.mpf(10) ** -40 for less, more in pairs)


@pytest.mark.slow
@pytest.mark.parametrize("slot", mostly_slow(EVERY, every=16), ids=str)
def test_what_a_slot_admits_reveals_no_more(slot: tb.Mechanism) -> None:
    admitted = [step for step in EVERY if dominates(slot, step)]
    assert slot in admitted
    assert [step for step in admitted if not reveals_less(step, slot)] == []


@pytest.mark.parametrize("step", mostly_slow(EVERY, every=16), ids=str)
def test_a_step_that_reveals_nothing_fits_everywhere_and_every_step_fits_where_all_is_revealed(step: tb.Mechanism) -> None:
    assert dominates(EVERYTHING, step)
    if reveals_less(step, NOTHING):
        assert all(dominates(slot, step) for slot in EVERY)
    else:
        assert not dominates(NOTHING, step)


NO_COST = [
    "gaussian(sigma=0, sensitivity=0)",
    "gaussian(sigma=inf)",
    "laplace(scale=0, sensitivity=0)",
    "laplace(scale=inf)",
    "poisson(gaussian(sigma=0, sensitivity=0), q=0.5)",
    "poisson(laplace(scale=0, sensitivity=0), q=0.5)",
    "poisson(gaussian(sigma=0), q=0)",
    "gaussian_dp(mu=0)",
]


@pytest.mark.parametrize("plan", NO_COST)
@pytest.mark.parametrize(
    "step", [tb.Gaussian(0), tb.Gaussian(1e6), tb.Laplace(0), tb.Poisson(tb.Gaussian(0), 1e-9), tb.PureDP(TINY)]
)
def test_a_plan_that_costs_nothing_admits_nothing(plan: str, step: tb.Mechanism) -> None:
    budget = SlotFilter(1, 1e-6, plan=f"{plan} * 5")
    assert budget.remaining(step) == 0
    with pytest.raises(tb.BudgetRefused):
        budget.spend(step)
