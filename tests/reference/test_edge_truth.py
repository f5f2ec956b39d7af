"""The truth at the edges of float64 against the other truths, where both can be had; and checks that notice a wrong
end.
"""

import math

import mpmath
import pytest
from flint import arb, ctx
from tests.reference import truth_steps
from tests.reference.edge_checks import delta_fault, epsilon_fault, pure_fault
from tests.reference.truth_edge_sums import directions
from tests.reference.truth_edges import side
from tests.reference.truth_numbers import ends
from tests.support import point_truth

import tightbudget as tb
from tightbudget.pairs.base import Direction

CONTINUOUS = {
    "gaussian": (tb.Gaussian(1.3), truth_steps.gaussian_step(1.3)),
    "laplace": (tb.Laplace(0.7), truth_steps.laplace_step(0.7)),
    "truncated gaussian": (tb.TruncatedGaussian(1.3, 4.0), truth_steps.truncated_gaussian_step(1.3, 4.0)),
    "truncated laplace": (tb.TruncatedLaplace(0.7, 4.0), truth_steps.truncated_laplace_step(0.7, 4.0)),
    "cut below the shift": (tb.TruncatedLaplace(0.7, 0.8), truth_steps.truncated_laplace_step(0.7, 0.8)),
    "bounded range": (tb.BoundedRange(1.5), truth_steps.bounded_range_step(1.5)),
}
DISCRETE = [
    tb.RandomizedResponse(0.7, 5),
    tb.PureDP(1.5),
    tb.ApproximateDP(1.5, 0.01),
    tb.Histograms((1, 2, 3, 0), (3, 2, 0, 1)),
    tb.DiscreteLaplace(0.7, 3),
    tb.DiscreteGaussian(1.1, 2),
    tb.ClampedGaussian(1.5, 0.8, 1),
    tb.ClampedLaplace(1.5, 0.8, 1),
]


def close(x: arb, y: mpmath.mpf) -> bool:
    low, high = ends(x)
    with mpmath.workdps(60):
        return low - mpmath.mpf("1e-45") <= y <= high + mpmath.mpf("1e-45") and high - low < mpmath.mpf("1e-40")


@pytest.mark.parametrize("q", [None, 0.2])
@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_steps(name: str, direction: Direction, q: float | None) -> None:
    mechanism, step = CONTINUOUS[name]
    if q is not None:
        mechanism, step = tb.Poisson(mechanism, q), truth_steps.subsampled(step, q, remove=direction is Direction.REMOVE)
    for epsilon in (0.01, 0.2, 0.7):
        with ctx.workprec(300):
            found = side(mechanism, direction).delta(arb(epsilon))
            assert found.overlaps(truth_steps.one(step, epsilon))
            assert found.rel_accuracy_bits() > 200


@pytest.mark.parametrize("q", [None, 0.2])
@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("mechanism", DISCRETE, ids=str)
def test_discrete_steps(mechanism: tb.Mechanism, direction: Direction, q: float | None) -> None:
    asked = mechanism if q is None else tb.Poisson(mechanism, q, mix_relations=True)
    for epsilon in (0.0, 0.01, 0.2, 0.7):
        with ctx.workprec(300):
            found = side(asked, direction).delta(arb(epsilon))
        assert close(found, point_truth.hockey_stick(point_truth.events(asked, direction), epsilon))


def test_products_and_the_top_of_a_lattice_agree() -> None:
    one = directions(tb.ApproximateDP(0.3, 0.01) * 7)[0]
    with ctx.workprec(300):
        for epsilon in (0.0, 0.25, 0.9, 2.0):
            assert one.exact(arb(epsilon)).overlaps(one.near_top(arb(epsilon)))


@pytest.mark.parametrize("composition", [tb.Laplace(1.3), tb.Gaussian(2) * 10**15, tb.RandomizedResponse(0.7) * 5], ids=str)
def test_a_wrong_end_is_noticed(composition: tb.Mechanism | tb.Composition) -> None:
    sides = directions(composition)
    delta, epsilon = composition.delta(0.4, rtol=1e-9), composition.epsilon(1e-9, rtol=1e-9)
    assert delta_fault(sides, 0.4, delta) is None
    assert epsilon_fault(sides, 1e-9, epsilon) is None
    for low, high in ((1 + 1e-7, 1 + 1e-6), (1 - 1e-6, 1 - 1e-7)):
        if delta.upper * high < 1.0:
            assert delta_fault(sides, 0.4, tb.Bracket(delta.upper * low, delta.upper * high))
        assert epsilon_fault(sides, 1e-9, tb.Bracket(epsilon.upper * low, epsilon.upper * high))
    assert epsilon_fault(sides, 1e-9, tb.Bracket(math.inf, math.inf))


def test_a_largest_loss_too_small_is_noticed() -> None:
    assert pure_fault(directions(tb.Laplace(0.5) * 3), 6.0) is None
    assert pure_fault(directions(tb.Laplace(0.5) * 3), math.nextafter(6.0, 0.0))
    assert pure_fault(directions(tb.Poisson(tb.ApproximateDP(1, 1e-320), 1e-300)), 1e300)
