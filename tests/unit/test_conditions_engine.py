"""Conditions of the theorems on rounding, masses, grids and planning, at both sides of each limit.

A bound that was proved for a range must not be used outside it: here is what keeps it from that.
"""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb, ctx

import tightbudget as tb
from tightbudget.engine.closed.laplace import laplace_direction
from tightbudget.engine.closed.one_step import single_delta
from tightbudget.engine.direction import OneDirection
from tightbudget.engine.discretisation.discretise import discretise
from tightbudget.engine.discretisation.window import Window
from tightbudget.engine.large_losses.apart import has_large_losses
from tightbudget.engine.large_losses.layers import layered_direction
from tightbudget.engine.spectral import smoothed
from tightbudget.engine.spectral.profile import SpectralProfile
from tightbudget.engine.spectral.smoothed import composed_with_noise
from tightbudget.engine.spectral.spectrum import spectrum_certificate
from tightbudget.engine.steps import Steps, engine_steps
from tightbudget.numerics import convolve
from tightbudget.numerics.convolve import TooWide, convolve_powers
from tightbudget.numerics.mass import Mass, any_of
from tightbudget.numerics.normal import log_normal_mass
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.gaussian import GaussianPair
from tightbudget.pairs.negligible import without_negligible
from tightbudget.pairs.points import PointPair, point_pair

EITHER_SIDE = (1.0 - 1e-6, 1.0, 1.0 + 1e-6, 4.0, 40.0)


def pair_of(mechanism: tb.Mechanism, direction: Direction = Direction.REMOVE) -> Pair:
    pair = mechanism.pair(direction)
    assert pair is not None
    return pair


def exact_log_mass(middle: float, width: float) -> arb:
    """Return log P(|Z - middle| <= width / 2)."""
    z, half = arb(abs(middle)), arb(width) / 2
    return (((z - half) / arb(2).sqrt()).erfc() - ((z + half) / arb(2).sqrt()).erfc()).log() - arb(2).log()


# The normal law on an interval: three formulas, each for the widths it was proved for


@pytest.mark.parametrize("z", [0.0, 0.9, 1.0, 3.0, 40.0])
@pytest.mark.parametrize("limit", ["series", "short tail", "bulk"])
def test_formulas_of_the_normal_law_change_where_they_must(z: float, limit: str):
    widths = {"series": 0.25 / max(1.0, z), "short tail": 2.0 * math.sqrt(2.5e-5) / max(1.0, z), "bulk": 2.0 * (z + 1.0)}
    with ctx.workprec(400):
        for factor in EITHER_SIDE:
            width = widths[limit] * factor
            log, error = log_normal_mass(np.array([z]), np.array([width]))
            assert abs(arb(float(log[0])) - exact_log_mass(z, width)) <= arb(float(error[0]))
            assert error[0] < 1e-11


# Masses


def test_tiny_masses_add_up_and_larger_ones_unite():
    """Below 1e-13 in all the sum is good enough, with its square taken off; from there on a union is computed."""
    for share in (0.5, 0.999, 1.001, 2.0, 500.0):
        p, count = 1e-13 * share / 3.0, 3
        exact = 1 - (1 - Fraction(p)) ** count
        found = any_of([(Mass.about(math.log(p), 1e-15), count)])
        assert Fraction(found.lower) <= exact <= Fraction(found.upper)
        assert found.upper - found.lower < 1e-12 * found.upper


def test_shares_of_histograms_are_fractions_up_to_a_thousand_cells():
    for cells, exact in ((1000, True), (1001, False)):
        pair = pair_of(tb.Histograms([1.0] * cells, [0.0] + [1.0] * (cells - 1)))
        mass = pair.infinity.infinite
        assert (mass.exact is not None) is exact
        assert Fraction(mass.lower) <= Fraction(1, cells) <= Fraction(mass.upper)


def test_losses_below_all_floats_become_unresolved_mass():
    kept, negligible = GaussianPair(1.001e-300), GaussianPair(0.999e-300)
    assert without_negligible(kept) is kept
    replaced = without_negligible(negligible)
    assert replaced.unresolved == 0.999e-300
    assert replaced.points().low.tolist() == [0.0]
    told = pair_of(tb.ApproximateDP(1e-301, 0.25))  # what may be told for certain is no small loss
    assert without_negligible(told) is told


def test_cuts_and_shifts_too_small_for_quotients_are_refused():
    assert tb.TruncatedGaussian(1.0, 1.01e-280, 1.01e-280).delta(0.0).upper <= 1.0
    for bound, shift in ((0.99e-280, 1e-100), (1.0, 0.99e-280)):
        with pytest.raises(tb.InvalidParameter):
            tb.TruncatedGaussian(1.0, bound, shift).delta(0.0)


def test_shifts_too_large_for_squares_are_all_but_told():
    below, above = (pair_of(tb.TruncatedGaussian(1.0, 1e153, shift)) for shift in (0.99e151, 1.01e151))
    assert isinstance(below, GaussianPair)
    assert above.infinity.beyond <= 1e300
    assert above.infinity.at(1e299).lower > 0.9
    assert above.infinity.at(1e300).lower == 0.0
    assert above.infinity.upper == 1.0


def test_counts_are_taken_for_certain_only_where_noise_hardly_ever_matters():
    """Noise of at most 1e-100, and 1e4 times below the distance to the next whole number; else refused or computed."""
    assert pair_of(tb.ClampedLaplace(1.01e-97, 1e-101, 1.0)).infinity.beyond < math.inf
    with pytest.raises(tb.InvalidParameter):
        tb.ClampedLaplace(0.99e-97, 1e-101, 1.0).delta(0.0)
    assert pair_of(tb.ClampedLaplace(0.5, 1e-100, 1.0)).infinity.possible
    assert not pair_of(tb.ClampedLaplace(0.5, 1.001e-100, 1.0)).infinity.possible


def test_lists_that_were_cut_have_no_largest_loss():
    losses = np.array([-1.0, 1.0])
    whole = point_pair(("whole",), losses, np.log([0.25, 0.75]), np.log([0.75, 0.25]), error=1e-15)
    cut = point_pair(("cut",), losses, np.log([0.25, 0.75]), np.log([0.75, 0.25]), error=1e-15, unresolved=1e-300)
    assert 1.0 <= whole.max_loss < 1.0 + 1e-12
    assert cut.max_loss == math.inf
    for pair, delta in ((whole, 0.0), (cut, 1.01e-300)):
        assert OneDirection(Steps(((pair, 1),))).naive_delta(2.0) >= delta


# Grids


def spike(loss: float = 1.0, error: float = 1e-15, loss_error: float = 0.0) -> PointPair:
    """Return one event of mass 1 under A."""
    at, zero = np.array([loss]), np.zeros(1)
    return point_pair(("spike", loss, error, loss_error), at, zero, zero - loss, error=error, loss_error=loss_error)


def on_grid(pair: PointPair, step: float) -> None:
    low = float(pair.losses[0])
    discretise(pair, Window(low, low, -math.inf, -math.inf), step, 1.0, 0.0)


def test_masses_that_are_hardly_known_make_no_grid():
    on_grid(spike(error=49.9), 0.1)
    with pytest.raises(TooWide):
        on_grid(spike(error=50.1), 0.1)


def test_losses_that_are_hardly_known_make_no_fine_grid():
    on_grid(spike(loss_error=99.0), 0.1)
    with pytest.raises(TooWide):
        on_grid(spike(loss_error=101.0), 0.1)


def test_places_beyond_2_to_the_50_make_no_grid():
    on_grid(spike(), 1.001 * 2.0**-50)
    with pytest.raises(TooWide):
        on_grid(spike(), 0.999 * 2.0**-50)


def test_grids_longer_than_any_transform_are_refused():
    pair = point_pair(
        ("two",), np.array([0.0, 1.0]), np.log([0.5, 0.5]), np.log([0.5, 0.5]) - np.array([0.0, 1.0]), error=1e-15
    )
    window = Window(0.0, 1.0, -math.inf, -math.inf)
    discretise(pair, window, 1.001 / convolve.LONGEST, 1.0, 0.0)
    with pytest.raises(TooWide):
        discretise(pair, window, 0.999 / convolve.LONGEST, 1.0, 0.0)


def test_errors_larger_than_the_mass_are_not_composed():
    reading = SimpleNamespace(error=np.array([0.5]), log_scale=np.zeros(1))
    both = SimpleNamespace(error=np.array([0.5, 0.5]), log_scale=np.zeros(2))
    one = SimpleNamespace(spread=reading, merged=both)
    _, error = spectrum_certificate([one], [2])  # type: ignore[list-item]
    assert (error >= 1.25).all()  # (1 + 1/2)^2 - 1
    with pytest.raises(TooWide):
        spectrum_certificate([one], [3])  # type: ignore[list-item]


# Convolution


def test_no_transform_is_longer_than_the_longest(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(convolve, "LONGEST", 4096)
    halves = np.full((1, 2049), 1.0 / 2049)
    convolve_powers([halves[:, :2048] / halves[:, :2048].sum()], [2], 1e-12)
    with pytest.raises(TooWide):
        convolve_powers([halves], [2], 1e-12)


def test_no_more_factors_than_the_error_was_proved_for():
    rare = np.array([[1.0 - 1e-12, 1e-12]])
    assert convolve_powers([rare], [10**11], 1e-12).rows.sum() == pytest.approx(1.0, abs=1e-4)
    with pytest.raises(TooWide):
        convolve_powers([rare], [10**11 + 1], 1e-12)


# Closed forms


def test_noise_that_is_cut_off_is_not_merged():
    whole, cut = pair_of(tb.Gaussian(1.0)), pair_of(tb.TruncatedGaussian(1.0, 40.0))
    assert len(engine_steps([(whole, 3), (pair_of(tb.Gaussian(2.0)), 1)]).items) == 1
    assert len(engine_steps([(whole, 3), (cut, 1)]).items) == 2
    assert engine_steps([(cut, 2)]).items[0][1] == 2


def test_masses_known_to_a_factor_of_two_count_for_nothing_alone():
    for error, most in ((0.49, 0.9), (0.51, 1.0)):
        pair = point_pair(("doubtful",), np.array([1.0]), np.log([0.5]), np.log([0.5]) - 1.0, error=error)
        lower, upper = single_delta(pair, 0.5, (0.125, 0.125))
        assert 0.125 <= lower <= upper <= 1.0
        assert (upper == 1.0) is (most == 1.0)
        assert (lower > 0.125) is (error < 0.5)


@pytest.mark.parametrize(("size", "alone"), [(2**16, True), (2**16 + 1, False)])
def test_long_lists_are_composed_like_any_other(size: int, alone: bool):
    losses = np.linspace(-1.0, 1.0, size)
    logs = np.full(size, -math.log(size))
    pair = point_pair(("long", size), losses, logs, logs - losses, error=1e-12)
    assert (OneDirection(Steps(((pair, 1),))).closed_form == "one step") is alone


LAPLACE_LIMITS = {
    "largest loss": (tb.Laplace(1.0), 2, tb.Laplace(0.999), 2),
    "smallest loss": (tb.Laplace(0.999e100), 2, tb.Laplace(1.001e100), 2),
    "least count": (tb.Laplace(10.0), 2, tb.Laplace(10.0), 1),
    "largest count": (tb.Laplace(1e6), 4096, tb.Laplace(1e6), 4097),
    "size of tables": (tb.Laplace(80.0), 1000, tb.Laplace(60.0), 1000),
}


@pytest.mark.parametrize("name", LAPLACE_LIMITS)
def test_the_sum_of_laplace_noise_is_used_where_it_was_proved(name: str):
    inside, count, outside, other = LAPLACE_LIMITS[name]
    found = laplace_direction(Steps(((pair_of(inside), count),)))
    assert found is not None
    assert found.size <= 50
    assert laplace_direction(Steps(((pair_of(outside), other),))) is None


def test_the_sum_of_laplace_noise_ends_at_the_largest_loss():
    found = laplace_direction(Steps(((pair_of(tb.Laplace(10.0)), 20),)))
    assert found is not None
    top = 20 * found.top
    assert found.delta_upper(top * (1.0 - 1e-9)) < 1.0
    for epsilon in (top * (1.0 + 1e-12), 2.0 * top, -1e-9):
        assert (found.delta_lower(epsilon), found.delta_upper(epsilon)) == (0.0, 1.0)


# Few frequencies


def test_weights_that_begin_too_far_away_are_not_summed(monkeypatch: pytest.MonkeyPatch):
    steps = engine_steps([(pair_of(tb.Poisson(tb.Gaussian(1.0), 0.1)), 100)])
    direction = OneDirection(steps)
    decades = 9
    profile = direction.profile(decades, direction.saddle(decades).for_epsilon(1.0).tilt_index, -8, 2.0**17)
    assert type(profile) is SpectralProfile

    def summed(self: SpectralProfile, which: slice, start: float) -> list[float]:
        raise LookupError

    monkeypatch.setattr(SpectralProfile, "_sums", summed)
    s = profile.spectrum
    for factor, summed_there in ((0.999, True), (1.001, False)):
        epsilon = s.anchors[0] + s.step * (s.origin + factor * profile._farthest)
        for ask in (profile.delta_upper, profile.delta_lower):
            if summed_there:
                with pytest.raises(LookupError):
                    ask(epsilon)
            else:
                assert 0.0 <= ask(epsilon) <= 1.0
    assert profile.delta_upper(s.anchors[0] - 1.001 * s.step * profile._farthest) == 1.0


def test_noise_whose_square_has_no_digits_takes_no_formula(monkeypatch: pytest.MonkeyPatch):
    asked = []
    laws = SimpleNamespace(theta=1.0, step=1.0, composed=lambda *arguments: asked.append(arguments))
    for m, taken in ((0.49e50, True), (0.51e50, False), (1e-320, True), (0.0, False)):
        asked.clear()
        assert composed_with_noise(laws, [1], GaussianPair(m), 0.1) is None  # type: ignore[arg-type]
        assert bool(asked) is taken
    assert smoothed._LARGEST == 1e50


# Large losses


def test_large_losses_are_taken_apart_at_moderate_epsilons_and_losses_alone():
    far = engine_steps([(pair_of(tb.Poisson(tb.Laplace(1e-4), 0.1)), 1)])
    assert has_large_losses(far, 299.9)
    assert not has_large_losses(far, 300.0)
    for loss, apart in ((0.99e9, True), (1.01e9, False)):
        assert has_large_losses(engine_steps([(pair_of(tb.Poisson(tb.Laplace(1.0 / loss), 1e-12)), 1)]), 1.0) is apart


def test_no_layers_beside_infinite_losses(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tightbudget.engine.large_losses.layers._thinnest_loss", lambda cells, theta: 0.5)
    plain, told = pair_of(tb.Poisson(tb.Gaussian(1.0), 0.1)), pair_of(tb.Poisson(tb.TruncatedGaussian(1.0, 5.0), 0.1))
    assert layered_direction(engine_steps([(plain, 3)]), 0.5, 6, 0.999) is not None
    assert layered_direction(engine_steps([(plain, 3), (told, 1)]), 0.5, 6, 0.999) is None
    assert layered_direction(engine_steps([(plain, 3)]), 300.0, 6, 0.999) is None
