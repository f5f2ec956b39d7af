"""Few steps sampled rarely: delta comes from one step with a large loss, which no tilt makes common.

As the tilt grows, the mean of the tilted loss leaps from near 0 to the largest loss there is; the losses in between, of
which the answer is made, are rare under every tilt. Such questions once had brackets with a factor of two or more
between their ends; large losses are now taken apart (M20).
"""

import math

import pytest
from flint import ctx
from tests.reference import truth_steps as steps
from tests.reference.truth_numbers import ball
from tests.support.lanes import mostly_slow
from tests.support.mixture_truth import delta_of_two

import tightbudget as tb
from tightbudget.pairs.base import Direction


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sigma", "q", "count", "delta", "high"),
    [(1.0, 1e-4, 5, 1e-9, 0.25), (1.0, 1e-4, 3, 1e-16, 1.5), (2.0, 1e-3, 5, 1e-12, 0.25), (2.0, 1e-3, 4, 1e-20, 0.5)],
)
def test_the_bracket_is_narrow_and_holds(sigma: float, q: float, count: int, delta: float, high: float) -> None:
    found = (tb.Poisson(tb.Gaussian(sigma), q) * count).epsilon(delta)
    assert found.width <= 2e-3 * found.upper
    step = steps.subsampled(steps.gaussian_step(sigma), q, remove=True)
    with ctx.workprec(200):
        at_lower, at_upper = (steps.bracket(step, count, end, -1.0001 * q, high, 8000) for end in (found.lower, found.upper))
        assert at_lower.upper() >= ball(delta)
        assert at_upper.lower() <= ball(delta)


@pytest.mark.slow
def test_delta_at_such_an_epsilon() -> None:
    found = (tb.Poisson(tb.Gaussian(1.0), 1e-4) * 5).delta(0.01)
    assert found.converged
    step = steps.subsampled(steps.gaussian_step(1.0), 1e-4, remove=True)
    with ctx.workprec(200):
        exact = steps.bracket(step, 5, 0.01, -1.0001e-4, 0.25, 8000)
        assert exact.overlaps(ball(found.lower).union(ball(found.upper)))
        assert exact.rad() < 0.05 * exact.mid()  # the truth itself is known well enough for that to mean something


@pytest.mark.slow
def test_masses_too_small_for_a_float_are_not_taken_off() -> None:
    """B's mass beyond the ceiling is a few denormal numbers here, which rounding may raise, and e^epsilon is 1e295."""
    first = tb.Poisson(tb.Gaussian(1 / 28.0), 0.1)
    found = (first + tb.Poisson(tb.Gaussian(1 / 20.0), 1e-60)).delta(679.559914907006, rtol=1e-9)
    assert found.upper >= first.delta(679.559914907006, rtol=1e-9).lower


def test_few_angles_to_look_at() -> None:
    both = tb.Poisson(tb.Laplace(0.01284941262188531), 6.136774425323188e-07) + (
        tb.Poisson(tb.Laplace(0.03350892508623718), 0.5060783914472) * 3
    )
    found = both.delta(0.009518834635712414)
    assert 0.0 < found.lower <= found.upper


@pytest.mark.parametrize("epsilon", [0.01, 0.05, 0.1, 0.2])
def test_an_estimate_of_one_does_not_hide_how_rare_the_losses_are(epsilon: float) -> None:
    """The saddle point leaps, and its estimate of delta is 1: two steps sampled so rarely had [0, 0.58] at 0.1."""
    q, m = 1e-6, 1.6
    found = (tb.Poisson(tb.Gaussian(1.25, 2), q) * 2).delta(epsilon)
    truth = delta_of_two([(1.0 - q, 0.0), (q, m)], [(1.0, 0.0)], epsilon)
    # what is integrated has a kink at 8 sigmas, where it falls e-fold in 25 steps of the rule
    assert found.lower * (1.0 - 2e-4) <= truth <= found.upper * (1.0 + 2e-4)
    assert found.converged


@pytest.mark.parametrize("epsilon", mostly_slow([0.5, 1.0], every=2))
def test_where_no_grid_helps_shares_of_epsilon_do(epsilon: float) -> None:
    step = tb.Poisson(tb.Gaussian(1.25, 2), 1e-6)
    found = (step * 2).delta(epsilon)
    assert found.lower >= step.delta(epsilon).lower  # one step of the two
    assert found.upper <= 2.0 * step.delta(0.5 * epsilon).upper * (1.0 + 1e-9)


@pytest.mark.parametrize("count", [1, 2, 5, 40])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 4.0])
def test_shares_of_epsilon_bound_delta(count: int, epsilon: float) -> None:
    """Against all outcomes of repeated randomised response, and steps of another kind beside it."""
    high = math.exp(0.8) / (1.0 + math.exp(0.8))
    response = tb.RandomizedResponse(high) * count
    low = 1.0 - high
    masses = [(high**k * low ** (count - k), low**k * high ** (count - k)) for k in range(count + 1)]
    truth = sum(math.comb(count, k) * max(0.0, x - math.exp(epsilon) * y) for k, (x, y) in enumerate(masses))
    assert response._directions[0].shared_out_delta(epsilon) >= truth * (1.0 - 1e-12)
    mixed = tb.compose([response, tb.Gaussian(2.0) * 3], mix_relations=True)
    assert mixed._directions[0].shared_out_delta(epsilon) >= mixed.delta(epsilon, direction=Direction.REMOVE).lower
    revealing = tb.ApproximateDP(0.5, 0.01) * count
    assert revealing._directions[0].shared_out_delta(epsilon) >= (1.0 - 0.99**count) * (1.0 - 1e-12)
