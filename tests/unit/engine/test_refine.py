"""Both directions are asked, and the larger answer counts."""

import math

import mpmath
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.engine.refine import delta_bracket, epsilon_bracket

A, B = (0.05, 0.05, 0.9), (0.3, 0.3, 0.4)


def one_way(a: tuple[float, ...], b: tuple[float, ...], epsilon: float) -> float:
    return math.fsum(max(0.0, x - math.exp(epsilon) * y) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.7, 1.2, 1.7])
def test_the_larger_direction_counts(epsilon: float):
    """At small epsilon one direction is larger, at large epsilon the other."""
    truth = max(one_way(A, B, epsilon), one_way(B, A, epsilon))
    for histograms in (tb.Histograms(A, B), tb.Histograms(B, A)):
        found = histograms.delta(epsilon)
        assert found.lower * (1.0 - 1e-9) <= truth <= found.upper * (1.0 + 1e-9)
        assert found.converged


@pytest.mark.parametrize("count", [2, 5])
def test_the_larger_direction_counts_after_composition(count: int):
    for epsilon in (0.5, 2.5):
        ways = []
        for a, b in ((A, B), (B, A)):
            ways.append(_power(a, b, count, epsilon))
        assert abs(ways[0] / ways[1] - 1.0) > 1e-3  # the two ways do differ
        for histograms in (tb.Histograms(A, B), tb.Histograms(B, A)):
            found = (histograms * count).delta(epsilon, rtol=1e-4)
            assert found.lower * (1.0 - 1e-12) <= max(ways) <= found.upper * (1.0 + 1e-12)


@pytest.mark.slow
def test_epsilon_is_that_of_the_larger_direction():
    delta = 0.05
    needed = []
    for a, b in ((A, B), (B, A)):
        low, high = 0.0, 20.0
        for _ in range(200):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if _power(a, b, 3, middle) > delta else (low, middle)
        needed.append(high)
    for histograms in (tb.Histograms(A, B), tb.Histograms(B, A)):
        found = (histograms * 3).epsilon(delta, rtol=1e-4)
        assert found.lower * (1.0 - 1e-9) <= max(needed) <= found.upper * (1.0 + 1e-9)


def test_no_directions_reveal_nothing():
    assert delta_bracket([], 1.0, 1e-3, 0.0).upper == 0.0
    assert epsilon_bracket([], 1e-6, 1e-3, 0.0).upper == 0.0


def _power(a: tuple[float, ...], b: tuple[float, ...], count: int, epsilon: float) -> float:
    """Return delta of `count` repetitions by the sum over all outcomes."""
    points = [(mpf(1), mpf(1))]
    for _ in range(count):
        points = [(x * mpf(p), y * mpf(q)) for x, y in points for p, q in zip(a, b, strict=True)]
    norm_a, norm_b = mpmath.fsum(a) ** count, mpmath.fsum(b) ** count
    return float(mpmath.fsum(max(mpf(0), x / norm_a - mpmath.exp(epsilon) * y / norm_b) for x, y in points))


@pytest.mark.parametrize("q", [1e-3, 0.1, 0.6])
@pytest.mark.parametrize("delta", [1e-9, 1e-4, 0.02])
def test_a_direction_that_is_surely_smaller_does_not_count(q: float, delta: float):
    """One step: the smaller direction is only seen to be smaller, by its largest loss or by one look."""
    steps = [tb.Poisson(noise, q) for noise in (tb.Gaussian(0.8), tb.Laplace(1.0), tb.DiscreteGaussian(1.5))]
    for step in (*steps, tb.Histograms(A, B), tb.Histograms(B, A)):
        remove, add = (step.epsilon(delta, direction=way) for way in ("remove", "add"))
        both = step.epsilon(delta)
        assert both.lower == max(remove.lower, add.lower)
        assert both.upper == max(remove.upper, add.upper)


def test_directions_that_are_alike_are_composed_equally_fine():
    """What brackets of two directions leave open is not how far apart the two are: none is made coarser for it."""
    found = (tb.Poisson(tb.Gaussian(1000.0), 0.999999) * 10**6).epsilon(delta=1e-60, rtol=1e-6)
    assert found.converged
    last = {attempt.direction: attempt.width for attempt in found.trace if attempt.width is not None}
    assert last["remove"] == last["add"]
