"""Upper bounds on epsilon that hold for neighbours too: for less noise, a larger sample and more steps (M3)."""

import math
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.steps import Steps

Array = NDArray[np.float64]
Place = tuple[Hashable, tuple[float, ...]]

_KEPT = 512  # bounds of one family: some rows of a sweep
_EXACT = 2**53  # counts up to this are floats


def place_of(steps: Steps, delta: float) -> Place | None:
    """Return a family of questions and numbers in it: larger ones belong to an epsilon that is at least as large.

    Every pair is dominated by those with larger numbers, more steps only add, and a smaller delta asks for more.
    """
    families, numbers = [], []
    for pair, count in steps.items:
        place = pair.place
        if place is None or count > _EXACT:
            return None
        families.append(place[0])
        numbers += [*place[1], float(count)]
    return tuple(families), (*numbers, -delta)


class Bounds:
    """Places in one family with a bound on epsilon at each; the oldest are forgotten."""

    def __init__(self, size: int) -> None:
        self._places = np.empty((_KEPT, size))
        self._uppers = np.full(_KEPT, math.inf)
        self._next = 0

    @property
    def nbytes(self) -> int:
        return self._places.nbytes + self._uppers.nbytes

    def add(self, numbers: tuple[float, ...], upper: float) -> None:
        at = self._next % _KEPT
        self._places[at], self._uppers[at] = numbers, upper
        self._next += 1

    def upper(self, numbers: tuple[float, ...]) -> float:
        """Return the least bound known at numbers that are all at least as large; inf if there is none."""
        known = min(self._next, _KEPT)
        larger = (self._places[:known] >= numbers).all(axis=1)
        return float(self._uppers[:known][larger].min(initial=math.inf))
