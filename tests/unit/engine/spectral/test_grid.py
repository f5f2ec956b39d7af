"""Grids: whole numbers in increasing order that reach beyond every window, fine where the mass is, and not too many."""

import math

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.engine.discretisation.discretise import discretise
from tightbudget.engine.saddle import Saddle
from tightbudget.engine.spectral.grid import SpectralGrid, spectral_grid
from tightbudget.engine.steps import Steps, engine_steps
from tightbudget.engine.target import PlanTarget, aligned_step, target_for
from tightbudget.numerics.convolve import TooWide
from tightbudget.pairs.base import Alignment, Direction

COMPOSITIONS = {
    "laplace": [(tb.Laplace(2.0), 100)],
    "subsampled gaussian": [(tb.Poisson(tb.Gaussian(1.0), 0.01), 10_000)],
    "randomised response": [(tb.RandomizedResponse(0.25), 1000)],
    "different": [(tb.Laplace(20.0), 100), (tb.Poisson(tb.Gaussian(0.8), 0.05), 30), (tb.DiscreteLaplace(5.0), 7)],
}


def asked(name: str, width: float = 1e-3, tilt_index: int = 4) -> PlanTarget:
    composed: Steps = engine_steps((mechanism.pair(Direction.REMOVE), count) for mechanism, count in COMPOSITIONS[name])
    saddle = Saddle(composed, -40.0)
    return target_for(composed, saddle.at_index(tilt_index), width, saddle.cells)


def made(name: str, width: float = 1e-3) -> tuple[PlanTarget, SpectralGrid]:
    wanted = asked(name, width)
    return wanted, spectral_grid(wanted, 2.0**19)


@pytest.mark.parametrize("width", [0.1, 1e-3, 1e-5])
@pytest.mark.parametrize("name", COMPOSITIONS)
def test_places_are_whole_and_increase(name: str, width: float):
    _, found = made(name, width)
    assert (found.places == np.round(found.places)).all()
    assert (np.diff(found.places) >= 1.0).all()


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_every_leaf_fits(name: str):
    wanted, found = made(name)
    for (pair, _), span, anchor in zip(wanted.steps.items, wanted.windows, found.anchors, strict=True):
        one = discretise(pair, span, found.step, wanted.tilt.theta, anchor, found.places)
        assert found.places[one.begin] * found.step + anchor <= span.low
        assert found.places[one.begin + one.spread.size - 1] * found.step + anchor >= span.high


@pytest.mark.parametrize("name", ["subsampled gaussian", "different"])  # the points of the others lie on the grid
def test_the_variance_that_is_added_is_about_what_was_asked(name: str):
    """The law of the width: tilted mass times squared distance of the points around it."""
    wanted, found = made(name)
    added = 0.0
    for (pair, count), span, anchor in zip(wanted.steps.items, wanted.windows, found.anchors, strict=True):
        one = discretise(pair, span, found.step, wanted.tilt.theta, anchor, found.places)
        gaps = found.step * np.diff(found.places)[one.begin : one.begin + one.spread.size - 1]
        added += count * float(one.merged.rows[0, 1:] @ gaps**2)
    assert added <= 4.0 * wanted.variance


def test_a_graded_grid_is_shorter_than_an_even_one():
    wanted, found = made("subsampled gaussian")
    span = wanted.windows[0]
    assert found.places.size < 0.5 * (span.high - span.low) / found.step


def test_points_of_a_lattice_lie_on_the_grid():
    wanted, found = made("randomised response")
    for loss in wanted.steps.items[0][0].points().low:
        place = (loss - found.anchors[0]) / found.step
        assert abs(place - found.places[np.abs(found.places - place).argmin()]) <= 1e-9


def test_too_many_points_are_refused():
    with pytest.raises(TooWide):
        spectral_grid(asked("laplace", 1e-6), 100.0)


@pytest.mark.parametrize("step", [0.3, 1e-7, 7.7])
def test_a_free_step_has_few_bits(step: float):
    found = aligned_step(step, None)
    assert 0.999 * step <= found <= step
    assert float.fromhex(found.hex()) * 2.0 ** (20 - math.frexp(found)[1]) % 1.0 == 0.0


@pytest.mark.parametrize("step", [0.03, 0.7, 5.0])
def test_an_aligned_step_fits_the_period(step: float):
    for off_lattice in (0.0, 1.0):
        found = aligned_step(step, Alignment(0.0, 1.0, off_lattice))
        if off_lattice == 0.0 or step <= 1.0:
            assert found <= max(step, 1.0)
            assert math.frexp(found)[0] == 0.5  # a power of two times the period
        else:
            assert found <= step
