"""How confident limits of many cells are together, and how many samples that takes (M13)."""

import math
from fractions import Fraction

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import probability, whole_count
from tightbudget.numerics.rounding import raised

_RAISED = Fraction(raised(1.0, 8))


def confidence_asked(value: object) -> float:
    confidence = probability("confidence", value, "0.99 is a usual choice.")
    if not 0.0 < confidence < 1.0:
        raise InvalidParameter("confidence", value, "between 0 and 1, both excluded", "0.99 is a usual choice.")
    return confidence


def samples_to_exclude(mass: float, cells: int, confidence: float = 0.99) -> int:
    """Return how many samples must be taken for a cell that is never seen to have probability at most `mass`.

    An unseen cell may reveal everything. Over r observations that costs up to r * mass of delta, so `mass` has to be
    some delta / r. The limit holds for `cells` cells and both distributions together, as in
    `Measured.confidence_bounds`.
    """
    mass = probability("mass", mass)
    if not 0.0 < mass < 1.0:
        raise InvalidParameter("mass", mass, "between 0 and 1, both excluded")
    count = whole_count(cells, "cells", least=1)
    needed, each = math.log(each_error(confidence_asked(confidence), count)), math.log1p(-mass)
    # both logarithms are good to 2u, and the error, at most 1/4, to 2u before its logarithm; the quotient may exceed
    # any float
    return math.ceil(Fraction(needed) / Fraction(each) * _RAISED)


def each_error(confidence: float, cells: int) -> float:
    """Return what each limit may err by, so that two a cell and distribution err together as asked (Bonferroni)."""
    return (1.0 - confidence) / (4.0 * cells)
