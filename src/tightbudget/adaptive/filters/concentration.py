"""What the filters share that bound the tail of the loss: part of delta pays for that, part for the deltas of steps."""

from abc import abstractmethod
from fractions import Fraction
from typing import Any, ClassVar

from tightbudget.adaptive.amounts import Amount, exact_probability, show
from tightbudget.adaptive.filters.base import SumFilter, Sums
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.states import State, at_most
from tightbudget.errors import InvalidParameter

SMALLEST_EPSILON, LARGEST_EPSILON = Fraction(1, 10**40), Fraction(10**40)
SMALLEST_DELTA = Fraction(1, 10**300)

DELTA_OF_STEPS = "the delta of steps"
SUM_OF_EPSILONS = "the sum of epsilons"


class ConcentrationFilter(SumFilter):
    """A filter whose delta is split, before the first step, into a part for the tail of the loss and a part for steps.

    `delta_for_steps` is what the deltas of all steps together may use; the tail gets the rest. With `or_basic` a step
    is also admitted while the epsilons of all steps so far add up to no more than epsilon: such a path never loses more
    than epsilon, so the alternative costs nothing (M14).
    """

    limit: ClassVar[str]
    _unit: ClassVar[int] = 1
    """Own sums are kept in parts 1/_unit: of many or computed amounts whole numbers of ticks, which add up fast."""

    def __init__(
        self, epsilon: Any, delta: Any, delta_for_steps: Any = 0, or_basic: bool = False, *, mix_relations: bool = False
    ) -> None:
        self._or_basic = _flag("or_basic", or_basic)
        super().__init__(epsilon, delta, mix_relations=mix_relations)
        self._for_steps = exact_probability("delta_for_steps", delta_for_steps)
        check_guarantee(self._epsilon, self._delta, self._for_steps)

    @property
    def _tail(self) -> Fraction:
        """The part of delta that pays for the tail of the loss."""
        return self._delta - self._for_steps

    @property
    def sums(self) -> tuple[str, ...]:
        return (*self._own_sums, "delta", "epsilon") if self._or_basic else (*self._own_sums, "delta")

    @property
    @abstractmethod
    def _own_sums(self) -> tuple[str, ...]:
        """Names of the sums that bound the tail."""

    @abstractmethod
    def _full_price(self, increment: Increment) -> Sums:
        """Return what the step adds to the own sums, to delta and to epsilon."""

    def _measure(self, sums: Sums) -> Amount:
        """Return what must not exceed the budget."""
        return sums[0]

    _budget: Amount

    def _price(self, increment: Increment) -> Sums:
        price = self._full_price(increment)
        return price if self._or_basic else price[:-1]

    def _verdict(self, sums: Sums) -> tuple[bool, str, Amount]:
        delta = sums[len(self._own_sums)]
        if delta and delta > self._for_steps:
            return False, DELTA_OF_STEPS, delta
        if self._or_basic and sums[-1] <= self._epsilon:
            return True, SUM_OF_EPSILONS, sums[-1]
        return self._tail_verdict(sums)

    def _tail_verdict(self, sums: Sums) -> tuple[bool, str, Amount]:
        used = self._measure(sums)
        return used <= self._budget, self.limit, used

    def _used(self, limit: str, sums: Sums) -> Amount:
        if limit == DELTA_OF_STEPS:
            return sums[len(self._own_sums)]
        return sums[-1] if limit == SUM_OF_EPSILONS else self._measure(sums)

    def _cap(self, limit: str) -> Amount:
        if limit == DELTA_OF_STEPS:
            return self._for_steps
        return self._epsilon if limit == SUM_OF_EPSILONS else self._budget

    @property
    def spent(self) -> dict[str, Amount]:
        own, sums = len(self._own_sums), self._sums
        amounts = (amount if isinstance(amount, float) else Fraction(amount) / self._unit for amount in sums[:own])
        return dict(zip(self.sums, [*amounts, *sums[own:]], strict=True))

    def _in_units(self, spent: object) -> Sums:
        own = len(self._own_sums)
        amounts = [amount * self._unit for amount in self._sums[:own]]
        if self._unit > 1:
            if any(amount.denominator != 1 for amount in amounts if not isinstance(amount, float)):  # inf is the only float
                raise InvalidParameter("spent", spent, f"as the {self.kind} filter wrote it")
            amounts = [amount if isinstance(amount, float) else int(amount) for amount in amounts]
        return (*amounts, *self._sums[own:])

    def _constants(self) -> State:
        return {"cap": show(self._budget)}

    def _adopt(self, constants: State) -> None:
        self._budget = at_most("cap", constants["cap"], self._budget)

    def _settings(self) -> State:
        return {
            "epsilon": show(self._epsilon),
            "delta": show(self._delta),
            "delta_for_steps": show(self._for_steps),
            "or_basic": self._or_basic,
        }


def check_guarantee(epsilon: Fraction, delta: Fraction, for_steps: Fraction) -> None:
    if not SMALLEST_EPSILON <= epsilon <= LARGEST_EPSILON:
        raise InvalidParameter("epsilon", show(epsilon), "a number from 1e-40 to 1e40 for this filter")
    if delta == 0:
        raise InvalidParameter("delta", "0", "above 0 for this filter", "1e-6 is a usual choice; the basic filter takes 0.")
    if not SMALLEST_DELTA <= delta < 1:
        raise InvalidParameter("delta", show(delta), "from 1e-300 to below 1 for this filter", "1e-6 is a usual choice.")
    if delta - for_steps < SMALLEST_DELTA:
        raise InvalidParameter("delta_for_steps", show(for_steps), f"at least 1e-300 below delta, which is {show(delta)}")


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidParameter(name, value, "True or False")
    return value
