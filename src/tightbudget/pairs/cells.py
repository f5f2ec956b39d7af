"""Events of a pair of distributions (A, B), grouped by their privacy loss ln dA/dB.

Masses travel as logarithms, so that an event of probability 1e-400 is as good as any other, and each comes with a bound
on the absolute error of its logarithm (M2).
"""

import enum
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tightbudget.numerics.logs import log_tails

Array = NDArray[np.float64]

NEGLIGIBLE = 1e-300
"""Stands for any tail of A beyond the range that a pair resolves: always charged to the upper bound, never dropped."""

REACH = 45.0
"""Normal tails are resolved to this many standard deviations; beyond lies less than 1e-440, charged as NEGLIGIBLE."""


class Direction(enum.Enum):
    """Which of the two neighbours has the record: the pair is (with, without) for REMOVE, (without, with) for ADD."""

    REMOVE = "remove"
    ADD = "add"


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Events grouped by loss: cell i holds events with low[i] <= loss <= high[i] and has masses exp(log_a), exp(log_b).

    `error` bounds the absolute error of both logarithms. Point masses have low == high.
    """

    low: Array
    high: Array
    log_a: Array
    log_b: Array
    error: Array

    @property
    def size(self) -> int:
        return self.low.size

    @property
    def mean_losses(self) -> Array:
        """About the mean loss of each cell; NaN where it holds nothing."""
        with np.errstate(invalid="ignore"):
            losses: Array = np.minimum(np.maximum(self.log_a - self.log_b, self.low), self.high)
        return losses

    def where(self, keep: NDArray[np.bool_]) -> "Cells":
        return Cells(self.low[keep], self.high[keep], self.log_a[keep], self.log_b[keep], self.error[keep])

    def tails(self) -> tuple[Array, Array, Array]:
        """Return logs of A and B from each cell on, and about that of delta at its lower end: nothing is certified."""
        log_a, log_b = log_tails(self.log_a), log_tails(self.log_b)
        return log_a, log_b, log_delta(self.low, log_a, log_b)

    def part(self, begin: int, end: int) -> "Cells":
        some = slice(begin, end)
        return Cells(self.low[some], self.high[some], self.log_a[some], self.log_b[some], self.error[some])

    def swapped(self) -> "Cells":
        """Return the same events, of the pair (B, A): their losses have the other sign."""
        return Cells(*(values[::-1] for values in (-self.high, -self.low, self.log_b, self.log_a, self.error)))

    @staticmethod
    def none() -> "Cells":
        empty = np.empty(0)
        return Cells(empty, empty, empty, empty, empty)

    @staticmethod
    def join(*parts: "Cells") -> "Cells":
        return Cells(
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("low", "high", "log_a", "log_b", "error"))
        )


@dataclass(frozen=True, slots=True)
class Alignment:
    """A grid on which the pair's point masses lie: anchor + k * period, k integer.

    `off_lattice` is the mass of A that does not lie there: 0 for a lattice, on which a grid of just this period is
    exact.
    """

    anchor: float
    period: float
    off_lattice: float


def log_delta(losses: Array, log_a: Array, log_b: Array) -> Array:
    """Return about log(A - e^loss B): -inf or NaN where that is nothing; nothing is certified."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found: Array = log_a + np.log(-np.expm1(np.minimum(losses + log_b - log_a, 0.0)))
    return found


def log_or_minus_inf(value: float) -> float:
    return math.log(value) if value > 0.0 else -math.inf
