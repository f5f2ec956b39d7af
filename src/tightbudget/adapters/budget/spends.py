"""Spends as numbers: read on the safe side, added up exactly, and what they total."""

import math
from collections.abc import Iterable

from tightbudget.adapters.budget.budgets import Budget
from tightbudget.adaptive.amounts import (
    Amount,
    amount_to_float,
    binary_up,
    exact,
    exact_probability,
    float_up,
    sums_after,
    tidy_amount,
)
from tightbudget.adaptive.prices import zcdp_price
from tightbudget.divergences.conversions import zcdp_epsilon
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import ApproximateDP
from tightbudget.mechanisms.checks import positive, probability
from tightbudget.mechanisms.exact_numbers import number_in_text
from tightbudget.numerics.rounding import float_below

Sums = tuple[Amount, ...]
"""Of rho, delta and epsilon."""

NOTHING: Sums = (0, 0, 0)


def spend_asked(epsilon: object, delta: object) -> tuple[float, float]:
    """Return a spend as floats that are no smaller."""
    above = _exact_pair(epsilon, delta)
    return float_up(above[0]), float_up(above[1])


def ceiling_asked(epsilon: object, delta: object) -> tuple[float, float]:
    """Return a ceiling as floats that are no larger."""
    below = _exact_pair(epsilon, delta)
    return float_down(below[0]), float_down(below[1])


def _exact_pair(epsilon: object, delta: object) -> tuple[Amount, Amount]:
    number = positive("epsilon", epsilon, zero=True, infinite=True)
    probability("delta", delta)
    pair = math.inf if math.isinf(number) else exact("epsilon", epsilon), exact_probability("delta", delta)
    if not any(pair):
        raise InvalidParameter("epsilon", epsilon, "above 0 where delta is 0")
    return pair


def spends_listed(spent_budget: object) -> list[tuple[float, float]]:
    """Return a list of spends, each checked."""
    allowed = "a list of (epsilon, delta)"
    if not isinstance(spent_budget, Iterable) or isinstance(spent_budget, str | bytes | dict):
        raise InvalidParameter("spent_budget", spent_budget, allowed)
    given = list(spent_budget)
    if not all(isinstance(each, list | tuple) and len(each) == 2 for each in given):
        raise InvalidParameter("spent_budget", given, allowed)
    return [spend_asked(*each) for each in given]


def sums_with(sums: Sums, epsilon: float, delta: float) -> Sums:
    """Return the sums after the spend: exact, or a little above where they would be too long to write down."""
    return tuple(map(tidy_amount, sums_after(sums, zcdp_price(ApproximateDP(epsilon, delta)))))


def total_of(sums: Sums, slack: float) -> Budget:
    """Return what the spends total, rounded up: the less of the plain sum and of what rho implies at the slack."""
    rho, delta, epsilon = sums
    total = float_up(epsilon)
    if slack:
        total = min(total, zcdp_epsilon(binary_up(rho), float_below(exact("slack", slack))))
    return Budget(total, min(1.0, float_up(delta + exact("slack", slack))))


def float_down(amount: Amount) -> float:
    """Return a float from 0 that, read as the decimal number it prints as, is no larger than the amount."""
    nearest = max(amount_to_float(amount), 0.0)
    if nearest == 0.0 or amount == math.inf:
        return nearest
    if math.isinf(nearest) or number_in_text(repr(nearest)) > amount:
        return math.nextafter(nearest, 0.0)
    return nearest
