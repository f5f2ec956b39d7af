"""`delta`, `epsilon` and `curve` of every classic bound tell the same story, at the ends of the scales too."""

import math
from itertools import pairwise

import pytest

import tightbudget as tb
from tightbudget import classic

ALL = [pytest.param(bound, id=bound.name) for bound in classic.ALL]
TEXTS = (
    "pure_dp(0.1) * 10",
    "gaussian(3) * 4",
    "approximate_dp(0.1, 1e-3) * 5",
    "gaussian(1e-3)",
    "truncated_gaussian(1, 3) * 2",
    "gaussian(0)",
    "pure_dp(0)",
)
EPSILONS = [math.inf, 0.0, 1.0, 1e308]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bound", ALL)
@pytest.mark.parametrize("text", TEXTS)
def test_the_ends_are_the_same_for_all_three(bound: classic.Bound, text: str) -> None:
    composed = tb.parse(text)
    try:
        curve = bound.curve(composed, EPSILONS)
    except tb.DoesNotApply:
        for ask in (lambda: bound.delta(composed, math.inf), lambda: bound.epsilon(composed, 1.0)):
            with pytest.raises(tb.DoesNotApply):
                ask()
        return
    deltas = [bound.delta(composed, epsilon) for epsilon in EPSILONS]
    assert curve[0] == deltas[0]
    assert bound.epsilon(composed, 1.0) == 0.0
    assert all(0.0 <= value <= 1.0 for value in [*curve, *deltas])
    for falling in (curve, deltas):
        assert all(later <= earlier for earlier, later in pairwise([*falling[1:], falling[0]]))
    if bound.kind != "approximation":
        truth = [composed.delta(epsilon).lower for epsilon in EPSILONS]
        assert all(value >= least for value, least in zip([*curve, *deltas], truth * 2, strict=True))
    smallest = [bound.epsilon(composed, delta) for delta in (1.0, 0.5, 1e-6, 0.0)]
    assert all(earlier <= later for earlier, later in pairwise(smallest))


@pytest.mark.parametrize("bound", ALL)
@pytest.mark.parametrize("wrong", [-1.0, math.nan, -math.inf, "1", None])
def test_a_curve_refuses_what_delta_refuses(bound: classic.Bound, wrong: float) -> None:
    for ask in (lambda: bound.delta(tb.PureDP(0.1), wrong), lambda: bound.curve(tb.PureDP(0.1), [1.0, wrong])):
        with pytest.raises(tb.InvalidParameter, match="epsilon"):
            ask()


def test_what_was_wrong() -> None:
    assert classic.moments_accountant.curve(tb.Gaussian(3.0) * 4, [math.inf]) == [0.0]
    assert classic.cdp.epsilon(tb.Laplace(0.01) * 3, 1.0) == 0.0
