"""Filters by their kind, and the way back from a state."""

from tightbudget.filters.advanced import AdvancedFilter, SharpenedFilter
from tightbudget.filters.base import Filter
from tightbudget.filters.basic import BasicFilter
from tightbudget.filters.gdp import GDPFilter
from tightbudget.filters.rdp import RDPFilter
from tightbudget.filters.residual import ResidualFilter
from tightbudget.filters.slots import SlotFilter
from tightbudget.filters.states import State, restored
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
    """Return the filter that `state` was taken of; it decides as that one would have, on any machine.

    >>> from tightbudget import PureDP
    >>> budget = BasicFilter(epsilon=1, delta=0)
    >>> quote = budget.spend(PureDP(epsilon=0.1))
    >>> from_state(budget.state()) == budget
    True
    """
    made: Filter = restored(state, BY_KIND, "a filter")
    return made
