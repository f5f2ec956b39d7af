"""Trade-off curves of random finite distributions, against every outcome enumerated in fractions."""

from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support import roc_truth

import tightbudget as tb

WEIGHTS = st.integers(2, 4).flatmap(
    lambda cells: st.tuples(*(st.lists(st.integers(0, 9), min_size=cells, max_size=cells) for _ in range(2)))
)
RATES = st.one_of(st.sampled_from([1e-60, 1e-12, 1e-3]), st.floats(1e-4, 0.9999))


@given(WEIGHTS, st.integers(1, 4), RATES, st.sampled_from([1e-2, 1e-3, 1e-6]))
def test_bracket_holds_the_best_tests_and_their_hull(
    weights: tuple[list[int], list[int]], count: int, fpr: float, rtol: float
) -> None:
    assume(all(sum(side) > 0 for side in weights))
    a, b = ([Fraction(weight, sum(side)) for weight in side] for side in weights)
    p, q = roc_truth.products(a, count), roc_truth.products(b, count)
    bracket = tb.risk(tb.Histograms(tuple(weights[0]), tuple(weights[1])) * count).tpr(fpr, rtol=rtol)
    exact = Fraction(fpr)
    largest = max(roc_truth.neyman_pearson(p, q, exact), roc_truth.neyman_pearson(q, p, exact))
    assert Fraction(bracket.lower) <= largest
    assert roc_truth.hull(p, q, exact) <= Fraction(bracket.upper)
    # and neither end is further away than it may be
    assert largest * (1 - Fraction(rtol)) - Fraction(1, 10**290) <= Fraction(bracket.lower)
    assert Fraction(bracket.upper) * (1 - Fraction(rtol)) <= roc_truth.hull(p, q, exact) + Fraction(1, 10**290)


@given(WEIGHTS, st.integers(1, 3), st.floats(0.001, 0.999))
def test_error_of_the_best_guess_is_that_of_all_events(weights: tuple[list[int], list[int]], count: int, prior: float) -> None:
    assume(all(sum(side) > 0 for side in weights))
    a, b = ([Fraction(weight, sum(side)) for weight in side] for side in weights)
    p, q = roc_truth.products(a, count), roc_truth.products(b, count)
    chance = Fraction(prior)
    truth = min(sum(min(chance * x, (1 - chance) * y) for x, y in zip(*sides, strict=True)) for sides in ((p, q), (q, p)))
    bracket = tb.risk(tb.Histograms(tuple(weights[0]), tuple(weights[1])) * count).bayes_error(prior)
    assert Fraction(bracket.lower) <= truth <= Fraction(bracket.upper)
