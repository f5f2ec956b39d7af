"""One budget for each of many people, charged all at once.

Belongs here: individual filters, and balances of many people in arrays and files.
Elsewhere: filters of one budget for all (`adaptive/filters`).

WARNING: balances and masks are as private as the people's records; see `tb.individual.IndividualFilter`.
"""

from tightbudget.adaptive.individual.base import IndividualFilter
from tightbudget.adaptive.individual.kinds import GDPFilter, RenyiFilter, ZCDPFilter
from tightbudget.adaptive.individual.registry import from_state
from tightbudget.adaptive.individual.registry import open_balances as open

__all__ = ["GDPFilter", "IndividualFilter", "RenyiFilter", "ZCDPFilter", "from_state", "open"]
