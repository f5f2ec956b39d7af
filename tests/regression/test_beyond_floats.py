"""Losses that no float holds are finite: an epsilon of [inf, inf], and delta above 0 at infinity, were false lower
ends.
"""

import math

import pytest

import tightbudget as tb

HUGE = {
    "gaussian": tb.Gaussian(sigma=1e-200),
    "promise": tb.GaussianDP(1e200),
    "laplace": tb.Laplace(scale=1e-310),
    "discrete gaussian": tb.DiscreteGaussian(1e-300, sensitivity=2),
    "discrete laplace": tb.DiscreteLaplace(1e-300),
    "clamped gaussian": tb.ClampedGaussian(5.5, 1e-160, 1),
    "clamped laplace": tb.ClampedLaplace(5.5, 1e-310, 1),
    "truncated laplace": tb.TruncatedLaplace(1e-310, 0.75),
}
everywhere = pytest.mark.parametrize("name", HUGE)


@everywhere
@pytest.mark.parametrize("count", [1, 3, 10**15])
def test_epsilon_is_finite_though_no_float(name: str, count: int):
    found = (HUGE[name] * count).epsilon(1e-6)
    assert 9000.0 < found.lower < math.inf == found.upper
    assert not found.converged
    assert found.reason


@everywhere
def test_all_but_everything_is_revealed(name: str):
    for composition in (HUGE[name], HUGE[name] * 5, HUGE[name] + tb.Laplace(scale=1)):
        found = composition.delta(1.0)
        assert 1.0 - 1e-12 < found.lower < 1.0 == found.upper
        assert composition.delta(math.inf).lower == 0.0


@everywhere
def test_a_sample_of_it(name: str):
    sampled = tb.Poisson(HUGE[name], q=0.01)
    found = sampled.delta(1.0)
    # REMOVE: q P + (1 - q) Q against Q reveals just q; ADD has no loss above -log(1 - q)
    assert found.lower <= 0.01 <= found.upper <= 0.01 * (1.0 + 1e-9)
    assert sampled.delta(math.inf).lower == 0.0
    assert sampled.epsilon(0.005).lower < math.inf
    assert sampled.epsilon(0.02).upper < 1.0


@pytest.mark.parametrize(
    "mechanism", [tb.Gaussian(sigma=0), tb.Laplace(scale=0), tb.PureDP(math.inf), tb.RandomizedResponse(1.0)]
)
def test_no_noise_still_reveals_everything(mechanism: tb.Mechanism):
    assert mechanism.epsilon(1e-6).lower == math.inf
    assert mechanism.delta(math.inf).lower == 1.0


def test_a_sum_that_no_float_holds():
    found = (tb.PureDP(1e308) * 10).epsilon(0)
    assert (found.lower, found.upper) == (1.7976931348623157e308, math.inf)


def test_counts_that_noise_hardly_moves():
    """With the mean on a whole number the noise decides between two counts, evenly."""
    for mechanism in (tb.ClampedGaussian(5.0, 1e-160, 1), tb.ClampedLaplace(5.0, 1e-310, 1)):
        found = mechanism.delta(1.0)
        assert found.lower <= 0.5 <= found.upper <= 0.5 * (1.0 + 1e-9)
    assert tb.ClampedGaussian(5.25, 1e-160, 0.5).delta(0.0).upper < 1e-290
    with pytest.raises(tb.InvalidParameter, match="next whole number"):
        tb.ClampedLaplace(1e-305, 1e-300, 1).delta(1.0)
