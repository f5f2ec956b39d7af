"""An empty history: opacus raises ValueError or IndexError. Nothing was released, so nothing is lost.

The values are those that dp_accounting's shared base test fixes.
"""

import math

import pytest

import tightbudget as tb

NOTHING = [tb.compose([]), tb.Gaussian(1.0) * 0, tb.parse("nothing"), tb.compose([tb.Laplace(1.0) * 0, tb.PureDP(2.0) * 0])]


@pytest.mark.parametrize("composition", NOTHING, ids=repr)
def test_no_loss(composition: tb.Composition):
    assert [composition.epsilon(delta).upper for delta in (0.0, 1e-12, 1.0)] == [0.0, 0.0, 0.0]
    assert [composition.delta(epsilon).upper for epsilon in (0.0, 1.0, math.inf)] == [0.0, 0.0, 0.0]


def test_a_curve_of_zeros():
    assert tb.compose([]).curve([0.0, 1.0]).upper.tolist() == [0.0, 0.0]


def test_nothing_prints_and_reads_back():
    assert tb.parse(str(tb.compose([]))) == tb.compose([])
