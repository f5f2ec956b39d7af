"""The one order at which the budget of a Rényi filter holds most of the steps to come."""

from fractions import Fraction

import numpy as np

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import amount_to_float, exact
from tightbudget.adaptive.filters.concentration import check_guarantee
from tightbudget.adaptive.filters.expected import Expected
from tightbudget.adaptive.filters.thresholds import renyi_budget
from tightbudget.adaptive.increments import RDP

_ORDERS_TRIED, _REFINED = 60, 3


def best_order(expected: Expected) -> Fraction:
    """Return the order that admits most of the expected steps."""
    check_guarantee(exact("epsilon", expected.epsilon), exact("delta", expected.delta), expected.delta_for_steps)
    if isinstance(expected.step, RDP):  # of the promises only this one is about some orders
        return _most_admitting(expected, expected.step.orders)
    low, high = Fraction(1, 20), Fraction(10**4)
    for _ in range(_REFINED):
        candidates = _spaced_orders(low, high)
        place = candidates.index(_most_admitting(expected, candidates))
        low, high = candidates[max(place - 1, 0)] - 1, candidates[min(place + 1, len(candidates) - 1)] - 1
    return _most_admitting(expected, candidates)


def _most_admitting(expected: Expected, candidates: tuple[Fraction, ...]) -> Fraction:
    """Return the order whose budget, alone, holds most of the steps."""
    whole, tail = exact("epsilon", expected.epsilon), exact("delta", expected.delta) - expected.delta_for_steps
    divergences = prices.renyi_price(expected.step, candidates)[: len(candidates)]
    budgets = [renyi_budget(order, whole, tail) for order in candidates]
    shares = [amount_to_float(b) / max(amount_to_float(d), 1e-300) for b, d in zip(budgets, divergences, strict=True)]
    return candidates[shares.index(max(shares))]


def _spaced_orders(low: Fraction, high: Fraction) -> tuple[Fraction, ...]:
    """Return orders whose distances from 1 grow evenly from one to the other, with few digits."""
    rests = np.geomspace(float(low), float(high), _ORDERS_TRIED).tolist()
    return tuple(dict.fromkeys(1 + exact("order", float(f"{rest:.6g}")) for rest in rests))
