"""Batches with replacement: published figures, exact probabilities of copies, bad input."""

from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.mechanisms.with_replacement import _chance_of_being_drawn, _copies_with_replacement

THREE = tb.WithReplacement(tb.Gaussian(sigma=2), batch=3, examples=10)


@pytest.mark.parametrize(
    ("epsilon", "bound", "attained"),
    [(0.5, 0.0355056668461243, 0.0353962909075436), (1.0, 0.0148361456241822, 0.0133868274048543)],
)
def test_the_published_figures(epsilon: float, bound: float, attained: float) -> None:
    answer = THREE.delta(epsilon)
    assert bound * (1 - 1e-13) <= answer.upper <= bound * (1 + 1e-10)
    assert attained * (1 - 1e-10) < answer.lower <= attained * (1 + 1e-13)
    assert not answer.converged


@pytest.mark.parametrize(("batch", "examples"), [(3, 10), (256, 60000), (40, 2), (500, 3)])
def test_probabilities_of_copies_are_rounded_up(batch: int, examples: int) -> None:
    copies, beyond = _copies_with_replacement(batch, examples)
    exact = [Fraction(comb(batch, k) * (examples - 1) ** (batch - k), examples**batch) for k in range(batch + 1)]
    for k, bound in copies:
        assert exact[k] <= Fraction(bound) <= exact[k] * (1 + Fraction(1, 10**11))
    assert sum(exact[len(copies) + 1 :]) <= Fraction(beyond)
    assert abs(Fraction(_chance_of_being_drawn(batch, examples)) / (1 - exact[0]) - 1) < Fraction(32, 2**53)


@pytest.mark.parametrize("seed", range(4))
def test_the_upper_end_is_the_formula(seed: int) -> None:
    source = np.random.default_rng(seed)
    sigma, batch, examples = float(np.exp(source.uniform(0, 2))), int(source.integers(1, 6)), int(source.integers(2, 20))
    step = tb.WithReplacement(tb.Gaussian(sigma), batch, examples)
    with mpmath.workdps(40):
        p = [mpf(comb(batch, k)) * mpf(examples - 1) ** (batch - k) / mpf(examples) ** batch for k in range(batch + 1)]
        for epsilon in (0.1, 0.7, 2.0):
            g = 1 + mpmath.expm1(mpf(epsilon)) / (1 - p[0])
            mus = [2 * k / mpf(sigma) for k in range(1, batch + 1)]
            log_g = mpmath.log(g)
            d = [mpmath.ncdf(mu / 2 - log_g / mu) - g * mpmath.ncdf(-mu / 2 - log_g / mu) for mu in mus]
            true = mpmath.fsum(share * height for share, height in zip(p[1:], d, strict=True))
            upper = step.delta(epsilon).upper
            assert true < 1e-12 or true <= upper <= true * (1 + mpf(10) ** -7)


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "batch", "examples"), [(1e-3, 3, 10), (1.0, 400, 10), (4.0, 1, 2**52)])
def test_what_floats_hold_badly_has_a_pair_of_dots(sigma: float, batch: int, examples: int) -> None:
    step = tb.WithReplacement(tb.Gaussian(sigma), batch, examples)
    drawn = _chance_of_being_drawn(batch, examples)
    answer = step.delta(0.0)  # the probability to be drawn times a total variation of 0.197 or more
    assert 0.19 * drawn < answer.upper <= drawn * (1 + 1e-9)
    assert answer.lower <= answer.upper


@pytest.mark.slow
def test_rare_copies_count_at_the_lower_end_of_few_steps() -> None:
    step = tb.WithReplacement(tb.Gaussian(sigma=1), 100, 10000)
    once = tb.Poisson(tb.Gaussian(sigma=1, sensitivity=2), q=float(_chance_of_being_drawn(100, 10000)))
    assert (step * 10).epsilon(1e-6).lower > 1.2 * (once * 10).epsilon(1e-6).upper
    shown = step.under("add_remove") * 10
    assert shown.epsilon(1e-6).lower <= (step * 10).epsilon(1e-6, rtol=1e-4).lower * (1 + 2e-3)
    assert (step * 10).epsilon(1e-6).lower <= shown.epsilon(1e-6).upper


def test_one_example_is_the_batch() -> None:
    assert tb.WithReplacement(tb.Gaussian(sigma=4), 2, 1).delta(1.0).upper == pytest.approx(
        tb.Gaussian(sigma=1).delta(1.0).upper, rel=1e-3
    )
    assert tb.WithReplacement(tb.Gaussian(sigma=4), 0, 5).delta(0.0).upper == 0.0


@pytest.mark.parametrize(
    ("mechanism", "batch", "examples"),
    [(tb.Laplace(1.0), 1, 10), (tb.Gaussian(1.0), 10**6, 2), (tb.Gaussian(1.0), -1, 2), (tb.Gaussian(1.0), 1, 0)],
)
def test_bad_input_is_refused(mechanism: tb.Mechanism, batch: int, examples: int) -> None:
    with pytest.raises(tb.InvalidParameter):
        tb.WithReplacement(mechanism, batch, examples)
