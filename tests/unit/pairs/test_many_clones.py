"""Averages of fair signs on dots: never less than exact sums, and hardly more."""

import itertools
import math
from functools import cache

import mpmath as mp
import numpy as np
import pytest

from tightbudget.engine.closed.one_step import single_delta
from tightbudget.numerics.binomial import binomial
from tightbudget.pairs import many_clones
from tightbudget.pairs.many_clones import Rows, Zone, many_clones_pair
from tightbudget.pairs.points import PointPair


def pair_of(users: int, epsilon0: float, share: float) -> PointPair:
    mean = (users - 1) * share
    law = binomial(users - 1, share)
    return many_clones_pair(("test", users, epsilon0, share), epsilon0, law, mean, math.sqrt(mean * (1.0 - share)))


def upper_of(pair: PointPair, epsilon: float) -> float:
    return single_delta(pair, epsilon, (0.0, 0.0))[1]


@cache
def heads_at_least(coins: int, least: int) -> int:
    """Return in how many of the 2^coins ways at least so many show heads."""
    term = math.comb(coins, least) if least <= coins else 0
    total = 0
    for heads in range(least, coins + 1):
        total += term
        term = term * (coins - heads) // (heads + 1)
    return total


def exact_delta(users: int, epsilon0: float, share: float, epsilon: float) -> mp.mpf:
    """Return A(a/b > kappa) - g B(a/b > kappa), summed over the number of clones."""
    big, g, q = mp.exp(mp.mpf(epsilon0)), mp.exp(mp.mpf(epsilon)), mp.mpf(share)
    kappa = (g * big - 1) / (big - g)
    total, weight = mp.mpf(0), (1 - q) ** (users - 1)
    for c in range(users):
        k = int(mp.floor(kappa * (c + 1) / (1 + kappa))) + 1  # the fewest of the first kind, of c + 1 reports
        if k <= c + 1:
            tails = heads_at_least(c, k - 1) - kappa * heads_at_least(c, k)
            total += weight * (big - g) / (big + 1) * tails / mp.mpf(2) ** c
        weight = weight * (users - 1 - c) / (c + 1) * q / (1 - q)
    return total


def loss_at(deviations: float, users: int, epsilon0: float, share: float) -> float:
    """Return the loss at so many standard deviations of the share of either kind."""
    y = deviations / math.sqrt(users * share)
    return 2.0 * math.atanh(math.tanh(0.5 * epsilon0) * y)


CASES = [(300, 1.0, 0.4), (300, 8.0, 0.06), (700, 0.2, 0.8), (60, 2.0, 0.9), (50, 0.01, 0.99)]


@pytest.mark.parametrize(("users", "epsilon0", "share"), CASES)
def test_dots_mean_at_least_what_the_clones_do(users: int, epsilon0: float, share: float) -> None:
    """Within the first zone, on either side of where it ends, and far out."""
    pair = pair_of(users, epsilon0, share)
    assert np.exp(pair.log_a).sum() == pytest.approx(1.0, abs=1e-11)
    assert np.exp(pair.log_b).sum() == pytest.approx(1.0, abs=1e-11)
    most = 1.0 / math.tanh(0.5 * epsilon0) * math.tanh(0.4995 * epsilon0) * math.sqrt(users * share)
    with mp.workdps(60):
        for deviations in (0.0, 0.3, 1.0, 3.0, 5.0, 7.2, 7.6, 9.0, 12.0, 16.5, 20.0):
            if deviations < most:
                epsilon = loss_at(deviations, users, epsilon0, share)
                truth, found = exact_delta(users, epsilon0, share, epsilon), upper_of(pair, epsilon)
                assert truth * (1 - mp.mpf(10) ** -11) <= mp.mpf(found) or truth < 1e-299
                # a thousandth of the loss at usual probabilities, a few hundredths at tiny ones
                looser = 1e-3 if deviations < 7.0 else 0.04
                if truth > 1e-290:
                    assert found <= float(truth) * math.exp(looser * (1.0 + deviations) ** 2)


def test_two_rounds_mean_at_least_what_clones_do() -> None:
    users, epsilon0, share = 60, 1.0, 0.35
    pair = pair_of(users, epsilon0, share)
    a, b = np.exp(pair.log_a), np.exp(pair.log_b)
    big, weight, events = math.exp(epsilon0), (1.0 - share) ** (users - 1), []
    for c in range(users):
        for k in range(c + 2):
            first, second = (math.comb(c, k - 1) if k else 0) / 2.0**c, math.comb(c, k) / 2.0**c
            events.append((weight * (big * first + second) / (big + 1), weight * (first + big * second) / (big + 1)))
        weight *= (users - 1 - c) / (c + 1) * share / (1.0 - share)
    p, q = np.array(events).T
    for epsilon in (0.0, 0.2, 0.7, 1.5):
        g = math.exp(epsilon)
        truth = sum(float(np.maximum(x * p - g * y * q, 0.0).sum()) for x, y in events)
        found = sum(float(np.maximum(x * a - g * y * b, 0.0).sum()) for x, y in zip(a, b, strict=True))
        assert truth * (1.0 - 1e-10) <= found <= truth * 1.01


@pytest.mark.parametrize("mean", [16.0, 100.0, 3679.0, 1e6, 9.99e8])
@pytest.mark.parametrize("end", [0.01, 0.3, 1.0])
def test_zones_have_no_gaps(mean: float, end: float) -> None:
    zones = many_clones._clone_zones(mean, end)
    assert zones[0].first == 0
    assert end <= zones[-1].last / zones[-1].scale <= 1.0
    for one, other in itertools.pairwise(zones):
        assert one.last * other.scale == other.first * one.scale
    for zone in zones:  # numbers of reports times those of dots are exact
        assert (mean + 1.0) * zone.scale < 2.0**52
        assert math.frexp(zone.scale)[0] == 0.5


def test_a_row_counts_for_those_up_to_the_next() -> None:
    mean, share = 5000.0, 0.5
    law = binomial(10_000, share)
    rows = many_clones._clone_rows(law, mean, 50.0)
    coarse = rows.every(8)
    assert set(coarse.reports) <= set(rows.reports)
    for some in (rows, coarse):
        assert np.all(np.diff(some.reports) > 0.0)
        below = np.cumsum(np.exp(some.logs))  # fewer reports are at least as likely as they are
        for at in range(some.reports.size - 1):
            # the numbers of clones up to the next row, less one, are reports up to that, less one
            exact = float(np.exp(law.logs[: int(some.reports[at + 1]) - 1 - law.first]).sum())
            assert below[at] == pytest.approx(exact, rel=1e-9)


def test_masses_beyond_a_zone_are_bounded() -> None:
    rows = Rows(np.array([40.0, 101.0]), np.log([0.25, 0.75]), np.zeros(2), 0)
    found = many_clones._spread_over(Zone(0, 16, 64), rows)
    for_each = ((40, 0.25), (101, 0.75))
    beyond = sum(w * heads_at_least(s, math.ceil(0.5 * s * 1.25)) / 2.0**s for s, w in for_each)
    assert beyond <= found.beyond <= 1.5 * beyond
    inside = sum(w * (0.5 - heads_at_least(s, math.ceil(0.5 * s * 1.25)) / 2.0**s) for s, w in for_each)
    assert float(found.masses.sum()) == pytest.approx(inside, rel=1e-12)


def test_thinned_dots_keep_mass_and_mean() -> None:
    rng = np.random.default_rng(3)
    part = np.stack([np.arange(50) / 64.0, rng.random(50), rng.random(50)])
    thin = many_clones._thinned(part, 0.25)
    assert thin.shape[1] < 30
    assert thin[0, -1] == part[0, -1]
    assert np.array_equal(thin[:, :16], part[:, :16])
    assert thin[1].sum() == pytest.approx(part[1].sum(), rel=1e-14)
    assert thin[1] @ thin[0] == pytest.approx(part[1] @ part[0], rel=1e-14)
    for dot in part[0]:  # larger in convex order
        assert thin[1] @ np.maximum(thin[0] - dot, 0.0) >= part[1] @ np.maximum(part[0] - dot, 0.0) * (1.0 - 1e-14)
