"""Bounded range: the formula against 50 digits, and against compositions of its worst members."""

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import tightbudget as tb
from tightbudget.classic import bounded_range
from tightbudget.classic.bounded_range import _largest_mean

ETAS = [1e-6, 9.99e-4, 1.01e-3, 0.1, 1.0, 5.0, 30.0]


def member(eta: mpf, t: mpf) -> tuple[mpf, mpf]:
    """Return A's and B's mass at loss t of the pair with losses t and t - eta."""
    b = (mpmath.exp(-t) - mpmath.exp(-eta)) / (1 - mpmath.exp(-eta))
    return b * mpmath.exp(t), b


@pytest.mark.parametrize("eta", ETAS)
def test_the_largest_mean_loss(eta: float) -> None:
    with mpmath.workdps(50):
        e = mpf(eta)
        c = e / (1 - mpmath.exp(-e))
        truth = c - 1 - mpmath.log(c)
        assert truth <= mpf(_largest_mean(eta)) <= truth * (1 + mpf("1e-3"))
        for part in np.linspace(0.01, 0.99, 25).tolist():
            t = e * mpf(part)
            a, _ = member(e, t)
            assert a * t + (1 - a) * (t - e) <= truth * (1 + mpf("1e-40"))


@pytest.mark.parametrize(("eta", "count"), [(0.3, 40), (1.0, 10), (0.01, 1000)])
def test_the_formula(eta: float, count: int) -> None:
    composed = tb.BoundedRange(eta) * count
    with mpmath.workdps(50):
        e = mpf(eta)
        c = e / (1 - mpmath.exp(-e))
        drift = count * (c - 1 - mpmath.log(c))
        for delta in (0.1, 1e-6, 1e-30):
            truth = min(count * e, drift + mpmath.sqrt(count * e**2 / 2 * mpmath.log(1 / mpf(delta))))
            assert truth <= mpf(bounded_range.epsilon(composed, delta)) <= truth * (1 + mpf("1e-6"))
        epsilon = float(drift) + 2.0 * eta * count**0.5
        truth = mpmath.exp(-2 * (mpf(epsilon) - drift) ** 2 / (count * e**2)) if epsilon < count * eta else mpf(0)
        found = mpf(bounded_range.delta(composed, epsilon))
        assert truth <= found <= truth * (1 + mpf("1e-4"))


@pytest.mark.slow
@pytest.mark.parametrize("part", [0.2, 0.5, 0.7])
def test_no_composition_of_members_is_above(part: float) -> None:
    eta, count = 0.6, 12
    composed = tb.BoundedRange(eta) * count
    with mpmath.workdps(50):
        t = mpf(eta) * mpf(part)
        a, b = member(mpf(eta), t)
        for epsilon in (0.5, 2.0, 4.0):
            delta = mpf(0)
            for n in range(count + 1):
                ways = mpmath.binomial(count, n)
                difference = a**n * (1 - a) ** (count - n) - mpmath.exp(epsilon) * b**n * (1 - b) ** (count - n)
                delta += ways * max(mpf(0), difference)
            assert delta <= mpf(bounded_range.delta(composed, epsilon))
            # the rows that know the class hold too, though they may be below the pair that dominates it
            assert delta <= mpf(tb.compare(composed, epsilon=epsilon)["Rényi DP"].value)


def test_other_steps_with_bounded_losses() -> None:
    # losses between -1/8 and 1/8 vary by 1/4: the drift of eta = 1/4 and Hoeffding's tail
    assert bounded_range.epsilon(tb.PureDP(0.125) * 100, 1e-6) == pytest.approx(
        bounded_range.epsilon(tb.BoundedRange(0.25) * 100, 1e-6), rel=1e-12
    )
    # but an epsilon of 1, not of 2, is the most that one step loses
    assert bounded_range.epsilon(tb.PureDP(1.0), 1e-30) == 1.0
    assert bounded_range.delta(tb.PureDP(1.0), 1.0) == 0.0
    with pytest.raises(tb.DoesNotApply, match="not bounded"):
        bounded_range.epsilon(tb.Gaussian(1.0) + tb.PureDP(1.0), 1e-6)


@pytest.mark.slow
def test_the_note_says_why_a_theorem_is_below_ours() -> None:
    table = tb.compare(tb.BoundedRange(0.1) * 100, delta=1e-6)
    assert table.ours.lower < table["Rényi DP"].value < table.ours.value
    assert "class" in table.note
    assert tb.compare(tb.Poisson(tb.BoundedRange(0.1), 0.5) * 2, delta=1e-6).note
    assert not tb.compare(tb.BoundedRange(0.1), delta=1e-6).note
    assert not tb.compare(tb.PureDP(0.1) * 100, delta=1e-6).note
