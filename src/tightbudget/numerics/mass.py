"""A probability that does not become 0, however small it is: a fraction, or two ends of its logarithm (M2)."""

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from tightbudget.numerics.logs import log_fraction
from tightbudget.numerics.rounding import TINIEST, U, float_above, float_below, lowered, raised

_UNION = math.log(1e-13)  # sums of probabilities up to this are as good as the probability of a union
_ROUNDED = 1e-13  # relative error of a product of many probabilities, with much room
_MOST_BITS = 2**17  # of an exact product: a fraction of a millisecond


@dataclass(frozen=True, slots=True)
class Mass:
    """A probability p with log_lower <= log p <= log_upper; `exact` is p itself where that is known."""

    log_lower: float
    log_upper: float
    exact: Fraction | None = None

    @staticmethod
    def exactly(value: float | Fraction) -> "Mass":
        exact = Fraction(value)
        if exact == 0:
            return NONE
        log = log_fraction(exact)
        error = 12.0 * U * abs(log)
        return Mass(log - error, log + error, exact)

    @staticmethod
    def about(log: float, error: float) -> "Mass":
        """Return the probability whose logarithm is `log`, good to `error`; -inf is one that no float holds, not 0."""
        if log == -math.inf:
            return Mass(-math.inf, -sys.float_info.max)
        return Mass(log - error, min(0.0, log + error))

    @property
    def possible(self) -> bool:
        """Whether it may be more than 0."""
        return self.log_upper > -math.inf

    @property
    def certain(self) -> bool:
        """Whether it is more than 0, though perhaps less than any float."""
        return self.log_lower > -math.inf

    @property
    def log(self) -> tuple[float, float]:
        """A logarithm and its error; if it may be 0, that of the most it may be, with an error that leaves nothing."""
        if not self.certain:
            return self.log_upper, 700.0
        return 0.5 * (self.log_lower + self.log_upper), 0.51 * (self.log_upper - self.log_lower) + U * abs(self.log_upper)

    @property
    def lower(self) -> float:
        """No float larger than it."""
        if not self.certain:
            return 0.0
        if self.exact is not None:
            return float_below(self.exact)
        # denormal results are rounded absolutely
        return max(0.0, lowered(math.exp(self.log_lower), 4) - 2.0 * TINIEST)

    @property
    def upper(self) -> float:
        """No float smaller than it; 0 only if it is 0."""
        if not self.possible:
            return 0.0
        if self.exact is not None:
            return float_above(self.exact)
        return min(1.0, raised(math.exp(self.log_upper), 4) + 2.0 * TINIEST)

    def times(self, factor: float) -> "Mass":
        """Return the probability of this and of something independent that has probability `factor`."""
        if self.exact is not None:
            return Mass.exactly(self.exact * Fraction(factor))
        log = math.log(factor)
        error = 4.0 * U * (abs(log) + abs(self.log_lower if self.certain else self.log_upper))
        return Mass(self.log_lower + log - error, min(0.0, self.log_upper + log + error))


NONE = Mass(-math.inf, -math.inf, Fraction(0))


def any_of(masses: Iterable[tuple[Mass, int]]) -> Mass:
    """Return the probability 1 - prod (1 - p)^count that at least one of many independent events happens."""
    some = [(mass, count) for mass, count in masses if mass.possible and count]
    if not some:
        return NONE
    if len(some) == 1 and some[0][1] == 1:
        return some[0][0]
    if any(mass.exact == 1 for mass, _ in some):
        return Mass.exactly(1.0)
    if sum(count * mass.exact.denominator.bit_length() if mass.exact else math.inf for mass, count in some) <= _MOST_BITS:
        return Mass.exactly(1 - math.prod((1 - mass.exact) ** count for mass, count in some if mass.exact))
    lowest, highest = ([(mass.log_lower, count) for mass, count in some], [(mass.log_upper, count) for mass, count in some])
    log_lower, log_upper = _log_sum(lowest), _log_sum(highest)
    if log_upper < _UNION:  # the sum S of all is an upper bound, S - S^2/2 a lower one (Bonferroni)
        size = max(abs(log) + math.log(count) for log, count in lowest + highest if log > -math.inf)
        error = 16.0 * U * (len(some) + size)
        return Mass(log_lower - error - 1e-13, log_upper + error)
    ends = ([(mass.lower, count) for mass, count in some], [(mass.upper, count) for mass, count in some])
    lower, upper = (
        -math.expm1(math.fsum(count * (math.log1p(-p) if p < 1.0 else -math.inf) for p, count in end)) for end in ends
    )
    log_lower = math.log(lower) - _ROUNDED if lower > 0.0 else -math.inf
    return Mass(log_lower, min(0.0, math.log(upper) + _ROUNDED))


def _log_sum(terms: list[tuple[float, int]]) -> float:
    """Return log of the sum of count * e^log."""
    logs = [log + math.log(count) for log, count in terms if log > -math.inf]
    top = max(logs, default=-math.inf)
    return top + math.log(math.fsum(math.exp(log - top) for log in logs)) if logs else -math.inf
