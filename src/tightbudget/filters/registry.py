"""Filters by their kind, and the way back from a state."""

from typing import Any

from tightbudget.errors import InvalidParameter
from tightbudget.filters.advanced import AdvancedFilter, SharpenedFilter
from tightbudget.filters.base import VERSION, Filter, State
from tightbudget.filters.basic import BasicFilter
from tightbudget.filters.gdp import GDPFilter
from tightbudget.filters.rdp import RDPFilter
from tightbudget.filters.residual import ResidualFilter
from tightbudget.filters.slots import SlotFilter
from tightbudget.filters.whitehouse import WhitehouseFilter
from tightbudget.filters.zcdp import ZCDPFilter

ALL: tuple[type[Filter], ...] = (
    BasicFilter,
    AdvancedFilter,
    SharpenedFilter,
    WhitehouseFilter,
    ZCDPFilter,
    RDPFilter,
    GDPFilter,
    ResidualFilter,
    SlotFilter,
)
BY_KIND: dict[str, type[Filter]] = {each.kind: each for each in ALL}


def from_state(state: State) -> Filter:
    """Return the filter that `state` was taken of; it decides as that one would have.

    >>> from tightbudget import PureDP
    >>> budget = BasicFilter(epsilon=1, delta=0)
    >>> quote = budget.spend(PureDP(epsilon=0.1))
    >>> from_state(budget.state()) == budget
    True
    """
    if not isinstance(state, dict):
        raise InvalidParameter("state", state, "a dictionary that a filter's state() returned")
    settings: dict[str, Any] = dict(state)
    version, kind, spent = (settings.pop(name, None) for name in ("version", "kind", "spent"))
    if version != VERSION or type(version) is not int:
        raise InvalidParameter("version", version, f"{VERSION}", "The state was written by another version of the package.")
    if not isinstance(kind, str) or kind not in BY_KIND:
        raise InvalidParameter("kind", kind, f"one of {', '.join(BY_KIND)}")
    try:
        restored = BY_KIND[kind](**settings)
    except TypeError:
        raise InvalidParameter("state", state, f"as the {kind} filter wrote it") from None
    restored._restore(spent)
    return restored
