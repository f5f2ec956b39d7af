"""Quotes: what a filter answers to a step before it is spent, what it asks and what is left."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR

from tightbudget.adaptive.amounts import Amount
from tightbudget.adaptive.filters.limits import Limit, readable_amount
from tightbudget.adaptive.increments import Increment


@dataclass(frozen=True, slots=True, repr=False)
class Quote:
    """What a filter answers to a step, without spending anything.

    `limits` are all limits with the step, `before` the same without it. The figures are about the one at `place`: the
    one that refuses the step, or else the one that admits it. `limit` is its name, `asked` what the step would take of
    it, `left` what is there: the difference of `used`, with the step, and `used_before`; of `cap` and `used_before`. A
    quote is true if the step is accepted, and prints as a sentence.
    """

    accepted: bool
    increment: Increment
    filter: str
    before: Sequence[Limit]
    limits: Sequence[Limit]
    place: int = 0

    @property
    def decisive(self) -> Limit:
        """The limit that decides, with the step."""
        return self.limits[self.place]

    @property
    def limit(self) -> str:
        return self.decisive.name

    @property
    def used(self) -> Amount:
        return self.decisive.used

    @property
    def used_before(self) -> Amount:
        return self.before[self.place].used

    @property
    def cap(self) -> Amount:
        return self.decisive.cap

    @property
    def asked(self) -> Amount:
        used = self.used
        return used - self.used_before if used < math.inf else math.inf

    @property
    def left(self) -> Amount:
        return self.before[self.place].left

    @property
    def reason(self) -> str:
        asked, left = self._figures()
        # "nothing fits" would say the opposite
        step = str(self.increment) if self.increment._parts else "an empty step"
        if self.accepted:
            return f"{step} fits the {self.filter} filter: it takes {asked} of the {left} of {self.limit} that was left."
        return f"{step} is refused by the {self.filter} filter: it asks for {asked} of {self.limit}, but {left} is left."

    def __bool__(self) -> bool:
        return self.accepted

    def __str__(self) -> str:
        return self.reason

    def __repr__(self) -> str:
        asked, left = self._figures()
        verdict = "accepted" if self.accepted else "refused"
        return f"<quote: {self.increment} {verdict} by {self.filter}; asks for {asked} of {self.limit}, {left} left>"

    def _repr_html_(self) -> str:
        from tightbudget.markup import html_record

        asked, left = self._figures()
        rows = [("step", self.increment), ("verdict", "accepted" if self.accepted else "refused")]
        return html_record(
            [*rows, (f"asks of {self.limit}", asked), ("left before", left)], f"quote of the {self.filter} filter"
        )

    def _figures(self) -> tuple[str, str]:
        """Return what was asked and left in few digits, which agree with the verdict however near the two are."""
        asked = readable_amount(self.asked, ROUND_FLOOR if self.accepted else ROUND_CEILING)
        return asked, readable_amount(self.left, ROUND_FLOOR)
