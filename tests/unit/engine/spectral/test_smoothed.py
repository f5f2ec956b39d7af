"""Gaussian noise beside other steps, by its own characteristic function: every error is charged, and brackets hold the
truth, which is a sum over the losses of the others of what the noise alone has at the epsilon that is left.
"""

import dataclasses

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.reference.truth_numbers import ends
from tests.support import spectra
from tests.support.lanes import mostly_slow

import tightbudget as tb
import tightbudget.engine.spectral.smoothed as smoothed
from tightbudget.engine.direction import OneDirection
from tightbudget.engine.spectral.blocks import blocks_of
from tightbudget.engine.spectral.smoothed import SmoothedProfile, composed_with_noise
from tightbudget.engine.spectral.spectrum import Chernoff, Laws, Spectrum
from tightbudget.engine.steps import engine_steps, noise_ends
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.gaussian import GaussianPair
from tightbudget.pairs.infinite_mass import NOWHERE

STEP, COUNT = 0.25, 3
PLACES = np.arange(12.0)
DIGITS = 40
NOISES = [0.2, 0.6, 2.0, 30.0]


def random_leaf(seed: int):
    rng = np.random.default_rng(seed)
    a = rng.uniform(0.05, 1.0, PLACES.size)
    return spectra.leaf(np.stack([a, a, a * rng.uniform(0.9, 1.1, a.size)]), 0, -4, 0.1, (-0.2, -0.2, -0.5))


LEAF = random_leaf(7)
TRUTH = spectra.Truth([LEAF], [COUNT], PLACES)
ROWS = [[ends(value)[0] for value in row] for row in TRUTH.rows]


def made(noise: GaussianPair, theta: float, width: float) -> Spectrum:
    laws = Laws(STEP, theta, [LEAF], PLACES, 0, PLACES, list(blocks_of([LEAF], [COUNT], PLACES, 0)))
    found = composed_with_noise(laws, [COUNT], noise, width)
    assert found is not None
    return found


def masses(kind: int, tilt: float) -> list[tuple[mpf, mpf]]:
    """Return the losses of the others and their masses, with the tilt taken off again."""
    anchor, scale = COUNT * mpf(0.1), COUNT * mpf((-0.2, -0.2, -0.5)[kind])
    offs = [(TRUTH.low + i) * mpf(STEP) for i in range(len(ROWS[kind]))]
    return [(anchor + off, value * mpmath.exp(scale - mpf(tilt) * off)) for off, value in zip(offs, ROWS[kind], strict=True)]


def above(m: mpf, loss: mpf) -> tuple[mpf, mpf]:
    """Return what A and B have of noise losses above one."""
    return mpmath.ncdf(m / 2 - loss / m), mpmath.ncdf(-m / 2 - loss / m)


def gaussian_delta(m: mpf, epsilon: mpf) -> mpf:
    a, b = above(m, epsilon)
    return a - mpmath.exp(epsilon) * b


def true_upper(m: float, theta: float, epsilon: float) -> mpf:
    return mpmath.fsum(mass * gaussian_delta(mpf(m), mpf(epsilon) - loss) for loss, mass in masses(0, theta))


def true_lower(m: float, theta: float, epsilon: float) -> mpf:
    """Return A(S) - e^epsilon B(S), S being all sums of losses above epsilon."""
    a = mpmath.fsum(mass * above(mpf(m), mpf(epsilon) - loss)[0] for loss, mass in masses(1, theta))
    b = mpmath.fsum(mass * above(mpf(m), mpf(epsilon) - loss)[1] for loss, mass in masses(2, theta + 1.0))
    return a - mpmath.exp(mpf(epsilon)) * b


def epsilons(found: Spectrum) -> list[float]:
    """Return epsilons from far below the mean of the tilted loss to far above it, up to where it wraps around."""
    middle = found.anchors[0] + found.step * found.origin
    return [middle + found.step * found.period * part for part in np.linspace(-0.6, 0.6, 9).tolist()]


def failures(found: Spectrum, least: float, most: float) -> tuple[int, int]:
    """Return at how many epsilons the upper end fails, and at how many the lower one."""
    profile = SmoothedProfile.of(found, 0.0, NOWHERE, 1.0)
    failed = [0, 0]
    with mpmath.workdps(DIGITS):
        for epsilon in epsilons(found):
            above_it, below_it = profile.delta_upper(epsilon), profile.delta_lower(epsilon)
            failed[0] += mpf(above_it) < min(mpf(1), true_upper(most, found.theta, epsilon))
            failed[1] += below_it > 0.0 and mpf(below_it) > true_lower(least, found.theta, epsilon)
    return failed[0], failed[1]


@pytest.mark.parametrize("width", [0.25, 1e-3, 1e-8])
@pytest.mark.parametrize(("m", "theta"), mostly_slow([(m, theta) for m in NOISES for theta in (0.2, 1.0, 7.0)], every=4))
def test_both_ends_hold_and_are_close(m: float, theta: float, width: float):
    noise = GaussianPair(m)
    found = made(noise, theta, width)
    assert failures(found, *noise_ends(noise)) == (0, 0)
    profile, middle = SmoothedProfile.of(found, 0.0, NOWHERE, 1.0), found.anchors[0] + found.step * found.origin
    with mpmath.workdps(DIGITS):
        true = true_upper(m, theta, middle)
        if true < mpf("1e-300"):
            return
        assert mpf(profile.delta_upper(middle)) <= true * (1 + mpf(width)) or profile.delta_upper(middle) == 1.0
        below = true_lower(m, theta, middle)
        assert below <= 0 or mpf(profile.delta_lower(middle)) >= below - true * mpf(width)


@pytest.mark.parametrize("m", [0.6, 2.0])
def test_frequencies_left_out_are_charged(m: float, monkeypatch: pytest.MonkeyPatch):
    first_nodes = smoothed._first_nodes
    monkeypatch.setattr(
        smoothed,
        "_first_nodes",
        lambda blocks, places, depth, period, deviation: first_nodes(blocks, places, depth / 16.0, period, deviation),
    )
    noise = GaussianPair(m)
    found = made(noise, 1.0, 0.25)
    forgotten = dataclasses.replace(found, beyond=np.zeros(3))
    assert failures(found, *noise_ends(noise)) == (0, 0)
    assert all(failures(forgotten, *noise_ends(noise)))


@pytest.mark.parametrize("tail", ["up", "down"])
def test_what_wraps_around_is_taken_off_the_lower_end(tail: str, monkeypatch: pytest.MonkeyPatch):
    """A period shorter than the losses reach."""
    first_nodes = smoothed._first_nodes
    monkeypatch.setattr(
        smoothed,
        "_first_nodes",
        lambda blocks, places, depth, period, deviation: first_nodes(blocks, places, depth, period // 3, deviation),
    )
    noise = GaussianPair(0.6)
    found = made(noise, 1.0, 1e-3)
    nothing = Chernoff(np.array([0.25]), np.full((3, 1), -700.0))
    assert failures(found, *noise_ends(noise)) == (0, 0)
    assert failures(dataclasses.replace(found, **{tail: nothing}), *noise_ends(noise))[1] > 0


def test_wrapped_tails_are_those_of_the_sum():
    """Chernoff bounds hold for the others and the noise together."""
    noise = GaussianPair(2.0)
    found, without = made(noise, 1.0, 1e-3), made(GaussianPair(0.2), 1.0, 1e-3)
    assert float((found.up.log_moments[0] / found.up.slopes**2).min()) > 0.5 * (2.0 / STEP) ** 2
    assert without.period < found.period


@pytest.mark.parametrize("m_error", [1e-3, 0.05])
def test_the_noise_may_be_a_little_more_or_less(m_error: float):
    """Both ends hold for every m that the noise may have."""
    noise = GaussianPair(1.5, m_error=m_error)
    assert failures(made(noise, 1.0, 1e-6), 1.5 * (1.0 - m_error), 1.5 * (1.0 + m_error)) == (0, 0)


def test_turns_are_as_good_as_they_are_said_to_be():
    """Sums with weights that begin up to two periods away, against forty digits."""
    found = made(GaussianPair(2.0), 1.0, 1e-8)
    profile = SmoothedProfile.of(found, 0.0, NOWHERE, 1.0)
    worst = 0.0
    with mpmath.workdps(DIGITS):
        nodes = [2 * mpmath.pi * int(j) / found.period for j in found.nodes]
        for start in (0.3, -17.7, found.period * 0.99, -1.999 * found.period):
            for row, rate, sums, error in zip((0, 0, 1, 2), (1, 2, 1, 2), range(4), profile.errors, strict=True):
                exact = mpmath.fsum(
                    (1 if j == 0 else 2)
                    * mpmath.re(mpmath.mpc(complex(value)) * mpmath.expj(u * mpf(start)) / (rate * mpf(STEP) - 1j * u))
                    for j, (u, value) in enumerate(zip(nodes, found.values[row], strict=True))
                )
                off = abs(mpf(profile._sums(slice(sums, sums + 1), start)[0]) - exact / found.period)
                assert off <= error
                worst = max(worst, float(off / error))
    assert worst > 1e-4


def test_values_are_as_good_as_they_are_said_to_be():
    noise = GaussianPair(2.0)
    found = made(noise, 1.0, 1e-8)
    least, most = noise_ends(noise)
    with mpmath.workdps(DIGITS):
        for j in found.nodes.tolist():
            angle = spectra.node(j, found.period)
            for kind, m in enumerate((most, least, least)):
                others = spectra.transform([LEAF], [COUNT], PLACES, kind, angle, found.origin + COUNT * 4)
                u = ends(angle)[0]
                exact = mpmath.mpc(ends(others.real)[0], ends(others.imag)[0]) * mpmath.exp(
                    -((u * mpf(m) / mpf(STEP)) ** 2) / 2
                )
                assert abs(mpmath.mpc(complex(found.values[kind, j])) - exact) <= mpf(float(found.error_bound[kind, j]))


def laplace_pair(scale: float) -> Pair:
    pair = tb.Laplace(scale).pair(Direction.ADD)
    assert pair is not None
    return pair


def profile_of(*pairs: tuple[Pair, int], width_index: int = -40) -> object:
    direction = OneDirection(engine_steps(pairs))
    return direction.profile(12, 6, width_index, 2.0**19)


def test_noise_beside_other_steps_is_read_so():
    laplace, gaussian = laplace_pair(20.0), GaussianPair(0.3)
    assert isinstance(profile_of((laplace, 10), (gaussian, 4)), SmoothedProfile)
    assert not isinstance(profile_of((laplace, 10)), SmoothedProfile)
    # of so little noise beside so large losses there would be too many frequencies
    assert not isinstance(profile_of((laplace_pair(0.1), 100), (GaussianPair(1e-3), 1)), SmoothedProfile)


@pytest.mark.parametrize("rtol", [1e-3, 1e-8])
@pytest.mark.parametrize(("promised", "count", "sigma", "runs"), [(0.05, 20, 3.0, 4), (0.7, 6, 0.8, 1), (1e-3, 300, 25.0, 90)])
def test_promises_and_noise_hold_the_exact_sum(promised: float, count: int, sigma: float, runs: int, rtol: float):
    """The worst of pure promises is randomised response: losses that are a binomial law, of which each is weighed."""
    composed = tb.PureDP(promised) * count + tb.Gaussian(sigma) * runs
    with mpmath.workdps(DIGITS):
        m = mpmath.sqrt(runs) / mpf(sigma)
        yes = 1 / (1 + mpmath.exp(-mpf(promised)))

        def delta(epsilon: float) -> mpf:
            return mpmath.fsum(
                mpmath.binomial(count, k)
                * yes**k
                * (1 - yes) ** (count - k)
                * gaussian_delta(m, mpf(epsilon) - (2 * k - count) * mpf(promised))
                for k in range(count + 1)
            )

        for epsilon in (0.1, 1.0, 4.0):
            found = composed.delta(epsilon, rtol)
            assert found.converged
            assert mpf(found.lower) <= delta(epsilon) <= mpf(found.upper)
        for asked in (1e-2, 1e-6, 1e-12):
            found = composed.epsilon(asked, rtol)
            assert found.converged
            assert delta(found.upper) <= mpf(asked) <= delta(found.lower)


@pytest.mark.parametrize("rtol", [1e-3, 1e-9])
def test_laplace_and_gaussian_noise_hold_the_integral(rtol: float):
    b, sigma = 2.0, 1.5
    composed = tb.Laplace(b) + tb.Gaussian(sigma)
    with mpmath.workdps(30):

        def delta(epsilon: float) -> mpf:
            def part(x: mpf) -> mpf:
                loss = (abs(x - 1) - abs(x)) / mpf(b)
                return mpmath.exp(-abs(x) / mpf(b)) / (2 * mpf(b)) * gaussian_delta(1 / mpf(sigma), mpf(epsilon) - loss)

            ends_of_noise = [(-1, mpf(1) / 2), (1, mpmath.exp(-1 / mpf(b)) / 2)]
            outside = mpmath.fsum(
                mass * gaussian_delta(1 / mpf(sigma), mpf(epsilon) + sign / mpf(b)) for sign, mass in ends_of_noise
            )
            return outside + mpmath.quad(part, [0, 0.25, 0.5, 0.75, 1])

        for epsilon in (0.2, 2.0, 5.0):
            found = composed.delta(epsilon, rtol)
            assert found.converged
            assert mpf(found.lower) <= delta(epsilon) <= mpf(found.upper)
