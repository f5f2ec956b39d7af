"""The sparse vector technique: published figures, short streams by integration, bad input."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.engine.refine import delta_bracket
from tightbudget.pairs.base import Direction


@pytest.mark.parametrize(("epsilon", "value"), [(0.0, 0.393469340287367), (0.5, 0.221199216928595)])
def test_the_published_figures(epsilon: float, value: float) -> None:
    answer = tb.SparseVector(0.5, 0.5).delta(epsilon, rtol=1e-9)
    assert answer.upper == pytest.approx(value, rel=1e-9)
    assert answer.upper >= value * (1 - 1e-14)
    assert 0.0 < answer.lower < 0.3 * value
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


@pytest.mark.slow
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


def nine_queries(threshold: float, query: float, moved: bool) -> list[mpf]:
    """What the stream that lower ends are of answers, by quadrature over the noise of the threshold."""
    scale, move = 2 / mpf(query), int(moved)
    low, high = move - scale / 4, scale / 2 - move

    def below(z: mpf, value: mpf) -> mpf:
        gap = (z - value) / scale
        return mpmath.exp(gap) / 2 if gap < 0 else 1 - mpmath.exp(-gap) / 2

    def density(z: mpf) -> mpf:
        return mpf(threshold) / 2 * mpmath.exp(-mpf(threshold) * abs(z))

    far = 70 * max(scale, 1 / mpf(threshold))
    ends = sorted({mpf(0), low, high, far, -far, far / 20, -far / 20, *(mpf(s) / mpf(threshold) for s in (-8, 8))})
    found = [mpmath.quad(lambda z, j=j: density(z) * below(z, low) ** j * (1 - below(z, low)), ends) for j in range(8)]
    for last in (False, True):
        found.append(mpmath.quad(lambda z, last=last: density(z) * below(z, low) ** 8 * abs(last - 1 + below(z, high)), ends))
    return found


@pytest.mark.parametrize(("threshold", "query"), [(0.5, 0.5), (1.0, 0.5), (0.1, 2.0), (3.0, 0.2), (0.02, 30.0), (40.0, 0.1)])
def test_the_lower_end_is_that_of_a_stream_of_nine_queries(threshold: float, query: float) -> None:
    with mpmath.workdps(25):
        still, moved = (nine_queries(threshold, query, one) for one in (False, True))
        assert abs(sum(still) - 1) < mpf(10) ** -15
        bound = tb.SparseVector(threshold, query)
        for epsilon in (0.0, 0.2 * query, 0.5 * (threshold + query)):
            for direction, (a, b) in (("remove", (still, moved)), ("add", (moved, still))):
                attained = sum(max(mpf(0), p - mpmath.exp(mpf(epsilon)) * q) for p, q in zip(a, b, strict=True))
                lower = bound.delta(epsilon, direction=direction).lower
                assert lower <= attained
                assert lower >= attained * (1 - mpf(10) ** -6) - 10 * mpf(10) ** -4  # ten rare answers may be left out
        if query < 10:
            assert bound.delta(0.0).lower >= 0.99 * sum(max(mpf(0), p - q) for p, q in zip(still, moved, strict=True))


def test_lower_ends_of_several_and_of_unusual_ones() -> None:
    noise = tb.SparseVector(1.0, 0.5)
    assert 1.19 < noise.epsilon(1e-6).lower < 1.2
    assert 19.0 < (noise * 100).epsilon(1e-6).lower < 20.0
    for threshold, query in ((0.0, 1.0), (1.0, 0.0), (1e-9, 1.0), (1.0, 1e-9), (1.0, 80.0), (1e300, 1e-300)):
        assert tb.SparseVector(threshold, query).delta(0.0).lower == 0.0
        assert tb.SparseVector(threshold, query).delta(0.0).upper > 0.0 or threshold * query == 0.0


def profile(threshold: float, query: float, x: mpf) -> mpf:
    """The lower hull of the two bounds and of that of a pure promise, at any loss, where queries take more."""
    top, hole = mpf(threshold) + mpf(query), mpf(query) - mpf(threshold)
    if x >= top:
        return mpf(0)
    if x >= hole:
        return 1 - mpmath.exp((x - top) / 2)
    if x < -hole:
        return 1 - mpmath.exp(x) + mpmath.exp(x) * profile(threshold, query, -x)
    ends = [(mpmath.exp(-hole), 1 - mpmath.exp(-mpf(query))), (mpmath.exp(hole), 1 - mpmath.exp(-mpf(threshold)))]
    (left, high), (right, low) = ends
    return high + (low - high) * (mpmath.exp(x) - left) / (right - left)


MORE_FOR_QUERIES = [(0.5, 2.0), (0.1, 0.3), (1.0, 1.0 + 1e-9), (3.0, 10.0), (1e-6, 1.0), (0.3, 40.0)]


@pytest.mark.parametrize(("threshold", "query"), MORE_FOR_QUERIES)
@pytest.mark.parametrize("part", [-0.9, -0.3, 0.0, 0.2, 0.5, 0.8, 0.99])
def test_more_for_queries_than_for_the_threshold(threshold: float, query: float, part: float) -> None:
    epsilon = part * (threshold + query)
    answer = tb.SparseVector(threshold, query).delta(epsilon, rtol=1e-9)
    with mpmath.workdps(40):
        truth = profile(threshold, query, mpf(epsilon))
        assert truth <= answer.upper <= truth * (1 + mpf(10) ** -9)
        if part >= 0:  # no more than either of the bounds that it is made of
            both = mpf(threshold) + mpf(query)
            assert truth <= (mpmath.exp(both) - mpmath.exp(mpf(epsilon))) / (1 + mpmath.exp(both)) * (1 + mpf(10) ** -30)
            assert truth <= 1 - mpmath.exp(mpf(epsilon) - mpf(query)) or epsilon >= query - threshold


@pytest.mark.parametrize(("threshold", "query"), [(0.5, 2.0), (0.2, 0.3)])
def test_two_of_them_by_integration(threshold: float, query: float) -> None:
    """E of the profile at what the first loss leaves, over the masses of the pair."""
    twice = tb.SparseVector(threshold, query) * 2
    with mpmath.workdps(25):
        top, hole = mpf(threshold) + mpf(query), mpf(query) - mpf(threshold)
        inner = mpmath.exp(-mpf(threshold)) * mpmath.tanh(hole / 2) / 2
        points = [(top, mpf(1) / 2), (-top, mpmath.exp(-top) / 2), (hole, inner), (-hole, inner * mpmath.exp(-hole))]
        for epsilon in (0.0, 0.4 * float(top), 1.3 * float(top)):
            x = mpf(epsilon)
            breaks = {p for p in (x - hole, x + hole, x - top, x + top) if hole < abs(p) < top}
            total = sum(mass * profile(threshold, query, x - loss) for loss, mass in points)
            for sign in (1, -1):
                ends = sorted({sign * hole, sign * top, *(p for p in breaks if sign * p > 0)})
                total += mpmath.quad(lambda y, x=x: mpmath.exp((y - top) / 2) / 4 * profile(threshold, query, x - y), ends)
            found = delta_bracket(twice._directions, epsilon, 1e-8, 1e-300, None)
            assert found.lower <= total <= found.upper <= total * (1 + mpf(10) ** -7)


def test_the_edges_of_sparse_vectors() -> None:
    assert tb.SparseVector(0.0, 2.0).delta(0.3).upper == tb.PureDP(2.0).delta(0.3).upper
    assert tb.SparseVector(1e-300, 2.0).delta(0.3).upper == pytest.approx(tb.PureDP(2.0).delta(0.3).upper, rel=1e-12)
    for huge in (1e300, 1.7e308):
        assert tb.SparseVector(huge, huge).delta(1.0).upper == tb.SparseVector(1.0, huge).delta(1.0).upper == 1.0
    assert tb.SparseVector(1e-310, 2e-310).delta(0.0).upper < 1e-300
    assert tb.SparseVector(0.5, 2.0).pure_epsilon == 2.5
    assert tb.SparseVector(0.5, 2.0).zcdp_rho(Direction.ADD) < tb.PureDP(2.5).zcdp_rho(Direction.ADD)
    assert tb.SparseVector(0.0, 0.0).delta(0.0).upper == 0.0
    for bad in (-1.0, math.nan, math.inf, "one"):
        with pytest.raises(tb.InvalidParameter):
            tb.SparseVector(bad, 1.0)
