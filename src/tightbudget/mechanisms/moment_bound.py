"""An upper end of epsilon by Rényi divergences alone: of promises so large that no pair of theirs is followed (M34)."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from tightbudget.numerics.rounding import float_below, raised
from tightbudget.pairs.base import Array, Direction

if TYPE_CHECKING:
    from tightbudget.mechanisms.mechanism import Mechanism

_ORDERS = 1.0 + np.geomspace(1e-9, 1e3, 97)  # beside those that are named, and the best one of zCDP


def epsilon_by_moments(parts: "tuple[tuple[Mechanism, int], ...]", only: Direction | None, delta: float) -> float:
    """Return an epsilon that is enough for delta, by the sum of all divergences at one of some orders; inf if none is.

    What promises leave out with some probability is taken off delta first.
    """
    promises = [step.moment_promise for step, _ in parts]
    removed = sum(
        (one.promised_delta * count for one, (_, count) in zip(promises, parts, strict=True) if one is not None),
        start=Fraction(0),
    )
    left = Fraction(delta) - removed
    if left <= 0 or not any(promises):
        return math.inf
    log_inverse = -math.log(max(float_below(left), 5e-324))
    return max(_epsilon_in(parts, direction, raised(log_inverse, 8)) for direction in Direction if only in (None, direction))


def _epsilon_in(parts: "tuple[tuple[Mechanism, int], ...]", direction: Direction, log_inverse: float) -> float:
    orders = _orders(parts, log_inverse)
    total = np.zeros(orders.size)
    with np.errstate(over="ignore", invalid="ignore"):
        for step, count in parts:
            promised = step.moment_promise
            if promised is not None:
                bounds = promised.bounds_at(orders)
            else:
                bounds = raised(step.log_moment(direction, orders) / (orders - 1.0), 4)
            total = raised(total + raised(count * bounds, 4), 4)
        # D_a <= tau gives tau + log(1/delta) / (a-1) (M10), in which all terms are positive
        found = raised(total + raised(log_inverse / (orders - 1.0), 4), 16)
    return float(np.where(np.isnan(found), np.inf, found).min(initial=math.inf))


def _orders(parts: "tuple[tuple[Mechanism, int], ...]", log_inverse: float) -> Array:
    """Return orders to try: any is sound. With rho in all the best one is 1 + sqrt(log(1/delta) / rho)."""
    named = [order for step, _ in parts if step.moment_promise is not None for order in step.moment_promise.stated_orders]
    rhos = [
        float(min(step.moment_promise.stated_rho, Fraction(10) ** 300)) * count
        for step, count in parts
        if step.moment_promise is not None and step.moment_promise.stated_rho is not None
    ]
    rho = math.fsum(rhos)
    best = [1.0 + math.sqrt(log_inverse / rho)] if 0.0 < rho < math.inf and log_inverse > 0.0 else []
    orders: Array = np.union1d(np.array([*named, *best]), _ORDERS)
    return orders[orders > 1.0]
