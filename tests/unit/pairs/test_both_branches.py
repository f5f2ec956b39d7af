"""Both branches of a fixed-size batch: against closed forms, exact fractions and an analyst who chooses the branch."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.engine_answers import delta_of

import tightbudget as tb
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.both_branches import both_branches_pair
from tightbudget.pairs.gaussian import GaussianPair
from tightbudget.pairs.poisson import poisson_pair

REMOVE = Direction.REMOVE


def gaussian_profile(m: float, g: mpf) -> mpf:
    """H_g of N(m, 1) against N(0, 1)."""
    mu, epsilon = mpf(m), mpmath.log(g)
    return mpmath.ncdf(mu / 2 - epsilon / mu) - g * mpmath.ncdf(-mu / 2 - epsilon / mu)


def worst_profile(m: float, q: float, g: mpf) -> mpf:
    """The larger of the two branches at g >= 1, by M3's formula for the first."""
    return mpf(q) * gaussian_profile(m, 1 + (g - 1) / mpf(q))


@pytest.mark.parametrize(
    ("epsilon", "value"), [(0.0, 0.0382924922548026), (0.5, 0.00203253692034036), (1.0, 0.000207121486021392)]
)
def test_the_published_figures_for_sigma_2_and_a_tenth(epsilon: float, value: float) -> None:
    answer = delta_of(both_branches_pair(GaussianPair(1.0), 0.1), 1, epsilon)
    assert answer.lower <= value * (1 + 1e-14)
    assert answer.upper >= value * (1 - 1e-14)
    assert answer.upper - answer.lower < 1e-9 * value


@pytest.mark.parametrize("seed", range(12))
def test_one_step_of_normal_noise_is_the_worst_profile(seed: int) -> None:
    source = np.random.default_rng(seed)
    m, q = float(np.exp(source.uniform(-4, 1.5))), float(np.exp(source.uniform(-8, -0.01)))
    pair = both_branches_pair(GaussianPair(m), q)
    with mpmath.workdps(50):
        for epsilon in (0.0, 0.1 * m * q, m, 4.0 * m):
            true = worst_profile(m, q, mpmath.exp(mpf(epsilon)))
            answer = delta_of(pair, 1, epsilon)
            assert answer.lower <= true <= answer.upper
            assert true < 1e-30 or answer.upper - answer.lower < 1e-7 * true


@pytest.mark.parametrize("q", [2.0**-53, 1e-6, 0.3, 0.999])
@pytest.mark.parametrize(
    "mechanism",
    [tb.Gaussian(0.8), tb.Laplace(1.0), tb.TruncatedGaussian(1.0, 3.0), tb.RandomizedResponse(0.7, 3), tb.DiscreteLaplace(2.0)],
    ids=str,
)
def test_both_sides_are_whole(mechanism: tb.Mechanism, q: float) -> None:
    base = mechanism.pair(REMOVE)
    assert base is not None
    pair = both_branches_pair(base, q)
    everything = pair.coarse_cells()
    edges = np.array([-np.inf, -0.7, -1e-9, 0.0, 1e-12, 0.2, np.inf])
    for shifted in (edges, edges + 0.05):  # with and without an edge at 0
        points, cells = pair.points(), pair.cells(shifted)
        for side, infinite in (("log_a", pair.infinity), ("log_b", pair.minus_infinity)):
            parts = np.exp(getattr(points, side)).sum() + np.exp(getattr(cells, side)).sum()
            assert parts + infinite.upper == pytest.approx(1.0, rel=1e-12)
            assert np.exp(getattr(everything, side)).sum() + infinite.upper == pytest.approx(1.0, rel=1e-12)


def test_a_cell_across_zero_has_events_of_both_branches() -> None:
    pair = both_branches_pair(GaussianPair(1.5), 0.25)
    whole, parts = pair.cells(np.array([-0.3, 0.4])), pair.cells(np.array([-0.3, 0.0, 0.4]))
    assert np.exp(whole.log_a[0]) == pytest.approx(np.exp(parts.log_a).sum(), rel=1e-13)
    assert np.exp(whole.log_b[0]) == pytest.approx(np.exp(parts.log_b).sum(), rel=1e-13)


Law = dict[Fraction, tuple[Fraction, Fraction]]  # the masses of both sides by their ratio


def exact_law(base: Law, q: Fraction) -> Law:
    """The law whose profile is the larger of both branches at every g, from that profile alone."""

    def height(g: Fraction) -> Fraction:
        remove = sum(max(q * a + (1 - q) * b - g * b, Fraction(0)) for a, b in base.values())
        add = sum(max(a - g * ((1 - q) * a + q * b), Fraction(0)) for a, b in base.values())
        return max(remove, add)

    ratios = {(q * a + (1 - q) * b) / b for a, b in base.values()} | {a / ((1 - q) * a + q * b) for a, b in base.values()}
    dots = [Fraction(0), *sorted(ratios | {Fraction(1)})]
    slopes = [(height(y) - height(x)) / (y - x) for x, y in pairwise(dots)] + [Fraction(0)]
    turns = [after - before for before, after in pairwise(slopes)]
    return {g: (g * turn, turn) for g, turn in zip(dots[1:], turns, strict=True)}


def composed(law: Law, count: int, g: mpf) -> mpf:
    total: dict[Fraction, tuple[Fraction, Fraction]] = {Fraction(1): (Fraction(1), Fraction(1))}
    for _ in range(count):
        after: dict[Fraction, tuple[Fraction, Fraction]] = {}
        for x, (a, b) in total.items():
            for y, (c, d) in law.items():
                p, r = after.get(x * y, (Fraction(0), Fraction(0)))
                after[x * y] = (p + a * c, r + b * d)
        total = after
    return mpmath.fsum(max(mpf(0), exactly(a) - g * exactly(b)) for a, b in total.values())


def exactly(value: Fraction) -> mpf:
    return mpf(value.numerator) / value.denominator


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize(("p", "k", "q"), [(0.75, 2, 0.5), (0.7, 3, 0.125), (0.99, 2, 0.03125), (0.4, 5, 0.875)])
def test_steps_of_randomised_response_are_those_of_the_exact_profile(p: float, k: int, q: float, count: int) -> None:
    base = tb.RandomizedResponse(p, k).pair(REMOVE)
    assert base is not None
    truth, lie = Fraction(p), (1 - Fraction(p)) / (k - 1)
    law = exact_law({truth / lie: (truth, lie), lie / truth: (lie, truth), Fraction(1): ((k - 2) * lie,) * 2} if k > 2
                    else {truth / lie: (truth, lie), lie / truth: (lie, truth)}, Fraction(q))  # fmt: skip
    pair = both_branches_pair(base, q)
    with mpmath.workdps(60):
        for epsilon in (0.0, 0.1, 0.7):
            true = composed(law, count, mpmath.exp(mpf(epsilon)))
            answer = delta_of(pair, count, epsilon)
            assert answer.lower <= true <= answer.upper
            assert answer.upper - answer.lower <= 1e-8 * answer.upper


@pytest.mark.parametrize(
    ("epsilon", "attained", "shortcut"),
    [(0.5, 0.153777507924229, 0.14792013341095), (1.0, 0.0742066738335428, 0.071796635892819)],
)
def test_an_analyst_who_chooses_the_branch_does_not_get_above_the_upper_end(
    epsilon: float, attained: float, shortcut: float
) -> None:
    base = GaussianPair(1.0)
    only_remove: Pair = poisson_pair(base, 0.5, REMOVE)
    assert delta_of(only_remove, 2, epsilon, 1e-6).upper == pytest.approx(shortcut, rel=1e-5)  # below what is attained
    assert shortcut < attained < delta_of(both_branches_pair(base, 0.5), 2, epsilon, 1e-6).lower


def test_more_noise_or_a_smaller_share_has_its_place_below() -> None:
    family, numbers = both_branches_pair(GaussianPair(1.0), 0.5).place or (None, ())
    assert both_branches_pair(GaussianPair(0.5), 0.25).place == (family, (0.5, 0.25))
    assert numbers == (1.0, 0.5)
    assert poisson_pair(GaussianPair(1.0), 0.5, REMOVE).place != (family, numbers)
