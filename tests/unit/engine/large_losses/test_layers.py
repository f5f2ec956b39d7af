"""Compositions by the number of their large losses: the layers add up to the whole, and none can be left out."""

import math

import numpy as np
import pytest
from flint import ctx
from mpmath import mpf
from tests.reference import truth, truth_subsampled
from tests.support.lanes import mostly_slow
from tests.support.readings import hockey_stick
from tests.support.spiked import composed, mirrored

import tightbudget as tb
from tightbudget.engine.direction import OneDirection
from tightbudget.engine.large_losses.layers import (
    LayeredDirection,
    LayeredProfile,
    _large_loss_selections,
    _LossLayer,
    _parts_of_layers,
    layered_direction,
)
from tightbudget.engine.steps import Steps
from tightbudget.pairs.above import AbovePair
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.below import BelowPair

EPSILONS = (0.0, 0.3, 0.9, 1.2, 1.7, 1.9, 2.05, 2.6, 3.1, 4.3)


def direction(steps: Steps, ceilings: tuple[float, ...], most: int, beyond: float, epsilon: float) -> LayeredDirection:
    chosen = [
        _LossLayer(ways, OneDirection(Steps(items)))
        for ways, items in _large_loss_selections(_parts_of_layers(steps, ceilings), most)
    ]
    return LayeredDirection(chosen, ceilings, beyond, epsilon, None)


def reading(steps: Steps, ceilings: tuple[float, ...], most: int, beyond: float, epsilon: float) -> LayeredProfile | None:
    made = direction(steps, ceilings, most, beyond, epsilon).profile(30, 0, -24, 2.0**19)
    assert made is None or isinstance(made, LayeredProfile)
    return made


ONE = Steps(((mirrored(2.0, 1e-3), 5),))
TWO = Steps(((mirrored(2.0, 1e-3), 3), (mirrored(1.5, 0.05, small=0.25), 2)))
CASES = {"one item": (ONE, (1.0,)), "two items": (TWO, (1.0, 0.75)), "one of two": (TWO, (math.inf, 0.75))}


def mean_number(steps: Steps, ceilings: tuple[float, ...]) -> float:
    """Return the mean number of large losses."""
    large = [(part, count) for _, part, count in _parts_of_layers(steps, ceilings) if part is not None]
    return math.fsum(count * math.exp(part.log_mass) for part, count in large)


@pytest.mark.slow
@pytest.mark.parametrize("most", mostly_slow([0, 1, 3, 5], every=4, first=1))
@pytest.mark.parametrize("name", mostly_slow(CASES, every=3, first=1))
def test_the_truth_lies_between(name: str, most: int):
    steps, ceilings = CASES[name]
    beyond = mean_number(steps, ceilings) ** (most + 1) / math.factorial(most + 1)
    masses, readings = composed(steps), 0
    for epsilon in EPSILONS:
        made = reading(steps, ceilings, most, beyond, max(epsilon, 0.05))
        if made is None:  # no tilt of some layer, of which nothing but one or two losses is left, is any good
            continue
        readings += 1
        true = hockey_stick(masses, mpf(epsilon))
        assert mpf(made.delta_lower(epsilon)) <= true * (1 + mpf("1e-12"))
        assert true <= mpf(made.delta_upper(epsilon)) * (1 + mpf("1e-12"))
    assert readings > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("most", "least_share", "most_share"), [(5, 0.98, 1.02), (0, 0.0, 0.9999)], ids=["all", "none"])
def test_all_layers_together_are_the_whole_and_none_can_be_left_out(
    name: str, most: int, least_share: float, most_share: float
):
    """As if nothing lay beyond the layers that are made."""
    steps, ceilings = CASES[name]
    true = float(hockey_stick(composed(steps), mpf("1.2")))
    made = reading(steps, ceilings, most, 0.0, 1.2)
    assert made is not None
    assert least_share * true <= made.delta_lower(1.2) <= made.delta_upper(1.2) <= most_share * true


def test_the_ways_add_up():
    """Every composition is in exactly one layer: with masses of 1 the number of layers' ways is 2 to the number of
    steps.
    """
    for steps, ceilings, pairs in ((ONE, (1.0,), 5), (TWO, (1.0, 0.75), 5), (TWO, (math.inf, 0.75), 2)):
        assert sum(ways for ways, _ in _large_loss_selections(_parts_of_layers(steps, ceilings), 5)) == 2**pairs


def test_a_layer_that_cannot_be_made_is_not_left_out(monkeypatch: pytest.MonkeyPatch):
    """Then there is no reading at all."""
    whole = direction(ONE, (1.0,), 2, 0.0, 1.2)
    monkeypatch.setattr(whole._layers[1].direction, "profile", lambda *_: None)
    assert whole.profile(30, 0, -24, 2.0**19) is None


def pair_of(text: str, way: Direction) -> Pair:
    pair = tb.parse(text).pair(way)
    assert pair is not None
    return pair


@pytest.mark.parametrize("way", list(Direction))
@pytest.mark.parametrize("text", ["poisson(gaussian(1), 0.01)", "poisson(gaussian(0.5), 0.0001)", "gaussian(2)"])
@pytest.mark.parametrize("place", [0.2, 0.5, 0.8])
def test_both_parts_of_a_pair_are_all_of_it(text: str, way: Direction, place: float):
    """Also where the ceiling cuts one of the coarse cells; on any grid."""
    pair = pair_of(text, way)
    whole = pair.coarse_cells()
    i = int(place * whole.size)
    for ceiling in (float(whole.high[i]), 0.3 * float(whole.low[i]) + 0.7 * float(whole.high[i])):
        below = BelowPair(pair, ceiling)
        above = AbovePair(below)
        edges = np.linspace(float(whole.low[max(0, i - 20)]), float(whole.high[min(i + 20, whole.size - 1)]), 40)
        between = pair.cells(edges)
        for name in ("log_a", "log_b"):
            coarse = np.exp(getattr(below.coarse_cells(), name)).sum() + np.exp(getattr(above.coarse_cells(), name)).sum()
            assert coarse == pytest.approx(np.exp(getattr(whole, name)).sum(), rel=1e-9)
            parts = np.exp(getattr(below.cells(edges), name)) + np.exp(getattr(above.cells(edges), name))
            np.testing.assert_allclose(parts, np.exp(getattr(between, name)), rtol=1e-9)
        assert (np.diff(below.coarse_cells().low) >= 0.0).all()
        assert (np.diff(above.coarse_cells().low) >= 0.0).all()
        assert below.coarse_cells().high.max() <= ceiling <= above.coarse_cells().low.min()


def test_an_edge_that_is_not_sharp_is_in_the_error():
    """Events within the pair's error_bound of the ceiling may be on either side: the first cell says so, and no
    other.
    """
    pair = pair_of("poisson(gaussian(1), 0.01)", Direction.REMOVE)
    below = BelowPair(pair, 0.05)
    for end in (0.06, 0.05 + 100.0 * below.error_bound):
        edges = np.array([0.04, 0.05, end, end + 0.01])
        found, sharp = AbovePair(below).cells(edges), pair.cells(edges)
        strip = pair.cells(np.array([below.ceiling - below.error_bound, below.ceiling + below.error_bound]))
        assert math.exp(sharp.log_a[1]) * math.expm1(found.error[1] - sharp.error[1]) >= math.exp(strip.log_a[0]) * 0.99
        assert found.error[2] == sharp.error[2]
        assert found.log_a[0] == -math.inf


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sigma", "q", "count", "delta"),
    [(1.41441, 0.000660256, 30536, 1.937e-15)],
)
def test_runs_in_which_a_medium_loss_decides(sigma: float, q: float, count: int, delta: float, monkeypatch: pytest.MonkeyPatch):
    """Neither the bulk alone nor one large loss alone gives delta here: these brackets once were 0.5 % wide."""
    found = (tb.Poisson(tb.Gaussian(sigma), q) * count).epsilon(delta)
    assert found.converged
    monkeypatch.setattr(truth_subsampled, "MOST_TERMS", 10**6)
    law = truth.SubsampledGaussianLaw(sigma, q, remove=True)
    with ctx.workprec(400):
        assert truth.contour([(law, count)], found.lower, digits=6).upper() >= truth.ball(delta)
        assert truth.contour([(law, count)], found.upper, digits=6).lower() <= truth.ball(delta)


def test_no_layers_without_losses_that_stand_out():
    pair = pair_of("poisson(gaussian(4), 0.5)", Direction.REMOVE)
    assert layered_direction(Steps(((pair, 100),)), 0.5, 12, 1e-9) is None
