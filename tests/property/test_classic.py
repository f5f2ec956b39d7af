"""The classic bounds beside ours: every theorem is above what we certify, up to the width asked for."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import compositions, deltas, examples, questions

import tightbudget as tb
from tightbudget import classic
from tightbudget.classic.promises import Promises

RTOL = 1e-3
UPPER_BOUNDS = [bound for bound in classic.ALL if bound.kind == "upper bound"]
# These know that bounded_range is a class of mechanisms, of which our pair is only an upper bound (decision 0008).
KNOW_THE_CLASS = {"bounded range", "moments accountant", "Rényi DP", "zCDP", "CDP, affine fit"}


def has_class(mechanism: tb.Mechanism) -> bool:
    return has_class(mechanism.mechanism) if isinstance(mechanism, tb.Poisson) else isinstance(mechanism, tb.BoundedRange)


def bounds_above(composition: tb.Composition) -> list[classic.Bound]:
    """Return the bounds that cannot be below ours."""
    of_class = any(has_class(mechanism) for mechanism, _ in composition.items)
    return [bound for bound in UPPER_BOUNDS if not (of_class and bound.name in KNOW_THE_CLASS)]


KINDS = [
    "gaussian(sigma=3)",
    "laplace(scale=2)",
    "truncated_gaussian(sigma=2, bound=12)",
    "truncated_laplace(scale=1, bound=20)",
    "clamped_gaussian(mean=20, sigma=4, sensitivity=2)",
    "clamped_laplace(mean=30, scale=3, sensitivity=1)",
    "discrete_gaussian(sigma=3)",
    "discrete_laplace(scale=2)",
    "randomized_response(p=0.7)",
    "randomized_response(p=0.5, k=4)",
    "bounded_range(eta=0.3)",
    "pure_dp(epsilon=0.2)",
    "approximate_dp(epsilon=0.2, delta=1e-7)",
    "gaussian_dp(mu=0.3)",
    "histograms([1, 2, 3, 4], [4, 1, 3, 2])",
    "poisson(gaussian(sigma=1), q=0.02)",
    "poisson(laplace(scale=1), q=0.1)",
    "poisson(poisson(randomized_response(p=0.9), q=0.5), q=0.2)",
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 30])
def test_every_kind_of_step(kind: str, count: int) -> None:
    check_against_ours(tb.parse(f"{kind} * {count}", mix_relations=True), delta=1e-5)


def check_against_ours(composition: tb.Composition, delta: float) -> None:
    promises = Promises(composition)
    ours = composition.epsilon(delta, rtol=RTOL)
    epsilon = 0.6 * ours.upper if math.isfinite(ours.upper) else 1.0
    at_epsilon = composition.delta(epsilon, rtol=RTOL)
    assert ours.converged or "class" in ours.reason
    assert at_epsilon.converged or "class" in at_epsilon.reason
    for bound in bounds_above(composition):
        try:
            assert bound.epsilon(promises, delta) >= ours.upper * (1 - RTOL), bound.name
            assert bound.delta(promises, epsilon) >= at_epsilon.upper * (1 - RTOL), bound.name
        except tb.DoesNotApply as problem:
            assert problem.reason  # noqa: PT017


@examples(2)
@given(questions(compositions(most_items=3)))
def test_no_delta_is_below_ours(asked: tuple[tb.Composition, float]) -> None:
    composition, epsilon = asked
    ours, promises = composition.delta(epsilon, rtol=RTOL), Promises(composition)
    for bound in bounds_above(composition):
        try:
            theirs = bound.delta(promises, epsilon)
        except tb.DoesNotApply:
            continue
        assert 0.0 <= theirs <= 1.0
        assert ours.lower <= theirs, bound.name
        if ours.converged:
            assert ours.upper * (1 - RTOL) <= theirs, bound.name


@examples(2)
@given(compositions(most_items=3), deltas)
def test_no_epsilon_is_below_ours(composition: tb.Composition, delta: float) -> None:
    ours, promises = composition.epsilon(delta, rtol=RTOL), Promises(composition)
    for bound in bounds_above(composition):
        try:
            theirs = bound.epsilon(promises, delta)
        except tb.DoesNotApply:
            continue
        assert theirs >= 0.0
        assert ours.lower <= theirs, bound.name
        if ours.converged:
            assert ours.upper * (1 - RTOL) <= theirs, bound.name


@examples(1)
@given(compositions(most_items=2), st.floats(0.0, 3.0))
def test_a_curve_is_an_upper_bound_too(composition: tb.Composition, epsilon: float) -> None:
    promises = Promises(composition)
    for bound in bounds_above(composition):
        try:
            (theirs,) = bound.curve(promises, [epsilon])
        except tb.DoesNotApply:
            continue
        assert composition.delta(epsilon).lower <= theirs <= 1.0, bound.name


@examples(1)
@given(compositions(most_items=2), deltas)
def test_delta_and_epsilon_tell_the_same(composition: tb.Composition, delta: float) -> None:
    """What a theorem says at the epsilon it gave for a delta is about that delta, or less."""
    promises = Promises(composition)
    for bound in UPPER_BOUNDS:
        try:
            epsilon = bound.epsilon(promises, delta)
        except tb.DoesNotApply:
            continue
        if 0.0 < epsilon < math.inf:
            # the search may stop at slightly other promises, and delta falls fast; so ask a little further up
            assert bound.delta(promises, epsilon * 1.05) <= delta * (1 + 1e-6), bound.name


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("count", [1, 7, 200])
def test_one_kind_of_step(epsilon: float, count: int) -> None:
    """Promises that are all there is to know: the optimum is ours."""
    composition = tb.PureDP(epsilon / math.sqrt(count)) * count
    ours = composition.delta(epsilon, rtol=1e-6)
    theirs = classic.kov.delta(composition, epsilon)
    assert ours.lower <= theirs <= ours.upper * (1 + 1e-6) or ours.upper == theirs == 0.0
