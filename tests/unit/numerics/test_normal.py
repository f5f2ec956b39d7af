"""Masses of the normal law on intervals against 50 digits: the stated error holds and is worth stating."""

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from tightbudget.numerics.normal import log_normal_mass, log_normal_mass_at

RNG = np.random.default_rng(1)
WIDTHS = np.concatenate([np.geomspace(1e-12, 80.0, 29), [0.2499, 0.25, 0.2501]])
# both sides of where the series hands over to the difference, which happens at width * max(1, middle) = 1/4
MIDDLES = np.concatenate([[0.0, 0.5, 1.0, 1.0001, 45.0], np.geomspace(1e-9, 45.0, 12), RNG.uniform(0, 45, 20)])


def truth(middle: float, width: float) -> mpmath.mpf:
    """Return log P(|Z - middle| <= width/2); 50 digits survive the cancellation of a width of 1e-12."""
    with mpmath.workdps(90):
        z, half = abs(mpmath.mpf(middle)), mpmath.mpf(width) / 2
        root = mpmath.sqrt(2)
        return mpmath.log((mpmath.erfc((z - half) / root) - mpmath.erfc((z + half) / root)) / 2)


def grid() -> tuple[np.ndarray, np.ndarray]:
    middle, width = np.meshgrid(MIDDLES, WIDTHS)
    handover = 0.25 / np.maximum(1.0, MIDDLES)
    both = [np.repeat(MIDDLES, 2), np.concatenate([[h * 0.999999, h * 1.000001] for h in handover])]
    # and all the widths at which a term of the series may begin to matter
    fine = np.meshgrid([0.0, 0.7, 1.0, 3.0, 20.0], np.geomspace(1e-5, 0.25, 120))
    return (
        np.concatenate([middle.ravel(), both[0], fine[0].ravel()]),
        np.concatenate([width.ravel(), both[1], (fine[1] / np.maximum(1.0, fine[0])).ravel()]),
    )


@pytest.mark.slow
def test_the_stated_error_holds():
    middle, width = grid()
    log_mass, error = log_normal_mass(middle, width)
    wrong = [
        (m, w, float(abs(got - truth(m, w))), e)
        for m, w, got, e in zip(middle.tolist(), width.tolist(), log_mass.tolist(), error.tolist(), strict=True)
        if abs(mpmath.mpf(got) - truth(m, w)) > e
    ]
    assert not wrong


def test_the_stated_error_is_small():
    # a log of 1000 rounded once is good to 1e-13; the bound may be some ten times that, where tails are deepest
    _, error = log_normal_mass(*grid())
    assert error.max() < 1e-11
    assert log_normal_mass(np.array([1.0]), np.array([1e-3]))[1][0] < 1e-14


def test_one_interval_without_arrays():
    """The same formulas: the stated error holds, and is no other."""
    middle, width = grid()
    some = np.random.default_rng(5).choice(middle.size, 250, replace=False)
    for z, w in [*zip(middle[some].tolist(), width[some].tolist(), strict=True), (-2.0, 3.0), (0.3, 80.0), (-20.0, 45.0)]:
        log_mass, error = log_normal_mass_at(z, w)
        assert abs(mpmath.mpf(log_mass) - truth(z, w)) <= error
        assert error == pytest.approx(log_normal_mass(np.array([z]), np.array([w]))[1][0], rel=1e-6)


@pytest.mark.parametrize(("middle", "width"), [(1e308, 1e308), (1e160, 1.0), (1.0, 0.0), (1e5, 1e5), (0.0, 1e308)])
def test_one_interval_of_any_size(middle: float, width: float):
    log_mass, error = log_normal_mass(np.array([middle]), np.array([width]))
    assert log_normal_mass_at(middle, width) == pytest.approx((log_mass[0], error[0]), rel=1e-14)


@pytest.mark.parametrize("width", [1e-3, 10.0])
def test_left_and_right_are_alike(width: float):
    middle = np.linspace(0.0, 30.0, 50)
    right, left = log_normal_mass(middle, np.full(50, width)), log_normal_mass(-middle, np.full(50, width))
    np.testing.assert_array_equal(right[0], left[0])


def test_an_empty_interval_has_no_mass():
    log_mass, error = log_normal_mass(np.array([0.0, 3.0, 40.0]), np.zeros(3))
    assert np.isneginf(log_mass).all()
    assert np.isfinite(error).all()


def test_the_stated_error_holds_far_out():
    """Where noise is small against what it hides, cells lie thousands of sigmas from the mean."""
    rng = np.random.default_rng(7)
    middle = 10.0 ** rng.uniform(1.5, 4.5, 400)
    width = 10.0 ** rng.uniform(-1.0, 1.0, 400) / middle
    log_mass, error = log_normal_mass(middle, width)
    for z, w, found, allowed in zip(middle.tolist(), width.tolist(), log_mass.tolist(), error.tolist(), strict=True):
        with ctx.workprec(240):
            near, far = arb(z) - arb(w) / 2, arb(z) + arb(w) / 2
            exact = (((near / arb(2).sqrt()).erfc() - (far / arb(2).sqrt()).erfc()) / 2).log()
            assert abs(arb(found) - exact) <= allowed


@pytest.mark.parametrize(
    ("middle", "width", "log"),
    [
        (0.0, 1e308, 0.0),
        (1e308, 1e308, -np.inf),
        (1e200, 1e-200, -np.inf),
        (1e160, 1.0, -np.inf),
        (1e154, 1e-3, -5e307),
        (1e80, 1e-81, -5e159),
        (5.0, 1e-320, float(mpmath.log(mpmath.mpf(1e-320)) - 12.5 - mpmath.log(2 * mpmath.pi) / 2)),
    ],
)
def test_no_size_is_too_much(middle: float, width: float, log: float):
    """A log that no float can hold is -inf; none is NaN, and nothing warns. The neighbours in the array do not
    suffer.
    """
    log_mass, error = log_normal_mass(np.array([middle, 3.0, 3.0]), np.array([width, 1e-3, 1.0]))
    assert log_mass == pytest.approx([log, float(truth(3.0, 1e-3)), float(truth(3.0, 1.0))], rel=1e-14)
    assert np.isfinite(error).all()
