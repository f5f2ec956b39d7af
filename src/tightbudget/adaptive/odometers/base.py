"""What every odometer does: add up what steps declare, and say how much privacy has been lost at most."""

import enum
import math
import sys
from abc import abstractmethod
from fractions import Fraction
from typing import Any, ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import Amount, exact, exact_probability, float_up, plus, show
from tightbudget.adaptive.amounts import tidy as short
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.log_reciprocal import log_reciprocal
from tightbudget.adaptive.odometers.boundaries import RAISED
from tightbudget.adaptive.states import Kept, State, at_least
from tightbudget.errors import InvalidParameter

SMALLEST_DELTA = Fraction(1, 10**300)

LARGEST = Fraction(sys.float_info.max)

Sums = tuple[Any, ...]
"""Exact amounts, except that the Rényi odometer keeps arrays; the last two are the sums of delta and of epsilon."""


class Sense(enum.Enum):
    """In which sense the running epsilon holds (M16)."""

    POINTWISE = (
        "With probability at least 1 - delta, the privacy loss of everything released is at most the running epsilon after "
        "every step at once."
    )
    FIXED_THRESHOLD = (
        "For every threshold fixed in advance, all that is released before the running epsilon would exceed it is "
        "(threshold, delta)-differentially private. If every step with a delta keeps its epsilon pointwise, that is, if its "
        "loss exceeds epsilon with probability delta at most, POINTWISE holds too."
    )


class Odometer(Kept):
    """A running upper bound on the privacy loss, right at every step, whatever is asked and however it is chosen.

    Threads may share an odometer; other processes may not (see `adaptive/sharing.py`).
    """

    sums: ClassVar[tuple[str, ...]]
    """Names of what is added up over the steps; the last two are delta and epsilon."""
    two_sided: ClassVar[bool]
    """Whether the bound is on the absolute value of the loss. If not, that costs a factor 1 + e^-epsilon on delta (M16)."""

    def __init__(self, delta: Any, delta_for_steps: Any, *, mix_relations: bool = False) -> None:
        super().__init__(mix_relations)
        self._delta = exact_probability("delta", delta)
        self._for_steps = exact_probability("delta_for_steps", delta_for_steps)
        self._sums: Sums = (Fraction(0),) * len(self.sums)

    @property
    def delta(self) -> float:
        """The probability of failure that is promised."""
        return float_up(self._delta)

    @property
    def delta_for_steps(self) -> Fraction:
        """What the deltas of all steps together may use; beyond it the running epsilon is infinite."""
        return self._for_steps

    @property
    def epsilon(self) -> float:
        """The running epsilon, rounded up."""
        with self._reading():
            return self._read(self._sums)

    @property
    def sense(self) -> Sense:
        """In which sense the running epsilon holds: it depends on whether a step with a delta has been spent."""
        return Sense.FIXED_THRESHOLD if self._sums[-2] else Sense.POINTWISE

    def quote(self, increment: Increment) -> float:
        """Return the running epsilon as it would be after the step; nothing is spent."""
        with self._reading():
            return self._read(self._after(self._checked(increment)))

    def spend(self, increment: Increment) -> float:
        """Add the step and return the running epsilon. Call it before the step runs."""
        with self._spending():
            after = self._after(self._checked(increment))
            running = self._read(after)  # first: what cannot be read is not spent
            self._sums = after
            self._meet(increment)
            return running

    @abstractmethod
    def _price(self, increment: Increment) -> Sums:
        """Return what the step adds to each sum; raise InvalidParameter if this odometer cannot treat its kind."""

    @abstractmethod
    def _loss(self, sums: Sums) -> float:
        """Return the bound on the loss as long as no step has failed, rounded up."""

    def _after(self, increment: Increment) -> Sums:
        return tuple(map(tidy, plus(self._sums, self._price(increment))))

    def _read(self, sums: Sums) -> float:
        return math.inf if sums[-2] > self._for_steps else self._loss(sums)

    def _written(self) -> State:
        return {name: show(amount) for name, amount in zip(self.sums, self._sums, strict=True)}

    def _restore(self, spent: object) -> None:
        if not isinstance(spent, dict) or set(spent) != set(self.sums):
            raise InvalidParameter("spent", spent, f"a dictionary of {', '.join(self.sums)}")
        self._sums = tuple(math.inf if spent[name] == "inf" else exact(name, spent[name]) for name in self.sums)

    def __repr__(self) -> str:
        return f"<{self.kind} odometer for delta {show(self._delta)} at epsilon {self.epsilon:.6g}>"


class ConcentrationOdometer(Odometer):
    """An odometer whose delta is split, before the first step, into a part for concentration and a part for steps.

    With `or_basic` the running epsilon is never above the sum of the epsilons, if every step has one: that much is
    certain, so the better of the two bounds costs nothing.
    """

    or_basic: ClassVar[bool] = True

    def __init__(self, delta: Any, delta_for_steps: Any, *, mix_relations: bool = False) -> None:
        super().__init__(delta, delta_for_steps, mix_relations=mix_relations)
        if not SMALLEST_DELTA <= self._delta < 1:
            raise InvalidParameter("delta", delta, "from 1e-300 to below 1 for this odometer", "1e-6 is a usual choice.")
        rest = self._delta - self._for_steps
        if rest < SMALLEST_DELTA:
            raise InvalidParameter("delta_for_steps", delta_for_steps, f"below delta, which is {show(self._delta)}")
        self._level = log_reciprocal(rest)

    def _settings(self) -> State:
        return {"delta": show(self._delta), "delta_for_steps": show(self._for_steps)}

    def _constants(self) -> State:
        return {"log": repr(self._level)}

    def _adopt(self, constants: State) -> None:
        self._level = at_least("log", constants["log"], self._level)

    @abstractmethod
    def _concentrated(self, sums: Sums) -> float:
        """Return drift and boundary at these sums, rounded up."""

    def _loss(self, sums: Sums) -> float:
        # a step whose loss is only likely to be bounded may have a mean above that of randomised response (M16)
        excess = log_reciprocal(Fraction(1 - sums[-2])) if sums[-2] else 0.0
        bound = (self._concentrated(sums) + excess) * RAISED
        return min(float_up(sums[-1]), bound) if self.or_basic else bound


def tidy(amount: Amount) -> Amount:
    """Return the amount as it can be written down: inf beyond the largest float, and no longer than filters allow."""
    return math.inf if amount > LARGEST else short(amount)


def positive(name: str, value: Any) -> Fraction:
    number = exact(name, value, "a number from 1e-100 to 1e100")
    if not Fraction(1, 10**100) <= number <= 10**100:
        raise InvalidParameter(name, value, "a number from 1e-100 to 1e100")
    return number


def from_ticks(ticks: Amount) -> Amount:
    return ticks if isinstance(ticks, float) else Fraction(ticks, prices.TICKS)
