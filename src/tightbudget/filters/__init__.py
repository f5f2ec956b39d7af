"""Pay as you go: rules that stay valid when every step is chosen after seeing the results of the steps before."""

from tightbudget.filters.advanced import AdvancedFilter, SharpenedFilter
from tightbudget.filters.base import Filter, Quote
from tightbudget.filters.basic import BasicFilter
from tightbudget.filters.increments import RDP, ZCDP, Increment
from tightbudget.filters.registry import from_state

__all__ = [
    "RDP",
    "ZCDP",
    "AdvancedFilter",
    "BasicFilter",
    "Filter",
    "Increment",
    "Quote",
    "SharpenedFilter",
    "from_state",
]
