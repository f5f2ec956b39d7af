"""Public names of the individual filters; the code is in `adaptive/individual`."""

from tightbudget.adaptive.individual import *  # noqa: F403
from tightbudget.adaptive.individual import __all__ as __all__
