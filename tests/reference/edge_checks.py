"""Is a bracket right? Compared exactly with enclosures of the truth whose precision grows until they tell."""

import math

from flint import arb, ctx, fmpq
from tests.reference.truth_edge_sums import Steps
from tests.reference.truth_numbers import rational

import tightbudget as tb

PRECISIONS = (
    320,
    1600,
    6000,
)  # the first serves almost all; differences of denormals need the second, products of them the third
NEXT_BELOW = 1 - fmpq(1, 2**300)  # a lower end is wrong if delta has come down to the level this little below it


def delta_fault(sides: list[Steps], epsilon: float, found: tb.Bracket) -> str | None:
    """Return how a bracket of delta(epsilon) misses the truth, or None."""

    def enclosure() -> arb:
        return _largest([one.infinity() if math.isinf(epsilon) else one.delta(arb(rational(epsilon))) for one in sides])

    for bits in _precisions(sides):
        with ctx.workprec(bits):
            truth = enclosure()
            lower, upper = arb(found.lower), arb(found.upper)
            if truth < lower or truth > upper:
                return f"the truth is {truth.str(20)}"
            if truth >= lower and truth <= upper:
                return None
    return None


def epsilon_fault(sides: list[Steps], delta: float, found: tb.Bracket) -> str | None:
    """Return which end of a bracket of epsilon(delta) is wrong, or None.

    The upper end must keep delta; nothing below the lower end may.
    """
    for bits in _precisions(sides):
        with ctx.workprec(bits):
            level = arb(rational(delta))
            high = arb(0) if math.isinf(found.upper) else _value(sides, rational(found.upper))
            if high > level:
                return f"upper end is too low: delta there is {high.str(20)}"
            if math.isinf(found.lower):
                if all(_reaches(one, level) for one in sides):
                    return "lower end is inf: a finite epsilon will do"
                low = arb(1)
            else:
                low = _value(sides, rational(found.lower) * NEXT_BELOW) if found.lower > 0.0 else arb(2)
            if low <= level:
                return f"lower end is too high: delta below it is {low.str(20)}"
            if high <= level and low > level:
                return None
    return None


def pure_fault(sides: list[Steps], found: float) -> str | None:
    """Return why a number is no upper bound on the largest loss, or None."""
    if math.isinf(found):
        return None
    if any(one.reveals or not one.bounded for one in sides):
        return "the truth is inf"
    for bits in PRECISIONS:
        with ctx.workprec(bits):
            truth = _largest([one.largest() for one in sides])
            if truth > arb(found):
                return f"the largest loss is {truth.str(20)}"
            if truth <= arb(found):
                return None
    return None


def _precisions(sides: list[Steps]) -> tuple[int, ...]:
    """Enclosures by inequalities hardly get better with precision."""
    return PRECISIONS if all(one.sharp for one in sides) else PRECISIONS[:2]


def _reaches(one: Steps, level: arb) -> bool:
    """Whether delta is certainly at most the level at some finite epsilon."""
    return one.infinity() <= level if one.bounded else one.infinity() < level


def _value(sides: list[Steps], x: fmpq) -> arb:
    return _largest([one.delta(arb(x)) for one in sides])


def _largest(values: list[arb]) -> arb:
    largest = arb(0)
    for value in values:
        largest = largest.max(value)
    return largest
