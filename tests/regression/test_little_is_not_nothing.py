"""What underflows is little, not nothing: masses beyond the logarithms of floats, divergences of tiny ranges."""

import math

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.divergences import renyi, zcdp
from tightbudget.pairs.base import Direction
from tightbudget.pairs.below import BelowPair
from tightbudget.pairs.exponential import ExponentialPair
from tightbudget.pairs.poisson import poisson_pair


@pytest.mark.parametrize(("sigma", "bound"), [(1.0, 1.4e154), (1.0, 1e155), (1e-100, 1e55)])
def test_noise_that_is_cut_off_very_far_away(sigma: float, bound: float):
    """The square of the bound is no float any more; what lies beyond it still gives everything away."""
    for composition in (tb.TruncatedGaussian(sigma, bound), tb.Poisson(tb.TruncatedGaussian(sigma, bound), q=0.5) * 2):
        assert composition.epsilon(0).upper == math.inf
        assert composition.delta(1e290).upper > 0.0
        assert composition.delta(math.inf).lower == 0.0


@pytest.mark.parametrize("eta", [5e-324, 1e-320, 1e-200, 1e-162, 1e-100, 1e100, 1e200, 1e300])
def test_any_range_costs_something(eta: float):
    mechanism = tb.BoundedRange(eta)
    assert zcdp(mechanism) > 0.0
    assert renyi(mechanism, 1.5) > 0.0
    budget = tb.filters.ZCDPFilter(1, 1e-6)
    assert budget.quote(mechanism).asked > 0


@pytest.mark.parametrize(
    ("base", "q", "ceiling"),
    [
        (tb.Laplace(0.031117363908035756), 0.17484268850116136, 0.1921780131552309),
        (tb.BoundedRange(32.80457249931045), 0.00651534294579192, 0.0065366604369350234),
        (tb.BoundedRange(22.182732329959784), 0.0006395291577375476, 0.000639733743591109),
    ],
)
def test_large_losses_up_to_the_very_end(base: tb.Mechanism, q: float, ceiling: float):
    """The last edge of coarse cells may be mapped back to below the end of the losses."""
    pair = tb.Poisson(base, q).pair(Direction.ADD)
    below = BelowPair(pair, ceiling)
    tail, points = pair.cells(np.array([ceiling, math.inf])), pair.points()
    true = math.exp(tail.log_a[0]) + float(np.exp(points.log_a[points.low > ceiling]).sum())
    assert below.above(ceiling - below.error_bound)[1] >= true * (1.0 - 1e-9)


def test_samples_of_samples_ask_each_other_once(monkeypatch: pytest.MonkeyPatch):
    """Every level asked the next four times, in all 4^n times."""
    asked = []
    whole = ExponentialPair.max_loss.fget
    monkeypatch.setattr(ExponentialPair, "max_loss", property(lambda pair: asked.append(pair) or whole(pair)))
    for direction in Direction:
        pair = tb.Laplace(scale=1.0).pair(direction)
        for _ in range(9):
            pair = poisson_pair(pair, 0.99, direction)
        assert pair.max_loss > 0.0
    assert len(asked) < 100


def test_an_array_of_one_number_is_that_number():
    """It could be changed after it had been asked about."""
    sigma = np.array(50.0)
    noise = tb.Gaussian(sigma)
    before = noise.delta(0.01)
    sigma[...] = 1.0
    assert noise == tb.Gaussian(50.0)
    assert str(noise) == "gaussian(sigma=50.0)"
    assert noise.delta(0.01) == before
    assert tb.RandomizedResponse(np.array(0.75)).delta(0.1) == tb.RandomizedResponse(0.75).delta(0.1)
    assert tb.filters.ZCDPFilter(1, 1e-6).spend(noise).accepted
    assert tb.filters.RDPFilter(1, 1e-6, orders=np.array(20.0)).orders == (20.0,)
