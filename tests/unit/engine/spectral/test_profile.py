"""Reading delta off a spectrum: every error that the spectrum admits to is charged to the side that needs it.

Spectra are made by hand from short rows, so that what wraps around, what is left out and what is doubtful are all
large.
"""

import dataclasses
import math

import mpmath
import numpy as np
import pytest
from flint import ctx
from mpmath import mpf
from tests.support import spectra
from tests.support.lanes import mostly_slow

from tightbudget.engine.spectral.profile import SpectralProfile, geometric_series
from tightbudget.engine.spectral.spectrum import Chernoff, Spectrum
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import U
from tightbudget.pairs.infinite_mass import InfiniteMass

STEP, THETA = 0.25, 1.0
PLACES = np.arange(12.0)
NO_BOUND = np.zeros(3)


def random_leaf(seed: int, size: int = 12):
    rng = np.random.default_rng(seed)
    a = rng.uniform(0.05, 1.0, size)
    return spectra.leaf(np.stack([a, a, a * rng.uniform(0.9, 1.1, size)]), 0, -4)


LEAF, COUNT = random_leaf(7), 3
TRUTH = spectra.Truth([LEAF], [COUNT], PLACES)
LOW, SIZE = TRUTH.low, len(TRUTH.rows[0])
CENTRE = 5  # of each leaf; indices of the spectrum count from three times this, which is index 3 of the list


def chernoff(sign: int) -> Chernoff:
    """Return exact log moments, a little rounded up, at some slopes."""
    slopes = np.array([0.02, 0.1, 0.25])
    moments = [
        [
            COUNT * math.log(sum(p * math.exp(sign * s * (k - CENTRE)) for k, p in zip(PLACES, row, strict=True))) + 1e-12
            for s in slopes
        ]
        for row in spectra.rows_of(LEAF)
    ]
    return Chernoff(slopes, np.array(moments))


def made(
    period: int = 61, keep: int | None = None, anchor: float = 0.1, log_scale=(0.0, 0.0, -0.5), origin: int | None = None
) -> Spectrum:
    """Return the spectrum of LEAF, COUNT times, at nodes known to the last digit; those from `keep` on are left out."""
    last = period // 2
    nodes = [spectra.node(j, period) for j in range(last + 1)]
    every = [
        [complex(spectra.transform([LEAF], [COUNT], PLACES, kind, node, COUNT * CENTRE)) for node in nodes] for kind in range(3)
    ]
    values = np.array(every)
    keep = last + 1 if keep is None else keep
    return Spectrum(
        step=STEP,
        theta=THETA,
        period=period,
        nodes=np.arange(keep),
        values=values[:, :keep],
        error_bound=np.full((3, keep), 4.0 * U),
        beyond=np.abs(values[:, keep:]).max(axis=1) if keep <= last else NO_BOUND,
        up=chernoff(1),
        down=chernoff(-1),
        origin=COUNT * (CENTRE - 4) if origin is None else origin,
        anchors=(anchor, anchor),
        log_scale=np.array(log_scale),
        error=NO_BOUND,
        loss_shift=0.0,
    )


def read(found: Spectrum, upper: float = 0.0, lower: float = 0.0) -> SpectralProfile:
    return SpectralProfile.of(found, upper, InfiniteMass(Mass(math.log(lower) if lower else -math.inf, 0.0)), 0.0)


def starts(found: Spectrum) -> list[float]:
    """Return epsilons from below the list to above it, on the grid and between."""
    return [found.anchors[0] + STEP * (LOW + i + off) for i in range(-3, SIZE + 3, 2) for off in (0.0, 0.37)]


def first_bucket(found: Spectrum, epsilon: float) -> int:
    return math.ceil((epsilon - found.anchors[1]) / found.step - found.origin) + found.origin


def is_upper(found: Spectrum, epsilon: float, loss_shift: float = 0.0) -> bool:
    return mpf(read(found).delta_upper(epsilon)) >= min(TRUTH.upper(found, epsilon, loss_shift), mpf(1))


def is_lower(found: Spectrum, epsilon: float) -> bool:
    below = read(found).delta_lower(epsilon)
    return below == 0.0 or mpf(below) <= TRUTH.lower(found, epsilon, first_bucket(found, epsilon))


@pytest.mark.slow
@pytest.mark.parametrize("scale", [-3.0, -40.0, -400.0])
@pytest.mark.parametrize("period", [61, 101, 1001])
def test_both_ends_hold_and_are_close(period: int, scale: float):
    found = made(period, log_scale=(scale, scale, scale - 0.5))
    for epsilon in starts(found):
        assert is_upper(found, epsilon)
        assert is_lower(found, epsilon)
    if period > 100:  # nothing wraps onto anything that counts
        epsilon = found.anchors[0] + 0.3 * STEP
        true = TRUTH.upper(found, epsilon)
        assert mpf(read(found).delta_upper(epsilon)) <= true * (1 + mpf("1e-3"))
        below = TRUTH.lower(found, epsilon, first_bucket(found, epsilon))
        assert below > 0
        assert mpf(read(found).delta_lower(epsilon)) >= below * mpf("0.9")


def test_wrapping_around_only_adds_to_the_upper_end():
    """A period shorter than the list."""
    for period in (3, 9, 21):
        found = made(period)
        assert all(is_upper(found, epsilon) for epsilon in starts(found))


@pytest.mark.parametrize("tail", ["up", "down"])
@pytest.mark.parametrize("period", [9, 21])
def test_what_wraps_around_is_taken_off_the_lower_end(period: int, tail: str):
    found = made(period, log_scale=(-3.0, -3.0, -30.0))  # B is all but nothing: what counts is A
    nothing = Chernoff(np.array([0.25]), np.full((3, 1), -700.0))
    assert all(is_lower(found, epsilon) for epsilon in starts(found))
    assert not all(is_lower(dataclasses.replace(found, **{tail: nothing}), epsilon) for epsilon in starts(found))


@pytest.mark.parametrize("keep", [1, 2, 4, 10])
def test_frequencies_left_out_are_charged(keep: int):
    found = made(61, keep, log_scale=(-3.0, -3.0, -30.0))
    forgotten = dataclasses.replace(found, beyond=NO_BOUND)
    assert all(is_upper(found, epsilon) and is_lower(found, epsilon) for epsilon in starts(found))
    assert not all(is_upper(forgotten, epsilon) for epsilon in starts(found))
    assert not all(is_lower(forgotten, epsilon) for epsilon in starts(found))


def test_frequencies_left_out_are_charged_to_b():
    """A is known; of B all but one frequency is left out."""
    found = made(61, log_scale=(-3.0, -3.0, -3.5))
    values = found.values.copy()
    values[2, 2:] = 0.0
    rough = dataclasses.replace(found, values=values, beyond=np.array([0.0, 0.0, float(np.abs(found.values[2, 2:]).max())]))
    epsilons = np.linspace(-2.0, 6.0, 41)
    assert all(is_lower(rough, epsilon) for epsilon in epsilons)
    assert not all(is_lower(dataclasses.replace(rough, beyond=NO_BOUND), epsilon) for epsilon in epsilons)


@pytest.mark.slow
@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("row", mostly_slow([0, 1, 2], every=3))
def test_doubtful_values_are_charged(row: int, sign: float):
    """Values off by 1 % in the direction that hurts: as the kernel at the epsilon asked for."""
    error_bound = 0.01
    wrong = 0
    scales = (-3.0, -3.0, -30.0) if row < 2 else (-3.0, -3.0, -3.5)
    for epsilon in starts(made()):
        exact = made(log_scale=scales)
        start = first_bucket(exact, epsilon) - exact.origin
        angles = 2.0 * math.pi * exact.nodes / exact.period
        kernel = geometric_series(THETA * STEP, angles) * np.exp(1j * angles * start)
        values = exact.values.copy()
        values[row] += sign * error_bound * np.conj(kernel) / np.abs(kernel)
        error_bounds = exact.error_bound.copy()
        error_bounds[row] += error_bound
        for stated in (True, False):
            found = dataclasses.replace(exact, values=values, error_bound=error_bounds if stated else exact.error_bound)
            held = is_upper(found, epsilon) and is_lower(found, epsilon)
            assert held or not stated
            wrong += not held
    if (row, sign) in ((0, -1.0), (1, 1.0), (2, -1.0)):
        assert wrong > 0  # it was needed


@pytest.mark.slow
@pytest.mark.parametrize("theta", [0.3, 1.0])
def test_errors_of_rows_are_charged(theta: float):
    error = np.array([1e-3, 2e-3, 3e-3])
    found = dataclasses.replace(made(1001, log_scale=(-3.0, -3.0, -3.5)), error=error, theta=theta)
    with mpmath.workdps(40):
        largest = mpf(theta) ** mpf(theta) / (1 + mpf(theta)) ** (1 + mpf(theta))
        for epsilon in starts(found):
            shifted = mpf(epsilon) - mpf(found.anchors[0])
            charge = mpf(error[0]) * largest * mpmath.exp(mpf(-3.0) - mpf(theta) * shifted)
            assert mpf(read(found).delta_upper(epsilon)) >= min(TRUTH.upper(found, epsilon) + charge, mpf(1))
            start = first_bucket(found, epsilon)
            place = start * mpf(STEP)
            gain, cost = mpmath.exp(mpf(-3.0) - theta * place), mpmath.exp(mpf(epsilon) - mpf(3.5) - (mpf(theta) + 1) * place)
            below = read(found).delta_lower(epsilon)
            assert (
                below == 0.0 or mpf(below) <= TRUTH.lower(found, epsilon, start) - mpf(error[1]) * gain - mpf(error[2]) * cost
            )


@pytest.mark.parametrize("loss_shift", [0.05, 0.6])
def test_losses_may_be_larger_by_the_slack(loss_shift: float):
    exact = made(log_scale=(-3.0, -3.0, -3.5))
    found = dataclasses.replace(exact, loss_shift=loss_shift)
    for epsilon in starts(found):
        assert is_upper(found, epsilon, loss_shift)
    assert not all(
        mpf(read(exact).delta_upper(epsilon)) >= TRUTH.upper(found, epsilon, loss_shift) for epsilon in starts(found)
    )


def test_infinite_losses_are_added():
    found = made(log_scale=(-3.0, -3.0, -3.5))
    for epsilon in starts(found):
        alone, both = read(found), read(found, 0.25, 0.125)
        assert both.delta_upper(epsilon) >= min(1.0, 0.25 + alone.delta_upper(epsilon))
        assert 0.125 * (1.0 - 1e-15) <= both.delta_lower(epsilon) <= 0.125 + alone.delta_lower(epsilon)


@pytest.mark.parametrize("far", [10**6, -(10**9), 10**12])
def test_turns_by_many_steps_cost_nothing(far: int):
    """Indices count from the wrong place, up to a billion steps away: sums differ by no more than the errors admitted
    to.
    """
    period = 61
    near = made(period)
    ctx.prec = spectra.BITS

    def value(kind: int, j: int) -> complex:
        angle = spectra.node(j, period)
        here = spectra.transform([LEAF], [COUNT], PLACES, kind, angle, COUNT * CENTRE)
        return complex(here * spectra.acb(0, -angle * far).exp())

    moved = np.array([[value(kind, j) for j in range(period // 2 + 1)] for kind in range(3)])
    there, here = read(dataclasses.replace(near, values=moved)), read(near)
    assert all(error < 1e-13 for error in there.errors)
    for start in range(-40, 40):
        pairs = zip(there._sums(slice(0, 4), start + far), here._sums(slice(0, 4), start), there.errors, strict=True)
        assert all(abs(one - other) <= error for one, other, error in pairs)


@pytest.mark.parametrize("far", [1e4, 1e6, 1e8])
def test_rounding_of_large_exponents_is_charged(far: float):
    """Z e^{-theta epsilon} is a quotient of two numbers near e^(1e8 theta): its rounding is part of the bracket."""
    origin = round(far / STEP)
    scale = THETA * far
    exact = made(101, anchor=0.0)
    found = dataclasses.replace(
        made(101, anchor=0.0, origin=exact.origin + origin), log_scale=np.array([scale - 3.0, scale - 3.0, scale - 4.5])
    )
    near = dataclasses.replace(exact, log_scale=np.array([-3.0, -3.0, -4.5]))
    certain = 0
    for i in (-2, 0, 3, 9):
        epsilon = far + STEP * i + 0.1
        # 0.1 is rounded when `far` is added
        back = epsilon - origin * STEP
        assert mpf(read(found).delta_upper(epsilon)) >= TRUTH.upper(near, back)
        below = read(found).delta_lower(epsilon)
        start = math.ceil(epsilon / STEP - found.origin) + exact.origin
        assert mpf(below) <= TRUTH.lower(near, back, start)
        certain += below > 0.0
    assert certain >= 2


@pytest.mark.parametrize("exponent", [1e-12, 1e-3, 0.5, 30.0])
def test_the_series_is_good_to_a_few_roundings(exponent: float):
    period = 10**7 + 1
    which = [0, 1, 5, 1000, 10**6, period // 4, period // 3, period // 2]
    found = geometric_series(exponent, 2.0 * math.pi / period * np.array(which, dtype=np.float64))
    with mpmath.workdps(60):
        for j, value in zip(which, found.tolist(), strict=True):
            exact = 1 / (1 - mpmath.exp(-mpf(exponent) + 2j * mpmath.pi * j / period))
            assert abs(mpmath.mpc(value) - exact) <= 24 * U * abs(exact)
