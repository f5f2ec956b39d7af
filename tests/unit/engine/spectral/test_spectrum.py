"""Spectra: values are as good as stated, what is left out is as small as stated, and indices count from the right
place.
"""

from collections import Counter
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from mpmath import mpf
from tests.support import spectra
from tests.support.doubles import RoughPair, Spikes
from tests.support.lanes import mostly_slow
from tests.support.readings import hockey_stick

from tightbudget.engine.discretisation.discretise import DiscretisedPair
from tightbudget.engine.discretisation.window import loss_window, tail_truncated
from tightbudget.engine.saddle import Tilt
from tightbudget.engine.spectral.blocks import block_of, blocks_of, without_empty_columns
from tightbudget.engine.spectral.frequencies import _node_runs
from tightbudget.engine.spectral.grid import SpectralGrid
from tightbudget.engine.spectral.profile import SpectralProfile
from tightbudget.engine.spectral.spectrum import Spectrum, composed_spectrum
from tightbudget.engine.steps import Steps
from tightbudget.engine.target import PlanTarget
from tightbudget.numerics.convolve import TooWide
from tightbudget.pairs.base import Pair
from tightbudget.pairs.infinite_mass import NOWHERE


def bell(places: np.ndarray, mean: float, deviation: float) -> np.ndarray:
    return np.exp(-0.5 * ((places - mean) / deviation) ** 2)


EVEN = np.arange(-40.0, 41.0)
GAPS = np.concatenate([np.arange(-96.0, -16.0, 8.0), np.arange(-16.0, 16.0), np.arange(16.0, 97.0, 8.0)])
# the last of these is its column, although there are gaps before it
LUCKY = np.concatenate([np.arange(-40.0, 10.0, 5.0), np.arange(10.0, 50.0)])
LONG = np.arange(202.0)
ENDS = np.where((LONG == 0.0) | (LONG == 201.0), 1.0, 1e-9)
MANY = np.concatenate([np.arange(-960.0, -160.0, 16.0), np.arange(-160.0, 160.0), np.arange(160.0, 961.0, 16.0)])
FAR = 2.0**21 + np.arange(90.0)
LATTICE = np.where(EVEN % 5 == 0, bell(EVEN, 0.0, 8.0), 0.0)
Case = tuple[list[DiscretisedPair], list[int], np.ndarray, float]  # leaves, counts, places, error asked for
CASES: dict[str, Case] = {
    "bell": ([spectra.leaf(bell(EVEN, 3.0, 6.0), 0, -40)], [50], EVEN, 1e-6),
    "gaps": ([spectra.leaf(bell(GAPS, -5.0, 9.0), 0, -7)], [30], GAPS, 1e-9),
    "gaps by chance": ([spectra.leaf(bell(LUCKY, 10.0, 12.0), 0, -7)], [30], LUCKY, 1e-6),
    "two atoms": ([spectra.leaf([0.4, 0.0, 0.0, 0.6], 0, 0)], [40], np.arange(4.0), 1e-4),
    "lattice": ([spectra.leaf(LATTICE, 0, -40)], [1000], EVEN, 1e-6),
    "near a lattice": ([spectra.leaf(LATTICE + 1e-4 * bell(EVEN, 0.0, 8.0), 0, -40)], [400], EVEN, 1e-6),
    "two bells": ([spectra.leaf(bell(EVEN, -30.0, 2.0) + 1e-3 * bell(EVEN, 30.0, 2.0), 0, -40)], [200], EVEN, 1e-4),
    "far out": ([spectra.leaf(bell(FAR - FAR[0], 40.0, 9.0), 0, -40)], [1000], FAR, 1e-4),
    # a lattice of period 50: at its far peaks places are turned by thousands of radians
    "three atoms": ([spectra.leaf([105.0, 50.0, 100.0], 0, -100)], [1000], np.array([-1000.0, 0.0, 1050.0]), 1e-6),
    "many gaps": ([spectra.leaf(bell(MANY, -5.0, 90.0), 0, -7)], [10**6], MANY, 1e-9),
    "a long bell": ([spectra.leaf(bell(EVEN, 3.3, 9.0), 0, -40)], [10**5], EVEN, 1e-6),
    # peaks at every multiple of a small angle: too many to look at one by one
    "far ends": ([spectra.leaf(ENDS, 0, -3)], [4000], LONG, 1e-3),
    # a peak at pi, which no angle looked at is
    "even places": ([spectra.leaf(np.where(EVEN % 2 == 0, bell(EVEN, 0.0, 9.0), 1e-12), 0, -40)], [10**5], EVEN, 1e-6),
    "a million": ([spectra.leaf(bell(EVEN, 3.3, 2.0), 0, -40)], [10**6], EVEN, 1e-6),
    "a milliard": ([spectra.leaf(bell(EVEN, 2e-5, 2.0), 0, -40)], [10**9], EVEN, 1e-4),
    "different": (
        [
            spectra.leaf(bell(GAPS[5:30], -20.0, 9.0), 5, -3),
            spectra.leaf(bell(GAPS[12:], 30.0, 20.0), 12, -10),
            spectra.leaf([[0.5, 0.5], [0.4, 0.6], [0.6, 0.4]], 20, 0),
        ],
        [7, 20, 11],
        GAPS,
        1e-6,
    ),
}


def made(name: str) -> Spectrum:
    found = spectra.spectrum(*CASES[name][:3], error=CASES[name][3])
    assert found is not None
    return found


def centre(name: str, found: Spectrum) -> int:
    """Return the sum of places from which the spectrum counts its indices."""
    leaves, counts, places, _ = CASES[name]
    return found.origin + sum(n * (round(places[one.begin]) - one.spread.first) for one, n in zip(leaves, counts, strict=True))


@pytest.mark.parametrize("kind", [0, 1, 2])
@pytest.mark.parametrize("name", CASES)
def test_values_are_as_good_as_stated(name: str, kind: int):
    leaves, counts, places, _ = CASES[name]
    found = made(name)
    where, which = centre(name, found), found.nodes.tolist()
    for i in range(0, len(which), max(1, len(which) // 12)):
        exact = spectra.transform(leaves, counts, places, kind, spectra.node(which[i], found.period), where)
        off = abs(
            exact
            - spectra.acb(spectra.ball(float(found.values[kind, i].real)), spectra.ball(float(found.values[kind, i].imag)))
        )
        assert float(off.upper()) <= found.error_bound[kind, i]


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_slow(CASES, every=12))
def test_what_is_left_out_is_as_small_as_stated(name: str):
    """Every node of half a period is kept or lies below the bound; of a long period, those near the ends of runs are
    tried.
    """
    leaves, counts, places, _ = CASES[name]
    found = made(name)
    where, kept = centre(name, found), set(found.nodes.tolist())
    assert 0 in kept
    half = found.period // 2
    every = max(1, half // 200)
    tried = set(range(0, half + 1, every)) | {half} | {j + d for j in kept for d in (-1, 1) if 0 <= j + d <= half}
    # where a lattice of 5 would have its peaks, and the heaviest ones of two atoms
    tried |= {
        min(half, max(0, round(found.period * m / d) + shift))
        for d in (2, 3, 5, 60)
        for m in range(1, d)
        for shift in (-1, 0, 1)
    }
    left_out = sorted(tried - kept)
    for j in left_out[:: max(1, len(left_out) // 300)]:
        angle = spectra.node(j, found.period)
        for kind in range(3):
            size = abs(spectra.transform(leaves, counts, places, kind, angle, where))
            assert float(size.lower()) <= found.beyond[kind]


def test_some_spectra_leave_much_out():
    """Otherwise the test above would have nothing to look at."""
    assert sum(made(name).nodes.size < made(name).period // 4 for name in CASES) >= 6


@pytest.mark.parametrize("offset", [0, 10**6, 10**9, 2**40])
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_variances_are_no_smaller_than_they_are(seed: int, offset: int):
    """Far from index 0 the variance is a small difference of two large numbers."""
    rng = np.random.default_rng(seed)
    places = offset + np.cumsum(rng.integers(1, 5, 50)).astype(np.float64)
    one = spectra.leaf(rng.uniform(0.0, 1.0, (3, 50)) ** 8, 0, 0)
    (block,) = blocks_of([one], [1], places, 0)
    for row, found in zip(spectra.rows_of(one).tolist(), block.variances.tolist(), strict=True):
        p, k = [Fraction(x) for x in row], [Fraction(x) for x in places.tolist()]
        moments = [sum(x * y**j for x, y in zip(p, k, strict=True)) for j in range(3)]
        assert moments[0] * moments[2] - moments[1] ** 2 <= Fraction(found) * (1 + Fraction(1, 10**9))


def test_peaks_between_two_angles_are_found():
    """A lattice of period 5 repeats its peak at every fifth of a turn, narrower than the angles looked at are apart."""
    found = made("lattice")
    for m in (1, 2):
        assert np.abs(found.nodes - found.period * m / 5).min() <= 1.0


@pytest.mark.parametrize("name", CASES)
def test_moments_are_no_smaller_than_they_are(name: str):
    leaves, counts, places, _ = CASES[name]
    found = made(name)
    where = centre(name, found)
    ctx.prec = spectra.BITS
    for chernoff, sign in ((found.up, 1), (found.down, -1)):
        for kind in range(3):
            for i in (0, 2, 4):
                slope = sign * spectra.ball(float(chernoff.slopes[i]))
                total = -slope * where
                for one, count in zip(leaves, counts, strict=True):
                    mine = places[one.begin : one.begin + one.spread.size].tolist()
                    moment = arb(0)
                    for k, p in zip(mine, spectra.rows_of(one)[kind].tolist(), strict=True):
                        moment += spectra.ball(p) * (slope * round(k)).exp()
                    total += count * moment.log()
                assert float(total.lower()) <= chernoff.log_moments[kind, i]


def test_slopes_of_the_lower_tail_are_at_most_those_of_the_weights():
    """Weights fall by e^{-theta step}; a bound that falls faster would not lie above them."""
    found = spectra.spectrum(*CASES["bell"][:3], theta=0.01)
    assert found is not None
    assert (found.down.slopes <= 0.01 * 0.1).all()


@pytest.mark.parametrize(("x", "period"), [(-40.0, 31), (3.0, 31), (10.0, 5)])
def test_what_wraps_around_is_bounded(x: float, period: int):
    """The sum over m of P(k >= x + m period), each by its best slope."""
    found = made("bell")
    exponents = found.up.log_moments[1] - np.multiply.outer(x + period * np.arange(1.0, 4000.0), found.up.slopes)
    assert found.up.wrapped(1, x, period) >= np.exp(exponents).sum(axis=0).min()


@pytest.mark.parametrize(
    ("intervals", "last"),
    [
        ([(0.0, 0.05)], 50),
        ([(0.0, 0.31), (0.3, 0.55), (2.01, 2.02)], 50),
        ([(2.999, 3.2), (0.0, 0.0), (0.5, 0.5)], 31),
        ([(0.1 * 3, 0.1 * 7)], 50),
    ],
)
def test_runs_hold_all_nodes_of_their_intervals(intervals: list[tuple[float, float]], last: int):
    stride = 0.1
    runs = _node_runs(intervals, stride, last)
    kept = [j for first, count in runs for j in range(first, first + count)]
    assert kept == sorted(set(kept))  # none twice
    assert max(kept) <= last
    for j in range(last + 1):
        if any(low - 1e-12 <= stride * j <= high + 1e-12 for low, high in intervals):
            assert j in kept


# the certificate


def test_errors_of_the_rows_count_as_often_as_they_do():
    leaves = [
        spectra.leaf(bell(EVEN, 0.0, 3.0), 0, -40, error=[1e-4, 2e-4, 3e-4]),
        spectra.leaf(bell(EVEN, 5.0, 3.0), 0, -40, error=1e-5),
    ]
    found = spectra.spectrum(leaves, [20, 300], EVEN)
    assert found is not None
    for kind, error in enumerate((1e-4, 2e-4, 3e-4)):
        exact = (1 + mpf(error)) ** 20 * (1 + mpf(1e-5)) ** 300 - 1
        assert exact <= mpf(float(found.error[kind])) <= exact * (1 + mpf("1e-6"))


def test_rounding_of_a_large_scale_is_part_of_the_error():
    """log Z of a million repetitions is rounded at its own size, and that is a relative error of all masses."""
    found = spectra.spectrum([spectra.leaf(bell(EVEN, 0.0, 3.0), 0, -40, log_scale=[1234.567, -765.4321, 0.1])], [10**6], EVEN)
    assert found is not None
    for kind, scale in enumerate((1234.567, -765.4321, 0.1)):
        off = abs(mpf(float(found.log_scale[kind])) - 10**6 * mpf(scale))
        assert mpf(float(found.error[kind])) >= max(off, mpf(10**6 * abs(scale)) * mpf(2) ** -53)


def test_what_is_known_only_up_to_its_own_mass_is_given_up():
    with pytest.raises(TooWide):
        spectra.spectrum([spectra.leaf(bell(EVEN, 0.0, 3.0), 0, -40, error=0.01)], [200], EVEN)


def test_every_repetition_brings_its_slack():
    leaves = [
        spectra.leaf(bell(EVEN, 0.0, 3.0), 0, -40, loss_shift=0.25),
        spectra.leaf(bell(EVEN, 0.0, 3.0), 0, -40, loss_shift=1.0),
    ]
    found = spectra.spectrum(leaves, [7, 3], EVEN)
    assert found is not None
    assert 4.75 <= found.loss_shift <= 4.75 * (1.0 + 1e-8)


def test_a_wide_spectrum_is_refused():
    """So many frequencies that lists would be shorter."""
    assert spectra.spectrum([spectra.leaf([0.5, 0.5], 0, 0)], [1], np.array([0.0, 1e6]), error=1e-9) is None


# from pairs to brackets: the truth by enumeration

LOSSES, MASSES = (-1.0, -0.375, 0.5, 1.25), (0.125, 0.25, 0.375, 0.25)
PAIR = Spikes(LOSSES, MASSES)
GRIDS = {
    "on the points": (0.125, np.arange(-24.0, 25.0)),
    "off the points": (0.3, np.arange(-10.0, 11.0)),
    "with gaps": (
        0.1,
        np.concatenate([-(2.0 ** np.arange(9.0, 4.0, -1.0)), np.arange(-16.0, 9.0, 2.0), np.arange(10.0, 40.0)]),
    ),
}


def truth(pairs: list[tuple[Spikes, int]]) -> list[tuple[mpf, mpf]]:
    """Return losses and masses of the composition, exactly."""
    sums: Counter[Fraction] = Counter({Fraction(0): Fraction(1)})
    for pair, count in pairs:
        for _ in range(count):
            following: Counter[Fraction] = Counter()
            for (loss, mass), (other, more) in product(sums.items(), zip(pair.losses, pair.masses, strict=True)):
                following[loss + Fraction(other)] += mass * Fraction(more)
            sums = following
    with mpmath.workdps(40):
        return sorted((mpf(x.numerator) / x.denominator, mpf(m.numerator) / m.denominator) for x, m in sums.items())


def profile(
    items: list[tuple[Pair, int]], step: float, places: np.ndarray, theta: float = 0.8, tail: float = 1e-12
) -> SpectralProfile:
    windows = tuple(loss_window(tail_truncated(pair, -1e6), theta, tail) for pair, _ in items)
    target = PlanTarget(Steps(tuple(items)), Tilt(theta, 1.0, 1.0), 1.0, 1.0, 1e-6, 0.01, (), windows)
    found = composed_spectrum(target, SpectralGrid(step, places, (0.0,) * len(items)))
    assert found is not None
    return SpectralProfile.of(found, 0.0, NOWHERE, 0.0)


@pytest.mark.parametrize("tail", [1e-12, 0.05])
@pytest.mark.parametrize(
    "items", [[(PAIR, 6)], [(PAIR, 13)], [(PAIR, 5), (Spikes((-0.5, 0.75), (0.5, 0.5)), 4)]], ids=["6", "13", "9"]
)
@pytest.mark.parametrize("name", GRIDS)
def test_the_truth_lies_between(name: str, items: list[tuple[Spikes, int]], tail: float):
    found, exact = profile(list(items), *GRIDS[name], tail=tail), truth(items)
    for epsilon in (0.0, 1.0, 2.9, 6.0):
        true = hockey_stick(exact, mpf(epsilon))
        assert mpf(found.delta_lower(epsilon)) <= true <= mpf(found.delta_upper(epsilon))
        if tail < 0.01 and 0.0 < epsilon < 3.0:
            assert mpf(found.delta_upper(epsilon)) <= true * mpf("1.2")
            assert mpf(found.delta_lower(epsilon)) >= true * mpf("0.8")


def test_doubtful_pairs_stay_inside():
    """Masses off by 1 %, which the pair admits to."""
    exact = truth([(PAIR, 6)])
    for a, b in ((1.0, -1.0), (-1.0, 1.0)):
        found = profile([(RoughPair(PAIR, error=0.01, a=a, b=b), 6)], *GRIDS["on the points"])
        for epsilon in (0.0, 1.0, 3.0):
            true = hockey_stick(exact, mpf(epsilon))
            assert mpf(found.delta_lower(epsilon)) <= true <= mpf(found.delta_upper(epsilon))


def test_columns_without_anything_are_left_out():
    rows = np.zeros((3, GAPS.size))
    rows[:, [3, 20, 21, 40]] = np.array([[0.1, 0.4, 0.3, 0.2], [0.2, 0.3, 0.3, 0.2], [0.0, 0.5, 0.5, 0.0]])
    block = block_of(rows, np.array([7.0]), GAPS)
    places, (fewer,) = without_empty_columns(GAPS, [block])
    assert places.tolist() == GAPS[[3, 20, 21, 40]].tolist()
    assert np.array_equal(fewer.rows, rows[:, [3, 20, 21, 40]])
    assert np.allclose(fewer.means, block.means, rtol=1e-14)
    for at in (0.0, 0.3, 3.0):
        assert np.allclose(rows @ np.exp(-1j * at * GAPS), fewer.rows @ np.exp(-1j * at * places), rtol=1e-13)
    # several blocks have columns in common; where most are used nothing is left out
    other = block_of(np.ones((3, GAPS.size)) / GAPS.size, np.array([1.0]), GAPS)
    same, blocks = without_empty_columns(GAPS, [block, other])
    assert same is GAPS
    assert blocks == [block, other]
    # neighbours alone would be taken for the columns from 0 on
    neighbours = np.zeros((3, GAPS.size))
    neighbours[:, 20:23] = 1.0 / 3.0
    alone = block_of(neighbours, np.array([7.0]), GAPS)
    same, blocks = without_empty_columns(GAPS, [alone])
    assert same is GAPS
    assert blocks == [alone]
