"""Trade-off curves of composed sampled noise, against contour integrals of the profile in ball arithmetic.

At any epsilon delta(epsilon) + e^epsilon fpr is an upper bound on the power, and it is the power where the slope of
delta in e^epsilon is -fpr: that of the chord between two close epsilons serves, up to its square.
"""

import mpmath
import pytest
from mpmath import mpf
from tests.reference.truth_contour import contour
from tests.reference.truth_numbers import ends
from tests.reference.truth_subsampled import SubsampledGaussianLaw

import tightbudget as tb

NEAR = 1e-4
DIGITS = 14
CASES = [(4.0, 0.01, 1000, 0.25), (2.0, 0.1, 500, 2.0), (1.0, 0.02, 2000, 1.5), (4.0, 0.01, 65536, 3.0)]

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("rtol", [1e-3, 1e-6])
@pytest.mark.parametrize(("sigma", "q", "count", "epsilon"), CASES)
def test_power_against_composed_sampled_noise(sigma: float, q: float, count: int, epsilon: float, rtol: float) -> None:
    with mpmath.workdps(30):
        below, delta, above = (
            sum(ends(contour([(SubsampledGaussianLaw(sigma, q, remove=True), count)], place, DIGITS))) / 2
            for place in (epsilon - NEAR, epsilon, epsilon + NEAR)
        )
        t = mpmath.exp(mpf(epsilon))
        fpr = float((below - above) / (mpmath.exp(mpf(epsilon + NEAR)) - mpmath.exp(mpf(epsilon - NEAR))))
        power = delta + t * mpf(fpr)
        bracket = tb.risk(tb.Poisson(tb.Gaussian(sigma=sigma), q=q) * count).tpr(fpr, rtol=rtol)
        assert mpf(bracket.lower) <= power
        assert power * (1 - mpf("1e-6")) <= mpf(bracket.upper)
        assert power >= mpf(bracket.lower) >= power * (1 - mpf(rtol) - mpf("1e-6"))
        assert bracket.converged
