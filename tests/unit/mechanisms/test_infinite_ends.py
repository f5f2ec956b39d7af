"""Where a class has no finite upper end, its bracket is not as narrow as asked, unless both ends are infinite."""

import math

import pytest

import tightbudget as tb

CLASSES = [
    tb.TruncatedPoisson(tb.Gaussian(sigma=1.0), q=0.1, cap=3, examples=20) * 5,
    tb.WithoutReplacement(tb.Gaussian(sigma=1.0), 3, 20, relation="replace_one") * 5,
    tb.ZCDP(rho=0.1, delta=1e-5) * 3,
]


@pytest.mark.parametrize("composition", CLASSES, ids=str)
def test_a_finite_lower_end_is_not_near_it(composition: tb.Composition) -> None:
    answer = composition.epsilon(delta=1e-305)
    assert answer.lower < answer.upper == math.inf
    assert not answer.converged
    assert "class" in answer.reason


@pytest.mark.parametrize("composition", CLASSES, ids=str)
def test_an_infinite_lower_end_is(composition: tb.Composition) -> None:
    answer = composition.epsilon(delta=0.0)
    assert answer.lower == answer.upper == math.inf
    assert answer.converged
