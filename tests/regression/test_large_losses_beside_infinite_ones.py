"""Large losses taken apart beside steps that may reveal everything: what happens together is counted once (M20)."""

import math

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.engine.large_losses import layers
from tightbudget.engine.large_losses.apart import SplitDirection, loss_ceilings
from tightbudget.engine.large_losses.layers import layered_direction
from tightbudget.engine.steps import Steps, engine_steps
from tightbudget.pairs.base import Direction
from tightbudget.pairs.below import BelowPair, can_be_cut
from tightbudget.pairs.points import point_pair

TOLD, LARGE = 0.3, 0.3
"""Probabilities of a component 20,000 sigmas away, and that noise of next to no scale is drawn: its loss is then 40."""

AT_SIGHT = tb.MixtureOfGaussians(1, [0, 20_000], [1 - TOLD, TOLD])
RARE = tb.Poisson(tb.Laplace(1 / 40), q=LARGE)
EITHER = 1 - (1 - TOLD) * (1 - LARGE)  # 0.51: counted apart they are 0.6


def most(rest: tb.Composition, epsilon: float) -> float:
    """Return an upper bound on delta: either event reveals all, and without both there is the rest."""
    return 1 - (1 - TOLD) * (1 - LARGE) * (1 - rest.delta(epsilon, direction="remove").upper)


@pytest.mark.parametrize("noise", [tb.Gaussian(5), tb.Gaussian(20)])
@pytest.mark.parametrize("epsilon", [0.5, 5.0])
def test_delta_of_an_infinite_loss_beside_a_large_one(noise: tb.Gaussian, epsilon: float):
    rest = tb.Poisson(noise, q=0.1) * 3
    found = (AT_SIGHT + RARE + rest).delta(epsilon, direction="remove")
    assert found.lower <= most(rest, epsilon)
    assert found.upper >= EITHER * (1 - 1e-9)
    assert found.converged


def test_epsilon_of_an_infinite_loss_beside_a_large_one():
    """delta(0) is below 0.53, so that the answer is 0; it was 2.27 at either end."""
    rest = tb.Poisson(tb.Gaussian(20), q=0.1) * 100
    assert most(rest, 0.0) < 0.53
    assert (AT_SIGHT + RARE + rest).epsilon(0.53).lower == 0.0


def steps_of(*mechanisms: tb.Mechanism) -> Steps:
    pairs = [mechanism.pair(Direction.REMOVE) for mechanism in mechanisms]
    return engine_steps((pair, 1) for pair in pairs if pair is not None)


def test_infinite_losses_have_a_ceiling_where_others_do():
    steps = steps_of(AT_SIGHT, RARE, tb.Poisson(tb.Gaussian(5), q=0.1))
    assert all(math.isfinite(ceiling) for ceiling in loss_ceilings(steps, 1.0)[:2])
    without = steps_of(AT_SIGHT, tb.Poisson(tb.Laplace(10.0), q=LARGE))
    assert all(math.isinf(ceiling) for ceiling in loss_ceilings(without, 1.0))


def test_beside_a_part_of_a_pair_an_infinite_mass_is_an_upper_bound():
    told, rare = (mechanism.pair(Direction.REMOVE) for mechanism in (AT_SIGHT, RARE))
    assert told is not None
    assert rare is not None
    both, part = Steps(((told, 1), (rare, 1))), Steps(((told, 1), (BelowPair(rare, 5.0), 1)))
    assert both.infinity.at(1.0).lower == pytest.approx(TOLD)
    assert part.infinity.at(1.0).lower == 0.0
    assert part.infinity.upper == both.infinity.upper


def test_any_ceilings_are_sound_beside_infinite_losses():
    steps = steps_of(AT_SIGHT, RARE, tb.Poisson(tb.Gaussian(5), q=0.1))
    rest = tb.Poisson(tb.Gaussian(5), q=0.1) * 1
    for ceilings in ((math.inf, 5.0, math.inf), (5.0, 5.0, math.inf), (5.0, math.inf, math.inf), (math.inf, math.inf, 0.1)):
        split = SplitDirection(steps, ceilings)
        tilt_index = split.small.saddle(6).for_epsilon(0.5).tilt_index
        profile = split.profile(6, tilt_index, -20, 2.0**17)
        assert profile is not None
        assert profile.delta_lower(0.5) <= most(rest, 0.5)
        assert profile.delta_upper(0.5) >= EITHER * (1 - 1e-9)


def many_points() -> tuple[BelowPair, np.ndarray]:
    """Return a pair of more points than coarse cells, of which each holds four, and its losses."""
    losses = np.linspace(-2.0, 2.0, 2048)
    logs = -0.5 * losses * losses
    logs -= np.logaddexp.reduce(logs)
    return BelowPair(point_pair(("many",), losses, logs, logs - losses, error=1e-12), math.inf), losses


def test_a_ceiling_inside_a_cell_of_several_points_is_refused(monkeypatch: pytest.MonkeyPatch):
    whole, losses = many_points()
    pair = whole.base
    inside, end = float(losses[1025]), float(losses[1027])  # cells hold four points each: 1024 to 1027
    assert not can_be_cut(pair, inside)
    assert not can_be_cut(pair, float(losses[1024]))
    assert can_be_cut(pair, end)
    assert can_be_cut(pair, 0.5 * (end + float(losses[1028])))
    with pytest.raises(AssertionError, match="several point masses"):
        BelowPair(pair, inside).coarse_cells()
    kept = BelowPair(pair, end)
    assert np.exp(kept.coarse_cells().log_a).sum() == pytest.approx(np.exp(kept.points().log_a).sum(), rel=1e-12)

    steps = Steps(((pair, 3),))
    monkeypatch.setattr(layers, "_thinnest_loss", lambda cells, theta: inside)
    assert layered_direction(steps, 1.0, 6, 0.5) is None
    monkeypatch.setattr(layers, "_thinnest_loss", lambda cells, theta: end)
    assert layered_direction(steps, 1.0, 6, 0.99) is not None


def test_a_ceiling_anywhere_cuts_a_continuous_pair():
    pair = tb.Poisson(tb.Gaussian(0.5), q=0.1).pair(Direction.REMOVE)
    assert pair is not None
    for cell in (20, 60, 100):
        coarse = pair.coarse_cells()
        assert can_be_cut(pair, 0.5 * (float(coarse.low[cell]) + float(coarse.high[cell])))
