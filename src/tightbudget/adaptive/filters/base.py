"""What every filter does: price a step, compare with its limits, spend or refuse."""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from tightbudget.adaptive.amounts import Amount, exact, exact_probability, float_up, plus, show, tidy
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.states import Kept, State, check_spent
from tightbudget.errors import BudgetRefused, InvalidParameter

MOST = 2**53
"""`remaining` counts no further: as many as this or more."""

Sums = tuple[Amount, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Quote:
    """What a filter answers to a step, without spending anything.

    `limit` names the limit the figures are about: the one that refuses the step, or else the one that admits it.
    `asked` is what the step would take of it, `left` what is there: the difference of `used`, with the step, and
    `used_before`; of `cap` and `used_before`. A quote is true if the step is accepted, and prints as a sentence.
    """

    accepted: bool
    increment: Increment
    filter: str
    limit: str
    used: Amount
    used_before: Amount
    cap: Amount

    @property
    def asked(self) -> Amount:
        return self.used - self.used_before if self.used < math.inf else math.inf

    @property
    def left(self) -> Amount:
        return max(self.cap - self.used_before, Fraction(0))

    @property
    def reason(self) -> str:
        asked, left = self._figures()
        if self.accepted:
            return (
                f"{self.increment} fits the {self.filter} filter: it takes {asked} of the {left} of {self.limit} that was left."
            )
        return (
            f"{self.increment} is refused by the {self.filter} filter: it asks for {asked} of {self.limit}, but {left} is left."
        )

    def __bool__(self) -> bool:
        return self.accepted

    def __str__(self) -> str:
        return self.reason

    def __repr__(self) -> str:
        asked, left = self._figures()
        verdict = "accepted" if self.accepted else "refused"
        return f"<quote: {self.increment} {verdict} by {self.filter}; asks for {asked} of {self.limit}, {left} left>"

    def _figures(self) -> tuple[str, str]:
        """Return what was asked and left in few digits, which agree with the verdict however near the two are."""
        return _figure(self.asked, ROUND_FLOOR if self.accepted else ROUND_CEILING), _figure(self.left, ROUND_FLOOR)


class Filter(Kept):
    """A rule fixed before the first step that says, step by step, whether the next one may run.

    Whatever is asked and however it is chosen, what is released by the accepted steps is
    (epsilon, delta)-differentially private. Ask `quote` or `spend` before a step runs; never run a step that was
    refused, and never move to another filter after the first step. Threads may share a filter; other processes may not
    (see `adaptive/sharing.py`).
    """

    def __init__(self, epsilon: Any, delta: Any, *, mix_relations: bool = False) -> None:
        super().__init__(mix_relations)
        self._epsilon = exact("epsilon", epsilon)
        self._delta = exact_probability("delta", delta)
        self._sums: Sums = (0,) * len(self.sums)

    @property
    def epsilon(self) -> float:
        """The epsilon of the guarantee."""
        return float_up(self._epsilon)

    @property
    def delta(self) -> float:
        """The delta of the guarantee."""
        return float_up(self._delta)

    @property
    @abstractmethod
    def sums(self) -> tuple[str, ...]:
        """Names of what is added up over the accepted steps."""

    @abstractmethod
    def _weigh(self, increment: Increment) -> tuple[Quote, Sums]:
        """Return the quote and the sums after the step; raise InvalidParameter if this filter cannot accept its kind."""

    @abstractmethod
    def remaining(self, increment: Increment) -> int:
        """Return how many more such steps would be admitted one after the other, if nothing else is asked.

        The count is cut off at 2^53, that of the residual filter at 1000: it then stands for that many or more.
        """

    def quote(self, increment: Increment) -> Quote:
        """Return whether the step fits, what it asks and what is left; nothing is spent."""
        with self._reading():
            return self._weigh(self._checked(increment))[0]

    def spend(self, increment: Increment) -> Quote:
        """Spend the step, or raise BudgetRefused and change nothing. Call it before the step runs."""
        with self._spending():
            quote, after = self._weigh(self._checked(increment))
            if not quote.accepted:
                raise BudgetRefused(quote)
            self._sums = after
            self._meet(increment)
            return quote

    @property
    def spent(self) -> dict[str, Amount]:
        """The sums so far, exact. They say how much of the budget is used, not what has been lost: see odometers."""
        return dict(zip(self.sums, self._sums, strict=True))

    def _written(self) -> State:
        return {name: show(amount) for name, amount in self.spent.items()}

    def _restore(self, spent: object) -> None:
        if not isinstance(spent, dict) or set(spent) != set(self.sums):
            raise InvalidParameter("spent", spent, f"a dictionary of {', '.join(self.sums)}")
        amounts = (spent[name] for name in self.sums)
        self._sums = tuple(math.inf if amount == "inf" else exact("spent", amount) for amount in amounts)

    def __repr__(self) -> str:
        spent = ", ".join(f"{name} {_figure(amount)}" for name, amount in self.spent.items())
        return f"<{self.kind} filter for epsilon {show(self._epsilon)}, delta {show(self._delta)}; spent: {spent}>"


class SumFilter(Filter):
    """A filter that looks at nothing but sums: each step has a price, and the sums of prices must stay within limits."""

    @abstractmethod
    def _price(self, increment: Increment) -> Sums:
        """Return what the step adds to each sum; raise InvalidParameter if this filter cannot accept its kind."""

    @abstractmethod
    def _verdict(self, sums: Sums) -> tuple[bool, str, Amount]:
        """Return whether these sums are within the limits, which limit decides (the one that refuses, if any), its use."""

    @abstractmethod
    def _used(self, limit: str, sums: Sums) -> Amount:
        """Return how much of a limit these sums use."""

    @abstractmethod
    def _cap(self, limit: str) -> Amount:
        """Return how much of a limit there is."""

    def _weigh(self, increment: Increment) -> tuple[Quote, Sums]:
        after = plus(self._sums, self._price(increment))
        after = tuple([amount if type(amount) is int else tidy(amount) for amount in after])
        accepted, limit, used = self._verdict(after)
        quote = Quote(accepted, increment, self.kind, limit, used, self._used(limit, self._sums), self._cap(limit))
        return quote, after

    def _restore(self, spent: object) -> None:
        super()._restore(spent)
        self._sums = self._in_units(spent)
        accepted, limit, used = self._verdict(self._sums)
        if any(self._sums) and not accepted:  # what is fresh is fine, even if nothing will ever be admitted
            check_spent(limit, used, self._cap(limit))

    def _in_units(self, spent: object) -> Sums:
        """Return the sums as they are kept."""
        return self._sums

    def remaining(self, increment: Increment) -> int:
        with self._reading():
            price = self._price(self._checked(increment))
            return largest(lambda count: self._verdict(plus(self._sums, price, count))[0])


def largest(fits: Callable[[int], bool], most: int = MOST) -> int:
    """Return the largest count up to `most`, a power of two, that fits, where every smaller one fits; 0 if none does."""
    if not fits(1):
        return 0
    low = 1
    while low < most and fits(2 * low):
        low *= 2
    if low >= most:
        return most
    high = 2 * low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _figure(amount: Amount, rounding: str = ROUND_CEILING) -> str:
    """Return the amount as a person wants to read it: as it is if that is short and no fraction, else in six digits."""
    text = show(amount)
    if len(text) <= 12 and "/" not in text:
        return text
    above, below = amount.as_integer_ratio()
    return f"{Context(prec=6, rounding=rounding).divide(Decimal(above), Decimal(below)):g}"
