"""Saddle points found from a neighbour's: they are those that are found from nothing."""

import math

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.engine.saddle import Saddle
from tightbudget.engine.sharing.saddle import WarmSaddle
from tightbudget.engine.steps import Steps, engine_steps
from tightbudget.pairs.base import Direction

TAIL = -12.0 * math.log(10.0)


def composition(*sigmas: float) -> Steps:
    pairs = [tb.Poisson(tb.Gaussian(sigma), 0.01).pair(Direction.REMOVE) for sigma in sigmas]
    return engine_steps([(pair, 500) for pair in pairs if pair is not None])


STEPS = {"one": composition(1.3), "two": composition(1.1, 2.0)}


@pytest.mark.parametrize("away", [-0.3, 0.0, 0.3, 5.0, -math.inf, math.nan])
@pytest.mark.parametrize("kind", STEPS)
def test_the_saddle_point_does_not_depend_on_where_it_is_looked_for(kind: str, away: float):
    """From far away it is looked for as if nothing were known."""
    alone = Saddle(STEPS[kind], TAIL)
    for cold, ask in (
        (alone.for_delta(-14.0), lambda saddle: saddle.for_delta(-14.0)),
        (alone.for_epsilon(2.0), lambda saddle: saddle.for_epsilon(2.0)),
    ):
        starts = {"remove": math.log(cold.theta) + away}
        warm = ask(WarmSaddle(STEPS[kind], TAIL, starts, "remove"))
        assert warm.theta == pytest.approx(cold.theta, rel=0.06)
        assert warm.epsilon == pytest.approx(cold.epsilon, rel=0.02)
        assert warm.log_delta == pytest.approx(cold.log_delta, abs=0.2)
        assert starts["remove"] == pytest.approx(math.log(warm.theta))


def test_without_a_neighbour_it_is_looked_for_from_nothing_and_left_for_the_next():
    starts: dict[str, float] = {}
    found = WarmSaddle(STEPS["one"], TAIL, starts, "add").for_delta(-14.0)
    assert starts == {"add": pytest.approx(math.log(found.theta))}


def test_tilts_are_the_same_for_all_compositions():
    first, second = (WarmSaddle(STEPS[kind], TAIL, {}, "remove") for kind in STEPS)
    index = first.for_delta(-14.0).tilt_index
    assert first.at_index(index).theta == second.at_index(index).theta
    assert first.at_index(index + 8).theta == 2.0 * first.at_index(index).theta


@pytest.mark.parametrize("kind", STEPS)
def test_a_tilt_knows_the_spread_of_the_loss_there(kind: str):
    warm = WarmSaddle(STEPS[kind], TAIL, {}, "remove")
    found = warm.for_delta(-14.0)
    near, exact = warm.at_index(found.tilt_index), warm._cumulants(np.array([warm.at_index(found.tilt_index).theta]))
    assert near.theta == pytest.approx(found.theta, rel=0.05)
    assert near.deviation**2 == pytest.approx(exact.variance[0], rel=1e-9)
    assert near.root_curvature**2 == pytest.approx(exact.curvature[0], rel=1e-9)


@pytest.mark.parametrize("log_delta", [-1e-9, -700.0, 0.0])
def test_extreme_questions_have_finite_answers(log_delta: float):
    found = WarmSaddle(STEPS["one"], TAIL, {"remove": 1.0}, "remove").for_delta(log_delta)
    assert math.isfinite(found.epsilon)
    assert math.isfinite(found.log_delta)
