"""Small and large losses apart: both bounds hold at every epsilon, and every part of them is needed."""

import dataclasses
import math
from collections import Counter
from itertools import combinations_with_replacement, product

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.doubles import Spikes
from tests.support.lanes import mostly_slow
from tests.support.readings import hockey_stick
from tests.support.spiked import composed, mirrored

import tightbudget as tb
from tightbudget.engine.large_losses.apart import SplitDirection, _log_lower_moments, has_large_losses, loss_ceilings
from tightbudget.engine.steps import Steps
from tightbudget.pairs.base import Direction
from tightbudget.pairs.below import BelowPair

CASES = {"rare": (2.0, 1e-6, 5), "rarer": (3.0, 1e-12, 4), "often": (1.5, 0.05, 6), "one": (2.0, 1e-3, 2)}
EPSILONS = (0.0, 0.3, 0.9, 1.2, 1.45, 1.7, 1.9, 2.05, 2.6, 3.1, 4.3)


def profile(pair: Spikes, count: int, ceiling: float, epsilon: float):
    split = SplitDirection(Steps(((pair, count),)), (ceiling,))
    made = split.profile(30, split.small.saddle(30).for_epsilon(epsilon).tilt_index, -24, 2.0**19)
    assert made is not None
    return made


@pytest.mark.slow
@pytest.mark.parametrize("ceiling", mostly_slow([0.0, 0.0625, 0.125, 1.0], every=4, first=2))
@pytest.mark.parametrize("name", mostly_slow(CASES, every=4))
def test_the_truth_lies_between(name: str, ceiling: float):
    """Also with ceilings that are losses themselves."""
    large, rare, count = CASES[name]
    pair = mirrored(large, rare)
    exact = composed(Steps(((pair, count),)))
    for epsilon in EPSILONS:
        made = profile(pair, count, ceiling, max(epsilon, 0.05))
        true = hockey_stick(exact, mpf(epsilon))
        # a float's worth of B's mass is made up by the pair itself, which is mirrored only up to rounding
        assert mpf(made.delta_lower(epsilon)) <= true * (1 + mpf("1e-12"))
        assert true <= mpf(made.delta_upper(epsilon)) * (1 + mpf("1e-12"))


def test_both_ends_are_close_where_one_large_loss_decides():
    """A large loss, rarely, and otherwise a small negative one, as subsampling makes them."""
    rare, large, count = 1e-9, 2.0, 5
    with mpmath.workdps(50):
        rest = mpmath.log((1 - mpf(rare)) / (1 - mpf(rare) * mpmath.exp(-large)))
        exact = [
            (k * mpf(large) + (count - k) * rest, mpmath.binomial(count, k) * mpf(rare) ** k * (1 - mpf(rare)) ** (count - k))
            for k in range(count + 1)
        ]
    made = profile(Spikes((float(rest), large), (1.0 - rare, rare)), count, 1.5, 1.0)
    true = hockey_stick(exact, mpf(1))
    assert true * mpf("0.999") <= mpf(made.delta_lower(1.0)) <= true * (1 + mpf("1e-12"))
    assert true * (1 - mpf("1e-12")) <= mpf(made.delta_upper(1.0)) <= true * mpf("1.001")


@pytest.mark.slow
def test_large_losses_alone_hold_what_they_should():
    """A and B of events with a large loss, and what is added again because the other losses may undo it."""
    pair, count, ceiling = mirrored(0.5, 0.01, small=0.25, often=0.3), 5, 0.375
    large = profile(pair, count, ceiling, 0.1).large
    with mpmath.workdps(50):
        masses = [(mpf(loss), mpf(mass)) for loss, mass in zip(pair.losses, pair.masses, strict=True)]
        a = mpmath.fsum(mass for loss, mass in masses if loss > ceiling)
        b = mpmath.fsum(mass * mpmath.exp(-loss) for loss, mass in masses if loss > ceiling)
        some_a, some_b = 1 - (1 - a) ** count, 1 - (1 - b) ** count
        assert mpf(large.a_lower) <= some_a <= mpf(large.a_upper) <= some_a * (1 + mpf("1e-9")) + mpf("1e-290")
        assert mpf(large.b_lower) <= some_b <= mpf(large.b_upper) <= some_b * (1 + mpf("1e-9")) + mpf("1e-290")
        exact = []  # events with a large loss: total loss and masses
        for choice in product(masses, repeat=count):
            if any(loss > ceiling for loss, _ in choice):
                exact.append((mpmath.fsum(loss for loss, _ in choice), mpmath.fprod(mass for _, mass in choice)))
        for epsilon in (0.0, 0.1, 0.2, 0.3, 0.45, 0.6, 0.9):
            true = hockey_stick(exact, mpf(epsilon))
            assert mpf(large.lower(epsilon)) <= true <= mpf(large.upper(epsilon))
    # without what is added again the upper end would be too low near the large loss
    forgotten = dataclasses.replace(large, weight=np.zeros(1))
    assert mpf(forgotten.upper(0.45)) < hockey_stick(exact, mpf(0.45))


@pytest.mark.parametrize("slope", [0.5, 3.0, 20.0])
def test_lower_moments_are_no_smaller_than_they_are(slope: float):
    pair = mirrored(0.5, 0.01, small=0.25, often=0.3)
    (found,) = _log_lower_moments(Steps(((pair, 3),)), np.array([slope])).tolist()
    with mpmath.workdps(50):
        exact = mpmath.fsum(
            mpf(m) * mpmath.exp(-(1 + mpf(slope)) * mpf(x)) for x, m in zip(pair.losses, pair.masses, strict=True)
        )
        assert 3 * mpmath.log(exact) <= mpf(found) <= 3 * mpmath.log(exact) + mpf("1e-6")


@pytest.mark.parametrize("slope", [1.0, 40.0])
def test_lower_moments_of_gaussian_noise(slope: float):
    """E_B e^{-s L} = e^{s (1 + s) m^2 / 2}."""
    pair = tb.Gaussian(5.0).pair(Direction.REMOVE)
    assert pair is not None
    (found,) = _log_lower_moments(Steps(((pair, 1),)), np.array([slope])).tolist()
    exact = slope * (1.0 + slope) * 0.04 / 2.0
    assert exact <= found <= 1.2 * exact + 1e-3


@pytest.mark.parametrize(
    ("mechanism", "threshold"),
    [(tb.Gaussian(1.0), 0.7), (tb.Gaussian(2.0), -0.3), (tb.Laplace(2.0), 0.2), (tb.Poisson(tb.Gaussian(1.0), 0.01), 0.05)],
)
def test_masses_above_a_threshold(mechanism: tb.Mechanism, threshold: float):
    pair = mechanism.pair(Direction.REMOVE)
    assert pair is not None
    a_lower, a_upper, b_lower, b_upper = BelowPair(pair, threshold).above(threshold)
    with mpmath.workdps(50):
        x = mpf(threshold)
        if isinstance(mechanism, tb.Laplace):
            e = 1 / mpf(mechanism.scale)
            a = mpf(1) / 2 + (1 - mpmath.exp((x - e) / 2)) / 2
            b = mpmath.exp(-e) / 2 + (mpmath.exp(-(x + e) / 2) - mpmath.exp(-e)) / 2
        else:
            noise, q = (mechanism.mechanism, mpf(mechanism.q)) if isinstance(mechanism, tb.Poisson) else (mechanism, mpf(1))
            m = 1 / mpf(noise.sigma)
            z = mpmath.log((mpmath.exp(x) - 1 + q) / q) / m + m / 2
            b = mpmath.ncdf(-z)
            a = q * mpmath.ncdf(m - z) + (1 - q) * b
        assert mpf(a_lower) <= a <= mpf(a_upper) <= a * (1 + mpf("1e-9"))
        assert mpf(b_lower) <= b <= mpf(b_upper) <= b * (1 + mpf("1e-9"))


@pytest.mark.parametrize("mechanism", [tb.Laplace(2.0), tb.Poisson(tb.Gaussian(1.0), 0.01), tb.Poisson(tb.Laplace(1.0), 0.1)])
def test_a_pair_below_its_ceiling_has_just_that(mechanism: tb.Mechanism):
    pair = mechanism.pair(Direction.REMOVE)
    assert pair is not None
    survey = pair.coarse_cells()
    ceiling = float(survey.high[2 * survey.size // 3])
    below = BelowPair(pair, ceiling)
    rest = float(np.exp(below.cells(np.linspace(-2.0, 3.0, 4001)).log_a).sum() + np.exp(below.points().log_a).sum())
    assert rest + below.above(ceiling)[0] == pytest.approx(1.0, abs=1e-9)
    assert float(np.exp(below.coarse_cells().log_a).sum()) == pytest.approx(rest, rel=1e-9)
    assert below.max_loss == ceiling


def test_denormal_masses_of_b_are_rounded_down():
    pair = tb.Poisson(tb.Gaussian(1 / 28.0), 0.1).pair(Direction.REMOVE)
    assert pair is not None
    for threshold in (679.759914907006, 690.0, 700.0):
        _, _, b_lower, b_upper = BelowPair(pair, threshold).above(threshold)
        with mpmath.workdps(50):
            z = (mpmath.log((mpmath.exp(mpf(threshold)) - mpf(9) / 10) / (mpf(1) / 10))) / 28 + 14
            assert mpf(b_lower) <= mpmath.ncdf(-z) <= mpf(b_upper)


def test_a_ceiling_inside_a_cell_cuts_it():
    """What lies below the ceiling is all in the coarse cells: the cell that holds it is not left out."""
    pair = tb.Poisson(tb.Gaussian(1.0), 0.2).pair(Direction.REMOVE)
    assert pair is not None
    cells = pair.coarse_cells()
    place = cells.size // 2
    ceiling = float(0.5 * (cells.low[place] + cells.high[place]))
    with mpmath.workdps(40):
        # the noise at which the loss log(1 - q + q e^{x - 1/2}) is at the ceiling
        x = mpmath.log((mpmath.exp(mpf(ceiling)) - mpf(0.8)) / mpf(0.2)) + mpf(1) / 2
        below = mpf(0.2) * mpmath.ncdf(x - 1) + mpf(0.8) * mpmath.ncdf(x)
    survey = BelowPair(pair, ceiling).coarse_cells()
    assert float(np.exp(survey.log_a).sum()) == pytest.approx(float(below), rel=1e-12)
    assert survey.high[-1] == ceiling


def test_steps_without_large_losses_have_no_ceiling():
    rare, small = (tb.Poisson(tb.Gaussian(1.0), 1e-3).pair(Direction.REMOVE), tb.Laplace(1000.0).pair(Direction.REMOVE))
    assert rare is not None
    assert small is not None
    first, second = loss_ceilings(Steps(((rare, 5), (small, 2))), 0.5)
    assert 0.5 < first < math.inf
    assert second == math.inf
    alone = SplitDirection(Steps(((rare, 5),)), (first,))._large
    both = SplitDirection(Steps(((rare, 5), (small, 2))), (first, second))._large
    assert (both.a_lower, both.a_upper, both.b_lower, both.b_upper) == (
        alone.a_lower,
        alone.a_upper,
        alone.b_lower,
        alone.b_upper,
    )


def test_what_may_be_split():
    def steps(mechanism: tb.Mechanism) -> Steps:
        pair = mechanism.pair(Direction.REMOVE)
        assert pair is not None
        return Steps(((pair, 3),))

    assert has_large_losses(steps(tb.Poisson(tb.Gaussian(1.0), 0.01)), 0.1)
    assert not has_large_losses(steps(tb.TruncatedGaussian(1.0, 3.0)), 0.1)  # B has losses of minus infinity
    assert not has_large_losses(steps(tb.RandomizedResponse(0.6)), 0.1)
    assert not has_large_losses(steps(tb.Laplace(2.0)), 0.6)  # no loss is so large


def test_events_of_noise_on_the_integers_are_taken_apart():
    """Of a list every event is a cell of its own, and B is A mirrored; six steps are enumerated."""
    sigma, q, count = 0.8, 0.02, 6
    step = tb.Poisson(tb.DiscreteGaussian(sigma), q, relation="replace_one")
    pair = step.pair(Direction.REMOVE)
    assert pair is not None
    assert has_large_losses(Steps(((pair, count),)), 0.6)
    x = np.arange(-7, 8)
    noise = np.exp(-0.5 * (np.arange(-8, 9) / sigma) ** 2)
    noise /= noise.sum()
    a, b = ((1 - q) * noise[1:-1] + q * noise[1 + d : noise.size - 1 + d] for d in (1, -1))
    lost = 1.0 - float(a.sum())
    chosen = np.array(list(combinations_with_replacement(range(x.size), count)))
    ways = np.array([math.factorial(count) / math.prod(map(math.factorial, Counter(row).values())) for row in chosen.tolist()])
    total_a, total_b = (ways * values[chosen].prod(axis=1) for values in (a, b))
    assert float(total_a.sum()) == pytest.approx(1.0, abs=1e-12)
    for epsilon in (0.1, 0.6, 1.5, 3.0):
        true = float(np.maximum(total_a - math.exp(epsilon) * total_b, 0.0).sum())
        for ceiling in (0.3, 2.0, float(pair.points().low[-8])):
            split = SplitDirection(Steps(((pair, count),)), (ceiling,))
            made = split.profile(20, split.small.saddle(20).for_epsilon(epsilon).tilt_index, -40, 2.0**21)
            assert made is not None
            assert made.delta_lower(epsilon) <= true * (1 + 1e-11) + count * max(lost, 0.0)
            assert true * (1 - 1e-11) <= made.delta_upper(epsilon)
        for rtol in (1e-3, 1e-6):
            answer = (step * count).delta(epsilon, rtol=rtol)
            assert answer.converged
            assert answer.lower * (1 - 1e-11) <= true <= answer.upper * (1 + 1e-11)
