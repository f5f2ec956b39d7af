"""The values of a swept parameter: what is asked for, both ends exactly, and no more than can be answered."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.sweeps.axes import axis


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([1, 2, 4], (1, 2, 4)),
        ((0.5, 1), (0.5, 1.0)),
        (np.array([0.5, 2.0]), (0.5, 2.0)),
        (np.array([1, 2]), (1, 2)),
        ([np.float64(0.1), Fraction(1, 4), np.array(3.0)], (0.1, 0.25, 3.0)),
        (range(3), (0, 1, 2)),
        ([math.inf], (math.inf,)),
        (["laplace(scale=2)", tb.Gaussian(sigma=3)], ("laplace(scale=2)", "gaussian(sigma=3)")),
        ({"from": 0, "to": 1, "points": 3}, (0.0, 0.5, 1.0)),
        ({"from": 0.1, "to": 0.5, "step": 0.1}, (0.1, 0.2, 0.3, 0.4, 0.5)),
        ({"from": 1, "to": 8, "step": 3}, (1, 4, 7)),
        ({"from": 1, "to": 2, "step": 0.5}, (1.0, 1.5, 2.0)),
        ({"from": 1, "to": 1000, "points": 4, "scale": "log", "whole": True}, (1, 10, 100, 1000)),
        ({"from": 1, "to": 4, "points": 31, "whole": True}, (1, 2, 3, 4)),
    ],
)
def test_values_are_those_that_were_meant(given: Any, expected: tuple[object, ...]) -> None:
    found = axis("sigma", given)
    assert found == expected
    assert [type(one) for one in found] == [type(one) for one in expected]


def test_ends_of_a_range_are_exact_and_factors_equal() -> None:
    found = axis("q", {"from": 1e-3, "to": 0.1, "points": 21, "scale": "log"})
    assert (found[0], found[-1]) == (1e-3, 0.1)
    factors = [float(b) / float(a) for a, b in itertools.pairwise(found)]
    assert max(factors) / min(factors) < 1 + 2e-5
    assert max(len(repr(value)) for value in found) <= 10  # few digits, so that what is printed is what was asked


def test_values_that_need_more_digits_have_them() -> None:
    found = axis("q", {"from": 1, "to": 1.00001, "points": 101})
    assert len(set(found)) == 101
    assert found[50] == pytest.approx(1.000005, rel=1e-15)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "at least one value"),
        (3, "a list of values or a range"),
        ("1, 2", "a list of values or a range"),
        ([1, 1.0], "once"),
        ([1, math.nan], "sigma is nan"),
        ([True], "sigma is True"),
        ([None], "sigma is None"),
        ([1, "gaussian(2)"], "text as its other values are"),
        ([2**70], "at most 9223372036854775807"),
        ([2**62 + 1, 0.5], "that a float holds"),
        ([Fraction(1, 10**400)], "nearer to 0"),
        ([math.nan] * 10**5, "sigma is nan"),
        (dict.fromkeys(map(str, range(1000))), "one of from"),
        (np.ones((2, 2)), "a list of values or a range"),
        ({"from": 1, "to": 2}, "one of `points` and `step`"),
        ({"from": 1, "to": 2, "points": 2, "step": 1}, "one of `points` and `step`"),
        ({"from": 2, "to": 1, "points": 2}, "above `from`"),
        ({"from": 1, "points": 2}, "with `from` and `to`"),
        ({"from": 1, "to": math.inf, "points": 2}, "sigma.to is inf"),
        ({"from": 1, "to": "2", "points": 2}, "a finite number"),
        ({"from": 0, "to": 1, "points": 2, "scale": "log"}, "A log scale has no 0"),
        ({"from": 1, "to": 2, "points": 2, "scale": "lgo"}, "Did you mean 'log'?"),
        ({"from": 1, "to": 2, "pionts": 2}, "Did you mean 'points'?"),
        ({"from": 1, "to": 2, "points": 1}, "from 2 to"),
        ({"from": 1, "to": 2, "points": 2.5}, "from 2 to"),
        ({"from": 1, "to": 2, "step": 0}, "sigma.step is 0"),
        ({"from": 1, "to": 2, "step": 1e-9}, "at most 1000000"),
        ({"from": 1, "to": 2, "points": 10**7}, "at most 1000000"),
        ({"from": 1, "to": 2, "step": 1, "scale": "log"}, "absent beside `step`"),
        ({"from": 1, "to": 2, "points": 2, "whole": 1}, "true or false"),
    ],
)
def test_what_is_no_range_is_refused_in_a_sentence(given: Any, said: str) -> None:
    with pytest.raises(tb.InvalidParameter) as problem:
        axis("sigma", given)
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)
    assert len(str(problem.value)) < 300
