"""What every odometer does: add up what steps declare, and say how much privacy has been lost at most."""

import enum
import math
import sys
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import Amount, exact, exact_probability, float_up, show, sums_after, tidy_amount
from tightbudget.adaptive.filters.base import MOST
from tightbudget.adaptive.filters.limits import readable_amount
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.states import KeptAsState, State
from tightbudget.errors import InvalidParameter
from tightbudget.numerics.search import largest_that_fits

LARGEST = Fraction(sys.float_info.max)

Sums = Mapping[str, Any]
"""Exact amounts by name, except that the Rényi odometer keeps arrays; "delta" and "epsilon" are always among them."""


class Sense(enum.Enum):
    """In which sense the running epsilon holds (M16)."""

    POINTWISE = (
        "With probability at least 1 - delta, the privacy loss of everything released is at most the running epsilon after "
        "every step at once."
    )
    FIXED_THRESHOLD = (
        "For every threshold fixed in advance, all that is released before the running epsilon would exceed it is "
        "(threshold, delta)-differentially private. POINTWISE holds too if every step with a delta keeps its epsilon "
        "pointwise: on either of two neighbouring data sets its loss is between -epsilon and epsilon with probability at "
        "least 1 - delta."
    )


class Odometer(KeptAsState):
    """A running upper bound on the privacy loss, right at every step, whatever is asked and however it is chosen.

    Ask `quote` or `spend` before a step runs. Threads may share an odometer; other processes may not (see
    `adaptive/sharing.py`). A new kind is three hooks: what a step adds to each sum (`_price`), how much has been lost
    at given sums (`_bound`), and the other arguments of the constructor (`_settings`).
    """

    sums: ClassVar[tuple[str, ...]]
    """Names of what is added up over the steps; delta and epsilon are always among them."""
    two_sided: ClassVar[bool]
    """Whether the bound is on the absolute value of the loss. Else it costs delta a factor 1 + e^-epsilon (M16)."""

    def __init__(self, delta: Any, *, delta_for_steps: Any, mix_relations: bool = False) -> None:
        super().__init__(mix_relations)
        self._delta = exact_probability("delta", delta)
        self._for_steps = exact_probability("delta_for_steps", delta_for_steps)
        self._sums: Sums = dict.fromkeys(self.sums, Fraction(0))

    @abstractmethod
    def _price(self, increment: Increment) -> Sums:
        """Return what the step adds to each sum; raise InvalidParameter if this odometer cannot treat its kind."""

    @abstractmethod
    def _bound(self, sums: Sums) -> float:
        """Return the bound on the loss as long as no step has failed, rounded up."""

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
            return self._running(self._sums)

    @property
    def sense(self) -> Sense:
        """In which sense the running epsilon holds: it depends on whether a step with a delta has been spent."""
        return Sense.FIXED_THRESHOLD if self._sums["delta"] else Sense.POINTWISE

    @property
    def spent(self) -> dict[str, Amount]:
        """The sums so far, exact. The running epsilon is computed from them."""
        return dict(self._sums)

    def quote(self, increment: Increment | str) -> float:
        """Return the running epsilon as it would be after the step; nothing is spent."""
        with self._reading():
            return self._running(self._after(self._price(self._checked(increment))))

    def spend(self, increment: Increment | str) -> float:
        """Add the step and return the running epsilon. Call it before the step runs."""
        with self._spending():
            step = self._checked(increment)
            after = self._after(self._price(step))
            running = self._running(after)  # first: what cannot be read is not spent
            self._sums = after
            self._meet(step)
            return running

    def remaining(self, increment: Increment | str, *, epsilon: Any) -> int:
        """Return how many more such steps keep the running epsilon within `epsilon`, if nothing else is asked.

        An odometer has no budget of its own: this is how far it is from one that you have in mind. The count is cut off
        at 2^53: it then stands for that many or more.
        """
        most = exact("epsilon", epsilon)
        with self._reading():
            price = self._price(self._checked(increment))
            return largest_that_fits(lambda count: _running_within(self._highest(price, count), most), MOST)

    def _after(self, price: Sums, count: int = 1) -> Sums:
        """Return the sums after `count` steps of this price."""
        return exact_sums(self.sums, self._sums, price, count)

    def _running(self, sums: Sums) -> float:
        """Return the running epsilon at these sums, rounded up."""
        return math.inf if sums["delta"] > self._for_steps else self._bound(sums)

    def _highest(self, price: Sums, count: int) -> float:
        """Return the largest running epsilon in the course of `count` steps: the last one, unless it can fall."""
        return self._running(self._after(price, count))

    def _written(self) -> State:
        return {name: show(amount) for name, amount in self._sums.items()}

    def _restore(self, spent: object) -> None:
        if not isinstance(spent, dict) or set(spent) != set(self.sums):
            raise InvalidParameter("spent", spent, f"a dictionary of {', '.join(self.sums)}")
        self._sums = {name: math.inf if spent[name] == "inf" else exact(name, spent[name]) for name in self.sums}

    def __repr__(self) -> str:
        return f"<{self.kind} odometer for delta {show(self._delta)} at epsilon {_running_in_few_digits(self.epsilon)}>"

    def _repr_html_(self) -> str:
        from tightbudget.markup import html_record

        with self._reading():
            steps = "not counted" if self.sequence is None else self.sequence
            rows = [("delta", show(self._delta)), ("running epsilon", _running_in_few_digits(self.epsilon)), ("steps", steps)]
            return html_record([*rows, ("guarantee", self.sense.value)], f"{self.kind} odometer")


def exact_sums(names: Iterable[str], sums: Sums, price: Sums, count: int) -> Sums:
    """Return these sums after `count` steps of this price."""
    names = tuple(names)
    after = sums_after(tuple([sums[name] for name in names]), tuple([price[name] for name in names]), count)
    return dict(zip(names, map(tidy_sum, after), strict=True))


def tidy_sum(amount: Amount) -> Amount:
    """Return the amount as it can be written down: inf beyond the largest float, and no longer than filters allow."""
    return math.inf if amount > LARGEST else tidy_amount(amount)


def _running_within(running: float, most: Fraction) -> bool:
    """Compare as typed numbers are: a running epsilon is read as the decimal that it prints as."""
    return running < math.inf and exact("epsilon", running) <= most


def _running_in_few_digits(running: float) -> str:
    """Return a running epsilon in few digits, rounded up."""
    return "inf" if math.isinf(running) else readable_amount(exact("epsilon", running))


def positive_setting(name: str, value: Any) -> Fraction:
    number = exact(name, value, "a number from 1e-100 to 1e100")
    if not Fraction(1, 10**100) <= number <= 10**100:
        raise InvalidParameter(name, value, "a number from 1e-100 to 1e100")
    return number


def from_ticks(ticks: Amount) -> Amount:
    return ticks if isinstance(ticks, float) else Fraction(ticks, prices.TICKS)
