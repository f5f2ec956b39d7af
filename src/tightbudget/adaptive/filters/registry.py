"""Filters by their kind, and the way back from a state."""

from tightbudget.adaptive.filters.advanced import AdvancedFilter, SharpenedFilter
from tightbudget.adaptive.filters.base import Filter
from tightbudget.adaptive.filters.basic import BasicFilter
from tightbudget.adaptive.filters.gdp import GDPFilter
from tightbudget.adaptive.filters.rdp import RDPFilter
from tightbudget.adaptive.filters.residual import ResidualFilter
from tightbudget.adaptive.filters.slots import SlotFilter
from tightbudget.adaptive.filters.whitehouse import WhitehouseFilter
from tightbudget.adaptive.filters.zcdp import ZCDPFilter
from tightbudget.adaptive.states import State, object_from_state

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
    """Return the filter that `state` was taken of; it decides as that one would have, on any machine.

    >>> from tightbudget import PureDP
    >>> budget = BasicFilter(epsilon=1, delta=0)
    >>> quote = budget.spend(PureDP(epsilon=0.1))
    >>> from_state(budget.state()) == budget
    True
    """
    return object_from_state(state, BY_KIND, "a filter")
