"""Upper bounds on the profile of a pair at many losses: normal noise by its closed form against 60 digits."""

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from tightbudget.pairs.gaussian import GaussianPair
from tightbudget.pairs.profile_of import profile_above

LOSSES = np.concatenate([[0.0], np.geomspace(1e-12, 650.0, 60), np.linspace(0.01, 12.0, 25)])


def truth(m: float, loss: float) -> mpf:
    a, b = mpf(loss) / mpf(m) - mpf(m) / 2, mpf(loss) / mpf(m) + mpf(m) / 2
    return (mpmath.erfc(a / mpmath.sqrt(2)) - mpmath.exp(mpf(loss)) * mpmath.erfc(b / mpmath.sqrt(2))) / 2


@pytest.mark.parametrize("m", [1e-90, 1e-9, 1e-3, 0.1, 0.5, 1.0, 3.0, 20.0, 35.0, 60.0, 1e9, 1e90])
def test_normal_noise_is_bounded_from_above_and_closely(m: float) -> None:
    found = profile_above(GaussianPair(m))(LOSSES[::-1])[::-1]  # in any order
    with mpmath.workdps(60 if m > 1e-5 else 200):
        for loss, bound in zip(LOSSES.tolist(), found.tolist(), strict=True):
            exact = truth(m, loss)
            assert exact <= mpf(bound)
            if 1e-2 < m < 50.0 and exact > 1e-280:
                assert bound <= exact * (1 + mpf(10) ** -9)


def test_shifts_that_were_rounded_are_allowed_for() -> None:
    """A shift is good to six roundings: the bound is above the profile of one that is as much larger."""
    for m in (0.3, 1.0, 7.0):
        larger = m * (1.0 + 6.0 * 2.0**-53)
        with mpmath.workdps(60):
            for loss, bound in zip(LOSSES.tolist(), profile_above(GaussianPair(m))(LOSSES).tolist(), strict=True):
                assert truth(larger, loss) <= mpf(bound)


@pytest.mark.parametrize("m", [0.2, 1.0, 4.0])
def test_the_closed_form_and_cells_agree(m: float) -> None:
    closed, cells = (profile_above(pair)(LOSSES) for pair in (GaussianPair(m), GaussianPair(m, cut=60.0 + m)))
    large = closed > 1e-280
    assert closed[large] == pytest.approx(cells[large], rel=1e-9)
