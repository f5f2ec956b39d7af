"""Published composition bounds, each with its theorem: upper bounds to put beside the bracket (M12).

Belongs here: one theorem a file (naive, advanced, KOV, Rényi, zCDP, GDP, ...), and what theorems share.
Elsewhere: the numbers rho, mu and D_a themselves (`divergences`); tables of bounds (`comparison`); the same theorems
step by step (`adaptive/filters`).
"""

from tightbudget.classic.adaptive import adaptive
from tightbudget.classic.advanced import advanced
from tightbudget.classic.bound import Bound
from tightbudget.classic.bounded_range import bounded_range
from tightbudget.classic.cdp import cdp
from tightbudget.classic.central_limit import central_limit
from tightbudget.classic.gaussian_dp import gaussian_dp
from tightbudget.classic.heterogeneous import heterogeneous
from tightbudget.classic.kov import kov
from tightbudget.classic.kov_simple import kov_simple
from tightbudget.classic.murtagh_vadhan import murtagh_vadhan
from tightbudget.classic.naive import naive
from tightbudget.classic.renyi import moments_accountant, renyi_dp
from tightbudget.classic.zcdp import zcdp

__all__ = [
    "ALL",
    "Bound",
    "adaptive",
    "advanced",
    "bounded_range",
    "cdp",
    "central_limit",
    "gaussian_dp",
    "heterogeneous",
    "kov",
    "kov_simple",
    "moments_accountant",
    "murtagh_vadhan",
    "naive",
    "renyi_dp",
    "zcdp",
]

ALL: tuple[Bound, ...] = (
    naive,
    adaptive,
    advanced,
    heterogeneous,
    kov_simple,
    kov,
    murtagh_vadhan,
    bounded_range,
    moments_accountant,
    renyi_dp,
    zcdp,
    cdp,
    gaussian_dp,
    central_limit,
)
