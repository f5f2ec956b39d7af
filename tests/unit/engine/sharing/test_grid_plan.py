"""Grids and frequencies of one composition on its neighbours: they fit or are refused, and what is found holds."""

import math

import mpmath
import pytest
from mpmath import mpf
from tests.reference.truth import ends
from tests.reference.truth_contour import contour
from tests.reference.truth_subsampled import SubsampledGaussianLaw

import tightbudget as tb
from tightbudget.engine.direction import MOST_PLACES, OneDirection
from tightbudget.engine.sharing.grid_plan import GridPlan, planned_spectrum
from tightbudget.engine.spectral.profile import SpectralProfile
from tightbudget.engine.spectral.spectrum import Spectrum
from tightbudget.engine.steps import engine_steps
from tightbudget.engine.target import PlanTarget, target_for
from tightbudget.numerics.convolve import TooWide
from tightbudget.pairs.base import Direction
from tightbudget.pairs.infinite_mass import NOWHERE

DECADES, WIDTH = 12, 0.01
EPSILON = 1.5


def target(sigma: float, q: float, count: int, width: float = WIDTH) -> PlanTarget:
    pair = tb.Poisson(tb.Gaussian(sigma), q).pair(Direction.REMOVE)
    assert pair is not None
    direction = OneDirection(engine_steps([(pair, count)]))
    saddle = direction.saddle(DECADES)
    return target_for(direction.steps, saddle.at_index(saddle.for_epsilon(EPSILON).tilt_index), width, saddle.cells)


def plan_for(asked: PlanTarget) -> GridPlan:
    _, _, plan = planned_spectrum(asked, MOST_PLACES)
    assert plan is not None
    return plan


PLAN = plan_for(target(1.5, 0.01, 1000))


def check(sigma: float, q: float, count: int, found: Spectrum | None) -> float:
    """Compare with the truth, and return the width in log delta."""
    assert found is not None
    profile = SpectralProfile.of(found, 1.2 * 10.0**-DECADES, NOWHERE, 0.0)
    lower, upper = profile.delta_lower(EPSILON), profile.delta_upper(EPSILON)
    low, high = ends(contour([(SubsampledGaussianLaw(sigma, q, remove=True), count)], EPSILON, digits=12))
    assert mpf(lower) <= high
    assert low <= mpf(upper)
    return float(mpmath.log(upper / lower))


@pytest.mark.parametrize("point", [(1.5, 0.01, 1000), (1.51, 0.01, 1000), (1.48, 0.0101, 1000), (1.5, 0.0098, 1040)])
def test_a_neighbour_follows_the_plan(point):
    asked = target(*point)
    step = PLAN.step_for(asked)
    assert step is not None
    found, again = PLAN.follow(asked, step)
    assert again.grid is PLAN.grid
    assert check(*point, found) < 2.0 * WIDTH


@pytest.mark.parametrize("point", [(1.5, 0.01, 4), (0.7, 0.01, 1000), (1.5, 0.2, 1000), (6.0, 0.01, 1000)])
def test_who_is_far_away_does_not(point):
    assert PLAN.step_for(target(*point)) is None


@pytest.mark.parametrize("width", [0.25, 1e-5])
def test_a_plan_for_another_width_is_no_plan(width: float):
    assert PLAN.step_for(target(1.5, 0.01, 1000, width)) is None


@pytest.mark.parametrize("stretch", [0.25, 0.5, 0.7, 1.5, 3.0])
@pytest.mark.parametrize("point", [(1.5, 0.01, 1000), (1.9, 0.012, 700)])
def test_any_step_is_sound_or_refused(point, stretch: float):
    """Where the grid does not reach as far as the losses, or leaves more out than it says, there is no bracket."""
    asked = target(*point)
    try:
        found, _ = PLAN.follow(asked, stretch * PLAN.grid.step)
    except TooWide:
        assert stretch < 1.0
        return
    if found is not None:
        check(*point, found)


@pytest.mark.slow
def test_frequencies_that_do_not_serve_are_chosen_anew():
    """Of a third of the steps the law is narrower: more frequencies matter than the plan has."""
    asked = target(1.5, 0.01, 300)
    found, again = PLAN.follow(asked, PLAN.grid.step)
    assert again.frequencies is not PLAN.frequencies
    assert check(1.5, 0.01, 300, found) < math.inf


def test_a_plan_whose_frequencies_never_serve_is_given_up():
    asked, plan = target(1.5, 0.01, 300), PLAN
    for count in (300, 150, 80):
        if not plan.hopeless:
            asked = target(1.5, 0.01, count)
            _, plan = plan.follow(asked, plan.grid.step)
    assert plan.hopeless
    tries = 0
    while plan.hopeless:
        plan, tries = plan.rested(), tries + 1
    assert 1 < tries < 20  # left alone for a while, not for good
    _, again = PLAN.follow(target(1.5, 0.01, 1000), PLAN.grid.step)
    assert not again.hopeless


def test_the_step_used_last_is_used_again_where_it_will_do():
    asked = target(1.5, 0.01, 1040)
    step = PLAN.step_for(asked)
    assert step is not None
    _, plan = PLAN.follow(asked, step)
    assert plan.step_for(target(1.5, 0.01, 1045)) == step


def test_losses_on_a_lattice_make_no_plan():
    pair = tb.Poisson(tb.Laplace(2.0), 0.1).pair(Direction.REMOVE)
    assert pair is not None
    direction = OneDirection(engine_steps([(pair, 100)]))
    saddle = direction.saddle(DECADES)
    asked = target_for(direction.steps, saddle.at_index(saddle.for_epsilon(1.0).tilt_index), WIDTH, saddle.cells)
    made, points, plan = planned_spectrum(asked, MOST_PLACES)
    assert made is not None
    assert points > 0
    assert plan is None
