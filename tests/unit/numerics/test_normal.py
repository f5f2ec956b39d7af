"""Masses of the normal law on intervals against 50 digits: the stated error holds and is worth stating."""

import mpmath
import numpy as np
import pytest

from tightbudget.numerics.normal import log_normal_mass

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


@pytest.mark.parametrize("width", [1e-3, 10.0])
def test_left_and_right_are_alike(width: float):
    middle = np.linspace(0.0, 30.0, 50)
    right, left = log_normal_mass(middle, np.full(50, width)), log_normal_mass(-middle, np.full(50, width))
    np.testing.assert_array_equal(right[0], left[0])


def test_an_empty_interval_has_no_mass():
    log_mass, error = log_normal_mass(np.array([0.0, 3.0, 40.0]), np.zeros(3))
    assert np.isneginf(log_mass).all()
    assert np.isfinite(error).all()
