"""Single numbers that sum up a mechanism or composition, each an upper bound for both directions (M10).

Belongs here: Rényi divergences, rho of zCDP, mu of GDP and the largest loss of a composition, and conversions of them
to epsilon and delta.
Elsewhere: moments of one pair (`pairs/moments`); what a mechanism knows of itself (`mechanisms/known_bounds.py`); these
numbers as rows beside the bracket (`classic`).
"""

from tightbudget.divergences.conversions import (
    best_rdp_delta,
    best_rdp_epsilon,
    gdp_delta,
    gdp_epsilon,
    pure_to_rdp,
    pure_to_zcdp,
    rdp_delta,
    rdp_epsilon,
    zcdp_delta,
    zcdp_epsilon,
)
from tightbudget.divergences.gdp import gdp, pure_to_gdp
from tightbudget.divergences.orders import ORDERS
from tightbudget.divergences.pure import pure_epsilon
from tightbudget.divergences.renyi import renyi
from tightbudget.divergences.zcdp import zcdp

__all__ = [
    "ORDERS",
    "best_rdp_delta",
    "best_rdp_epsilon",
    "gdp",
    "gdp_delta",
    "gdp_epsilon",
    "pure_epsilon",
    "pure_to_gdp",
    "pure_to_rdp",
    "pure_to_zcdp",
    "rdp_delta",
    "rdp_epsilon",
    "renyi",
    "zcdp",
    "zcdp_delta",
    "zcdp_epsilon",
]
