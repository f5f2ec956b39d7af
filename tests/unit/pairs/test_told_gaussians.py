"""Normal noise of one of several moves, and it is told which: masses, profiles and squares in 40 digits (M31)."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.support.engine_answers import delta_of

from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import U
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.told_gaussians import ToldGaussiansPair

MOVES, SHARES = (0.5, 1.0, 1.5, 7.0), (0.875, 0.11, 0.015 - 2.0**-100, 2.0**-100)


def told(moves: tuple[float, ...] = MOVES, shares: tuple[float, ...] = SHARES, beyond: float = 0.0) -> ToldGaussiansPair:
    logs = tuple(math.log(share) for share in shares)
    return ToldGaussiansPair(moves, logs, tuple(4.0 * U * (1.0 - log) for log in logs), InfiniteMass(Mass.exactly(beyond)))


def gaussian(mu: mpf, epsilon: float) -> mpf:
    return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


def test_masses_are_sums_over_the_moves() -> None:
    edges = np.array([-math.inf, -30.0, -2.0, -0.1, 0.0, 1e-3, 0.3, 4.0, 25.0, 80.0, math.inf])
    inner = np.sort(np.random.default_rng(2).uniform(-1.0, 6.0, 700))  # more than are answered at a time
    for places in (edges, inner):
        cells = told().cells(places)
        with mpmath.workdps(60):
            for i in range(0, places.size - 1, 1 if places is edges else 50):
                for logs, centre in ((cells.log_a, 1), (cells.log_b, 0)):
                    true = mpf(0)
                    for m, share in zip(MOVES, SHARES, strict=True):
                        low, high = (mpf(x) / mpf(m) + mpf(m) / 2 - centre * mpf(m) for x in places[i : i + 2])
                        near, far = (low, high) if high < 0 else (-high, -low)  # the side on which tails are small
                        true += mpf(share) * (mpmath.ncdf(far) - mpmath.ncdf(near))
                    off = told().loss_shift(7.0) / (places[i + 1] - places[i])  # edges may be
                    assert abs(mpf(logs[i]) - mpmath.log(true)) <= mpf(cells.error[i] + 2.0 * off) + mpf(10) ** -15
                    assert cells.error[i] < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 1.0, 4.0, 20.0])
@pytest.mark.parametrize("count", [1, 2])
def test_a_composition_adds_up_the_squares_of_all_moves(epsilon: float, count: int) -> None:
    with mpmath.workdps(60):
        terms = [(mpf(m) ** 2, mpf(share)) for m, share in zip(MOVES, SHARES, strict=True)]
        if count == 2:
            terms = [(m + other, share * rest) for m, share in terms for other, rest in terms]
        true = mpmath.fsum(share * gaussian(mpmath.sqrt(m), epsilon) for m, share in terms)
        found = delta_of(told(), count, epsilon, 1e-6)
        assert found.lower <= true * (1 + mpf(10) ** -14)
        assert true * (1 - mpf(10) ** -14) <= found.upper <= true * (1 + mpf(2e-6))


def test_what_is_not_followed_reveals_everything() -> None:
    pair = told((1.0,), (0.75,), 0.25)
    with mpmath.workdps(40):
        true = mpf("0.25") + mpf("0.75") * gaussian(mpf(1), 1.0)
        found = delta_of(pair, 1, 1.0)
        assert found.lower <= true <= found.upper <= true * (1 + mpf(1e-9))


def test_the_coarse_cells_hold_all_mass() -> None:
    for pair in (told(), told((1e-3, 2e-3), (0.5, 0.5)), told((30.0, 60.0), (0.5, 0.5))):
        cells = pair.coarse_cells()
        assert math.fsum(np.exp(cells.log_a)) == pytest.approx(1.0, abs=1e-12)
        assert math.fsum(np.exp(cells.log_b)) == pytest.approx(1.0, abs=1e-12)
        assert (cells.low[1:] >= cells.high[:-1]).all()


def test_coarse_cells_pay_for_the_moves_that_are_left_out_of_them() -> None:
    rare = math.exp(-27.0)  # between losses of the small move, which are near 0, e^-31 of the density
    pair = told((2.0**-7, 0.5), (1.0 - rare, rare))
    coarse = pair.coarse_cells()
    some = np.flatnonzero(coarse.low[1:] == coarse.high[:-1])
    whole = pair.cells(np.append(coarse.low[some], coarse.high[some[-1]]))
    missing = [np.abs(rough[some] - fine) for rough, fine in ((coarse.log_a, whole.log_a), (coarse.log_b, whole.log_b))]
    assert (np.maximum(*missing) <= coarse.error[some] + whole.error).all()
    assert (np.maximum(*missing) > 2.0 * whole.error).any()  # something is missing: the error is not stated in vain
    assert coarse.error.max() < 1e-11


@pytest.mark.parametrize("seed", range(8))
def test_the_total_variation_is_a_sum_over_the_moves(seed: int) -> None:
    source = np.random.default_rng(seed)
    moves = tuple(np.cumsum(np.exp(source.uniform(-6, 1.5, 5))).tolist())
    shares = tuple((0.9 * source.dirichlet(np.ones(5) * 0.3)).tolist())
    beyond = 0.125 if seed % 2 else 0.0
    pair = told(moves, shares, beyond)
    with mpmath.workdps(40):
        true = mpf(beyond) + mpmath.fsum(
            mpf(share) * mpmath.erf(mpf(m) / mpmath.sqrt(8)) for m, share in zip(moves, shares, strict=True)
        )
        low, high = (mpmath.exp(mpf(end)) for end in (pair.variation.log_lower, pair.variation.log_upper))
        assert low <= true <= high <= low * (1 + mpf(1e-12))


def test_rare_moves_do_not_blur_small_losses() -> None:
    pair, without = told((1.0, 40.0), (1 - 2.0**-100, 2.0**-100)), told((1.0,), (1.0,))
    assert pair.loss_shift(0.1) == without.loss_shift(0.1)
    assert pair.loss_shift(800.0) > 1.5 * without.loss_shift(800.0)  # where the large move is likely, given the loss
    assert told((1.0, 40.0), (0.5, 0.5)).loss_shift(300.0) > 1e-12
    # the same at every size up to which it is asked for, smaller ones included
    shifts = [pair.loss_shift(loss) for loss in [0.0, 1e-300, *np.geomspace(1e-3, 1e4, 60).tolist()]]
    assert shifts == sorted(shifts)
    small = told((1e-4, 0.5), (1 - 2.0**-100, 2.0**-100))
    assert small.loss_shift(0.0) <= small.loss_shift(1e-300) == told((1e-4,), (1.0,)).loss_shift(1e-300)


def test_no_move_is_left_out_that_matters_at_a_loss() -> None:
    moves, shares = tuple(0.5 * k for k in range(1, 31)), tuple(2.0 ** (-5 * k) * 31 for k in range(1, 31))
    pair, numbers = told(moves, shares), []
    for loss in np.geomspace(0.1, 3000.0, 200).tolist():
        logs = [math.log(w / m) - 0.5 * (loss / m - 0.5 * m) ** 2 for m, w in zip(moves, shares, strict=True)]
        least = [m for k, m in enumerate(moves) if logs[k] >= max(logs[: k + 1]) - 45.0 - math.log(30)][-1]
        assert moves[pair._matter_at(loss) - 1] >= least
        numbers.append(pair._matter_at(loss))
    assert numbers == sorted(numbers)
    assert numbers[0] < 20 < numbers[-1] == 30


def test_narrow_cells_pay_for_what_strays_into_them() -> None:
    pair = told((1.0, 1e4), (1 - 2.0**-100, 2.0**-100))
    assert pair.cells(np.array([0.1, 0.1 + 1e-15])).error[0] > pair.cells(np.array([0.1, 0.1 + 1e-9])).error[0] + 1e-13


def test_empty_cells_and_moves_that_matter_nowhere() -> None:
    edges = np.array([-1e201, -1e200, -1.0, 0.0, 1.0, 1e200, 1e201])
    cells = told().cells(edges)
    assert cells.log_a[0] == cells.log_a[-1] == -math.inf
    assert np.exp(cells.log_a).sum() == pytest.approx(1.0, rel=1e-12)
    inner = np.linspace(-1.0, 1.0, 9)  # a move of 7 has 2^-100 of the others there, and less
    without = told(MOVES[:-1], SHARES[:-1]).cells(inner)
    assert told()._matter_at(1.0) == 3
    np.testing.assert_allclose(told().cells(inner).log_a, without.log_a, rtol=0.0, atol=1e-14)
    assert told()._matter_at(80.0) == 4
