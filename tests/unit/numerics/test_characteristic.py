"""Sums at some or all frequencies: however they are computed, the stated error covers the distance to the exact
sums.
"""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.lanes import mostly_slow

from tightbudget.numerics import characteristic as frequencies
from tightbudget.numerics.characteristic import (
    LONGEST_PERIOD,
    JoinedTurns,
    Turning,
    even_turns,
    from_to,
    joined_turns,
    odd_length,
    padded_rows,
    some_turns,
    transform,
    turned_angles,
    turns,
    whole_transform,
    wrapped_rows,
)
from tightbudget.numerics.rounding import U

PLACES = {
    "one": np.array([7.0]),
    "few": np.array([-3.0, 0.0, 1.0, 10.0]),
    "a block": np.arange(64.0),
    "blocks": np.cumsum(np.repeat([1.0, 2.0, 8.0, 64.0], 40)) - 500.0,
    "far": 2.0**45 + np.arange(100.0),
    "wide": np.sort(np.random.default_rng(3).integers(-(2**47), 2**47, 90)).astype(np.float64),
}


def law(size: int, seed: int = 1) -> np.ndarray:
    rows = np.random.default_rng(seed).uniform(0.0, 1.0, (2, size)) ** 6
    return rows / rows.sum(axis=1)[:, None]


def exact(row: np.ndarray, places: np.ndarray, angle: mpf) -> mpmath.mpc:
    """Return the sum of p_k e^{-i angle k}, with 40 digits."""
    with mpmath.workdps(60):
        return mpmath.fsum(mpf(p) * mpmath.expj(-angle * mpf(k)) for p, k in zip(row.tolist(), places.tolist(), strict=True))


def check(places: np.ndarray, at: Turning, angles: list[mpf]) -> float:
    """Compare with the exact sums at the exact angles; return the largest share of the stated error that was used."""
    rows = law(places.size)
    values, error = transform(padded_rows(rows), rows @ np.abs(places) * (1.0 + 1e-9), at)
    assert values.shape == error.shape == (2, len(angles))
    used = 0.0
    for i, row in enumerate(rows):
        for j, angle in enumerate(angles):
            off = float(abs(mpmath.mpc(complex(values[i, j])) - exact(row, places, angle)))
            assert off <= error[i, j]
            used = max(used, off / error[i, j])
    return used


@pytest.mark.parametrize("count", [1, 5, 40])
@pytest.mark.parametrize("name", PLACES)
def test_nodes_of_a_period(name: str, count: int):
    """The angles are nodes 2 pi j / M themselves, not the floats near them."""
    period, first = 2 * 10**5 + 1, 17
    with mpmath.workdps(60):
        angles = [2 * mpmath.pi * (first + j) / period for j in range(count)]
    check(PLACES[name], even_turns(PLACES[name], first, count, 2.0 * math.pi / period), angles)


@pytest.mark.parametrize("name", PLACES)
def test_angles_one_by_one(name: str):
    angles = np.array([0.0, 1e-12, 0.3, 1.0, math.pi])
    check(PLACES[name], turns(PLACES[name], angles), [mpf(angle) for angle in angles.tolist()])


@pytest.mark.parametrize("name", mostly_slow(["few", "blocks"], every=2))
def test_runs_come_in_their_order(name: str):
    period, runs = 1001, [(0, 3), (40, 20), (499, 2)]
    with mpmath.workdps(60):
        angles = [2 * mpmath.pi * j / period for first, count in runs for j in range(first, first + count)]
    at = some_turns(PLACES[name], runs, 2.0 * math.pi / period)
    assert at.angles == pytest.approx([float(angle) for angle in angles], rel=1e-15)
    check(PLACES[name], at, angles)


MANY = np.cumsum(np.repeat([1.0, 2.0, 8.0, 64.0], 175)) - 500.0  # more than are turned at once


@pytest.mark.parametrize("count", [49, 77, 200])
def test_even_angles_are_the_same_with_a_table_and_without(count: int):
    """Few rows are turned without one at many angles; many rows are not."""
    at = even_turns(MANY, 5, count, 2.0 * math.pi / 70_001)
    few, many = law(MANY.size), np.repeat(law(MANY.size), 5, axis=0)
    by_table, without = at.table().sums(padded_rows(few)), at.sums(padded_rows(few))
    _, error = transform(padded_rows(few), few @ np.abs(MANY), at)
    assert not (by_table == without).all()
    assert (np.abs(by_table - without) <= 2.0 * error).all()
    assert (at.sums(padded_rows(many)) == at.table().sums(padded_rows(many))).all()


@pytest.mark.slow
def test_even_angles_at_many_places():
    period, first, count = 70_001, 3, 60
    with mpmath.workdps(60):
        angles = [2 * mpmath.pi * (first + j) / period for j in range(count)]
    assert check(MANY, even_turns(MANY, first, count, 2.0 * math.pi / period), angles) < 0.5


@pytest.mark.parametrize("count", mostly_slow([4, 40], every=2))
def test_equal_parts_of_an_interval(count: int):
    at = from_to(PLACES["blocks"], 0.25, 0.75, count)
    assert at.angles == pytest.approx(np.linspace(0.25, 0.75, count + 1), rel=1e-15)
    with mpmath.workdps(60):
        check(PLACES["blocks"], at, [mpf(angle) for angle in at.angles.tolist()])


@pytest.mark.parametrize("name", mostly_slow(["few", "blocks"], every=2))
def test_parts_stay_in_their_order(name: str):
    """Short ones are joined with their neighbours, and long ones stand where they were."""
    places = PLACES[name]
    parts = [
        np.array([0.1, 0.7]),
        even_turns(places, 1, 3, 0.01),
        even_turns(places, 5, 30, 0.05),
        from_to(places, 2.0, 2.5, 4),
    ]
    at = joined_turns(places, parts)
    angles = [0.1, 0.7, *(0.01 * j for j in range(1, 4)), *(0.05 * j for j in range(5, 35)), *np.linspace(2.0, 2.5, 5)]
    assert at.angles == pytest.approx(angles, rel=1e-15)
    assert (at.table().angles == at.angles).all()
    with mpmath.workdps(60):
        check(places, at, [mpf(angle) for angle in at.angles.tolist()])


@pytest.mark.slow
def test_turns_side_by_side():
    places = PLACES["blocks"]
    both = JoinedTurns([turns(places, np.array([0.1])), even_turns(places, 1, 30, 0.05)])
    with mpmath.workdps(60):
        check(places, both, [mpf(0.1), *(mpf(0.05) * j for j in range(1, 31))])


def test_the_rounding_of_angles_is_needed():
    """At places near 2^45 a rounded angle is off by a good part of a turn of 1e-3: only the term with |u k| covers
    that.
    """
    places = PLACES["far"]
    period = 2 * 10**5 + 1
    with mpmath.workdps(60):
        angle = 2 * mpmath.pi * 99_991 / period
    rows = law(places.size)
    values, _ = transform(padded_rows(rows), np.zeros(2), even_turns(places, 99_991, 1, 2.0 * math.pi / period))
    _, without = transform(padded_rows(rows), np.zeros(2), even_turns(places, 99_991, 1, 2.0 * math.pi / period))
    off = abs(mpmath.mpc(complex(values[0, 0])) - exact(rows[0], places, angle))
    assert off > without[0, 0]


def test_sums_have_rounding_of_their_own():
    """Without any rounding of angles a sum of many terms is still not exact."""
    _, error = transform(padded_rows(law(6400)), np.zeros(2), turns(np.arange(6400.0), np.array([0.0])))
    assert (error >= U * math.sqrt(2.0) * (64.0 + 7.0)).all()  # a block, and 100 blocks added in pairs, in either part


@pytest.mark.parametrize("count", [1, 2, 3, 5, 64, 100])
def test_sums_of_blocks_lose_nothing(count: int):
    parts = np.random.default_rng(count).integers(-1000, 1000, (count, 2, 3)).astype(np.float64)
    assert (frequencies._pairwise_sum(parts) == parts.sum(axis=0)).all()  # of whole numbers, in any order


@pytest.mark.parametrize("size", [63, 64, 65, 129])
def test_padding_adds_nothing(size: int):
    rows = law(size)
    folded = padded_rows(rows)
    assert folded.shape[2] <= frequencies._BLOCK
    assert folded.transpose(1, 0, 2).reshape(2, -1)[:, :size] == pytest.approx(rows, abs=0.0)
    assert folded.sum() == pytest.approx(rows.sum(), rel=1e-14)


@pytest.mark.parametrize("period", [3, 1323, 2**31 - 1, 2**31 + 11, 2**40 - 1])
@pytest.mark.parametrize("steps", [0, 1, -1, 7, 10**6, 2**39 + 1, -(10**30) + 7])
def test_whole_turns_are_left_out_exactly(period: int, steps: int):
    nodes = np.unique(np.array([0, 1, 2, period // 3, period // 2 - 1, period // 2], dtype=np.int64))
    found = turned_angles(steps, nodes, period)
    with mpmath.workdps(60):
        for node, angle in zip(nodes.tolist(), found.tolist(), strict=True):
            exact = 2 * mpmath.pi * (steps * node % period) / period
            assert abs(exact - mpf(angle)) <= 3.0 * U * exact


def test_nodes_of_32_bits_are_no_different():
    """Where NumPy counts in 32 bits, a product of steps and nodes would wrap around without a word."""
    nodes = np.array([0, 5, 10**6, 2 * 10**6], dtype=np.int32)
    assert (
        turned_angles(3 * 10**6 + 1, nodes, 4 * 10**6 + 1)
        == turned_angles(3 * 10**6 + 1, nodes.astype(np.int64), 4 * 10**6 + 1)
    ).all()


def test_lengths_are_odd_smooth_and_close():
    for least in [1, 2, 3, 100, 1119, 2**15, 10**5, LONGEST_PERIOD]:
        length = odd_length(least)
        assert least <= length <= 1.2 * least + 2
        assert length % 2 == 1
        for factor in (3, 5, 7):
            while length % factor == 0:
                length //= factor
        assert length == 1
    assert odd_length(LONGEST_PERIOD + 1) == LONGEST_PERIOD + 2  # 3^12 is odd


@pytest.mark.parametrize(("size", "period"), [(1, 1), (1, 9), (5, 15), (12, 1323), (90, 2401), (300, 315)])
def test_transforms_at_every_node(size: int, period: int):
    rows = law(size)
    values, error = whole_transform(rows, period)
    assert values.shape == (2, period // 2 + 1)
    for i, row in enumerate(rows):
        for j in range(0, period // 2 + 1, max(1, period // 40)):
            with mpmath.workdps(60):
                angle = 2 * mpmath.pi * j / period
            off = abs(mpmath.mpc(complex(values[i, j])) - exact(row, np.arange(float(size)), angle))
            assert off <= error[i, 0]


@pytest.mark.parametrize("name", ["few", "a block", "blocks"])
def test_places_with_gaps_around_a_period(name: str):
    """Places below 0 count from the end of the period; none is as far as a period from another."""
    places = PLACES[name]
    rows, period = law(places.size), odd_length(int(places[-1] - places[0]) + 1)
    values, error = whole_transform(wrapped_rows(rows, places, period), period)
    for i, row in enumerate(rows):
        for j in (0, 1, 2, period // 4, period // 2):
            with mpmath.workdps(60):
                angle = 2 * mpmath.pi * j / period
            assert float(abs(mpmath.mpc(complex(values[i, j])) - exact(row, places, angle))) <= error[i, 0]
