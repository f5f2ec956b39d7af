"""A point mass at the end of a long, fine grid once fell off it: the answer was half the truth."""

from tests.reference import truth
from tests.support.checked import contains_delta

import tightbudget as tb

SCALE, BOUND = 0.4997407431679453, 61.535876923914266


def test_twelve_truncated_laplaces():
    epsilon = 24.01245076022125
    exact = truth.laplace_like(truth.truncated_laplace(SCALE, BOUND), 12, epsilon)
    found = (tb.TruncatedLaplace(SCALE, BOUND) * 12).delta(epsilon)
    assert contains_delta(found, exact)
    assert contains_delta(tb.Bracket(5.7663e-12, 5.7664e-12), exact)


def test_just_below_the_largest_loss():
    """Only the last point mass is left."""
    composition = tb.TruncatedLaplace(SCALE, BOUND) * 12
    for gap in (1e-3, 1e-9, 1e-12):
        epsilon = 12.0 / SCALE * (1.0 - gap)
        exact = truth.laplace_like(truth.truncated_laplace(SCALE, BOUND), 12, epsilon)
        assert contains_delta(composition.delta(epsilon), exact)
