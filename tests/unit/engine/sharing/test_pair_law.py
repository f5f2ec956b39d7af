"""One pair on a grid, repeated as often as one likes: brackets and bounds by the modulus, against 12 true digits."""

import math

import numpy as np
import pytest
from tests.reference.truth import ends
from tests.reference.truth_contour import contour
from tests.reference.truth_subsampled import SubsampledGaussianLaw

import tightbudget as tb
from tightbudget.engine.direction import MOST_PLACES, OneDirection
from tightbudget.engine.refine import epsilon_bracket
from tightbudget.engine.sharing import direction
from tightbudget.engine.sharing.grid_plan import planned_spectrum
from tightbudget.engine.sharing.pair_law import PairLaw, pair_law
from tightbudget.engine.sharing.plans import SharedPlans
from tightbudget.engine.sharing.work import sharing_work
from tightbudget.engine.spectral.profile import SpectralProfile
from tightbudget.engine.steps import engine_steps
from tightbudget.engine.target import PlanTarget, target_for
from tightbudget.pairs.base import Direction

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
    profile = SpectralProfile.of(found, left_out(law, count), 0.0, 0.0)
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

    def seen(*asked):
        made.append(asked)
        return pair_law(*asked)

    monkeypatch.setattr(direction, "pair_law", seen)
    counts = [int(100 * 1.3**i) for i in range(20)]
    for sigma in (0.9, 2.0):
        made.clear()
        with sharing_work():
            for count in [*counts, *counts]:
                assert dpsgd(sigma, 0.01, count).epsilon(DELTA).converged
        assert 0 < len(made) < 40
