"""dp_accounting's events and accountants: what is written for that package is answered by this one.

Belongs here: reading and writing DpEvents, reading its loss distributions, and an accountant that its users put in
place of theirs.
Elsewhere: the mechanisms that events become are in `mechanisms`.

Events are read and written without dp_accounting; the accountant is one of its accountants and needs it.
"""

from typing import TYPE_CHECKING

from tightbudget.lazy import imported_when_used

if TYPE_CHECKING:
    from tightbudget.adapters.dp_accounting.accountant import TightBudgetAccountant
    from tightbudget.adapters.dp_accounting.events import event_from_json, event_to_json
    from tightbudget.adapters.dp_accounting.loss_distributions import from_pld
    from tightbudget.adapters.dp_accounting.reading import UnsupportedEvent, from_event
    from tightbudget.adapters.dp_accounting.writing import relation_of, to_event

__all__ = [
    "TightBudgetAccountant",
    "UnsupportedEvent",
    "event_from_json",
    "event_to_json",
    "from_event",
    "from_pld",
    "relation_of",
    "to_event",
]

_HERE = "tightbudget.adapters.dp_accounting"
_PLACES = {
    "TightBudgetAccountant": f"{_HERE}.accountant:TightBudgetAccountant",
    "UnsupportedEvent": f"{_HERE}.reading:UnsupportedEvent",
    "event_from_json": f"{_HERE}.events:event_from_json",
    "event_to_json": f"{_HERE}.events:event_to_json",
    "from_event": f"{_HERE}.reading:from_event",
    "from_pld": f"{_HERE}.loss_distributions:from_pld",
    "relation_of": f"{_HERE}.writing:relation_of",
    "to_event": f"{_HERE}.writing:to_event",
}
__getattr__ = imported_when_used(__name__, _PLACES)
