"""Numbers as they were given: what adds budgets up without rounding reads them here."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple


class Promise(NamedTuple):
    """(epsilon, delta)-differential privacy."""

    epsilon: float
    delta: float = 0.0


@dataclass(frozen=True, slots=True)
class Ratio:
    """The quotient of two parameters, such as a sensitivity and a scale of noise."""

    above: float
    below: float = 1.0

    @property
    def proper(self) -> bool:
        """Whether it is a number."""
        return 0.0 < self.below < math.inf and self.above < math.inf

    @property
    def exact(self) -> Fraction | float:
        """The quotient of the two floats, not rounded: 0 if noise hides all, inf if there is none.

        A shift of 0 comes first: without noise, too, it reveals nothing.
        """
        if self.above == 0 or self.below == math.inf:
            return Fraction(0)
        return Fraction(self.above) / Fraction(self.below) if self.proper else math.inf
