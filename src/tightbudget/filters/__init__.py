"""Pay as you go: rules that stay valid when every step is chosen after seeing the results of the steps before."""

from tightbudget.filters.advanced import AdvancedFilter, SharpenedFilter
from tightbudget.filters.base import Filter, Quote
from tightbudget.filters.basic import BasicFilter
from tightbudget.filters.best import Choice, Choices, best
from tightbudget.filters.gdp import GDPFilter
from tightbudget.filters.increments import RDP, ZCDP, Increment, parse_increment
from tightbudget.filters.rdp import RDPFilter
from tightbudget.filters.registry import from_state
from tightbudget.filters.residual import ResidualFilter
from tightbudget.filters.slots import SlotFilter
from tightbudget.filters.whitehouse import WhitehouseFilter
from tightbudget.filters.zcdp import ZCDPFilter

__all__ = [
    "RDP",
    "ZCDP",
    "AdvancedFilter",
    "BasicFilter",
    "Choice",
    "Choices",
    "Filter",
    "GDPFilter",
    "Increment",
    "Quote",
    "RDPFilter",
    "ResidualFilter",
    "SharpenedFilter",
    "SlotFilter",
    "WhitehouseFilter",
    "ZCDPFilter",
    "best",
    "from_state",
    "parse_increment",
]
