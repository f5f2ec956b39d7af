"""Exact confidence limits of probabilities from counts (Clopper and Pearson 1934)."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import probability, whole_count
from tightbudget.numerics.rounding import lowered_by, raised, raised_by
from tightbudget.pairs.base import Array

_RAISED = Fraction(raised(1.0, 8))

# The inverses are iterative and good to about 1e-12; every limit is moved outward by this much, relatively.
_INVERSE = 1e-9


def clopper_pearson(counts: NDArray[np.int64], error: float) -> tuple[Array, Array]:
    """Return limits of each cell's probability; each of the two is wrong with probability at most `error`.

    Lower limit: the p at which as many or more would be seen with probability `error`; upper limit: as many or fewer.
    """
    seen = np.asarray(counts, dtype=np.float64)
    total = float(seen.sum())
    unseen = total - seen
    low, high = np.zeros_like(seen), np.ones_like(seen)
    some, rest = seen > 0, unseen > 0
    low[some] = lowered_by(special.betaincinv(seen[some], unseen[some] + 1.0, error), _INVERSE)
    # near 1 the distance to 1 is what has to be accurate
    near = raised_by(special.betainccinv(seen[rest] + 1.0, unseen[rest], error), _INVERSE)
    far = 1.0 - lowered_by(special.betaincinv(unseen[rest], seen[rest] + 1.0, error), _INVERSE)
    high[rest] = np.where(near < 0.5, near, np.nextafter(far, 1.0))
    return low, high


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
