"""Pairs of Gaussian mixtures against 60 digits, and against Poisson sampling where they are that."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.lanes import mostly_slow
from tests.support.mixture_truth import DIGITS, Mixtures

from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Direction
from tightbudget.pairs.gaussian import GaussianPair
from tightbudget.pairs.gaussian_mixture import GaussianMixturePair, gaussian_mixture_pair
from tightbudget.pairs.mixtures import NORMAL, Mixture, entries_of, joined_masses, sums_by_cell, sums_by_run
from tightbudget.pairs.one_place import log_mass_at
from tightbudget.pairs.poisson import poisson_pair


def mixture(*parts: tuple[float, float]) -> Mixture:
    """Return a mixture of (weight, centre), the first weight being what the others leave of 1."""
    with mpmath.workdps(DIGITS):
        logs = [math.log(w) for w, _ in parts[1:]]
        rest = 1 - sum(mpmath.exp(mpf(log)) for log in logs)
        logs.insert(0, float(mpmath.log(rest)))
    return Mixture(tuple(c for _, c in parts), tuple(logs), tuple(2.0 * U * abs(log) for log in logs))


def exact(parts: Mixture, sign: int = 1) -> list[tuple[mpf, mpf]]:
    weights = [mpmath.exp(mpf(log)) for log in parts.log_weights]
    weights[0] = 1 - sum(weights[1:])
    return [(w, sign * mpf(c)) for w, c in zip(weights, parts.centres, strict=True)]


def binomial(n: int, q: float, step: float) -> Mixture:
    return mixture((0.0, 0.0), *((math.comb(n, k) * q**k * (1 - q) ** (n - k), k * step) for k in range(1, n + 1)))


SAMPLED = mixture((0.9, 0.0), (0.1, 1.0))
CASES: dict[str, tuple[Mixture, Mixture]] = {
    "sampled": (SAMPLED, NORMAL),
    "sampled, added": (NORMAL, SAMPLED),
    "rarely sampled": (mixture((0.0, 0.0), (1e-9, 0.7)), NORMAL),
    "replaced": (SAMPLED, SAMPLED),
    "rarely replaced": (mixture((0.0, 0.0), (1e-7, 2.0)), mixture((0.0, 0.0), (1e-7, 2.0))),
    "group of nine": (binomial(9, 0.05, 0.5), NORMAL),
    "group of nine, added": (NORMAL, binomial(9, 0.05, 0.5)),
    "nine replaced": (binomial(9, 0.3, 0.25), binomial(9, 0.3, 0.25)),
    "hardly any noise": (mixture((0.0, 0.0), (0.3, 30.0), (0.2, 80.0)), NORMAL),
    "hardly any noise, added": (NORMAL, mixture((0.0, 0.0), (0.3, 30.0), (0.2, 80.0))),
    "much noise": (mixture((0.0, 0.0), (0.25, 1e-6), (0.25, 3e-6)), NORMAL),
    "nearly always": (mixture((1e-9, 0.0), (1.0 - 1e-9, 1.5)), NORMAL),
    "always moved": (mixture((0.5, 0.5), (0.5, 2.0)), NORMAL),
    "always moved, added": (NORMAL, mixture((0.5, 0.5), (0.5, 2.0))),
    "always replaced": (mixture((0.5, 0.5), (0.5, 2.0)), mixture((0.25, 0.25), (0.75, 1.0))),
    "many": (binomial(60, 0.1, 0.4), NORMAL),
    "many, added": (NORMAL, binomial(60, 0.1, 0.4)),
    "denormal weight": (mixture((0.0, 0.0), (0.1, 1.0), (1e-310, 3.0)), NORMAL),
}


def made(name: str) -> tuple[GaussianMixturePair, Mixtures]:
    above, below = CASES[name]
    pair = gaussian_mixture_pair(above, below)
    assert isinstance(pair, GaussianMixturePair)
    with mpmath.workdps(DIGITS):
        return pair, Mixtures(exact(above), exact(below, -1))


def some_losses(pair: GaussianMixturePair, count: int) -> np.ndarray:
    """Return losses all over the range, dense where places are, as grids have them."""
    places = np.concatenate([np.linspace(-9.0, min(pair.top, 9.0), count), np.linspace(pair.bottom, pair.top, count)])
    losses = pair._losses(np.sort(places))[0]
    return np.unique(losses)


@pytest.mark.parametrize("name", mostly_slow(list(CASES), every=3))
def test_places_have_the_losses_asked_for(name: str) -> None:
    pair, truth = made(name)
    edges = some_losses(pair, 40)[1:-1] * 0.999
    with mpmath.workdps(DIGITS):
        for x, edge in zip(pair._places(edges).tolist(), edges.tolist(), strict=True):
            if pair.bottom < x < pair.top:
                assert abs(truth.loss(mpf(x)) - mpf(edge)) <= pair.loss_shift(edge)


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_slow(list(CASES), every=3))
def test_losses_are_as_good_as_stated(name: str) -> None:
    """Between any two nodes, though the bound is made of what is known at these."""
    pair, truth = made(name)
    nodes = pair._nodes
    rng = np.random.default_rng(3)
    for k in rng.choice(nodes.error.size, 60, replace=False).tolist():
        x = rng.uniform(nodes.places[k], nodes.places[k + 1])
        loss, slope = pair._losses(np.array([x]))
        with mpmath.workdps(DIGITS):
            assert abs(truth.loss(mpf(x)) - mpf(loss[0])) <= nodes.error[k]
            assert mpmath.diff(truth.loss, mpf(x)) == pytest.approx(mpf(slope[0]), rel=1e-9)
    assert (nodes.error <= 1e-12 * (1.0 + np.abs(nodes.losses[1:]) + pair.span**2)).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_slow(list(CASES), every=3))
def test_masses(name: str) -> None:
    pair, truth = made(name)
    x = np.unique(np.concatenate([np.linspace(-8.0, 8.0, 23), np.linspace(pair.bottom, pair.top, 17), [0.25, 0.25 + 1e-7]]))
    cells = pair._cells_at(x, x[:-1], x[1:])
    with mpmath.workdps(90):
        for side, parts, logs in (("a", truth.a, cells.log_a), ("b", truth.b, cells.log_b)):
            for k in range(x.size - 1):
                mass = sum(w * _between(mpf(x[k]) - c, mpf(x[k + 1]) - c) for w, c in parts)
                assert abs(mpmath.log(mass) - mpf(logs[k])) <= cells.error[k], (side, x[k])
    assert cells.error.max() < 1e-9


@pytest.mark.parametrize("name", CASES)
def test_one_place_alone(name: str) -> None:
    """By the formulas for arrays: losses and masses are as good as these say, of few components and of many."""
    pair, truth = made(name)
    for edge in some_losses(pair, 8)[1:-1].tolist():
        x = pair._place(edge)
        if not pair.bottom < x < pair.top:
            continue
        with mpmath.workdps(DIGITS):
            assert abs(truth.loss(mpf(x)) - mpf(edge)) <= pair.loss_shift(edge)
        for side, parts, places in ((pair.above, truth.a, (x, pair.top)), (pair.below, truth.b, (-x, -pair.top))):
            log, error = log_mass_at(side, *places)
            with mpmath.workdps(90):
                mass = sum(w * _between(mpf(x) - c, mpf(pair.top) - c) for w, c in parts)
                assert abs(mpmath.log(mass) - mpf(log)) <= error
            assert error <= 1.02 * float(side.log_masses(np.array(places))[1][0]) + 1e-15


@pytest.mark.parametrize("name", CASES)
def test_one_cell_is_that_of_arrays(name: str) -> None:
    pair, _ = made(name)
    for edge in [-1e9, *some_losses(pair, 5).tolist(), 1e9]:
        edges = np.array([edge, math.inf])
        cell, cells = pair._cell(edge, math.inf), pair._cells_at(pair._places(edges), edges[:-1], edges[1:])
        # places may be found at either end of what the loss is known to
        allowed = 2.0 * cells.error[0] + 1e-9 * (1.0 + pair.span**2)
        for one, other in ((cell.log_a, cells.log_a), (cell.log_b, cells.log_b)):
            assert one[0] == other[0] or abs(one[0] - other[0]) <= allowed or max(one[0], other[0]) < -200.0


def _between(low: mpf, high: mpf) -> mpf:
    root = mpmath.sqrt(2)
    if low > 0:
        return (mpmath.erfc(low / root) - mpmath.erfc(high / root)) / 2
    return (mpmath.erfc(-high / root) - mpmath.erfc(-low / root)) / 2


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_missing(name: str) -> None:
    pair, _ = made(name)
    coarse, cells = pair.coarse_cells(), pair.cells(np.append(np.insert(some_losses(pair, 400), 0, -1e9), 1e9))
    for found in (coarse, cells):
        assert np.exp(found.log_a).sum() == pytest.approx(1.0, rel=1e-11)
        assert np.exp(found.log_b).sum() == pytest.approx(1.0, rel=1e-11)
    assert (coarse.low < coarse.high).all()
    assert (np.diff(coarse.low) >= 0.0).all()
    # two neighbouring nodes hold losses that differ by no more than their cells say
    assert (coarse.log_a - coarse.log_b >= coarse.low - 2.0 * coarse.error - 1e-9 * (1.0 + np.abs(coarse.low))).all()


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(("m", "q"), [(1.0, 0.1), (1e-3, 0.01), (5.0, 0.5), (1.0, 1e-8), (20.0, 0.999)])
def test_two_components_are_poisson_sampling(m: float, q: float, direction: Direction) -> None:
    sampled = mixture((1.0 - q, 0.0), (q, m))
    above, below = (sampled, NORMAL) if direction is Direction.REMOVE else (NORMAL, sampled)
    pair, other = gaussian_mixture_pair(above, below), poisson_pair(GaussianPair(m), q, direction)
    coarse = other.coarse_cells()
    heavy = coarse.where((coarse.log_a > -60.0) & (coarse.high - coarse.low > 1e-6 * (1.0 + np.abs(coarse.low))))
    edges = np.unique(np.append(heavy.low, heavy.high[-1]))
    mine, theirs = pair.cells(edges), other.cells(edges)
    # places may be found at either end of what the loss is known to
    np.testing.assert_allclose(mine.log_a, theirs.log_a, rtol=0.0, atol=2e-8)
    np.testing.assert_allclose(mine.log_b, theirs.log_b, rtol=0.0, atol=2e-8)
    assert mine.error.max() <= 2.0 * theirs.error.max()
    assert pair.loss_shift(q) <= 20.0 * other.loss_shift(q)
    if direction is Direction.ADD:
        assert pair.max_loss_lower <= -sampled.log_weights[0] <= pair.max_loss
        assert pair.max_loss == pytest.approx(-math.log1p(-q), rel=1e-13)


def test_components_that_do_not_count_are_told_apart_from_those_that_do() -> None:
    """Many components at once, and few at a time, are the same law."""
    many = binomial(60, 0.1, 0.4)
    x = np.linspace(-10.0, 40.0, 501)
    at_once, slopes = many.log_ratio(x)
    single = np.array([[value[0] for value in many.log_ratio(np.array([place]))] for place in x])
    np.testing.assert_allclose(single[:, 0], at_once, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(single[:, 1], slopes, rtol=1e-12)
    centres, logs = (np.array(values)[1:, None] for values in (many.centres, many.log_weights))
    kept, _ = many._relevant(centres, logs, centres * (0.05 - 0.5 * centres))
    assert 3 < kept.sum() < 60


def test_what_is_told_at_sight_has_infinite_loss() -> None:
    far = mixture((0.0, 0.0), (0.125, 1.0), (0.0625, 1e6))
    removed, added = gaussian_mixture_pair(far, NORMAL), gaussian_mixture_pair(NORMAL, far)
    assert removed.infinity.at(1e10).lower <= 0.0625 <= removed.infinity.upper
    assert removed.infinity.certain_below > 1e11
    assert not removed.minus_infinity.possible
    assert added.minus_infinity.at(1e10).lower <= 0.0625 <= added.minus_infinity.upper
    assert not added.infinity.possible
    assert np.exp(removed.coarse_cells().log_a).sum() == pytest.approx(0.9375, rel=1e-12)
    assert np.exp(added.coarse_cells().log_b).sum() == pytest.approx(0.9375, rel=1e-12)
    all_far = gaussian_mixture_pair(mixture((0.5, 1e6), (0.5, 2e6)), NORMAL)
    assert all_far.infinity.at(1e10).lower > 0.999
    assert all_far.infinity.certain_below > 1e11


def test_distant_components_without_mass_are_charged() -> None:
    light = gaussian_mixture_pair(mixture((0.0, 0.0), (0.1, 1.0), (1e-310, 500.0)), NORMAL)
    assert isinstance(light, GaussianMixturePair)
    assert light.top == 46.0
    assert light.unresolved >= 1e-300 + 1e-310
    assert light.span >= 500.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sampled", "sampled, added", "replaced", "group of nine", "always moved, added"])
def test_moments(name: str) -> None:
    pair, truth = made(name)
    orders = np.array([1.5, 2.0, 8.0, 40.0])
    found = pair.log_moment(orders)
    for order, bound in zip(orders.tolist(), found.tolist(), strict=True):
        with mpmath.workdps(30):
            density = lambda x, a=order: mpmath.exp(_log(truth.a, x) * a - _log(truth.b, x) * (a - 1))  # noqa: E731
            peak = (pair.above.largest + pair.below.largest) * order
            moment = mpmath.quad(density, [-40, -20, -10, -5, 0, 2, 5, 10, 20, 40, 40 + peak, 80 + 2 * peak], maxdegree=8)
        assert bound >= mpmath.log(moment)
        assert bound <= mpmath.log(moment) * 1.01 or order > 8.0


def _log(parts: list[tuple[mpf, mpf]], x: mpf) -> mpf:
    return mpmath.log(sum(w * mpmath.exp(-((x - c) ** 2) / 2) for w, c in parts) / mpmath.sqrt(2 * mpmath.pi))


@pytest.mark.parametrize(("n", "q", "step"), [(12, 0.3, 1.0), (40, 1e-2, 0.7), (60, 1e-4, 2.0), (60, 0.5, 0.05)])
def test_of_many_components_next_to_nothing_lies_beyond_the_ends(n: int, q: float, step: float) -> None:
    law = binomial(n, q, step)
    for pair, top in (
        (gaussian_mixture_pair(law, NORMAL), True),
        (gaussian_mixture_pair(NORMAL, law), False),
    ):
        assert isinstance(pair, GaussianMixturePair)
        end = mpf(pair.top if top else -pair.bottom)
        with mpmath.workdps(DIGITS):
            beyond = mpmath.fsum(w * mpmath.ncdf(c - end) for w, c in exact(law))
            assert beyond <= mpf(10) ** -305
            assert pair.unresolved >= 1e-305 or not top
        cells = pair.coarse_cells()
        assert math.fsum(np.exp(cells.log_a)) == pytest.approx(1.0, abs=1e-11)
        assert math.fsum(np.exp(cells.log_b)) == pytest.approx(1.0, abs=1e-11)


def test_places_near_each_other_are_answered_for_together() -> None:
    """Cut into spans or not, density and masses are the same up to the errors stated."""
    law = binomial(40, 0.05, 0.7)
    y = np.linspace(-30.0, 60.0, 901)
    f, slope = law.log_ratio(y)
    log, error = law.log_masses(y)
    for i in range(0, 900, 37):
        alone, steep = law.log_ratio(y[i : i + 1])
        assert f[i] == pytest.approx(alone[0], rel=1e-12, abs=1e-14)
        assert slope[i] == pytest.approx(steep[0], rel=1e-9, abs=1e-12)
        (one,), (doubt,) = law.log_masses(y[i : i + 2])
        assert abs(one - log[i]) <= doubt + error[i]
    down, _ = law.log_masses(y[::-1])
    assert np.abs(down[::-1] - log).max() <= 2.0 * error.max()


def test_masses_of_some_places_of_a_table_are_added_up_as_those_of_all() -> None:
    source = np.random.default_rng(5)
    logs, errors = source.uniform(-40.0, 0.0, (7, 50)), source.uniform(0.0, 1e-3, (7, 50))
    kept = source.uniform(size=logs.shape) < 0.4
    kept[:, 3] = False
    kept[:, 4] = True
    logs[:, 4] = -math.inf
    rows, columns = entries_of(kept)
    assert np.array_equal(np.stack([rows, columns]), np.stack(np.nonzero(kept)))
    found, error = sums_by_cell(logs[kept], errors[kept], rows, columns, logs.shape)
    whole, whole_error = joined_masses(np.where(kept, logs, -math.inf), np.where(kept, errors, 0.0))
    np.testing.assert_allclose(found, whole, rtol=1e-14)
    np.testing.assert_allclose(error, whole_error, rtol=1e-12)
    assert found[3] == found[4] == -math.inf


def test_masses_of_runs_are_added_up_as_those_of_a_table() -> None:
    source = np.random.default_rng(6)
    logs, errors = source.uniform(-40.0, 0.0, (2, 7, 50)), source.uniform(0.0, 1e-3, (7, 50))
    kept = source.uniform(size=errors.shape) < 0.4
    kept[0] |= ~kept.any(axis=0)
    logs[1, :, 4] = -math.inf
    columns, rows = entries_of(kept.T)
    found, error = sums_by_run(logs[:, rows, columns], errors[rows, columns], columns)
    for law in range(2):
        whole, whole_error = joined_masses(np.where(kept, logs[law], -math.inf), np.where(kept, errors, 0.0))
        np.testing.assert_allclose(found[law], whole, rtol=1e-14)
        np.testing.assert_allclose(error[law], whole_error, rtol=1e-9)
    assert found[1, 4] == -math.inf


@pytest.mark.parametrize("seed", range(4))
def test_errors_of_likely_components_stand_for_those_of_all(seed: int) -> None:
    """What `known_to` states is at least the sums of M27 over every component, in full, at places in between."""
    source = np.random.default_rng(seed)
    law = binomial(40, float(source.uniform(0.01, 0.5)), float(np.exp(source.uniform(-2.0, 1.0))))
    y = np.linspace(-25.0, 45.0, 71)
    stated, slopes = law.known_to(y)
    centres, logs, errors = (np.array(values)[1:, None] for values in (law.centres, law.log_weights, law.errors))
    for share in (0.0, 0.3, 1.0):
        x = (1.0 - share) * y[:-1] + share * y[1:]
        f, slope = law.log_ratio(x)
        t = centres * (x - 0.5 * centres)
        given = np.exp(logs + t - f)
        moved = (given * (centres * np.abs(x) + 0.5 * centres**2)).sum(axis=0)
        weighed = ((errors + 41.0 * U) * np.exp(logs - f) * np.abs(np.expm1(np.minimum(t, 600.0)))).sum(axis=0)
        direct = (f > -0.6) & (t.max(axis=0) < 590.0)
        assert (stated >= 15.0 * U * moved + np.where(direct, weighed, 0.0) + 2.0 * U * np.abs(f)).all()
        assert (slopes >= slope * (1.0 - 1e-9)).all()


@pytest.mark.parametrize("direction", Direction)
def test_the_ends_of_coarse_cells_are_known_without_their_masses(direction: Direction) -> None:
    mixtures = (binomial(3, 0.1, 0.7), NORMAL) if direction is Direction.REMOVE else (NORMAL, binomial(3, 0.1, 0.7))
    pair = gaussian_mixture_pair(*mixtures)
    for one in (pair, poisson_pair(GaussianPair(1.0), 0.1, direction)):
        cells = one.coarse_cells()
        assert np.isin(cells.low, one.coarse_edges()).mean() > 0.99
        assert one.coarse_edges()[-1] >= cells.low[-1]
        assert (np.diff(one.coarse_edges()) > 0.0).all()
