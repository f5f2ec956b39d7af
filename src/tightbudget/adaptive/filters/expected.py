"""What is expected of a filter before the first step: the guarantee, and a step like those to come."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tightbudget.adaptive.amounts import exact, exact_probability, show
from tightbudget.adaptive.increments import Increment, checked_increment
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import ApproximateDP, Mechanism


@dataclass(frozen=True)
class Expected:
    """A guarantee, a step like those to come, and how many of them some filter is known to admit."""

    epsilon: Any
    delta: Any
    step: Increment
    delta_for_steps: Fraction
    known: int = 0

    @classmethod
    def of(cls, epsilon: Any, delta: Any, step: Increment | str, delta_for_steps: Any = None) -> "Expected":
        """Return what is expected; without a part of delta for steps, half of it if the step has a delta, else none."""
        read = checked_increment(step)
        share = _delta_share_for_steps(delta, read) if delta_for_steps is None else _checked_share(delta, delta_for_steps)
        return cls(epsilon, delta, read, share)

    @property
    def mixes(self) -> bool:
        """Whether the step itself is for several relations: if so, whoever composed it has said that it is meant."""
        return len(self.step.relations) > 1


def _delta_share_for_steps(delta: Any, step: Increment) -> Fraction:
    """Return half of delta if the step has a delta itself."""
    carries = any(_has_delta(mechanism) for mechanism, _ in step._parts)
    return exact("delta", delta) / 2 if carries else Fraction(0)


def _has_delta(mechanism: Mechanism) -> bool:
    if mechanism.moment_promise is not None:
        return mechanism.moment_promise.promised_delta > 0
    return isinstance(mechanism, ApproximateDP)  # who writes that means steps with a delta, even if this one's is 0


def _checked_share(delta: Any, delta_for_steps: Any) -> Fraction:
    """Return the part of delta for steps; a budget without delta has nothing to share."""
    whole, part = exact("delta", delta), exact_probability("delta_for_steps", delta_for_steps)
    if part >= whole and part > 0:
        raise InvalidParameter("delta_for_steps", delta_for_steps, f"below delta, which is {show(whole)}")
    return part
