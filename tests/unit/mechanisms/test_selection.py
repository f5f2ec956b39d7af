"""Selection by noisy scores: published figures, exact probabilities of small cases, and members below classes."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "value"),
    [
        (tb.PermuteAndFlip(1.0), 0.0, 0.393469340287367),
        (tb.PermuteAndFlip(1.0), 0.5, 0.221199216928595),
        (tb.ReportNoisyMax(1.0), 0.5, 0.221199216928595),
        (tb.Exponential(1.0), 0.0, 0.244918662403709),
        (tb.Exponential(1.0), 0.5, 0.0774046863156908),
    ],
    ids=str,
)
def test_the_published_figures(mechanism: tb.Mechanism, epsilon: float, value: float) -> None:
    answer = mechanism.delta(epsilon, rtol=1e-9)
    assert answer.lower <= value * (1 + 1e-14)
    assert answer.upper >= value * (1 - 1e-14)
    assert answer.converged


def permute_and_flip(scores: np.ndarray, rate: float) -> np.ndarray:
    """Exact winning probabilities with exponential noise: each candidate by inclusion and exclusion of the others."""
    made = []
    for winner in range(scores.size):
        others = np.delete(scores, winner)
        total = 0.0
        # P(win) = int rate e^{-rate (x - s)} prod_o (1 - e^{-rate (x - o)})_+ dx from the highest score on
        top = max(scores.max(), scores[winner])
        for subset in range(2**others.size):
            chosen = others[[bool(subset >> i & 1) for i in range(others.size)]]
            count = chosen.size + 1
            total += (-1) ** chosen.size * math.exp(rate * (scores[winner] + chosen.sum() - count * top)) / count
        made.append(total)
    return np.array(made)


@pytest.mark.parametrize("seed", range(30))
def test_no_small_case_exceeds_the_upper_end(seed: int) -> None:
    source = np.random.default_rng(seed)
    epsilon = float(np.exp(source.uniform(-1.5, 1.5)))
    scores = source.uniform(0.0, 4.0, 4)
    moved = scores + source.choice([-1.0, 1.0], 4) * source.choice([1.0, source.random()], 4)
    a, b = (permute_and_flip(values, 0.5 * epsilon) for values in (scores, moved))
    assert a.sum() == pytest.approx(1.0)
    for asked in (0.0, 0.3 * epsilon, 0.8 * epsilon):
        attained = np.maximum(a - math.exp(asked) * b, 0.0).sum()
        assert attained <= tb.PermuteAndFlip(epsilon).delta(asked, rtol=1e-9).upper * (1 + 1e-12) + 1e-15


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 30.0])
def test_the_member_is_two_candidates_that_change_places(epsilon: float) -> None:
    member = tb.PermuteAndFlip(epsilon).member()
    with mpmath.workdps(40):
        assert mpf(member.p) <= 1 - mpmath.exp(-mpf(epsilon) / 2) / 2
    assert member.p == pytest.approx(1.0 - 0.5 * math.exp(-0.5 * epsilon), rel=1e-14)
    for asked in (0.0, 0.5 * epsilon):
        single = tb.PermuteAndFlip(epsilon)
        assert member.delta(asked).lower <= single.delta(asked).upper


def test_a_composition_says_that_it_stands_for_a_class() -> None:
    for mechanism in (tb.PermuteAndFlip(0.5), tb.ReportNoisyMax(0.5), tb.Exponential(0.5)):
        answer = (mechanism * 10).epsilon(1e-6)
        assert 0.0 < answer.lower < answer.upper <= 5.0
        assert not answer.converged
        assert "class" in answer.reason
    assert (tb.Exponential(0.5) * 10).epsilon(1e-6).upper == (tb.BoundedRange(0.5) * 10).epsilon(1e-6).upper


def test_nothing_moved_reveals_nothing_and_bad_input_is_refused() -> None:
    for kind in (tb.PermuteAndFlip, tb.ReportNoisyMax, tb.Exponential):
        assert kind(0.0).delta(0.0).upper == 0.0
        for bad in (-1.0, math.nan, math.inf, "one", None):
            with pytest.raises(tb.InvalidParameter):
                kind(bad)
