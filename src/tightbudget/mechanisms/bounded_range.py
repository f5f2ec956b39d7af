"""The exponential mechanism and its like (theory D.3)."""

import math
from dataclasses import dataclass
from typing import ClassVar

from tightbudget.mechanisms.base import Mechanism
from tightbudget.mechanisms.checks import positive
from tightbudget.mechanisms.promise import PureDP
from tightbudget.mechanisms.relations import ANY
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.exponential import ExponentialPair


@dataclass(frozen=True)
class BoundedRange(Mechanism):
    """Any mechanism whose loss varies by at most eta, such as the exponential mechanism.

    The pair is the least one that dominates the whole class. A single step attains it. A composition need not: there
    the upper end holds for every mechanism of the class, and the lower end is that of one member, whose losses are
    +-eta/2.
    """

    name: ClassVar[str] = "bounded_range"
    neighbours: ClassVar[str] = ANY

    eta: float

    def __post_init__(self) -> None:
        self._check_parameters()
        positive("eta", self.eta, zero=True)

    def member(self) -> Mechanism:
        return PureDP(0.5 * self.eta)  # its worst case has just two losses, eta apart

    def pair(self, direction: Direction) -> Pair | None:
        if self.eta == 0:
            return None
        return ExponentialPair(top=self.eta, reach=self.eta, log_weight=-math.log(-math.expm1(-self.eta)))
