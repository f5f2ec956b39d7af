"""The exponential mechanism and its like (theory D.3)."""

import math
from dataclasses import dataclass
from typing import ClassVar

from tightbudget.mechanisms.base import Mechanism
from tightbudget.mechanisms.checks import positive
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.exponential import ExponentialPair


@dataclass(frozen=True)
class BoundedRange(Mechanism):
    """Any mechanism whose loss varies by at most eta, such as the exponential mechanism.

    The pair is the least one that dominates the whole class. A single step attains it; a composition of r steps need not,
    so there the lower end is that of the dominating pair, not of every mechanism in the class.
    """

    name: ClassVar[str] = "bounded_range"

    eta: float

    def __post_init__(self) -> None:
        self._settle()
        positive("eta", self.eta, zero=True)

    def pair(self, direction: Direction) -> Pair | None:
        if self.eta == 0:
            return None
        return ExponentialPair(top=self.eta, reach=self.eta, log_weight=-math.log(-math.expm1(-self.eta)))
