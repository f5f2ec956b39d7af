"""Which neighbouring relation a step is for."""

from tightbudget.adaptive.increments import Increment


def relations_of(increment: Increment) -> frozenset[str]:
    """Return the relations that the parts of a step state; a promise states none."""
    return increment.relations
