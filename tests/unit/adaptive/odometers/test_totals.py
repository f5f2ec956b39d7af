"""Running sums of the Rényi odometer, against exact fractions."""

from fractions import Fraction

import numpy as np

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
