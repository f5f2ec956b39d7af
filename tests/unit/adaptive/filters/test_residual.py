"""The residual filter against fifty-digit profiles: what it leaves, together with the step, is within what
there was.
"""

import math
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from tests.support import filter_truth as truth
from tests.support import point_truth
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.adaptive.filters.residual_grid import Spread, gaussian_profile, spread_to_grid
from tightbudget.filters import ResidualFilter, from_state
from tightbudget.pairs.base import Direction
from tightbudget.pairs.points import point_pair


def profile(mu: mp.mpf, x: mp.mpf) -> mp.mpf:
    """delta(x) of N(mu, 1) against N(0, 1), for x of any sign."""
    if mu == 0:
        return max(mp.mpf(0), 1 - mp.exp(x))
    return mp.ncdf(mu / 2 - x / mu) - mp.exp(x) * mp.ncdf(-mu / 2 - x / mu)


def chord(mu: mp.mpf, x: mp.mpf, h: mp.mpf) -> mp.mpf:
    """The profile of the budget's pair: linear in e^x between the points of the grid."""
    low = mp.floor(x / h) * h
    share = (mp.exp(x) - mp.exp(low)) / (mp.exp(low + h) - mp.exp(low))
    return (1 - share) * profile(mu, low) + share * profile(mu, low + h)


def left(budget: ResidualFilter) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
    """Return mu, the mass at infinity and the width of the grid of what is left."""
    mu, _, h = budget._sums
    return mp.mpf(mu), mp.mpf(budget._at_infinity(mu)), mp.mpf(h)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("epsilon", "delta", "step"),
    mostly_slow([(1, 1e-6, 0.01), (4, 1e-6, 0.1), (1, 1e-9, 0.003), (1, 1e-6, 1e-4), (1, 1e-6, 1e-5)], every=5),
)
def test_step_and_rest_are_dominated_by_what_there_was(epsilon: float, delta: float, step: float) -> None:
    """At many grid points and off the grid: H(RR x rest) <= H(budget), with the exact atoms of randomised response.

    After a small step the grid of what is left is finer than that of the budget.
    """
    budget = ResidualFilter(epsilon, delta)
    for _ in range(3):
        before, kept, wide = left(budget)
        budget.spend(tb.PureDP(step))
        after, rest, h = left(budget)
        assert after < before
        e = mp.mpf(str(step))
        likely = 1 / (1 + mp.exp(-e))
        last = budget._points(float(h), budget._start)
        for k in [*range(0, last, max(97, last // 50)), *range(40), mp.mpf("0.3"), mp.mpf("7.7")]:
            x = k * h
            mixed = likely * chord(after, x - e, h) + (1 - likely) * chord(after, x + e, h)
            assert rest + (1 - rest) * mixed <= kept + (1 - kept) * chord(before, x, wide)


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "most"), [(1e-2, 1.01), (1e-3, 1.13), (3e-4, 1.13), (1e-4, 1.13), (1e-5, 5), (1e-6, 40)])
def test_the_grid_is_refined_for_small_steps(epsilon: float, most: float) -> None:
    """What a step of randomised response costs of the squared mu: little more than its variance, down to 1e-4."""
    budget = ResidualFilter(1, 1e-6)
    quote = budget.quote(tb.PureDP(epsilon))
    assert budget._sums[2] == budget._h  # a question refines nothing
    assert epsilon**2 < quote.asked < most * epsilon**2
    spent = budget.spend(tb.PureDP(epsilon))
    assert spent.asked == quote.asked
    again = from_state(budget.state())
    assert again == budget
    assert again.quote(tb.PureDP(0.01)) == budget.quote(tb.PureDP(0.01))


def test_small_steps_do_not_cost_large_ones_anything() -> None:
    fine, coarse = ResidualFilter(1, 1e-6), ResidualFilter(1, 1e-6)
    fine.spend(tb.PureDP(1e-4))
    assert fine.spend(tb.PureDP(0.01)).asked <= coarse.spend(tb.PureDP(0.01)).asked * (1 + 2e-3)


@pytest.mark.slow
def test_many_small_steps_are_counted_without_being_carried_out() -> None:
    budget = ResidualFilter(1, 1e-6)
    assert budget.counted(tb.PureDP(1e-4)) == (1000, True)
    assert budget.counted(tb.PureDP(0.01))[0] == 557


def test_a_gaussian_step_costs_its_own_mu() -> None:
    budget = ResidualFilter(1, 1e-6)
    quote = budget.spend(tb.Gaussian(20))
    assert 1 / 400 <= float(quote.asked) <= 1.01 / 400


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12])
def test_the_whole_budget_keeps_the_guarantee(delta: float) -> None:
    for epsilon in (0.1, 1.0, 5.0):
        budget = ResidualFilter(epsilon, delta)
        mu, _, h = left(budget)
        infinity = mp.mpf(budget._at_infinity(budget._start))
        reached = infinity + (1 - infinity) * chord(mu, mp.mpf(str(epsilon)), h)
        assert mp.mpf(delta) * mp.mpf("0.99") < reached <= mp.mpf(str(delta))


@pytest.mark.parametrize("mu", [1e-4, 0.03, 0.24, 1.5, 6.0])
def test_profiles_hold_the_closed_form(mu: float) -> None:
    x = np.array([-3.0, -0.5, -0.01, 0.0, 0.001, 0.1, 0.5, 1.0, 3.0, 20.0])
    lower, upper = gaussian_profile(mu, x)
    with mp.workdps(400):
        for value, low, high in zip(x.tolist(), lower.tolist(), upper.tolist(), strict=True):
            exact = profile(mp.mpf(mu), mp.mpf(value))
            assert low <= exact <= high


def mass_above(one: Spread, h: float, x: float) -> float:
    losses = h * (one.first + np.arange(one.masses.size))
    return float((one.masses * np.maximum(-np.expm1(x - losses), 0.0)).sum()) + one.infinity


@pytest.mark.parametrize(
    "mechanism",
    [
        tb.PureDP(0.3),
        tb.Laplace(2),
        tb.Gaussian(3),
        tb.Poisson(tb.Gaussian(1), 0.1),
        tb.BoundedRange(0.7),
        tb.DiscreteGaussian(3),
        tb.TruncatedGaussian(1, 8),
        tb.Histograms([0.2, 0.3, 0.5], [0.3, 0.4, 0.3]),
    ],
)
@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(("negligible", "reach"), [(1e-18, 4.0), (1e-3, 4.0), (1e-18, 0.25)])
def test_a_spread_step_dominates(mechanism: tb.Mechanism, direction: Direction, negligible: float, reach: float) -> None:
    h = 2.0**-6
    pair = mechanism.pair(direction)
    assert pair is not None
    one = spread_to_grid(pair, h, negligible, reach)
    for x in (0.0, 0.01, 0.1, 0.2, 0.24, 0.5, 1.0):
        # the engine's lower end for the larger of both directions; pairs whose directions differ are asked at 0 alone
        if x == 0.0 or mechanism.pair(Direction.ADD) == mechanism.pair(Direction.REMOVE):
            assert mass_above(one, h, x) >= mechanism.delta(x, rtol=1e-6).lower
    # under B no more than all of it lies where A has any
    losses = h * (one.first + np.arange(one.masses.size))
    assert float((one.masses * np.exp(-losses)).sum()) <= 1.0 + 1e-3 + (negligible + one.infinity) * math.exp(reach)


def test_what_lies_below_the_window_moves_up() -> None:
    pair = tb.Gaussian(3).pair(Direction.REMOVE)
    assert pair is not None
    h = 2.0**-6
    whole, cut = (spread_to_grid(pair, h, negligible, 4.0) for negligible in (1e-18, 0.05))
    assert cut.first > whole.first
    # what counts as infinite would make up for anything lost below: it is left out, and what it stands for likewise
    in_window = cut.first + cut.masses.size - 1 - whole.first
    finite = replace(cut, infinity=0.0)
    up_to_its_end = replace(whole, masses=whole.masses[:in_window], infinity=0.0)
    for x in np.arange(-1.0, 1.0, 0.05).tolist():
        assert mass_above(finite, h, x) >= mass_above(up_to_its_end, h, x) * (1 - 1e-9)


EVENTS = np.array([1 / 32, 7 / 32, 24 / 32])  # the first is below the window when 1/16 of A is negligible
LOSSES = np.array([-0.497, -0.495, 0.2])


def test_points_below_the_window_are_not_lowered() -> None:
    """Between -0.5, a point of the grid, and the window's end: at its own place no other mass stands for them."""
    step = tb.Histograms(EVENTS, EVENTS * np.exp(-LOSSES))
    pair = step.pair(Direction.REMOVE)
    assert pair is not None
    h = 2.0**-6
    one = spread_to_grid(pair, h, 1 / 16, 4.0)
    for x in np.arange(-1.0, 0.5, 0.5 * h).tolist():
        exact = mp.fsum(max(a - mp.exp(x) * b, 0) for a, b in point_truth.events(step, Direction.REMOVE))
        assert mass_above(one, h, x) >= exact


def test_points_below_the_window_may_lie_as_much_higher_as_is_not_known() -> None:
    error_bound, h = 0.25, 2.0**-6
    pair = point_pair(("doubtful",), LOSSES, np.log(EVENTS), np.log(EVENTS) - LOSSES, error=1e-15, loss_error=error_bound)
    one = spread_to_grid(pair, h, 1 / 16, 4.0)
    for x in np.arange(-1.0, 0.5, 0.5 * h).tolist():
        highest = [mp.mpf(loss) + error_bound for loss in LOSSES.tolist()]
        worst = mp.fsum(mp.mpf(a) * max(1 - mp.exp(x - loss), 0) for a, loss in zip(EVENTS.tolist(), highest, strict=True))
        assert mass_above(one, h, x) >= worst


def test_restored_filters_decide_alike() -> None:
    budget = ResidualFilter(1, 1e-6, delta_for_steps=1e-7)
    for step in (tb.PureDP(0.05), tb.Laplace(30), tb.ApproximateDP(0.01, 1e-9)):
        budget.spend(step)
        again = from_state(budget.state())
        assert again == budget
        assert again.quote(tb.Gaussian(20)) == budget.quote(tb.Gaussian(20))


def test_what_it_cannot_take_is_refused_or_named() -> None:
    budget = ResidualFilter(1, 1e-6)
    with pytest.raises(tb.BudgetRefused):
        budget.spend(tb.Gaussian(0.1))
    with pytest.raises(tb.BudgetRefused):
        budget.spend(tb.Gaussian(0))
    with pytest.raises(tb.BudgetRefused):
        budget.spend(tb.TruncatedGaussian(1, 2))
    with pytest.raises(tb.BudgetRefused):
        budget.spend(tb.filters.ZCDP(0.1))
    with pytest.raises(tb.InvalidParameter):
        budget.spend(tb.PureDP(0.001) * 10**6)
    assert budget.spent["squared mu"] == 0
    budget.spend(tb.Gaussian(math.inf))
    assert budget.spent["squared mu"] == 0
    with pytest.raises(tb.InvalidParameter):
        ResidualFilter(1, 1e-6, step=0.003)
    assert truth.mp.mp.dps == 60


@pytest.mark.slow
def test_mass_at_infinity_is_spent_and_passed_on() -> None:
    """A step that shows everything with probability 1e-10: of the budget's mass at infinity, 1e-9, ten such steps are
    all.
    """
    rare = 1e-10
    step = tb.Histograms([0.5, 0.5 - rare, rare], [0.5, 0.5, 0.0])
    count = ResidualFilter(1, 1e-6).remaining(step)
    assert count >= 5
    assert count * rare <= 1e-9


@pytest.mark.parametrize("epsilon", ["1e9", "1e12", "1e16", "1e40"])
def test_budgets_too_large_for_a_grid_are_refused(epsilon: str) -> None:
    with pytest.raises(tb.InvalidParameter, match="epsilon"):
        ResidualFilter(epsilon, 1e-6)


@pytest.mark.parametrize("step", [1024, 2048, 16384])
def test_steps_too_wide_for_an_exponential_are_refused(step: int) -> None:
    with pytest.raises(tb.InvalidParameter, match="step"):
        ResidualFilter("2e8", 1e-6, step=step)


@pytest.mark.parametrize(
    ("epsilon", "delta", "step"),
    [
        ("1e-20", "1e-17", tb.Gaussian(1e-3)),
        ("1e-20", "1e-17", tb.PureDP(1)),
        ("1", "1e-17", tb.Gaussian(1e-9)),
        ("1", "1e-6", tb.Laplace(1e-200)),
        ("1e-40", "1e-6", tb.Gaussian(1)),
    ],
    ids=str,
)
def test_losses_known_no_finer_than_many_grid_points_are_refused(epsilon: str, delta: str, step: tb.Mechanism) -> None:
    budget = ResidualFilter(epsilon, delta)
    before = budget.state()
    assert not budget.quote(step)
    assert budget.remaining(step) == 0
    assert budget.state() == before
    assert budget.quote(tb.PureDP(0))


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", mostly_slow([0.05, 0.6, 0.7, 0.8, 0.9, 1.1, 1.3, 4.0], every=4, first=1))
@pytest.mark.parametrize("delta", [0.1, 1e-6, 1e-300])
def test_the_finest_grid_is_read_back(epsilon: float, delta: float) -> None:
    budget = ResidualFilter(epsilon, delta)
    budget.spend(tb.PureDP(1e-6 * epsilon))
    assert budget._sums[2] < budget._h
    assert from_state(budget.state()) == budget


def test_steps_on_the_grid_are_remembered_by_their_bytes() -> None:
    budget = ResidualFilter(4.0, 1e-6)
    for sigma in range(30, 60):
        budget.quote(tb.Gaussian(float(sigma)))
    spreads = [entry.value for entry in budget._known._entries.values()]
    assert len(spreads) == 30
    assert budget._known.nbytes == sum(one.masses.nbytes for spread in spreads for one in spread.each) > 0
    assert budget._known.most_bytes <= 2**28
