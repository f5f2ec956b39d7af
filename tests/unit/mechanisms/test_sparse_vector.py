"""The sparse vector technique: published figures, short streams by integration, bad input."""

import itertools
import math

import numpy as np
import pytest

import tightbudget as tb


@pytest.mark.parametrize(("epsilon", "value"), [(0.0, 0.393469340287367), (0.5, 0.221199216928595)])
def test_the_published_figures(epsilon: float, value: float) -> None:
    answer = tb.SparseVector(0.5, 0.5).delta(epsilon, rtol=1e-9)
    assert answer.upper == pytest.approx(value, rel=1e-9)
    assert answer.upper >= value * (1 - 1e-14)
    assert answer.lower == 0.0
    assert not answer.converged


def stream(queries: np.ndarray, threshold: float, query: float) -> dict[tuple[bool, ...], float]:
    """Probabilities of all answers up to the first that is above, by a sum over the noise of the threshold."""
    z = np.linspace(-60.0, 60.0, 60001) / threshold
    density = np.exp(-threshold * np.abs(z))
    density /= density.sum()
    rate = 0.5 * query  # scale 2 / query, one positive

    def above(value: float) -> np.ndarray:
        gap = rate * (z - value)
        return np.where(gap > 0, 0.5 * np.exp(-np.abs(gap)), 1.0 - 0.5 * np.exp(-np.abs(gap)))

    made, so_far = {}, density
    for index, value in enumerate(queries.tolist()):
        made[(False,) * index + (True,)] = float((so_far * above(value)).sum())
        so_far = so_far * (1.0 - above(value))
    made[(False,) * queries.size] = float(so_far.sum())
    return made


@pytest.mark.parametrize(("threshold", "query"), [(0.5, 0.5), (2.0, 1.0), (0.5, 2.0), (0.3, 3.0)])
def test_no_short_stream_exceeds_the_upper_end(threshold: float, query: float) -> None:
    source = np.random.default_rng(1)
    bound = tb.SparseVector(threshold, query)
    for queries in (np.zeros(3), *source.uniform(-2, 2, (6, 3))):
        for moves in itertools.product((-1.0, 1.0), repeat=3):
            a, b = (stream(values, threshold, query) for values in (queries, queries + np.array(moves)))
            for epsilon in (0.0, 0.3 * (threshold + query), 0.8 * (threshold + query)):
                attained = sum(max(0.0, a[answer] - math.exp(epsilon) * b[answer]) for answer in a)
                assert attained <= bound.delta(epsilon).upper * (1 + 1e-6)


def test_more_for_queries_than_for_the_threshold_is_a_pure_promise() -> None:
    assert tb.SparseVector(0.5, 2.0).delta(0.3).upper == tb.PureDP(2.5).delta(0.3).upper
    assert tb.SparseVector(0.0, 0.0).delta(0.0).upper == 0.0
    for bad in (-1.0, math.nan, math.inf, "one"):
        with pytest.raises(tb.InvalidParameter):
            tb.SparseVector(bad, 1.0)
