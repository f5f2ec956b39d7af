"""Public names of the papers' bucket system; the code is in `research/published`."""

from tightbudget.research.published import *  # noqa: F403
from tightbudget.research.published import __all__ as __all__
