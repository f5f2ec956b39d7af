"""Few steps sampled rarely: delta comes from one step with a large loss, which no tilt makes common.

As the tilt grows, the mean of the tilted loss leaps from near 0 to the largest loss there is; the losses in between, of which
the answer is made, are rare under every tilt. Such questions once had brackets with a factor of two or more between their
ends; large losses are now taken apart (M20).
"""

import pytest
import truth_steps as steps
from flint import ctx
from truth_numbers import ball

import tightbudget as tb


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


def test_delta_at_such_an_epsilon() -> None:
    found = (tb.Poisson(tb.Gaussian(1.0), 1e-4) * 5).delta(0.01)
    assert found.converged
    step = steps.subsampled(steps.gaussian_step(1.0), 1e-4, remove=True)
    with ctx.workprec(200):
        exact = steps.bracket(step, 5, 0.01, -1.0001e-4, 0.25, 8000)
        assert exact.overlaps(ball(found.lower).union(ball(found.upper)))
        assert exact.rad() < 0.05 * exact.mid()  # the truth itself is known well enough for that to mean something
