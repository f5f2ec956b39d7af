"""Public names of the filters; the code is in `adaptive/filters`."""

from tightbudget.adaptive.filters import *  # noqa: F403
from tightbudget.adaptive.filters import __all__ as __all__
