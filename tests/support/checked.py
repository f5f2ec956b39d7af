"""Checks of brackets of epsilon against a truth that answers for delta."""

from collections.abc import Callable

import mpmath
from flint import arb
from mpmath import mpf
from tests.reference.truth_numbers import ends

from tightbudget import Bracket


def contains_epsilon(found: Bracket, delta: float, delta_at: Callable[[float], arb | float], margin: float = 0.0) -> bool:
    """Tell whether the smallest epsilon with delta_at(epsilon) <= delta lies in the bracket.

    `delta_at` is decreasing: a flint ball, or a float good to a relative `margin`. Compared on the scale of delta,
    where the truth is known; a bracket of epsilon one part in 1e3 wide is several parts in 1e3 of delta wide.
    """
    with mpmath.workdps(60):
        at_lower, at_upper = _ends(delta_at(found.lower), margin), _ends(delta_at(found.upper), margin)
        return (found.lower == 0.0 or at_lower[1] >= mpf(delta)) and at_upper[0] <= mpf(delta)


def contains_delta(found: Bracket, truth: arb | float, margin: float = 0.0) -> bool:
    """Tell whether the truth, a flint ball or a float good to a relative `margin`, lies in the bracket."""
    with mpmath.workdps(60):
        low, high = _ends(truth, margin)
        return mpf(found.lower) <= high and low <= mpf(found.upper)


def _ends(value: arb | float, margin: float) -> tuple[mpf, mpf]:
    if isinstance(value, arb):
        return ends(value)
    return mpf(value) * (1 - mpf(margin)), mpf(value) * (1 + mpf(margin))
