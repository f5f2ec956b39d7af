"""Reading delta: what rounding may have done is charged, in full and on the right side."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tightbudget as tb
from tightbudget import published
from tightbudget.published import TreePair, delta_low, delta_with_ec, delta_without_ec, embed, first_index, power
from tightbudget.research.published.buckets import REAL, VIRTUAL, A

GAUSS = power(embed(tb.Gaussian(sigma=5), 2000), 16).buckets


def charged(row: int, error: float = 1e-5) -> published.Buckets:
    errors = GAUSS.error.copy()
    errors[row] = error
    return replace(GAUSS, error=errors)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_an_error_of_a_is_charged_to_every_bound(epsilon: float):
    assert delta_without_ec(charged(A), epsilon) >= delta_without_ec(GAUSS, epsilon) + 0.999e-5
    assert delta_with_ec(charged(A), epsilon) >= delta_with_ec(GAUSS, epsilon) + 0.999e-5
    assert delta_low(charged(A), epsilon) <= max(0.0, delta_low(GAUSS, epsilon) - 0.999e-5)


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_an_error_of_b_is_charged_times_e_epsilon(epsilon: float):
    cost = 0.999e-5 * math.exp(epsilon)
    assert delta_low(charged(VIRTUAL), epsilon) <= delta_low(GAUSS, epsilon) - cost
    # the correction is given up where it costs more than it brings
    limit = delta_without_ec(GAUSS, epsilon)
    assert delta_with_ec(charged(REAL), epsilon) >= min(limit, delta_with_ec(GAUSS, epsilon) + cost)
    assert delta_with_ec(charged(REAL, 1e-7), epsilon) >= delta_with_ec(GAUSS, epsilon) + 0.01 * cost
    assert delta_with_ec(charged(REAL, 0.5), epsilon) == limit


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_slack_counts_as_loss(epsilon: float):
    """Losses may be larger by the loss_shift: the bound is that at an epsilon smaller by as much."""
    doubtful = replace(GAUSS, loss_shift=GAUSS.loss_shift + 0.01)
    if epsilon:
        assert delta_without_ec(doubtful, epsilon) >= delta_without_ec(GAUSS, epsilon - 0.01) * (1 - 1e-12)
    assert delta_with_ec(doubtful, epsilon) >= delta_with_ec(GAUSS, epsilon)


def test_error_correction_spares_the_buckets_that_may_be_misplaced():
    """From j_eps to j_eps + u - 1 there is none; loss_shift pushes it one further."""
    step, u, epsilon = GAUSS.log_factor, GAUSS.u, 100.5 * GAUSS.log_factor
    j = first_index(GAUSS, epsilon)
    assert j == 101

    def gain(index: int, loss_shift: float = 0.0) -> float:
        rows = np.zeros((3, 1))
        rows[A], rows[REAL] = 0.5, 0.5 * math.exp(-index * step) * 1.0005
        one = replace(GAUSS, rows=rows, first=index, loss_shift=loss_shift, error=np.zeros(3), infinity=0.0)
        return delta_without_ec(one, epsilon) - delta_with_ec(one, epsilon)

    assert gain(j + u - 1) == 0.0 < gain(j + u)
    assert gain(j + u, loss_shift=step) == 0.0


@pytest.mark.parametrize("reading", [delta_without_ec, delta_with_ec])
def test_bucket_infinity_counts_in_full(reading: object):
    assert reading(replace(GAUSS, infinity=0.25), 3.0) >= 0.25  # type: ignore[operator]
    assert reading(replace(GAUSS, infinity=1.0), 0.0) == 1.0  # type: ignore[operator]


def test_bucket_infinity_counts_from_below_as_events_or_as_one():
    quiet = replace(GAUSS, error=np.zeros(3))
    base = delta_low(quiet, 1.0)
    assert delta_low(replace(quiet, distinguishing=0.25, infinity=0.25), 1.0) == pytest.approx(base + 0.25, rel=1e-9)
    assert delta_low(replace(quiet, infinity=0.25, over_b=0.01), 1.0) == pytest.approx(base + 0.25 - 0.01 * math.e, rel=1e-9)
    assert delta_low(replace(quiet, infinity=0.25, over_b=0.2), 1.0) == pytest.approx(base, rel=1e-9)


def test_infinite_epsilon():
    cut = embed(tb.TruncatedGaussian(sigma=2, bound=3), 2000)
    answer = TreePair(cut, cut).delta(math.inf)
    assert 0.0 < cut.buckets.distinguishing == answer.lower <= answer.upper < 1.0
    assert TreePair(cut, cut).epsilon(0.5 * answer.lower).lower == math.inf


@pytest.mark.parametrize("epsilon", [-1.0, math.nan, "large"])
def test_epsilon_is_checked(epsilon: object):
    pair = TreePair(*(embed(tb.Laplace(scale=2), 100),) * 2)
    for ask in (pair.delta, pair.delta_up, pair.delta_low, pair.delta_without_ec):
        with pytest.raises(tb.InvalidParameter, match="epsilon"):
            ask(epsilon)  # type: ignore[arg-type]


def test_what_is_read_is_checked():
    for ask in (delta_without_ec, delta_with_ec, delta_low, first_index):
        with pytest.raises(tb.InvalidParameter, match="epsilon"):
            ask(GAUSS, -1.0)
        with pytest.raises(tb.InvalidParameter, match="buckets"):
            ask(embed(tb.Laplace(scale=2), 100), 1.0)  # type: ignore[arg-type]
    with pytest.raises(tb.InvalidParameter, match="finite"):
        first_index(GAUSS, math.inf)


@pytest.mark.parametrize("delta", [-0.1, 1.5, math.nan, "small"])
def test_delta_is_checked(delta: object):
    with pytest.raises(tb.InvalidParameter, match="delta"):
        TreePair(*(embed(tb.Laplace(scale=2), 100),) * 2).epsilon(delta)  # type: ignore[arg-type]


def test_edges_have_answers():
    pair = published.tree_pair(tb.Laplace(scale=2) * 3, n=600)
    assert pair.epsilon(1.0).lower == pair.epsilon(1.0).upper == 0.0
    nothing = published.tree_pair(tb.Composition(()), n=100)
    assert nothing.delta(0.0).upper < 1e-12
    everything = published.tree_pair(tb.Gaussian(sigma=0) * 2, n=100)
    assert everything.delta(5.0).lower > 0.99
    assert everything.epsilon(0.5).lower == math.inf
    assert pair.epsilon(0.0).upper == math.inf
    curve = pair.curve([0.0, 0.5, 1.0])
    assert (curve.lower <= curve.upper).all()
    assert curve.upper.tolist() == [pair.delta_up(epsilon) for epsilon in (0.0, 0.5, 1.0)]
