"""A mass between two points is shared so that both distributions keep theirs."""

import mpmath
import numpy as np
from mpmath import mpf

from tightbudget.numerics.shares import share_up


def test_share_keeps_both_masses():
    """share * e^-h + (1 - share) = e^-excess: B has as much before as after."""
    h = 0.3
    for excess in (0.0, 1e-12, 0.1, 0.15, 0.299, 0.3):
        with mpmath.workdps(40):
            share = mpf(float(share_up(np.array([excess]), h)[0]))
            assert abs(share * mpmath.exp(-mpf(h)) + (1 - share) - mpmath.exp(-mpf(excess))) <= mpf(10) ** -16


def test_share_stays_between_none_and_all():
    np.testing.assert_array_equal(share_up(np.array([-1.0, 0.5, 9.0]), 0.3), [0.0, 1.0, 1.0])
