"""Pay as you go: rules that stay valid when every step is chosen after seeing the results of the steps before.

Belongs here: privacy filters, their limits, quotes and thresholds, and the comparison of filters for the steps to come.
Elsewhere: running bounds without a budget (`adaptive/odometers`); a budget for each person (`adaptive/individual`);
what a step costs (`adaptive/prices.py`).
"""

from tightbudget.adaptive.filters.advanced import AdvancedFilter, SharpenedFilter
from tightbudget.adaptive.filters.base import Filter
from tightbudget.adaptive.filters.basic import BasicFilter
from tightbudget.adaptive.filters.best_filters import Choice, Choices
from tightbudget.adaptive.filters.best_filters import best_filters as best
from tightbudget.adaptive.filters.gdp import GDPFilter
from tightbudget.adaptive.filters.limits import Limit
from tightbudget.adaptive.filters.quotes import Quote
from tightbudget.adaptive.filters.rdp import RDPFilter
from tightbudget.adaptive.filters.registry import from_state
from tightbudget.adaptive.filters.residual import ResidualFilter
from tightbudget.adaptive.filters.slots import SlotFilter
from tightbudget.adaptive.filters.whitehouse import WhitehouseFilter
from tightbudget.adaptive.filters.zcdp import ZCDPFilter
from tightbudget.adaptive.increments import RDP, ZCDP, Increment, parse_increment

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
    "Limit",
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
