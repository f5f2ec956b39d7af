"""Pairs from profiles: the hull of the dots with exact fractions, and profiles whose pair is known."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.engine_answers import delta_of

from tightbudget.pairs.from_profile import losses_below, pair_from_profile
from tightbudget.pairs.points import PointPair
from tightbudget.pairs.profile_grid import pair_of_profiles


def profile_of(pair: PointPair, g: mpf) -> mpf:
    """H_g of the masses as they are stated, without their errors."""
    masses = zip(pair.log_a, pair.log_b, strict=True)
    return mpf(pair.infinity.upper) + mpmath.fsum(max(mpf(0), mpmath.exp(mpf(a)) - g * mpmath.exp(mpf(b))) for a, b in masses)


def random_dots(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    source = np.random.default_rng(seed)
    ratios = np.sort(1.0 + np.exp(source.uniform(-6, 4, 12)))
    bounds, reverse = (np.sort(np.exp(source.uniform(-9, 0, 13)))[::-1] for _ in range(2))
    return ratios, bounds, reverse


@pytest.mark.parametrize("seed", range(40))
def test_the_pair_is_the_lower_hull_of_any_dots(seed: int) -> None:
    ratios, bounds, reverse = random_dots(seed)
    reverse[0] = bounds[0]
    pair = pair_from_profile(("dots", seed), ratios, bounds, reverse)
    assert pair is not None
    dots = [(Fraction(0), Fraction(1)), (Fraction(1), Fraction(bounds[0]))]
    dots += [(Fraction(g), Fraction(b)) for g, b in zip(ratios, bounds[1:], strict=True)]
    dots += [
        (1 / Fraction(g), 1 - 1 / Fraction(g) + Fraction(b) / Fraction(g)) for g, b in zip(ratios, reverse[1:], strict=True)
    ]
    dots.append((Fraction(10**9), Fraction(bounds[-1])))  # flat from the last one on
    with mpmath.workdps(60):
        for at in np.exp(np.random.default_rng(seed).uniform(-5, 5, 20)):
            g = Fraction(at)
            chords = [y0 + (y1 - y0) * (g - x0) / (x1 - x0) for x0, y0 in dots if x0 <= g for x1, y1 in dots if x1 > g]
            hull = max(Fraction(0), 1 - g, min(chords))
            assert profile_of(pair, mpf(at)) == pytest.approx(float(hull), rel=1e-12)
        assert mpmath.fsum(mpmath.exp(mpf(a)) for a in pair.log_a) + mpf(pair.infinity.upper) == pytest.approx(1, rel=1e-14)
        assert mpmath.fsum(mpmath.exp(mpf(b)) for b in pair.log_b) + mpf(pair.minus_infinity.upper) == pytest.approx(
            1, rel=1e-14
        )


@pytest.mark.slow
def test_a_dot_is_never_above_the_hull_by_more_than_the_stated_errors() -> None:
    ratios = np.exp(np.linspace(0.0, 3.0, 3001)[1:])  # close together: second differences cancel
    with mpmath.workdps(40):
        true = [mpmath.exp(mpf(-2) / 5 * mpmath.log(mpf(g))) / 2 for g in [1.0, *ratios]]
        bounds = np.nextafter(np.array([float(value) for value in true]), 1.0)
        pair = pair_from_profile(("power",), ratios, bounds, bounds)
        assert pair is not None
        for index in range(0, 3000, 500):
            slack = mpf(float(pair.error.max()))
            found = profile_of(pair, mpf(float(ratios[index])))
            assert found * (1 + slack * 10) >= true[index + 1]
            assert found == pytest.approx(float(true[index + 1]), rel=1e-6)


def gaussian(m: float):
    from scipy import special

    def profile(losses: np.ndarray) -> np.ndarray:
        kept, lost = special.log_ndtr(0.5 * m - losses / m), losses + special.log_ndtr(-0.5 * m - losses / m)
        return np.exp(kept) * -np.expm1(np.minimum(lost - kept, 0.0)) * (1.0 + 1e-9)

    return profile


@pytest.mark.slow
@pytest.mark.parametrize("m", [0.01, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("count", [1, 2, 30])
def test_the_profile_of_normal_noise_gives_normal_noise_back(m: float, count: int) -> None:
    pair = pair_of_profiles(("gaussian profile", m), gaussian(m))
    assert pair is not None
    size = mpmath.sqrt(count) * mpf(m)
    for far in (0.0, 1.0, 4.0):
        epsilon = float(far * size + size**2 / 2)
        with mpmath.workdps(40):
            true = mpmath.ncdf(size / 2 - mpf(epsilon) / size) - mpmath.exp(epsilon) * mpmath.ncdf(-size / 2 - epsilon / size)
        upper = delta_of(pair, count, epsilon, 1e-6).upper
        assert true <= upper <= true * (1 + 1e-4)


@pytest.mark.slow
def test_both_orders_are_followed_apart() -> None:
    one, other = gaussian(1.0), gaussian(0.5)
    pair = pair_of_profiles(("two", 1.0, 0.5), one, other)
    swapped = pair_of_profiles(("two", 0.5, 1.0), other, one)
    assert pair is not None
    assert swapped is not None
    for g in (1.5, 2.0):
        assert profile_of(pair, mpf(g)) > profile_of(swapped, mpf(g))


def test_a_profile_of_nothing_has_no_pair_and_one_of_everything_reveals_all() -> None:
    assert pair_of_profiles(("nothing",), lambda losses: np.zeros(losses.size)) is None
    everything = pair_of_profiles(("all",), lambda losses: np.ones(losses.size))
    assert everything is not None
    assert everything.infinity.upper == 1.0


def test_losses_are_rounded_down() -> None:
    ratios = 1.0 + np.exp(np.random.default_rng(3).uniform(-36, 5, 300))
    with mpmath.workdps(40):
        for ratio, loss in zip(ratios, losses_below(ratios), strict=True):
            assert mpf(loss) <= mpmath.log(mpf(ratio)) <= mpf(loss) * (1 + 1e-15) + mpf(10) ** -300
