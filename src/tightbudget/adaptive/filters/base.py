"""What every filter does: compare a step with its limits, spend or refuse."""

import inspect
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from tightbudget.adaptive.amounts import Amount, exact, exact_probability, float_up, show
from tightbudget.adaptive.filters.expected import Expected
from tightbudget.adaptive.filters.limits import Limit, readable_amount
from tightbudget.adaptive.filters.quotes import Quote
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.states import KeptAsState
from tightbudget.errors import BudgetRefused
from tightbudget.keywords import known_keywords, says_its_arguments, unknown_keyword
from tightbudget.mechanisms import PureDP

MOST = 2**53
"""`remaining` counts no further: as many as this or more."""

Sums = tuple[Amount, ...]

_NOTHING = PureDP(0)

Candidate = tuple[str, Callable[[], "Filter"]]


class Filter(KeptAsState):
    """A rule fixed before the first step that says, step by step, whether the next one may run.

    Whatever is asked and however it is chosen, what is released by the accepted steps is
    (epsilon, delta)-differentially private. Ask `quote` or `spend` before a step runs; never run a step that was
    refused, and never move to another filter after the first step. Threads may share a filter; other processes may not
    (see `adaptive/sharing.py`).
    """

    _sums: Sums

    if not TYPE_CHECKING:  # type checkers know the arguments of each class

        def __new__(cls, *arguments: Any, **named: Any) -> Self:
            known = known_keywords(cls.__init__)
            if known is not None and not named.keys() <= known:
                raise unknown_keyword(cls.__name__, cls.__init__, named, known)
            return super().__new__(cls)

    def __init__(self, epsilon: Any, delta: Any, *, mix_relations: bool = False) -> None:
        super().__init__(mix_relations)
        self._epsilon = exact("epsilon", epsilon)
        self._delta = exact_probability("delta", delta)

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

    @property
    @abstractmethod
    def spent(self) -> dict[str, Amount]:
        """The sums so far, exact. They say how much of the budget is used, not what has been lost: see odometers."""

    @abstractmethod
    def _weigh(self, increment: Increment) -> tuple[Quote, Sums]:
        """Return the quote and the sums after the step; raise InvalidParameter if this filter takes none such."""

    @abstractmethod
    def remaining(self, increment: Increment | str) -> int:
        """Return how many more such steps would be admitted one after the other, if nothing else is asked.

        The count is cut off at 2^53, that of the residual filter at 1000: it then stands for that many or more.
        """

    @classmethod
    def candidates(cls, expected: Expected) -> Iterator[Candidate]:
        """Yield names, and ways to make filters of this kind that may suit the steps to come: what `best` compares."""
        settings: dict[str, Any] = {"mix_relations": expected.mixes}
        if "delta_for_steps" in inspect.signature(cls).parameters:
            settings["delta_for_steps"] = expected.delta_for_steps
        yield cls.kind, partial(cls, expected.epsilon, expected.delta, **settings)

    def counted(self, increment: Increment) -> tuple[int, bool]:
        """Return how many more such steps are admitted, and whether the counting was cut off: there may be more."""
        count = self.remaining(increment)
        return count, count >= MOST

    def note(self, increment: Increment, count: int, or_more: bool) -> str:
        """Return what is to be said about so many such steps, in the table of `best`."""
        return "or more" if or_more else ""

    @property
    def limits(self) -> Sequence[Limit]:
        """The limits, with what is used of each now."""
        with self._reading():
            return self._weigh(_NOTHING)[0].before

    def quote(self, increment: Increment | str) -> Quote:
        """Return whether the step fits, what it asks and what is left; nothing is spent."""
        with self._reading():
            return self._weigh(self._checked(increment))[0]

    @says_its_arguments
    def spend(self, increment: Increment | str) -> Quote:
        """Spend the step, or raise BudgetRefused and change nothing. Call it before the step runs."""
        with self._spending():
            step = self._checked(increment)
            quote, after = self._weigh(step)
            if not quote.accepted:
                raise BudgetRefused(quote)
            self._sums = after
            self._meet(step)
            return quote

    def __repr__(self) -> str:
        spent = ", ".join(f"{name} {readable_amount(amount)}" for name, amount in self.spent.items())
        return f"<{self.kind} filter for epsilon {show(self._epsilon)}, delta {show(self._delta)}; spent: {spent}>"

    def _repr_html_(self) -> str:
        from tightbudget.markup import html_record

        with self._reading():
            steps = "not counted" if self.sequence is None else self.sequence
            rows = [("epsilon", show(self._epsilon)), ("delta", show(self._delta)), ("steps", steps)]
            spent = [(f"spent: {name}", readable_amount(amount)) for name, amount in self.spent.items()]
            return html_record([*rows, *spent], f"{self.kind} filter")
