"""Numbers of other kinds that no float is near are refused: as 0 they would answer another question."""

from fractions import Fraction

import numpy as np
import pytest

import tightbudget as tb

TINY = [Fraction(1, 10**400), Fraction(-1, 10**400)]
if np.longdouble("1e-400") > 0:  # where long doubles are longer than doubles
    TINY.append(np.longdouble("1e-400"))


@pytest.mark.parametrize("tiny", TINY)
@pytest.mark.parametrize(
    "ask",
    [
        lambda tiny: tb.Gaussian(2).epsilon(delta=tiny),
        lambda tiny: tb.Gaussian(2).delta(epsilon=tiny),
        lambda tiny: tb.Gaussian(2).curve([0.0, tiny]),
        lambda tiny: tb.Gaussian(sigma=tiny),
        lambda tiny: tb.Gaussian(2, sensitivity=tiny),
        lambda tiny: tb.Laplace(tiny),
        lambda tiny: tb.Poisson(tb.Gaussian(2), q=tiny),
        lambda tiny: tb.Histograms([1, 2], [3, tiny]),
        lambda tiny: tb.Histograms(np.array([1, 2]), np.array([3, tiny])),
        lambda tiny: tb.Gaussian(2).epsilon(delta=np.array([0.5, tiny])),
        lambda tiny: tb.RandomizedResponse(p=tiny),
        lambda tiny: tb.compare(tb.Gaussian(2), delta=tiny),
    ],
)
def test_a_number_that_would_become_zero_is_refused(ask: object, tiny: object) -> None:
    with pytest.raises(tb.InvalidParameter):
        ask(tiny)  # type: ignore[operator]


@pytest.mark.parametrize("make", [tb.Gaussian, tb.Laplace, tb.BoundedRange, lambda huge: tb.Poisson(tb.Gaussian(2), q=huge)])
def test_a_number_beyond_floats_is_refused(make: object) -> None:
    with pytest.raises(tb.InvalidParameter, match="beyond 1e308"):
        make(Fraction(10**400, 3))  # type: ignore[operator]


def test_a_promise_stays_above_zero() -> None:
    """Promises are rounded up: what is promised is still kept."""
    tiny = TINY[0]
    assert tb.PureDP(tiny).promised_epsilon > 0
    assert tb.ApproximateDP(1, tiny).promised_delta > 0
    assert tb.GaussianDP(tiny).mu > 0


def test_zero_of_any_kind_is_zero() -> None:
    for zero in (0, 0.0, Fraction(0), np.float32(0), np.int64(0)):
        assert tb.Poisson(tb.Gaussian(2), q=zero).delta(epsilon=zero).upper == 0.0
        assert tb.PureDP(1).epsilon(delta=zero).upper >= 1.0


def test_small_numbers_are_taken() -> None:
    assert tb.Poisson(tb.Gaussian(2), q=Fraction(1, 10**300)).q > 0
    assert tb.PureDP(Fraction(1, 10**300)).promised_epsilon > 0
