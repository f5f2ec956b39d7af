"""Budgets computed once, when a filter is made: sixty digits, then rounded down.

`decimal` rounds +, -, *, / and the square root correctly, exp and ln too, so every step below is good to 1e-59 of its
size. The allowance of 1e-40 is larger than all of them together for the ranges that the filters admit.
"""

import decimal
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

from tightbudget.engine.closed.gaussian import gaussian_delta
from tightbudget.numerics.rounding import float_below

_CONTEXT = decimal.Context(
    prec=60, rounding=decimal.ROUND_HALF_EVEN, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[decimal.InvalidOperation]
)
_ALLOWANCE = Decimal("1e-40")

CLOSEST_ORDER, LARGEST_ORDER = Fraction(1, 10**9), Fraction(10**9)
"""Orders are at least 1 + the first and at most the second."""


def most_squares(epsilon: Fraction, tail: Fraction) -> Fraction:
    r"""Return the largest V with $\sqrt{2V\ln(1/\delta')} + V/2 \le \varepsilon$, rounded down.

    $$\sqrt V = \frac{2\varepsilon}{s + \sqrt{s^2 + 2\varepsilon}}, \qquad s^2 = 2\ln(1/\delta')$$
    """
    with decimal.localcontext(_CONTEXT):
        size = -2 * _threshold_ln(tail) + _ALLOWANCE
        root = 2 * _threshold_decimal(epsilon) / (size.sqrt() + (size + 2 * _threshold_decimal(epsilon)).sqrt())
        return Fraction(root * root * (1 - _ALLOWANCE))


def renyi_budget(order: Fraction, epsilon: Fraction, tail: Fraction) -> Fraction:
    r"""Return the largest divergence at the order with $\delta(\varepsilon) \le \delta'$, rounded down, even below 0.

    $$B_a = \varepsilon + \frac{\ln(\delta'/c_a)}{a-1}, \qquad c_a = \frac{(1-1/a)^a}{a-1}$$
    """
    with decimal.localcontext(_CONTEXT):
        rest = _threshold_decimal(order - 1)
        terms = _threshold_ln(tail), -_threshold_decimal(order) * _threshold_ln((order - 1) / order), _threshold_ln(order - 1)
        budget = _threshold_decimal(epsilon) + sum(terms) / rest
        # terms are good to 1e-59 of their size, and to 1e-59 times the order where a logarithm is near 0
        size = _threshold_decimal(epsilon) + (sum(map(abs, terms)) + _threshold_decimal(order) + 1) / rest
        return Fraction(budget - size * _ALLOWANCE)


def least_order(epsilon: Fraction, tail: Fraction) -> Fraction | None:
    """Return about the least order, of four digits, with a budget above 0; None if there is none up to the largest.

    (order - 1) times the budget grows with the order, so all larger ones have a budget too.
    """
    if renyi_budget(LARGEST_ORDER, epsilon, tail) <= 0:
        return None
    low, high = math.log(CLOSEST_ORDER), math.log(LARGEST_ORDER - 1)
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if renyi_budget(1 + Fraction(math.exp(middle)), epsilon, tail) > 0 else (middle, high)
    for allowed in (1.0, 1.001, 1.002):
        shown = Fraction(f"{1.0 + math.exp(high) * allowed:.4g}")
        if 1 < shown <= LARGEST_ORDER and renyi_budget(shown, epsilon, tail) > 0:
            return shown
    return 1 + Fraction(math.exp(high))


def most_rho(epsilon: Fraction, tail: Fraction) -> Fraction:
    """Return the largest rho for which some order leaves delta(epsilon) within the tail, rounded down.

    rho-zCDP has divergence a rho at every order a, so each order admits B_a / a; the search need not be exact.
    """
    order = _best_order(float(epsilon), math.log(float(tail)))
    return renyi_budget(order, epsilon, tail) / order


def most_mu(epsilon: Fraction, tail: Fraction) -> float:
    """Return the largest mu for which mu-GDP leaves delta(epsilon) within the tail, rounded down."""
    below, above = 0.0, 1.0
    threshold, limit = float_below(epsilon), float_below(tail)

    def fits(mu: float) -> bool:
        return gaussian_delta(mu, threshold, 0.0)[1] <= limit

    while fits(above):
        below, above = above, 2.0 * above
    while not below and not fits(above / 2.0) and above > 1e-200:
        above /= 2.0
    while True:
        middle = 0.5 * (below + above)
        if not below < middle < above:
            return below
        below, above = (middle, above) if fits(middle) else (below, middle)


def _best_order(epsilon: float, log_tail: float) -> Fraction:
    """Return about the order at which B_a / a is largest."""
    low, high = math.log(float(CLOSEST_ORDER)), math.log(float(LARGEST_ORDER)) - 1e-9
    while True:
        rest = np.exp(np.linspace(low, high, 401))
        order = 1.0 + rest
        budget = epsilon + (log_tail - order * (np.log(rest) - np.log1p(rest)) + np.log(rest)) / rest
        best = int(np.argmax(budget / order))
        step = (high - low) / 400.0
        if step < 1e-8:  # the maximum is flat: the budget is good to the square of this
            return 1 + Fraction(float(rest[best]))
        centre = math.log(float(rest[best]))
        low, high = max(low, centre - 2.0 * step), min(high, centre + 2.0 * step)


def _threshold_decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def _threshold_ln(number: Fraction) -> Decimal:
    return _threshold_decimal(number).ln()
