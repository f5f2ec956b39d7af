"""Running sums of the Rényi odometer, against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

from tightbudget.adaptive.odometers.totals import Totals


def test_sums_are_never_below_and_hardly_above() -> None:
    rng = np.random.default_rng(11)
    totals, exact = Totals(np.zeros(4), np.zeros(4)), [Fraction(0)] * 4
    for _ in range(3000):
        values = rng.uniform(0.0, 1.0, 4) * np.array([1.0, 1e-3, 1e5, 1.0]) ** rng.integers(0, 3, 4)
        totals = totals.plus(values)
        exact = [total + Fraction(value) for total, value in zip(exact, values.tolist(), strict=True)]
    for high, low, answer, truth in zip(*(x.tolist() for x in totals), totals.up().tolist(), exact, strict=True):
        assert Fraction(high) + Fraction(low) >= truth
        assert Fraction(high) + Fraction(low) <= truth * (1 + Fraction(1, 2**90))
        assert truth <= Fraction(answer) <= truth * (1 + Fraction(1, 2**51))


def test_infinite_stays_infinite() -> None:
    totals = (
        Totals(np.zeros(2), np.zeros(2))
        .plus(np.array([np.inf, 1.0]))
        .plus(np.array([1.0, 1e308]))
        .plus(np.array([np.inf, 1e308]))
    )
    assert totals.up().tolist() == [np.inf, np.inf]


@pytest.mark.parametrize("count", [2, 1000, 2**53])
def test_many_at_once_are_never_below_and_hardly_above(count: int) -> None:
    rng = np.random.default_rng(12)
    totals, values = Totals.zero(5).plus(rng.uniform(0.0, 1.0, 5)).plus(rng.uniform(0.0, 1e-9, 5)), rng.uniform(0.0, 1.0, 5)
    after = totals.plus(values, count)
    for total, before, value in zip(after.exact(), totals.exact(), values.tolist(), strict=True):
        truth = before + count * Fraction(value)
        assert truth <= total <= truth * (1 + Fraction(1, 2**100))
    assert after.plausible()


def test_many_one_by_one_or_at_once() -> None:
    totals, values = Totals.zero(3), np.array([0.1, 1e-20, 12345.678])
    for _ in range(777):
        totals = totals.plus(values)
    at_once = Totals.zero(3).plus(values, 777)
    assert (totals.up() == at_once.up()).all()
    assert all(once <= one_by_one for once, one_by_one in zip(at_once.exact(), totals.exact(), strict=True))


def test_many_beyond_any_float() -> None:
    totals = Totals.zero(3).plus(np.array([np.inf, 1e308, 0.0])).plus(np.array([1e308, 1e308, np.inf]), 2**53)
    assert totals.up().tolist() == [np.inf] * 3
    assert totals.exact() == [np.inf] * 3
