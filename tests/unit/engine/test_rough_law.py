"""The law of a composed loss, roughly: it says where an answer is, and what makes it."""

import math

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.engine.direction import OneDirection, width_index_of
from tightbudget.engine.question import EpsilonQuestion
from tightbudget.engine.rough_law import MOST_EPSILON, RoughLaw
from tightbudget.engine.saddle import SaddlePoint
from tightbudget.engine.steps import Steps

DECADES = 12


def copies(count: int) -> OneDirection:
    """Return the upper end of batches drawn with replacement, whose copies lose far more than any answer."""
    return (tb.WithReplacement(tb.Gaussian(1.0, sensitivity=0.5), 100, examples=10000) * count)._directions[0]


def law_of(direction: OneDirection, delta: float) -> tuple[RoughLaw, SaddlePoint]:
    point = direction.saddle(DECADES).for_delta(math.log(delta))
    law = direction.rough_law(DECADES, point)
    assert law is not None
    return law, point


@pytest.mark.parametrize(("count", "epsilon"), [(100, 4.4616), (10_000, 12.1676)])
def test_it_knows_an_epsilon_that_the_saddle_point_does_not(count: int, epsilon: float) -> None:
    law, point = law_of(copies(count), 1e-6)
    found = law.for_delta(math.log(1e-6))
    assert found is not None
    assert found[0] == pytest.approx(epsilon, rel=0.01) != pytest.approx(point.epsilon, rel=0.01)


def test_slopes_and_densities_are_those_of_the_profile() -> None:
    law, _ = law_of(copies(100), 1e-6)
    nodes = [law.for_delta(math.log(delta)) for delta in (1.01e-6, 1e-6, 0.99e-6)]
    assert None not in nodes
    (high, _), (middle, slope), (low, _) = (node for node in nodes if node is not None)
    assert slope == pytest.approx(math.log(1.01 / 0.99) / (low - high), rel=0.05)
    aim = law.aimed_at(middle)
    assert aim is not None
    # (log delta)' = -slope, and delta'' - delta' is the density of the loss under A
    assert aim.density == pytest.approx(slope * (1.0 + slope), rel=0.25)
    assert [share.sum() for share in aim.shares] == pytest.approx([1.0])


def test_losses_beyond_the_answer_make_none_of_it() -> None:
    law, _ = law_of(copies(100), 1e-6)
    aim = law.aimed_at(4.46)
    assert aim is not None
    beyond = law.losses[0] > 8.0
    assert aim.shares[0][beyond].sum() < 1e-4 / 100.0
    near = np.abs(law.losses[0] - 4.46) < 1.0
    assert aim.shares[0][near].sum() > 0.3 / 100.0  # in a third of all cases one loss is all of it


def test_several_items_have_one_law() -> None:
    (pair, _), *_ = copies(1).steps.items
    whole, halves = copies(100), OneDirection(Steps(((pair, 60), (pair, 40))))
    point = whole.saddle(DECADES).for_delta(math.log(1e-6))
    made = [RoughLaw.of(one.saddle(DECADES).cells, [n for _, n in one.steps.items], point) for one in (whole, halves)]
    assert made[1].for_delta(-14.0) == pytest.approx(made[0].for_delta(-14.0), rel=1e-9)


def test_what_is_not_in_sight_is_not_found() -> None:
    law, _ = law_of(copies(100), 1e-6)
    assert law.for_delta(0.0) is None
    assert law.for_delta(-690.0) is None


def test_no_law_is_made_where_the_saddle_point_does() -> None:
    regular = (tb.WithoutReplacement(tb.Gaussian(1.0), 100, examples=10000, relation="replace_one") * 10_000)._directions[0]
    assert regular.rough_law(DECADES, regular.saddle(DECADES).for_delta(math.log(1e-6))) is None
    far = SaddlePoint(2.0 * MOST_EPSILON, -14.0, 9, 1.29)
    assert copies(100).rough_law(DECADES, far) is None


def test_an_aimed_profile_is_sound_and_narrow_at_the_aim() -> None:
    direction = copies(100)
    question = EpsilonQuestion(direction, 1e-6, [])
    tilt = question.tilt(1e-3)
    aim = question.aim(tilt)
    assert aim is not None
    profiles = [direction.profile(*tilt, width_index_of(0.004), 1e9, at) for at in (None, aim)]
    ends = [(one.delta_lower(4.4616), one.delta_upper(4.4616)) for one in profiles if one is not None]
    assert max(lower for lower, _ in ends) <= min(upper for _, upper in ends)
    assert math.log(ends[1][1] / ends[1][0]) < 0.006 < math.log(ends[0][1] / ends[0][0])


def test_losses_far_beyond_the_answer_are_taken_apart_at_once() -> None:
    answer = (tb.Poisson(tb.Gaussian(1.0), 1e-3) * 10).epsilon(1e-6, direction="remove")
    assert [one.route for one in answer.trace] == ["large losses apart, few frequencies"]


def test_fine_profiles_take_large_losses_apart_where_these_gain() -> None:
    answer = (tb.Poisson(tb.Gaussian(1.0), 0.01, relation="replace_one") * 100).epsilon(1e-6, rtol=1e-4)
    assert answer.trace[0].route == "few frequencies"
    assert {one.route for one in answer.trace[1:]} == {"large losses apart, few frequencies"}


@pytest.mark.parametrize("count", [100, 10_000])
def test_one_grid_is_enough_for_the_usual_width(count: int) -> None:
    answer = (tb.WithReplacement(tb.Gaussian(1.0, sensitivity=0.5), 100, examples=10000) * count).epsilon(1e-6)
    assert [one.direction for one in answer.trace].count("both") == 1
