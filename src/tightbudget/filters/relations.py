"""Which neighbouring relation a step is for."""

from tightbudget.filters.increments import Increment
from tightbudget.mechanisms import Composable


def relations_of(increment: Increment) -> frozenset[str]:
    """Return the relations that the parts of a step state; a promise of zCDP or RDP states none."""
    if not isinstance(increment, Composable):
        return frozenset()
    return frozenset(mechanism.neighbours for mechanism, _ in increment._parts)
