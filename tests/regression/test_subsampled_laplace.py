"""autodp#34: subsampled Laplace noise, ten times."""

import pytest
from flint import arb, ctx
from tests.reference import truth, truth_steps
from tests.support.checked import contains_delta

import tightbudget as tb


def delta_at(scale: float, q: float, count: int, epsilon: float) -> arb:
    base = truth_steps.laplace_step(scale)
    edge = 1.0000001 / scale
    with ctx.workprec(300):
        ways = [
            truth.bracket(truth.subsampled(base, q, remove=remove), count, epsilon, -edge, edge, 256)
            for remove in (True, False)
        ]
        return ways[0].max(ways[1])


@pytest.mark.parametrize(("scale", "q"), [(1.0, 0.01), (2.0, 0.1), (0.5, 0.3)])
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
def test_ten_times(scale: float, q: float, epsilon: float):
    found = (tb.Poisson(tb.Laplace(scale), q) * 10).delta(epsilon)
    assert contains_delta(found, delta_at(scale, q, 10, epsilon))


def test_it_is_finite():
    """autodp#15 returns inf."""
    assert (tb.Poisson(tb.Laplace(1.0), 0.01) * 10).epsilon(1e-6).upper < 1.0
