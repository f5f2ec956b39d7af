"""Verdicts come from brackets, and doubt decides nothing."""

import math

import pytest

from tightbudget.research.reproduce import verdicts
from tightbudget.research.reproduce.verdicts import CONFIRMED, OPEN, REFUTED


@pytest.mark.parametrize(
    ("number", "verdict"),
    [
        ((1.0, 2.0), CONFIRMED),
        ((1.0, 1.0), CONFIRMED),
        ((2.0, 2.0), CONFIRMED),
        ((0.5, 0.9), REFUTED),
        ((2.1, 3.0), REFUTED),
        ((0.9, 1.5), OPEN),
        ((1.5, 2.1), OPEN),
        ((0.5, 3.0), OPEN),
        ((math.nan, 1.5), OPEN),
        ((math.nan, math.nan), OPEN),
        ((1.5, 1.2), OPEN),
    ],
)
def test_only_a_whole_bracket_decides(number: tuple[float, float], verdict: str):
    assert verdicts.verdict_within(number, 1.0, 2.0) == verdict


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (CONFIRMED, CONFIRMED, CONFIRMED),
        (CONFIRMED, OPEN, OPEN),
        (OPEN, OPEN, OPEN),
        (REFUTED, OPEN, REFUTED),
        (CONFIRMED, REFUTED, REFUTED),
    ],
)
def test_both(first: str, second: str, verdict: str):
    assert verdicts.verdict_on_both(first, second) == verdicts.verdict_on_both(second, first) == verdict


def test_ratios_and_orders_hold_every_pair_of_values():
    top, bottom = (2e-4, 3e-4), (1e-9, 4e-9)
    low, high = verdicts.bracket_ratio(top, bottom)
    less, more = verdicts.orders_of_magnitude(top, bottom)
    for t in (2e-4, 2.5e-4, 3e-4):
        for b in (1e-9, 2e-9, 4e-9):
            assert low <= t / b <= high
            assert less <= math.log10(t / b) <= more


def test_nothing_is_known_below_a_lower_bound_of_zero():
    assert verdicts.verdict_within(verdicts.orders_of_magnitude((1e-4, 1e-4), (0.0, 1e-6)), 4.0) == OPEN
    assert verdicts.verdict_within(verdicts.orders_of_magnitude((1e-4, 1e-4), (0.0, 1e-9)), 4.0) == CONFIRMED
    assert math.isnan(verdicts.bracket_ratio((1.0, 1.0), (0.0, 0.0))[0])


def test_a_number_is_shown_with_both_ends_unless_they_agree():
    assert verdicts.bracket_in_verdict((1.23456, 1.23457)) == "1.23"
    assert verdicts.bracket_in_verdict((1.2, 1.3)) == "1.2 … 1.3"
