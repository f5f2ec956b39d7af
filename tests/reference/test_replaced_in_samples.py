"""Poisson samples in which a record is replaced, asked as users ask: digits, three laws, refusals (M28)."""

import itertools
from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf

import tightbudget as tb


@pytest.mark.parametrize(
    ("q", "epsilon", "exact"),
    [(0.1, 0.0, 0.0632120558828558), (0.1, 0.1, 0.0294464326667286), (0.5, 0.5, 0.160227510424394)],
)
def test_digits_of_laplace_noise(q: float, epsilon: float, exact: float):
    answer = tb.Poisson(tb.Laplace(scale=1.0), q=q).delta(epsilon=epsilon, rtol=1e-9, relation="replace_one")
    assert answer.relation == "replace_one"
    assert answer.lower <= exact * (1 + 1e-14)
    assert exact * (1 - 1e-14) <= answer.upper
    assert answer.upper - answer.lower <= 1e-9 * exact


def test_all_in_the_sample_is_a_shift_of_twice_the_sensitivity():
    for mechanism, doubled in (
        (tb.Laplace(2.0), tb.Laplace(2.0, 2.0)),
        (tb.DiscreteGaussian(2.0), tb.DiscreteGaussian(2.0, 2)),
        (tb.Skellam(4.0), tb.Skellam(4.0, 2)),
        (tb.DiscreteLaplace(2.0), tb.DiscreteLaplace(2.0, 2)),
    ):
        nearly = tb.Poisson(mechanism, q=1 - 1e-9).delta(epsilon=0.3, relation="replace_one")
        assert nearly.lower == pytest.approx(doubled.delta(epsilon=0.3).lower, rel=1e-6)
        assert tb.Poisson(mechanism, q=0.0).delta(epsilon=0.0, relation="replace_one").upper == 0.0


LAWS = [
    ([5, 3, 2], [2, 3, 5], [3, 4, 3]),
    ([1, 0, 9], [0, 5, 5], [1, 1, 8]),
    ([1, 0, 9], [0, 5, 5], [0, 0, 8]),
    ([4, 3, 3], [3, 3, 4], [0, 1, 0]),
]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("laws", LAWS)
def test_three_laws(laws: tuple[list[int], list[int], list[int]], direction: str, count: int):
    a, b, without = laws
    step = tb.Poisson(tb.Histograms(a, b, without=without), q=0.25, relation="replace_one")
    shares = [[Fraction(x, sum(law)) for x in law] for law in laws]
    cells = [((3 * r + x) / 4, (3 * r + y) / 4) for x, y, r in zip(*shares, strict=True)]
    cells = cells if direction == "remove" else [cell[::-1] for cell in cells]
    for epsilon in (0.0, 0.1, 0.4, 2.0):
        with mpmath.workdps(40):
            g, exact = mpmath.exp(epsilon), mpf(0)
            for row in itertools.product(cells, repeat=count):
                p, q = (mpf(1) * x.numerator / x.denominator for x in (_product(row, 0), _product(row, 1)))
                exact += max(p - g * q, mpf(0))
        answer = (step * count).delta(epsilon=epsilon, direction=direction, rtol=1e-6)
        assert answer.lower <= exact * (1 + mpf(10) ** -30)
        assert exact <= answer.upper
        assert answer.upper - answer.lower <= 1e-6 * answer.upper + 1e-15


def _product(row: tuple[tuple[Fraction, Fraction], ...], side: int) -> Fraction:
    result = Fraction(1)
    for cell in row:
        result *= cell[side]
    return result


def test_three_laws_are_for_replaced_records():
    three = tb.Histograms([5, 5], [4, 6], without=[1, 1])
    assert three.relation == "replace_one"
    assert tb.parse(str(three)) == three
    assert three != tb.Histograms([5, 5], [4, 6])
    assert three.delta(epsilon=0.1).upper == tb.Histograms([5, 5], [4, 6]).delta(epsilon=0.1).upper
    with pytest.raises(tb.TightBudgetError, match="replace_one"):
        tb.Poisson(three, q=0.1)
    with pytest.raises(tb.TightBudgetError, match="sample"):
        tb.Poisson(tb.Histograms([5, 5], [4, 6]), q=0.1, relation="replace_one")
    with pytest.raises(tb.InvalidParameter, match="without"):
        tb.Histograms([5, 5], [4, 6], without=[1])
