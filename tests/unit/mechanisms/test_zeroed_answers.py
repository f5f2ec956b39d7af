"""Randomised response and random moves of a query where a record is replaced by one that contributes nothing."""

import itertools
import math
from fractions import Fraction

import pytest
from mpmath import mp, mpf

import tightbudget as tb

CASES = [(0.6, 2), (0.8, 4), (0.1, 7), (1.0, 3), (0.0, 3), (0.5 + 1e-12, 2), (1 - 1e-13, 1000), (1e-300, 2)]


def exact_delta(p: float, k: int, epsilon: float, count: int, direction: str) -> mpf:
    """Return delta as a sum over all outcomes: the truth or another value, against values that are all alike."""
    truth = Fraction(p)
    with mp.workdps(60):
        record = [mpf(truth.numerator) / truth.denominator, 1 - mpf(truth.numerator) / truth.denominator]
        none = [mpf(1) / k, mpf(k - 1) / k]
        first, second = (record, none) if direction == "remove" else (none, record)
        total = mpf(0)
        for outcome in itertools.product((0, 1), repeat=count):
            a, b = (mp.fprod(law[one] for one in outcome) for law in (first, second))
            total += max(mpf(0), a - mp.exp(epsilon) * b)
        return total


@pytest.mark.parametrize(("p", "k"), CASES)
@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize(("count", "epsilon"), [(1, 0.0), (1, 0.3), (2, 0.5), (5, 1.5), (3, -0.4)])
def test_brackets_hold_the_sum_over_all_outcomes(p: float, k: int, direction: str, count: int, epsilon: float) -> None:
    response = tb.RandomizedResponse(p, k, relation="zero_out")
    found = (response * count).delta(epsilon, rtol=1e-9, direction=direction)
    truth = exact_delta(p, k, epsilon, count, direction)
    assert found.lower <= truth * (1 + mpf(10) ** -50)
    assert truth <= found.upper * (1 + mpf(10) ** -50)
    assert found.converged or p == 1e-300  # losses of 690 beside such of 0.7: lists would be too long


def test_what_it_says_to_the_truth_alone_says_nothing() -> None:
    assert tb.RandomizedResponse(0.25, 4, relation="zero_out").epsilon(0.0).upper == 0.0


def test_a_replaced_record_loses_what_two_zeroed_ones_do_at_most() -> None:
    replaced, zeroed = (tb.RandomizedResponse(0.7, 3, relation=relation) for relation in ("replace_one", "zero_out"))
    assert zeroed.epsilon(0.0).upper < replaced.epsilon(0.0).lower
    assert replaced.epsilon(0.0).lower <= zeroed.epsilon(0.0, direction="add").upper + zeroed.epsilon(0.0).upper


def test_what_a_record_without_a_value_answers_must_be_stated() -> None:
    response, stated = tb.RandomizedResponse(0.7, 3), tb.RandomizedResponse(0.7, 3, relation="zero_out")
    assert tb.parse("randomized_response(p=0.7, k=3, relation='zero_out')") == stated
    assert str(stated) == "randomized_response(p=0.7, k=3, relation='zero_out')"
    assert stated.under("replace_one") == response
    for made in (
        lambda: response.under("zero_out"),
        lambda: stated.under("add_remove"),
        lambda: tb.RandomizedResponse(0.7, relation="add_remove"),
    ):
        with pytest.raises(tb.InvalidParameter, match="Each record gives one answer"):
            made()


def test_a_move_that_is_zeroed_is_one_that_is_absent() -> None:
    moved = tb.MixtureOfGaussians(2.0, [0.0, 1.0, 3.0], [0.8, 0.15, 0.05])
    zeroed = moved.under("zero_out")
    for direction in ("remove", "add"):
        absent = moved.delta(0.7, direction=direction)
        found = zeroed.delta(0.7, direction=direction)
        assert (found.lower, found.upper, found.relation) == (absent.lower, absent.upper, "zero_out")
    assert tb.parse(str(zeroed)) == zeroed
    assert math.isfinite((zeroed + tb.Gaussian(3.0, relation="zero_out")).epsilon(1e-6).upper)
    for made in (lambda: moved.under("replace_one"), lambda: tb.MixtureOfGaussians(2.0, [1.0], [1.0], relation="replace_one")):
        with pytest.raises(tb.InvalidParameter, match="comes or goes"):
            made()
