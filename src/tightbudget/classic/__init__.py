"""Published composition bounds, each with its theorem: upper bounds to put beside the bracket (M12)."""

from tightbudget.classic.adaptive import adaptive
from tightbudget.classic.advanced import advanced
from tightbudget.classic.bound import Bound
from tightbudget.classic.bounded_range import bounded_range
from tightbudget.classic.heterogeneous import heterogeneous
from tightbudget.classic.kov import kov
from tightbudget.classic.kov_simple import kov_simple
from tightbudget.classic.murtagh_vadhan import murtagh_vadhan
from tightbudget.classic.naive import naive

__all__ = [
    "ALL",
    "Bound",
    "adaptive",
    "advanced",
    "bounded_range",
    "heterogeneous",
    "kov",
    "kov_simple",
    "murtagh_vadhan",
    "naive",
]

ALL: tuple[Bound, ...] = (naive, adaptive, advanced, heterogeneous, kov_simple, kov, murtagh_vadhan, bounded_range)
