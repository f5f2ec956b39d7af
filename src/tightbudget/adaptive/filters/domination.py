"""When one step is known to be dominated by another: whatever it reveals, the other reveals at least as much (M15).

Mechanisms say so themselves (`mechanisms/known_bounds.py`); a service sees the same few pairs of them over and over.
"""

from tightbudget.mechanisms import Mechanism
from tightbudget.numerics.remembered import remembered


@remembered(4096)
def dominates(slot: Mechanism, step: Mechanism) -> bool:
    """Return whether the step is known to be a post-processing of the slot, whatever the data; False if in doubt."""
    return slot.dominates(step)
