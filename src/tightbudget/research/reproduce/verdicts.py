"""Verdicts computed from numbers: a claim is confirmed or refuted only if the whole bracket says so."""

import math

from tightbudget.numerics.bracket import Bracket
from tightbudget.research.reproduce.model import Number

CONFIRMED, REFUTED, OPEN = "confirmed", "refuted", "not checkable"
ALL = (CONFIRMED, REFUTED, OPEN)


def verdict_within(number: Number, least: float = -math.inf, most: float = math.inf) -> str:
    """Judge "least <= number <= most"; a bracket that straddles an end, or is not a number, decides nothing."""
    low, high = number
    if least <= low <= high <= most:
        return CONFIRMED
    return REFUTED if high < least or low > most else OPEN


def verdict_on_both(first: str, second: str) -> str:
    """Judge "first and second"."""
    if REFUTED in (first, second):
        return REFUTED
    return CONFIRMED if first == second == CONFIRMED else OPEN


def exact_ends(value: float) -> Number:
    return value, value


def bracket_ends(bracket: Bracket) -> Number:
    return bracket.lower, bracket.upper


def bracket_ratio(top: Number, bottom: Number) -> Number:
    """Return top / bottom for values that are not negative; nothing is claimed about 0 / 0."""
    low = top[0] / bottom[1] if bottom[1] > 0.0 else math.nan
    high = top[1] / bottom[0] if bottom[0] > 0.0 else math.inf
    return low, high


def orders_of_magnitude(top: Number, bottom: Number) -> Number:
    """Return by how many powers of ten the bottom is smaller."""
    low, high = bracket_ratio(top, bottom)
    return (math.log10(low) if low > 0.0 else -math.inf, math.log10(high) if high > 0.0 else -math.inf)


def bracket_in_verdict(number: Number, digits: int = 3) -> str:
    """Return the number as text: one value if both ends agree to the digits shown, else both."""
    low, high = (f"{end:.{digits}g}" for end in number)
    return low if low == high else f"{low} … {high}"
