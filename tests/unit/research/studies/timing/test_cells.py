"""Samples into counts."""

import math
from typing import Any

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.research.studies.timing import Confident, Measured, from_counts, measure, regular_edges, synthetic


def test_values_on_an_edge_belong_above_it():
    measured = measure([0.5, 1.0, 1.5, 2.0, 9.0], [1.0, -4.0], edges=[1.0, 2.0])
    assert (measured.a, measured.b) == ((1, 2, 2), (1, 1, 0))
    assert measured.edges == (1.0, 2.0)


def test_the_model_is_the_histograms():
    measured = from_counts((3, 1, 0), (1, 2, 1))
    assert measured.plug_in(2) == tb.Histograms((3, 1, 0), (1, 2, 1)) * 2
    assert measured.revealing == (0.0, 0.25)
    # only the middle cell has a larger share of b among those both hit, and the last reveals b: (2/4 - 1/4) + 1/4
    assert measured.plug_in(1).delta(0.0).lower <= 0.5 <= measured.plug_in(1).delta(0.0).upper


def test_those_who_choose_the_cells_are_not_counted():
    a, b = synthetic(1000, active=True, seed=3), synthetic(500, active=False, seed=3)
    measured = measure(a, b, cells=8, pilot=0.2)
    assert (sum(measured.a), sum(measured.b)) == (800, 400)
    assert len(measured.a) == 8
    assert measured == measure(a, b, cells=8, pilot=0.2)
    assert measured != measure(a, b, cells=8, pilot=0.2, seed=1)
    assert min(measured.a + measured.b) > 10


def test_changing_what_is_counted_leaves_the_cells_alone():
    """The edges may depend on the pilot only; this is what the confidence rests on."""
    a, b = np.arange(1000.0), np.arange(1000.0) + 0.5
    edges = measure(a, b).edges
    pilots = [set(np.random.default_rng(0).permutation(a)[:100])]
    changed = np.array([value if value in pilots[0] else 500.0 for value in a])
    assert measure(changed, b).edges == edges


def test_few_different_values_make_fewer_cells():
    measured = measure([1.0, 2.0] * 50, [1.0, 2.0] * 50, cells=10)
    assert measured.edges == (2.0,)
    assert sum(measured.a) == 90
    assert measure([1.0] * 50, [1.0] * 50).edges == ()


def test_regular_edges():
    assert regular_edges(0, 1, 0.25) == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert regular_edges(0, 1, 0.4)[-1] >= 1.0
    assert len(regular_edges(2000, 2060, 0.1)) == 601


@pytest.mark.parametrize(
    "work",
    [
        lambda: measure([], [1.0]),
        lambda: measure([1.0], [math.nan]),
        lambda: measure([1.0, math.inf], [1.0]),
        lambda: measure(["a"], [1.0]),
        lambda: measure([[1.0]], [1.0]),
        lambda: measure([1.0], [2.0]),  # too few to set any aside
        lambda: measure([1.0] * 20, [2.0] * 20, cells=1),
        lambda: measure([1.0] * 20, [2.0] * 20, cells=2000),
        lambda: measure([1.0] * 20, [2.0] * 20, pilot=0.0),
        lambda: measure([1.0] * 20, [2.0] * 20, pilot=1.0),
        lambda: measure([1.0] * 20, [2.0] * 20, pilot=2.0),
        lambda: measure([1.0], [2.0], edges=[]),
        lambda: measure([1.0], [2.0], edges=[2.0, 1.0]),
        lambda: measure([1.0], [2.0], edges=[1.0, 1.0]),
        lambda: measure([1.0], [2.0], edges=[math.nan]),
        lambda: measure([1.0], [2.0], edges=range(5000)),
        lambda: from_counts([1, 2], [1, 2, 3]),
        lambda: from_counts([0, 0], [1, 2]),
        lambda: from_counts([1.5, 0], [1, 2]),
        lambda: from_counts([-1, 2], [1, 2]),
        lambda: from_counts([], []),
        lambda: from_counts(5, [1]),
        lambda: from_counts([1] * 1001, [1] * 1001),
        lambda: regular_edges(1, 0, 0.1),
        lambda: regular_edges(0, 1, 0),
        lambda: regular_edges(0, 1, 1e-9),
        lambda: regular_edges(0, math.inf, 1),
        lambda: regular_edges(math.nan, 1, 1),
        lambda: from_counts([1], [1]).plug_in(-1),
        lambda: from_counts([1], [1]).confidence_bounds(1.5),
    ],
)
def test_bad_samples(work):
    with pytest.raises(tb.InvalidParameter):
        work()


def test_one_cell_tells_nothing():
    measured = Measured((5,), (7,))
    assert measured.plug_in(9).delta(0.0).upper < 1e-11
    assert measured.confidence_bounds(9).delta(0.0).upper == 0.0


def test_no_observations():
    assert from_counts((3, 1), (1, 3)).confidence_bounds(0).delta(0.0).upper == 0.0


BAD_COUNTS: list[tuple[Any, Any]] = [
    ((), ()),
    ((1,), (1, 2)),
    ((1, -1), (1, 1)),
    ((1, 0.5), (1, 1)),
    ((1, math.nan), (1, 1)),
    ((0, 0), (1, 1)),
    ((1, 1), (0, 0)),
    ("12", (1, 2)),
    (None, (1, 2)),
    (7, 7),
    ((1,) * 1001, (1,) * 1001),
    (np.ma.array([1, 2], mask=[True, False]), (1, 2)),
]


@pytest.mark.parametrize(("a", "b"), BAD_COUNTS, ids=range(len(BAD_COUNTS)))
def test_bad_counts_by_any_way(a: Any, b: Any) -> None:
    for build in (Measured, from_counts, lambda a, b: Confident(a, b, 3, 0.9)):
        with pytest.raises(tb.InvalidParameter):
            build(a, b)
        with pytest.raises(tb.InvalidParameter):
            build(b, a)


@pytest.mark.parametrize(
    "build",
    [
        lambda: Measured((1, 2), (3, 4), (1.0, 2.0)),
        lambda: Measured((1, 2, 3), (3, 4, 5), (2.0, 1.0)),
        lambda: Measured((1, 2), (3, 4), (math.nan,)),
        lambda: Measured((1, 2), (3, 4), ("x",)),
        lambda: Confident((1, 2), (3, 4), -1, 0.9),
        lambda: Confident((1, 2), (3, 4), 1.5, 0.9),
        lambda: Confident((1, 2), (3, 4), 1, 1.0),
        lambda: Confident((1, 2), (3, 4), 1, None),
        lambda: measure(np.ma.array([1.0, 2.0], mask=[True, False]), [1.0, 2.0], [1.5]),
    ],
)
def test_bad_measurements(build: Any) -> None:
    with pytest.raises(tb.InvalidParameter):
        build()


def test_counts_of_other_types() -> None:
    assert Measured(np.array([1, 2]), [3.0, 4], [0.5]) == Measured((1, 2), (3, 4), (0.5,))
    assert Confident([1, 2.0], np.array([3, 4]), 2.0, 0.9) == Confident((1, 2), (3, 4), 2, 0.9)


def test_the_former_name_of_confidence_bounds_works_and_says_what_to_write() -> None:
    measured = from_counts((400, 300, 300), (300, 350, 350))
    with pytest.warns(DeprecationWarning, match=r"confident\(\) .* write confidence_bounds\(\)"):
        found = measured.confident(5, 0.9)
    assert found.delta(0.2) == measured.confidence_bounds(5, 0.9).delta(0.2)
