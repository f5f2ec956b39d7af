"""Errors of logarithms above 700 were cut off there: an upper end of 0.0102 stood where everything is revealed."""

import math
import warnings

import numpy as np
import pytest
from tests.support.doubles import RoughPair, Spikes

import tightbudget as tb
from tightbudget.engine.closed.one_step import single_delta
from tightbudget.engine.direction import OneDirection
from tightbudget.engine.discretisation.discretise import discretise
from tightbudget.engine.discretisation.window import Window
from tightbudget.engine.steps import engine_steps
from tightbudget.numerics.convolve import TooWide
from tightbudget.research.published.leaves import leaf_buckets
from tightbudget.research.published.readings import delta_low, delta_with_ec, delta_without_ec

PAIR = Spikes((-2.0, 0.0, 2.0), (0.1, 0.4, 0.5))
UNKNOWN = [60.0, 800.0, 1e83]


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 700.0])
def test_huge_losses_beside_huge_noise_ratios(epsilon: float):
    composition = tb.GaussianDP(mu=2.18196993167274e48) * 7 + tb.PureDP(epsilon=3.3499487754987856e70) * 1000000
    assert composition.delta(epsilon).upper >= 1.0 - 1e-12


@pytest.mark.parametrize("error", UNKNOWN)
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_nothing_is_concluded_from_what_is_not_known(error: float, sign: float):
    """The masses may be off by e^+-error, and here they are, as far as floats go."""
    rough = RoughPair(PAIR, error=error, a=sign * min(1.0, 600.0 / error), b=-sign * min(1.0, 600.0 / error))
    lower, upper = single_delta(rough, 0.5, (0.0, 0.0))
    truth = 0.5 * -math.expm1(-1.5)
    assert lower <= truth <= upper
    with pytest.raises(TooWide):
        discretise(rough, Window(-2.0, 2.0, -math.inf, -math.inf), 0.5, 1.0, 0.0)
    direction = OneDirection(engine_steps([(rough, 2)]))
    assert direction._left_out(306) >= 1e-306 * math.exp(min(error, 700.0))
    assert error < 700.0 or direction._left_out(306) == math.inf
    buckets = leaf_buckets(rough, 0.5, 8)
    assert delta_low(buckets, 0.5) <= truth <= min(delta_with_ec(buckets, 0.5), delta_without_ec(buckets, 0.5))


def test_what_is_known_stays_known():
    lower, upper = single_delta(RoughPair(PAIR, error=1e-3), 0.5, (0.0, 0.0))
    truth = 0.5 * -math.expm1(-1.5)
    assert lower <= truth <= upper <= 1.002 * truth
    assert np.isfinite(OneDirection(engine_steps([(RoughPair(PAIR, error=1e-3), 2)]))._left_out(306))


@pytest.mark.parametrize("noise", ["laplace(scale=1e-18)", "gaussian(sigma=1e-18)"])
def test_an_analyst_who_chooses_counts_no_mass_above_one(noise: str) -> None:
    step = tb.parse(f"without_replacement({noise}, batch=2, examples=10, relation='replace_one')")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = (step * 3).delta(0.0)
    assert found.lower <= 1.0 - 0.8**3 <= found.upper
