"""Leaves: the index of an event, and what is booked when it is put there."""

import math

import numpy as np
import pytest

from tightbudget.numerics.mass import Mass
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.points import PointPair, point_pair
from tightbudget.research.published.buckets import REAL, VIRTUAL, A
from tightbudget.research.published.leaves import leaf_buckets

STEP, N = 0.125, 8


def points(losses: list[float], mass: float = 1.0, **others: float | Mass) -> PointPair:
    """Return equally likely events under A, of this mass, with these losses; B gets what the losses say."""
    place = np.array(losses)
    log_a = np.full(place.size, math.log(mass / place.size))
    return point_pair(("points", *losses), place, log_a, log_a - place, **{"error": 0.0, **others})


@pytest.mark.parametrize(
    ("loss", "index"),
    [(0.0, 0), (1e-6, 1), (-1e-6, 0), (0.125, 1), (0.1251, 2), (-0.125, -1), (-0.1249, 0), (1.0, 8), (-1.0, -8), (-3.0, -8)],
)
def test_definition_4_the_index_of_an_event(loss: float, index: int):
    mass = 0.04  # the rest does not matter; B has at most 1
    buckets = leaf_buckets(points([loss], mass), STEP, N)
    assert buckets.indices[buckets.B > 0.0].tolist() == [index]
    assert buckets.infinity == 0.0
    term = mass * (math.exp(-loss) - math.exp(-index * STEP))
    assert buckets.ell_virtual.sum() == pytest.approx(term, abs=1e-14)
    assert buckets.ell.sum() == pytest.approx(0.0 if index == -N else term, abs=1e-14)


def test_definition_4_beyond_n_is_infinity():
    buckets = leaf_buckets(points([1.01]), STEP, N)
    assert buckets.infinity == pytest.approx(1.0, rel=1e-14)
    assert buckets.distinguishing == 0.0
    assert buckets.over_b == pytest.approx(math.exp(-1.01), rel=1e-14)
    assert not buckets.B.any()


def test_a_loss_moved_down_to_an_edge_is_slack():
    above = STEP * (1.0 + 0.9e-9)
    buckets = leaf_buckets(points([above]), STEP, N)
    assert buckets.indices[buckets.B > 0.5].tolist() == [1]
    assert buckets.loss_shift >= above - STEP > 1e-11


def test_doubt_about_a_loss_is_slack():
    assert leaf_buckets(points([0.3], loss_error=1e-5), STEP, N).loss_shift >= 1e-5


def test_errors_of_masses_are_booked():
    error = leaf_buckets(points([0.3, -0.2], error=1e-6), STEP, N).error
    assert error[A] >= 1e-6
    mass_b = 0.5 * (math.exp(-0.3) + math.exp(0.2))
    assert error[REAL] >= 0.999e-6 * mass_b
    assert error[VIRTUAL] >= 0.999e-6 * mass_b


def test_tails_that_are_not_resolved_are_booked():
    assert leaf_buckets(points([0.3], unresolved=1e-7), STEP, N).error[A] >= 1e-7


def test_infinite_mass_is_booked_and_counted_from_below():
    buckets = leaf_buckets(points([0.3], infinity=InfiniteMass(Mass.about(math.log(0.25), 1e-6))), STEP, N)
    assert buckets.infinity >= 0.25 * math.exp(1e-6)
    assert buckets.error[A] >= 0.49e-6
    assert buckets.distinguishing <= 0.25 * math.exp(-1e-6)
    assert buckets.distinguishing == pytest.approx(0.25, rel=1e-5)
