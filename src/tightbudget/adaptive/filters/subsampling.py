"""Notions of privacy that do not see subsampling: a sample costs as much as the whole."""

from collections.abc import Callable

from tightbudget.adaptive.amounts import Amount, amount_to_float
from tightbudget.adaptive.increments import Increment

NOT_SEEN = "charged as without subsampling: this notion does not see it"


def sees_no_subsampling(increment: Increment, price: Callable[[Increment], Amount]) -> bool:
    """Return whether some subsampled part costs as much as it does without subsampling."""
    parts = (part for part, _ in increment._parts if part.subsamples)
    return any(_nearly_equal_costs(price(part), price(part.whole)) for part in parts)


def _nearly_equal_costs(one: Amount, other: Amount) -> bool:
    return abs(amount_to_float(one) - amount_to_float(other)) <= 1e-9 * amount_to_float(other)
