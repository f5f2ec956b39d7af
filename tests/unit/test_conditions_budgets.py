"""Both sides of the limits of theorems: divergences, classic bounds, filters, odometers, calibration."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import tightbudget as tb
from tightbudget import classic, divergences, filters, individual, odometers
from tightbudget.classic.kov import kov
from tightbudget.classic.promises import Promises
from tightbudget.errors import DoesNotApply
from tightbudget.ledger import Ledger
from tightbudget.pairs.base import Direction

Make = Callable[[Any], Any]
STEP = tb.PureDP(0.1)


def refused(make: Callable[[], Any], match: str | None = None) -> None:
    with pytest.raises(tb.InvalidParameter, match=match):
        make()


# Divergences (M10)


@pytest.mark.parametrize("ask", [divergences.renyi, lambda _, order: divergences.rdp_delta(order, 0.1, 0.5)])
def test_orders_are_from_one(ask: Callable[[Any, float], float]) -> None:
    for order in (1.0, 1.0 + 2.0**-52, math.inf):
        assert ask(STEP, order) >= 0.0
    for order in (1.0 - 2.0**-53, 0.0, -math.inf, math.nan):
        refused(lambda order=order: ask(STEP, order), "from 1")


def test_orders_next_to_one_are_answered_a_little_above() -> None:
    """Below 1 + 1e-6 the divergence there is given, which is larger; from there on that of the order."""
    weights = [0.7, 0.3], [0.2, 0.8]
    pair, (a, b) = tb.Histograms(*weights), weights

    def exact(order: float) -> mp.mpf:
        with mp.workdps(40):
            theta = mp.mpf(order) - 1
            both = [
                [mp.mpf(x) * (mp.mpf(x) / mp.mpf(y)) ** theta for x, y in zip(*pair, strict=True)] for pair in ((a, b), (b, a))
            ]
            return max(mp.log(mp.fsum(terms)) / theta for terms in both)

    first = 1.0 + 1e-6
    below = divergences.renyi(pair, np.array([1.0, 1.0 + 1e-9, math.nextafter(first, 1.0), first]))
    assert (below == below[-1]).all()
    assert below[-1] >= exact(first)
    for order in (1.0 + 2e-6, 1.0 + 1e-3):
        assert exact(order) <= divergences.renyi(pair, order) <= exact(order) * (1 + 1e-9)
        assert divergences.renyi(pair, order) > below[-1]


@pytest.mark.parametrize("order", [12.0, 12.5, 512.0, 512.5, 513.0])
def test_whole_orders_of_samples_have_an_end(order: float) -> None:
    """The binomial sum serves whole orders up to 512, and where the record is removed; others are bounded otherwise."""
    q, m = 0.01, 0.05
    step = tb.Poisson(tb.Gaussian(1.0 / m), q)
    z = np.linspace(-12.0, 60.0, 200_001)
    logs = order * np.logaddexp(math.log1p(-q), math.log(q) + m * z - 0.5 * m * m) - 0.5 * z * z
    top = logs.max()
    truth = top + math.log(np.exp(logs - top).sum() * (z[1] - z[0]) / math.sqrt(2.0 * math.pi))
    found = float(step.log_moment(Direction.REMOVE, np.array([order]))[0])
    assert truth - 1e-10 <= found <= truth * 1.01 + 1e-10


def test_a_list_of_points_without_mass_on_one_side_has_no_divergence() -> None:
    finite, infinite = tb.Histograms([1e-300, 1.0], [1e-200, 1.0]), tb.Histograms([1e-300, 1.0], [0.0, 1.0])
    assert divergences.renyi(finite, 2.0) < math.inf
    assert divergences.renyi(infinite, 2.0) == divergences.zcdp(infinite) == divergences.pure_epsilon(infinite) == math.inf


def test_discrete_normal_noise_is_not_taken_for_gaussian_privacy() -> None:
    assert divergences.gdp(tb.Gaussian(2.0)) == pytest.approx(0.5)
    assert divergences.gdp(tb.DiscreteGaussian(2.0)) == math.inf
    assert divergences.zcdp(tb.DiscreteGaussian(2.0)) == pytest.approx(0.125)


# Classic bounds (M12)


@pytest.mark.parametrize("bound", [classic.advanced, classic.kov], ids=["advanced", "KOV"])
def test_theorems_for_equal_steps(bound: Any) -> None:
    assert bound.epsilon(STEP * 7 + STEP * 3, 1e-6) == bound.epsilon(STEP * 10, 1e-6)
    with pytest.raises(DoesNotApply, match="one mechanism repeated"):
        bound.epsilon(STEP * 9 + tb.PureDP(0.1000001), 1e-6)


def test_as_many_steps_as_the_sum_of_terms_was_bounded_for() -> None:
    """2 (ceil(37.5 sqrt(k) / 2) + 1050) terms, of which there are at most 2^17."""
    most = math.floor((2 * (2**16 - 1050) / 37.5) ** 2)
    kov.check(Promises(STEP * most))
    with pytest.raises(DoesNotApply, match="terms"):
        kov.check(Promises(STEP * (most + 1)))


def test_bounded_range_needs_an_end_on_both_sides() -> None:
    bounded, unbounded = tb.Histograms([3, 1], [1, 3]), tb.Histograms([3, 1, 1], [1, 3, 0])
    assert classic.bounded_range.epsilon(bounded * 3, 1e-3) < math.inf
    for step in (unbounded, tb.Histograms([1, 3, 0], [3, 1, 1]), tb.Gaussian(1.0)):
        with pytest.raises(DoesNotApply, match="not bounded"):
            classic.bounded_range.epsilon(step * 3, 1e-3)


@pytest.mark.parametrize("above", [0.5, 0.999, 1.0009, 1.0011, 1.5, 3.0])
def test_the_middle_form_of_kov_near_one(above: float) -> None:
    """ln(e + sqrt(V)/d') = x has a d' for x > 1 only; next to 1 the form is left out. All is above the optimum."""
    count, each = 20, 0.3
    with mp.workdps(40):
        drift, square = count * mp.mpf(each) * mp.tanh(mp.mpf(each) / 2), count * mp.mpf(each) ** 2
        epsilon = float(drift + mp.sqrt(2 * square * above))
        p = 1 / (1 + mp.exp(mp.mpf(each)))
        losses = [(mp.binomial(count, k) * p**k * (1 - p) ** (count - k), (count - 2 * k) * mp.mpf(each)) for k in range(count)]
        optimum = mp.fsum(mass * max(0, 1 - mp.exp(epsilon - loss)) for mass, loss in losses)
        found = classic.kov_simple.delta(tb.PureDP(each) * count, epsilon)
        assert optimum <= found <= 1.001 * mp.exp(-above)  # the third form alone


def test_a_line_needs_an_end_beyond_the_last_order() -> None:
    for step in (tb.PureDP(0.5), tb.Gaussian(2.0), tb.Laplace(1.0)):
        lowest, rho = classic.cdp.epsilon(step * 5, 1e-5), divergences.zcdp(step * 5)
        assert divergences.rdp_epsilon(2.0, 2.0 * rho, 1e-5) >= lowest >= (step * 5).epsilon(1e-5).lower
    with pytest.raises(DoesNotApply):  # divergences at some orders say nothing of larger ones
        classic.cdp.epsilon(tb.RDP((2, 8), (0.1, 0.4)) * 5, 1e-5)


def test_an_approximation_is_called_so() -> None:
    kinds = {bound.name: bound.kind for bound in classic.ALL}
    assert {name for name, kind in kinds.items() if kind == "approximation"} == {"GDP, central limit"}
    assert set(kinds.values()) == {"approximation", "upper bound"}


# Filters (M14)


def test_the_advanced_filter_ends_at_one_over_e() -> None:
    limit = math.exp(-1.0)
    filters.AdvancedFilter(1, lower_float(limit, 8))
    for delta in (math.nextafter(limit, 1.0), 0.4):
        refused(lambda delta=delta: filters.AdvancedFilter(1, delta), "1/e")


def lower_float(value: float, times: int) -> float:
    for _ in range(times):
        value = math.nextafter(value, 0.0)
    return value


@pytest.mark.parametrize(
    ("weights", "fine"),
    [
        ([0.5, 0.5], True),
        (["1/3", "2/3"], True),
        ([0.5, 0.4], True),
        (["1/3", "0.67"], False),
        ([1, "1e-30"], False),
        ([0.5, 0], False),
        ([0.5], False),
        ([0.4, 0.3, 0.3], False),
    ],
)
@pytest.mark.parametrize(
    "make",
    [
        lambda weights: filters.RDPFilter(2, 1e-6, orders=[8, 16], weights=weights),
        lambda weights: odometers.RenyiOdometer(1e-6, orders=[8, 16], weights=weights),
    ],
    ids=["filter", "odometer"],
)
def test_weights_of_orders_add_up_to_one_at_most(make: Make, weights: list[Any], fine: bool) -> None:
    if fine:
        make(weights)
    else:
        refused(lambda: make(weights), "weight")


@pytest.mark.parametrize(
    "make",
    [
        lambda order: filters.RDPFilter(9, 0.5, orders=order, or_basic=True),
        lambda order: odometers.RenyiOdometer(0.5, orders=[order]),
    ],
    ids=["filter", "odometer"],
)
def test_orders_of_filters_and_odometers(make: Make) -> None:
    nearest, largest = 1 + Fraction(1, 10**9), Fraction(10**9)
    for order in (nearest, largest):
        make(order)
    for order in (nearest - Fraction(1, 10**30), largest + Fraction(1, 10**30), 1):
        refused(lambda order=order: make(order), "order")


def test_beside_a_gdp_filter_there_is_no_basic_one() -> None:
    filters.ZCDPFilter(1, 1e-6, or_basic=True)
    with pytest.raises((tb.InvalidParameter, TypeError)):
        filters.GDPFilter(1, 1e-6, or_basic=True)  # type: ignore[call-arg]
    state = filters.GDPFilter(1, 1e-6).state()
    assert "or_basic" not in state
    refused(lambda: filters.from_state({**state, "or_basic": True}))


def test_deltas_of_steps_fill_their_share_and_no_more() -> None:
    for make in (
        lambda: filters.ZCDPFilter(5, 1e-5, delta_for_steps=4e-6),
        lambda: filters.GDPFilter(5, 1e-5, delta_for_steps=4e-6),
        lambda: filters.AdvancedFilter(50, 8e-6),
        lambda: filters.ResidualFilter(5, 1e-5, delta_for_steps=4e-6),
        lambda: filters.SlotFilter(5, 1e-5, delta_for_steps=4e-6, plan=tb.PureDP(0.01) * 8),
    ):
        budget = make()
        for _ in range(4):
            budget.spend(tb.ApproximateDP(0.01, 1e-6))
        assert not budget.quote(tb.ApproximateDP(0.01, 5e-324))
        assert budget.quote(tb.PureDP(0.01))


def test_a_budget_takes_over_a_fresh_filter_only(tmp_path: Any) -> None:
    with Ledger(f"sqlite:///{tmp_path / 'budgets.db'}") as ledger:
        used = filters.ZCDPFilter(1, 1e-6)
        ledger.create_budget("fresh", filter=filters.ZCDPFilter(1, 1e-6))
        used.spend(tb.PureDP(1e-9))
        refused(lambda: ledger.create_budget("used", filter=used), "fresh")


def test_a_filter_is_for_one_relation() -> None:
    budget = filters.GDPFilter(3, 1e-6)
    budget.spend(tb.Gaussian(10.0))
    budget.spend(tb.GaussianDP(0.1))  # promises are for any
    with pytest.raises(tb.TightBudgetError, match="relation"):
        budget.spend(tb.Gaussian(10.0, relation="replace_one"))
    assert budget.quote(tb.Gaussian(10.0))


# Residual filter and slots (M15)


def test_a_plan_is_priced_at_its_upper_bound() -> None:
    plan, epsilon = tb.PureDP(0.5) * 3, 1.0
    price = plan.delta(epsilon, rtol=1e-6).upper
    filters.SlotFilter(epsilon, price, plan=plan)
    refused(lambda: filters.SlotFilter(epsilon, math.nextafter(price, 0.0), plan=plan), "plan")


def test_the_grid_of_a_residual_filter() -> None:
    mu = float(Fraction(filters.ResidualFilter(1, 1e-6).state()["constants"]["mu"]))
    width = 2.0 ** math.floor(math.log2(mu))
    finest = 2.0 ** math.ceil(math.log2(2.1e-5 * mu))
    for step in (width / 2.0, finest):
        filters.ResidualFilter(1, 1e-6, step=step)
    for step in (2.0 * width, finest / 4.0, 0.75 * width, 0):
        refused(lambda step=step: filters.ResidualFilter(1, 1e-6, step=step), "step")


def test_a_residual_filter_takes_a_thousand_steps_at_once() -> None:
    budget = filters.ResidualFilter(1, 1e-6)
    nothing = tb.PureDP(0.0)
    assert budget.quote(nothing * 1000)
    refused(lambda: budget.quote(nothing * 1001), "at most 1000")


# Odometers (M16)

MADE: dict[str, Callable[..., Any]] = {
    "line": odometers.LineOdometer,
    "mixture": odometers.MixtureOdometer,
    "one-sided mixture": odometers.OneSidedMixtureOdometer,
    "stitched": odometers.StitchedOdometer,
    "renyi": odometers.RenyiOdometer,
}


@pytest.mark.parametrize("name", MADE)
def test_deltas_of_steps_end_an_odometer(name: str) -> None:
    odometer = MADE[name](1e-5, delta_for_steps=3e-6)
    for _ in range(3):
        assert odometer.spend(tb.ApproximateDP(0.1, 1e-6)) < math.inf
    assert odometer.quote(tb.PureDP(0.1)) < math.inf
    assert odometer.quote(tb.ApproximateDP(0.1, 1e-300)) == math.inf


@pytest.mark.parametrize("name", MADE)
def test_the_share_of_steps_leaves_something_for_the_rest(name: str) -> None:
    if name != "renyi":  # of which each order has a part
        MADE[name](1e-5, delta_for_steps=Fraction(1, 10**5) - Fraction(1, 10**300))
    refused(lambda: MADE[name](1e-5, delta_for_steps=Fraction(1, 10**5) - Fraction(1, 10**301)), "delta_for_steps|weights")
    refused(lambda: MADE[name](1), "delta")
    refused(lambda: MADE[name](Fraction(1, 10**301)), "delta")


def test_only_bounded_losses_are_mixed_on_both_sides() -> None:
    assert odometers.MixtureOdometer(1e-6).quote(tb.Laplace(10.0)) < math.inf
    for step in (tb.ZCDP(0.01), tb.GaussianDP(0.1), tb.Gaussian(10.0), tb.RDP((2, 8), (0.1, 0.2))):
        refused(lambda step=step: odometers.MixtureOdometer(1e-6).spend(step), "increment")
        if not isinstance(step, tb.RDP):
            assert odometers.OneSidedMixtureOdometer(1e-6).quote(step) < math.inf


def test_a_step_without_an_epsilon_ends_the_plain_sum() -> None:
    """The least of the bound and the sum of epsilons counts only while every step has an epsilon."""
    odometer = odometers.StitchedOdometer(1e-6)
    assert odometer.spend(tb.PureDP(0.01)) == 0.01
    after = odometer.spend(tb.ZCDP("1e-9"))
    assert after > 0.02
    assert odometer.spent["epsilon"] == math.inf
    assert odometer.spend(tb.PureDP(0.01)) >= after


@pytest.mark.parametrize("n", [2, 10**18])
def test_the_size_of_rogers_odometer(n: int) -> None:
    odometers.RogersOdometer(0.05, n=n)
    for wrong in (1, 2.5, 10**18 + 1):
        refused(lambda wrong=wrong: odometers.RogersOdometer(0.05, n=wrong), "n is")


def test_rogers_formulas_at_their_border() -> None:
    """(3) from V = 1/n^2 to 1, both ends included; (4) elsewhere."""
    n, delta = 10, mp.mpf("0.05")
    with mp.workdps(40):
        log = mp.log(2 * math.ceil(2 * math.log2(n)) / delta)
        for squares in (Fraction(1, 100), 1, Fraction(1, 100) - Fraction(1, 10**30), 1 + Fraction(1, 10**30)):
            state = odometers.RogersOdometer("0.05", n=n).state()  # with a drift of 0, so that only V counts
            spent = {**state["spent"], "epsilon_squared": str(Fraction(squares))}
            odometer = odometers.from_state({**state, "spent": spent})
            v = mp.mpf(Fraction(squares).numerator) / Fraction(squares).denominator
            within = Fraction(1, n**2) <= squares <= 1
            root = (
                2 * mp.sqrt(v * (1 + mp.log(mp.sqrt(3))) * log)
                if within
                else mp.sqrt(2 * (mp.mpf(1) / n**2 + v) * (1 + mp.log(1 + n**2 * v) / 2) * log)
            )
            assert root <= odometer.epsilon <= root * (1 + mp.mpf(10) ** -12)


@pytest.mark.parametrize(
    "make",
    [
        lambda number: odometers.LineOdometer(1e-6, tight_at=number),
        lambda number: odometers.MixtureOdometer(1e-6, gamma=number),
        lambda number: odometers.StitchedOdometer(1e-6, start=number),
    ],
    ids=["tight_at", "gamma", "start"],
)
def test_the_number_of_a_boundary_is_any_above_zero(make: Make) -> None:
    for number in (Fraction(1, 10**100), 10**100):
        assert make(number).spend(STEP) <= 0.1
    for number in (0, Fraction(1, 10**101), 10**101, -1):
        refused(lambda number=number: make(number))


# Individual filters (M17)


def test_a_person_takes_part_up_to_the_budget_itself() -> None:
    for made, amount in (
        (individual.RenyiFilter(order=2, budget="0.3", people=1), "0.1"),
        (individual.ZCDPFilter(budget="0.3", people=1), "0.1"),
        (individual.GDPFilter(budget="0.5", people=1), "0.25"),
    ):
        steps = 4 if isinstance(made, individual.GDPFilter) else 3
        assert [bool(made.spend(amount)[0]) for _ in range(steps)] == [True] * steps
        assert not made.spend("1e-22")[0]
        assert made.spend(0)[0]


def test_the_order_and_budget_of_an_individual_filter() -> None:
    for order in ("1.001", 10**6):
        individual.RenyiFilter(order=order, budget=1, people=1)
    for order in ("1.0009", 1000001):
        refused(lambda order=order: individual.RenyiFilter(order=order, budget=1, people=1), "order")
    for budget in ("1e-12", 10**15):
        individual.ZCDPFilter(budget=budget, people=1)
    for budget in ("9e-13", 10**15 + 1):
        refused(lambda budget=budget: individual.ZCDPFilter(budget=budget, people=1), "budget")
    individual.GDPFilter(budget="1e-6", people=1)
    refused(lambda: individual.GDPFilter(budget="9.9e-7", people=1), "budget")


# Calibration (M24)


def test_the_width_of_a_calibration_is_below_one() -> None:
    tb.calibrate("gaussian(sigma=?)", epsilon=1, delta=1e-6, rtol=0.99)
    for rtol in (1.0, 0.0, -1.0):
        refused(lambda rtol=rtol: tb.calibrate("gaussian(sigma=?)", epsilon=1, delta=1e-6, rtol=rtol), "rtol")


@pytest.mark.parametrize(
    ("least", "wrong"),
    [
        ({"tpr": 0.011, "fpr": 0.01}, {"tpr": 0.01, "fpr": 0.01}),
        ({"posterior": 0.51, "prior": 0.5, "fpr": 0.1}, {"posterior": 0.5, "prior": 0.5, "fpr": 0.1}),
        ({"bayes_error": 0.49, "prior": 0.5}, {"bayes_error": 0.5, "prior": 0.5}),
        ({"epsilon": 0.0, "delta": 0.1}, {"epsilon": math.inf, "delta": 0.1}),
    ],
)
def test_targets_that_something_can_meet_and_miss(least: dict[str, float], wrong: dict[str, float]) -> None:
    found = tb.calibrate("gaussian(sigma=?)", **least, rtol=0.1)
    assert found.target.met(found.achieved)
    assert found.missed is not None
    assert found.target.missed(found.missed)
    refused(lambda: tb.calibrate("gaussian(sigma=?)", **wrong), "above the|below 0.5|finite")


def test_what_is_known_of_an_argument_ends_at_chance() -> None:
    """More of p tells more from 1/k on, and less below it: a search does not go on from one side to the other."""
    for epsilon in (1.0, 1e-3):
        above = tb.calibrate("randomized_response(p=?, k=4)", epsilon=epsilon, delta=0, rtol=1e-3)
        below = tb.calibrate("randomized_response(p=?, k=4)", epsilon=epsilon, delta=0, rtol=1e-3, bounds=(0.01, 0.25))
        assert below.value <= 0.25 <= above.value
        for found in (above, below):
            assert found.achieved.upper <= epsilon
            assert found.missed is not None
            assert found.missed.lower > epsilon


# More of filters and odometers (M14, M16)


@pytest.mark.parametrize(
    "make",
    [filters.SharpenedFilter, filters.WhitehouseFilter, filters.ZCDPFilter, filters.GDPFilter],
    ids=lambda make: make.kind,
)
def test_the_share_for_steps_is_below_the_whole(make: Callable[..., Any]) -> None:
    delta = Fraction(1, 10**6)
    make(1, delta, delta_for_steps=delta - Fraction(1, 10**300))
    for share in (delta - Fraction(1, 10**301), delta, 2 * delta):
        refused(lambda share=share: make(1, delta, delta_for_steps=share), "delta_for_steps")


@pytest.mark.parametrize(
    "make",
    [filters.SharpenedFilter, filters.WhitehouseFilter, filters.ZCDPFilter, filters.GDPFilter],
    ids=lambda make: make.kind,
)
def test_the_guarantee_of_a_tail_bound(make: Callable[..., Any]) -> None:
    least, most, below_one = Fraction(1, 10**40), 10**40, 1 - Fraction(1, 10**9)
    for epsilon, delta in ((least, 1e-6), (most, 1e-6), (1, "1e-300"), (1, below_one)):
        make(epsilon, delta)
    for epsilon in (least * Fraction(999, 1000), most + 1, 0):
        refused(lambda epsilon=epsilon: make(epsilon, 1e-6), "epsilon")
    for delta in ("9e-301", 0, 1):
        refused(lambda delta=delta: make(1, delta), "delta")


def test_the_least_share_of_an_order() -> None:
    odometers.RenyiOdometer("1e-299", orders=[2, 8], weights=["0.9", "0.1"])
    refused(lambda: odometers.RenyiOdometer("1e-299", orders=[2, 8], weights=["0.9", "0.09"]), "weights")


def test_the_stitched_curve_is_level_below_its_start() -> None:
    """At V = v0 the curve begins to rise; below it stays at the value there, as much as the first line needs."""
    level, start = math.log(1e6), mp.mpf("0.01")
    stretch = (mp.mpf(2) ** 0.25 + mp.mpf(2) ** -0.25) / mp.sqrt(2)
    at_start = stretch * mp.sqrt(start * (mp.log(mp.zeta(1.4)) + level))
    for variance in ("1e-9", "0.005", "0.01", "0.0101"):
        v = mp.mpf(variance)
        odometer = odometers.StitchedOdometer(1e-6, start="0.01")
        odometer.spend(tb.ZCDP(Fraction(variance) / 2))
        above = odometer.epsilon - v / 2
        if v <= start:
            assert at_start <= above <= at_start * (1 + 1e-9)
        else:
            assert at_start < above <= at_start * 1.05


# More of individual filters and calibration (M17, M24)


def test_amounts_of_people_are_numbers_alone() -> None:
    """A step with a delta of its own has no amount."""
    people = individual.ZCDPFilter(budget=1, people=2)
    assert people.spend(0.1).all()
    for step in (tb.ZCDP(0.1), tb.ZCDP(0.1, 1e-6), "zcdp(rho=0.1, delta=1e-6)"):
        refused(lambda step=step: people.spend(step), "increment")
    assert people.remaining(0.1).tolist() == [9, 9]


def test_what_is_not_checked_is_not_calibrated() -> None:
    assert tb.calibrate("shuffled(epsilon0=?, users=50)", epsilon=1, delta=1e-3, rtol=0.5).value > 0.5
    refused(lambda: tb.calibrate("shuffled(epsilon0=?, users=50, clone='stronger')", epsilon=1, delta=1e-3), "proven here")


# Limits


def test_what_lies_beyond_45_standard_deviations_is_taken_to_be_revealed() -> None:
    steps = tb.Gaussian(3.0) + tb.Poisson(tb.Gaussian(3.0), 0.5)
    above, below = steps.epsilon(1e-290), steps.epsilon(1e-303)
    assert above.upper < math.inf
    assert below.upper == math.inf
    assert not below.converged
    assert below.reason
