"""What the filters share that bound the tail of the loss: part of delta pays for that, part for the deltas of steps."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tightbudget.adaptive.amounts import exact, exact_probability, show
from tightbudget.adaptive.filters.limits import Cap, Limits
from tightbudget.adaptive.filters.sum_filter import SumFilter
from tightbudget.adaptive.states import State
from tightbudget.deprecated import formerly_positional
from tightbudget.errors import InvalidParameter

SMALLEST_EPSILON, LARGEST_EPSILON = Fraction(1, 10**40), Fraction(10**40)
SMALLEST_DELTA = Fraction(1, 10**300)


class ConcentrationFilter(SumFilter):
    """A filter whose delta is split, before the first step, into a part for the tail of the loss and a part for steps.

    `delta_for_steps` is what the deltas of all steps together may use; the tail gets the rest. With `or_basic` a step
    is also admitted while the epsilons of all steps so far add up to no more than epsilon: such a path never loses more
    than epsilon, so the alternative costs nothing (M14).
    """

    @formerly_positional("delta_for_steps", "or_basic")
    def __init__(
        self, epsilon: Any, delta: Any, *, delta_for_steps: Any = 0, or_basic: bool = False, mix_relations: bool = False
    ) -> None:
        self._or_basic = _filter_flag("or_basic", or_basic)
        guarantee = exact("epsilon", epsilon), exact_probability("delta", delta)
        self._for_steps = exact_probability("delta_for_steps", delta_for_steps)
        check_guarantee(*guarantee, self._for_steps)
        super().__init__(epsilon, delta, mix_relations=mix_relations)

    @property
    def _tail(self) -> Fraction:
        """The part of delta that pays for the tail of the loss."""
        return self._delta - self._for_steps

    def _within(self, sums: Mapping[str, Fraction], *enough: Cap) -> Limits:
        """Return the limits of a filter that bounds the tail by these sums, beside what all such filters share."""
        delta = Cap("the delta of steps", self._for_steps, of="delta")
        if not self._or_basic:
            return Limits({**sums, "delta": self._delta}, (delta,), enough)
        basic = Cap("the sum of epsilons", self._epsilon, of="epsilon", refuses=False)
        return Limits({**sums, "delta": self._delta, "epsilon": self._epsilon}, (delta,), (basic, *enough))

    def _settings(self) -> State:
        return {
            "epsilon": show(self._epsilon),
            "delta": show(self._delta),
            "delta_for_steps": show(self._for_steps),
            "or_basic": self._or_basic,
        }


def check_guarantee(epsilon: Fraction, delta: Fraction, for_steps: Fraction) -> None:
    """Refuse an epsilon or delta that a tail bound cannot work with; the basic filter takes any."""
    if not SMALLEST_EPSILON <= epsilon <= LARGEST_EPSILON:
        raise InvalidParameter("epsilon", show(epsilon), "a number from 1e-40 to 1e40 for this filter")
    if delta == 0:
        raise InvalidParameter("delta", "0", "above 0 for this filter", "1e-6 is a usual choice; the basic filter takes 0.")
    if not SMALLEST_DELTA <= delta < 1:
        raise InvalidParameter("delta", show(delta), "from 1e-300 to below 1 for this filter", "1e-6 is a usual choice.")
    if delta - for_steps < SMALLEST_DELTA:
        raise InvalidParameter("delta_for_steps", show(for_steps), f"at least 1e-300 below delta, which is {show(delta)}")


def _filter_flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidParameter(name, value, "True or False")
    return value
