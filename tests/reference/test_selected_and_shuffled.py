"""Reference values, computed elsewhere to 12 digits or more: the best of several runs, and shuffled reports."""

import pytest

import tightbudget as tb

GEOMETRIC = tb.RepeatAndSelect(tb.Gaussian(sigma=2.0), gamma=0.1)
POISSON = tb.RepeatAndSelect(tb.Gaussian(sigma=2.0), runs="poisson", mean=10)
TEN, HUNDRED = {"epsilon0": 1.0, "users": 10}, {"epsilon0": 2.0, "users": 100}

UPPER = [
    (GEOMETRIC, 2.0, 0.0396490164266933, 1e-5),
    (GEOMETRIC, 3.0, 3.74838037348255e-5, 1e-5),
    (POISSON, 4.0, 7.59245632293422e-5, 1e-5),
    (tb.Shuffled(**TEN), 0.2, 0.121274073128, 1e-11),
    (tb.Shuffled(**TEN), 0.5, 0.0521891566702, 1e-11),
    (tb.Shuffled(**TEN, clone="stronger"), 0.2, 0.0879395034001051, 1e-12),
    (tb.Shuffled(**TEN, clone="stronger"), 0.5, 0.0277553292173903, 1e-12),
    (tb.Shuffled(**HUNDRED), 0.5, 0.031958409513, 1e-10),
    (tb.Shuffled(**HUNDRED, clone="stronger"), 0.5, 0.0103686382639189, 1e-11),
]
LOWER = [
    (GEOMETRIC, 1.0, 0.0325874851052618, 1e-4),
    (GEOMETRIC, 2.0, 9.37714177088681e-5, 1e-4),
    (tb.Shuffled(**TEN), 0.2, 0.0662936358887628, 1e-12),
    (tb.Shuffled(**TEN), 0.5, 0.0181116489165902, 1e-12),
    (tb.Shuffled(**HUNDRED), 0.5, 0.00511536224468527, 1e-12),
]


@pytest.mark.parametrize(("mechanism", "epsilon", "value", "near"), UPPER, ids=str)
def test_upper_ends(mechanism: tb.Mechanism, epsilon: float, value: float, near: float) -> None:
    assert value * (1 - 5e-12) <= mechanism.delta(epsilon, rtol=1e-9).upper <= value * (1 + near + 5e-12)


@pytest.mark.parametrize(("mechanism", "epsilon", "value", "near"), LOWER, ids=str)
def test_lower_ends_are_attained(mechanism: tb.Mechanism, epsilon: float, value: float, near: float) -> None:
    assert value * (1 - near) <= mechanism.delta(epsilon, rtol=1e-9).lower <= value
