"""200 different steps: dp_accounting takes 202 s, opacus 27 s; its GDP accountant uses only the last step and says
0.027.
"""

import statistics

import pytest
from tests.reference import truth
from tests.support.checked import contains_delta, contains_epsilon

import tightbudget as tb

SIGMAS = [1.0 + k / 1000 for k in range(200)]


@pytest.mark.slow
def test_a_noise_schedule():
    found = tb.compose([tb.Poisson(tb.Gaussian(sigma), 0.01) for sigma in SIGMAS]).epsilon(1e-6)
    assert contains_epsilon(found, 1e-6, scheduled, margin=1e-3)
    assert found.converged


def scheduled(epsilon: float) -> float:
    """Return delta with every 50 neighbouring sigmas replaced by two, of the same mean and variance.

    The cumulants of the loss are smooth in sigma, so delta moves by less than 3e-4; the other direction is far smaller.
    """
    laws = []
    for start in range(0, 200, 50):
        group = SIGMAS[start : start + 50]
        middle, spread = statistics.fmean(group), statistics.pstdev(group)
        laws += [(truth.SubsampledGaussianLaw(sigma, 0.01, remove=True), 25) for sigma in (middle - spread, middle + spread)]
    return float(truth.ends(truth.contour(laws, epsilon, digits=6))[0])


def test_different_gaussians():
    composition = tb.compose([tb.Gaussian(10.0 * sigma) for sigma in SIGMAS])
    assert contains_delta(composition.delta(2.0), truth.gaussian([(10.0 * sigma, 1, 1) for sigma in SIGMAS], 2.0))


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_different_responses(epsilon: float):
    """Equal steps are counted together whatever their order."""
    kinds = [0.51, 0.55, 0.6, 0.65]
    steps = [tb.RandomizedResponse(kinds[k % 4]) for k in range(12)]
    weights = [([p, 1.0 - p], [1.0 - p, p], 3) for p in kinds]
    assert contains_delta(tb.compose(steps).delta(epsilon), truth.histograms(weights, epsilon))
