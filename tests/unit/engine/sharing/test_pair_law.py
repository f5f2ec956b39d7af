"""One pair on a grid, repeated as often as one likes: brackets and bounds by the modulus, against 12 true digits."""

import dataclasses
import math

import numpy as np
import pytest
from tests.reference.truth import ends
from tests.reference.truth_contour import contour
from tests.reference.truth_subsampled import SubsampledGaussianLaw
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.engine.direction import APART, MOST_PLACES, OneDirection, Way
from tightbudget.engine.refine import epsilon_bracket
from tightbudget.engine.routes import ROUTES, LargeLossesApart, SaddlePointRoute
from tightbudget.engine.sharing import direction
from tightbudget.engine.sharing.grid_plan import planned_spectrum, seen_once
from tightbudget.engine.sharing.pair_law import PairLaw, own_law, pair_law
from tightbudget.engine.sharing.plans import SharedPlans
from tightbudget.engine.sharing.work import sharing_work
from tightbudget.engine.spectral.profile import SpectralProfile
from tightbudget.engine.steps import engine_steps
from tightbudget.engine.target import PlanTarget, target_for
from tightbudget.pairs.base import Direction
from tightbudget.pairs.infinite_mass import NOWHERE

DECADES, WIDTH, DELTA = 12, 0.01, 1e-6
SIGMA, Q, COUNT = 1.5, 0.01, 1000


def dpsgd(sigma: float, q: float, count: int) -> tb.Composition:
    return tb.Poisson(tb.Gaussian(sigma), q) * count


def target(way: Direction, count: int) -> PlanTarget:
    pair = tb.Poisson(tb.Gaussian(SIGMA), Q).pair(way)
    assert pair is not None
    alone = OneDirection(engine_steps([(pair, count)]))
    saddle = alone.saddle(DECADES)
    point = saddle.for_delta(math.log(DELTA))
    return target_for(alone.steps, saddle.at_index(point.tilt_index), WIDTH, saddle.cells)


def law_of(way: Direction, count: int = COUNT) -> PairLaw:
    asked = target(way, count)
    _, _, plan = planned_spectrum(asked, MOST_PLACES)
    assert plan is not None
    return pair_law(asked, plan, plan.grid.step)


LAWS = {way: law_of(way) for way in Direction}


def true_delta(way: Direction, count: int, epsilon: float) -> tuple:
    return ends(contour([(SubsampledGaussianLaw(SIGMA, Q, remove=way is Direction.REMOVE), count)], epsilon, digits=12))


def left_out(law: PairLaw, count: int) -> float:
    return 1.01 * count * math.exp(law.log_tail)


@pytest.mark.slow
@pytest.mark.parametrize("count", [300, 800, 1000, 1300, 4000])
@pytest.mark.parametrize("way", list(Direction))
def test_the_modulus_bounds_epsilon_of_any_count(way: Direction, count: int):
    law = LAWS[way]
    upper = law.epsilon_upper(count, DELTA, left_out(law, count))
    assert math.isfinite(upper)
    assert true_delta(way, count, upper)[0] <= DELTA
    if 800 <= count <= 1300:  # within half a per cent; elsewhere the tilt is another's
        assert true_delta(way, count, 0.98 * upper)[1] > DELTA
    if count == COUNT:
        assert true_delta(way, count, 0.995 * upper)[1] > DELTA


@pytest.mark.parametrize("delta", [1e-9, 1e-8, 1e-5, 1e-4])
@pytest.mark.parametrize("way", list(Direction))
def test_the_modulus_bounds_epsilon_at_any_delta(way: Direction, delta: float):
    law = LAWS[way]
    upper = law.epsilon_upper(COUNT, delta, 0.0)
    assert true_delta(way, COUNT, upper)[0] <= delta + left_out(law, COUNT)


@pytest.mark.parametrize("count", [1, 10, 100_000])
@pytest.mark.parametrize("way", list(Direction))
def test_the_modulus_bounds_epsilon_far_from_where_it_was_looked(way: Direction, count: int):
    law = LAWS[way]
    alone = next(one for one in dpsgd(SIGMA, Q, count)._directions if one.name == way.value)
    upper = law.epsilon_upper(count, DELTA, left_out(law, count))
    assert epsilon_bracket([alone], DELTA, 1e-3, 0.0).lower <= upper


def test_what_is_left_out_is_charged():
    law = LAWS[Direction.ADD]
    assert law.epsilon_upper(COUNT, DELTA, 0.5 * DELTA) > law.epsilon_upper(COUNT, DELTA, 0.0)
    assert law.epsilon_upper(COUNT, DELTA, DELTA) == math.inf
    assert law.epsilon_upper(COUNT, DELTA, math.nan) == math.inf
    assert law.epsilon_upper(2**52, DELTA, 0.0) == math.inf  # certified up to its own mass only


@pytest.mark.parametrize("count", [900, 1000, 1100, 1300])
@pytest.mark.parametrize("way", list(Direction))
def test_counts_share_a_law(way: Direction, count: int):
    law = LAWS[way]
    found = law.spectrum(count, WIDTH)
    if found is None:  # more steps than its period is long enough for
        assert count > 1100
        return
    profile = SpectralProfile.of(found, left_out(law, count), NOWHERE, 0.0)
    epsilon = law.epsilon_upper(count, DELTA, left_out(law, count))
    lower, upper = profile.delta_lower(epsilon), profile.delta_upper(epsilon)
    low, high = true_delta(way, count, epsilon)
    assert lower <= high
    assert low <= upper
    assert math.log(upper / lower) < 3.0 * WIDTH


@pytest.mark.parametrize("count", [1, 3, 20])
def test_frequencies_that_leave_too_much_out_make_no_spectrum(count: int):
    assert LAWS[Direction.REMOVE].spectrum(count, WIDTH) is None


def test_a_period_that_is_too_short_makes_no_spectrum():
    assert LAWS[Direction.REMOVE].spectrum(100 * COUNT, WIDTH) is None


def test_a_law_serves_those_who_are_near():
    law = LAWS[Direction.REMOVE]
    assert law.serves(target(Direction.REMOVE, 1000))
    assert law.serves(target(Direction.REMOVE, 1150))
    assert not law.serves(target(Direction.REMOVE, 4000))
    assert not law.serves(target(Direction.REMOVE, 200))


def test_counts_of_one_pair_show_the_smaller_direction_by_the_modulus():
    counts = [int(100 * 1.2**i) for i in range(25)]
    with sharing_work():
        answers = [dpsgd(2.0, 0.01, count).epsilon(DELTA) for count in counts]
    by_modulus = 0
    for count, answer in zip(counts, answers, strict=True):
        assert answer.converged
        for one in (one for one in answer.trace if one.route in ("modulus", "Chernoff") and one.direction == "add"):
            add = dpsgd(2.0, 0.01, count)._directions[1]
            assert epsilon_bracket([add], DELTA, 1e-4, 0.0).lower <= one.upper
            by_modulus += one.route == "modulus"
    assert by_modulus >= 4


@pytest.mark.slow
def test_random_orders_of_counts_and_rates_agree_with_single_calls():
    rng = np.random.default_rng(11)
    points = [
        (sigma, q, count) for sigma in (0.7, 1.1, 2.5) for q in (1e-3, 0.03, 0.5) for count in (1, 2, 30, 37, 900, 1000, 12_000)
    ]
    for _ in range(2):
        rng.shuffle(points)
        with sharing_work():
            answers = [dpsgd(*point).epsilon(DELTA) for point in points]
        for point, answer in list(zip(points, answers, strict=True))[::3]:
            alone = dpsgd(*point).epsilon(DELTA, rtol=1e-5)
            assert answer.lower <= alone.upper
            assert alone.lower <= answer.upper
            assert answer.converged


def test_rows_of_rising_counts_are_seen():
    plans = SharedPlans()
    assert not plans.rising(100, "add")
    assert [plans.rising(count, "add") for count in (130, 170, 170, 100_000, 100, 130)] == [True] * 6
    assert [plans.rising(count, "add") for count in (120, 100, 100, 90)] == [False] * 4
    assert not plans.rising(5, "remove")


def test_rising_counts_take_fewer_looks_than_questions(monkeypatch: pytest.MonkeyPatch):
    made = []

    def counted(function):
        def seen(*asked):
            made.append(asked)
            return function(*asked)

        return seen

    monkeypatch.setattr(direction, "pair_law", counted(pair_law))
    monkeypatch.setattr(direction, "seen_once", counted(seen_once))
    counts = [int(100 * 1.3**i) for i in range(20)]
    for sigma in (0.9, 2.0):
        made.clear()
        with sharing_work():
            for count in [*counts, *counts]:
                assert dpsgd(sigma, 0.01, count).epsilon(DELTA).converged
        assert 0 < len(made) < 30


SPAN, REACH = 4.0, 2.0


def row_law(way: Direction, count: int = COUNT) -> PairLaw:
    """Return a law on a grid of its own that is to serve counts down to a quarter."""
    asked = target(way, count)
    found = seen_once(asked, MOST_PLACES, SPAN)
    assert found is not None
    return own_law(asked, found, REACH)


ROWS = {way: row_law(way) for way in Direction}


@pytest.mark.parametrize("count", mostly_slow([250, 500, 1000, 1300], every=2, first=1))
@pytest.mark.parametrize("way", list(Direction))
def test_a_law_with_a_span_is_true_of_all_its_counts(way: Direction, count: int):
    law, asked = ROWS[way], target(way, count)
    found = law.spectrum(count, WIDTH, law.off(asked.tilt))
    if found is None:  # more steps than its period is long enough for
        assert count > COUNT
        return
    profile = SpectralProfile.of(found, left_out(law, count), NOWHERE, 0.0)
    upper = law.epsilon_upper(count, DELTA, left_out(law, count))
    low, high = true_delta(way, count, upper)
    assert profile.delta_lower(upper) <= high
    assert low <= profile.delta_upper(upper)
    if count >= 500:  # elsewhere the bound by the modulus is far above the epsilon of interest
        assert math.log(profile.delta_upper(upper) / profile.delta_lower(upper)) < 6.0 * WIDTH


@pytest.mark.parametrize("way", list(Direction))
def test_what_is_left_out_of_one_step_is_the_root_of_what_is_left_out_of_many(way: Direction):
    law, found = ROWS[way], seen_once(target(way, COUNT), MOST_PLACES, SPAN)
    assert found is not None
    assert (law._beyond(float(COUNT)) >= found.seen.beyond).all()
    assert law._beyond(float(COUNT)) == pytest.approx(found.seen.beyond, rel=1e-6)
    # at every frequency that is not a node the modulus of one step is below the bound
    rows, places = law.laws.blocks[0].rows, law.laws.places
    others = np.setdiff1d(np.linspace(0, law.seen.period // 2, 3000).astype(int), law.seen.nodes)
    turns = np.exp(2j * np.pi * ((np.multiply.outer(places, others) % law.seen.period) / law.seen.period))
    assert (np.abs(rows @ turns).max(axis=1) <= law.seen.beyond).all()


@pytest.mark.parametrize("way", list(Direction))
def test_a_law_serves_as_far_as_it_reaches(way: Direction):
    near, far = LAWS[way], ROWS[way]
    served = [count for count in (300, 500, 700, 1000) if far.serves(target(way, count))]
    assert set(served) > {count for count in (300, 500, 700, 1000) if near.serves(target(way, count))}
    finer = dataclasses.replace(target(way, COUNT), width=0.1 * WIDTH)
    assert not far.serves(finer)  # what is to be narrower takes another law


@pytest.mark.slow
def test_rows_of_counts_with_large_losses_agree_with_single_calls():
    """Neighbours take them apart, at ceilings that they share."""
    counts = [int(100 * 1.33**i) for i in range(19)]
    with sharing_work():
        rows = [(s, n, dpsgd(s, 0.0012, n).epsilon(DELTA)) for s in (0.75, 0.9) for n in counts]
    for s, count, answer in rows[1::4]:
        alone = dpsgd(s, 0.0012, count).epsilon(DELTA, rtol=1e-5)
        assert answer.lower <= alone.upper
        assert alone.lower <= answer.upper
    assert all(answer.width <= 1e-3 * answer.upper for *_, answer in rows)


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "q"), [(0.9, 0.02), (2.5, 0.01)])
def test_rows_of_counts_hold_the_truth_and_are_narrow(sigma: float, q: float):
    counts = [int(100 * 1.33**i) for i in range(19)]
    with sharing_work():
        rows = [(s, n, dpsgd(s, q, n).epsilon(DELTA)) for s in (0.95 * sigma, sigma) for n in counts]
    for s, count, answer in rows[22::9]:
        laws = [(SubsampledGaussianLaw(s, q, remove=remove), count) for remove in (True, False)]
        assert max(ends(contour([law], answer.lower, digits=12))[1] for law in laws) >= DELTA
        assert max(ends(contour([law], answer.upper, digits=12))[0] for law in laws) <= DELTA
    assert all(answer.width <= 1e-3 * answer.upper for *_, answer in rows)


def test_the_route_that_neighbours_begin_with_takes_large_losses_apart():
    assert isinstance(ROUTES[APART], LargeLossesApart)
    assert isinstance(ROUTES[Way().route], SaddlePointRoute)


def test_neighbours_take_large_losses_apart_at_once():
    counts = [int(100 * 1.33**i) for i in range(8)]
    with sharing_work():
        rows = [[dpsgd(sigma, 0.0012, count).epsilon(DELTA) for count in counts] for sigma in (0.88, 1.0)]
    routes = [[one.route for one in answer.trace if one.direction == "remove"] for answer in rows[1]]
    assert all(tried[0].startswith("large losses apart") for tried in routes)
    assert sum(map(len, routes)) < 2 * len(routes)
    alone = [one.route for one in dpsgd(1.0, 0.0012, 100).epsilon(DELTA).trace if one.direction == "remove"]
    assert alone[0] == "few frequencies"
